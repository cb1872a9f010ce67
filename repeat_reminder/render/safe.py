"""Text from a log, made safe for a terminal: nothing hidden, nothing executed, known width.

A log is written by tools, web pages and models. Its text may move the cursor, recolour the screen,
turn the reading direction round, or hide characters. Every text of a log that goes to a terminal
passes `escape` first; `shorten` measures and cuts what came out of it.
"""

import unicodedata

ELLIPSIS = "…"

_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LATIN_END, _BMP_END = 0xFF, 0xFFFF
# Letters and marks by category, yet drawn as nothing: fillers, joiners and variation selectors
# (the last can carry a whole hidden message).
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)


def escape(text: str, *, ascii_only: bool = False) -> str:
    r"""Show what a terminal would obey or hide as a backslash escape.

    Escaped are controls (``\n``, ``\x1b``), format characters such as bidi marks and zero-width
    joiners (``\u202e``), line and paragraph separators, lone surrogates, private and unassigned
    code points (``\U000e0001``) and letters that are drawn as nothing.

    A backslash stays as it is, so that JSON and Windows paths remain legible. So ``\n`` on the
    screen is a line feed or the two characters; exact text is what the JSON outputs are for.

    Args:
        text: any text, lone surrogates included.
        ascii_only: escape everything beyond ASCII too, for an output that is not UTF-8.
    """
    if not (text.isprintable() and (text.isascii() or _INVISIBLE.isdisjoint(text))):
        text = "".join(map(_visible, text))
    return text.encode("ascii", "backslashreplace").decode() if ascii_only else text


def shorten(text: str, width: int, *, ellipsis: str = ELLIPSIS) -> str:
    """Cut an escaped text to at most ``width`` terminal cells, the ellipsis included.

    Args:
        text: what `escape` returned.
        width: cells, 0 or more.
        ellipsis: put in place of what is cut off; left out where it does not fit itself.
    """
    if len(_fitting(text, width)) == len(text):
        return text
    if cells(ellipsis) > width:
        ellipsis = ""
    return _fitting(text, width - cells(ellipsis)) + ellipsis


def cells(text: str) -> int:
    """Count the terminal cells an escaped text takes: wide East Asian characters take two."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def first_line(text: str) -> str:
    """Return the first line that is not blank, without its line end; empty if there is none.

    A line ends at LF or CRLF alone: the other Unicode line separators are part of a log's text.
    """
    rest = text.lstrip()
    if not rest:
        return ""
    start = text.rfind("\n", 0, len(text) - len(rest)) + 1
    end = text.find("\n", start)
    return text[start : end if end >= 0 else None].removesuffix("\r")


def _visible(char: str) -> str:
    # str.isprintable also refuses spaces other than U+0020; those are harmless.
    hidden = char in _INVISIBLE or not (char.isprintable() or unicodedata.category(char) == "Zs")
    return (_SHORT.get(char) or _code(ord(char))) if hidden else char


def _code(point: int) -> str:
    if point <= _LATIN_END:
        return rf"\x{point:02x}"
    return rf"\u{point:04x}" if point <= _BMP_END else rf"\U{point:08x}"


def _cells_of(char: str) -> int:
    """Count the cells of one character; marks and the later letters of a Hangul syllable: none."""
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    joins = "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    return 0 if joins or unicodedata.category(char) in {"Mn", "Me"} else 1


def _fitting(text: str, width: int) -> str:
    if text.isascii():
        return text[: max(0, width)]
    used = 0
    for at, char in enumerate(text):
        used += _cells_of(char)
        if used > width:
            return text[:at]
    return text
