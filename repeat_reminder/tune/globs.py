"""Path globs, matched against paths that the user gave."""

import re

_PIECE = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]")


def has_magic(text: str) -> bool:
    """Tell whether a text is a glob."""
    return any(char in text for char in "*?[")


def path_pattern(glob: str) -> re.Pattern[str]:
    """Translate a glob: ``*`` stays inside a folder, ``**`` does not.

    A glob that does not begin at the root may begin at any folder of a path.
    """
    parts: list[str] = []
    at = 0
    for piece in _PIECE.finditer(glob):
        parts.append(re.escape(glob[at : piece.start()]))
        parts.append(_translated(piece[0]))
        at = piece.end()
    parts.append(re.escape(glob[at:]))
    lead = "" if glob.startswith("/") else "(?:.*/)?"
    try:
        return re.compile(lead + "".join(parts), re.DOTALL)
    except re.error:  # a class such as [z-a]: then the brackets mean themselves
        return re.compile(lead + re.escape(glob), re.DOTALL)


def _translated(piece: str) -> str:
    match piece:
        case "**/":
            return "(?:.*/)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _:
            inner = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
            return f"[^/{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
