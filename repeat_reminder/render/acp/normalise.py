"""What differs between two recordings of the same session, replaced by tokens that do not.

Pure text to text. It is applied to every text of a transcript line, after everything that is
counted, placed or cut.
"""

import re

from msgspec import Struct

from repeat_reminder.jsontext import dumps, loads

CWD = "{{cwd}}"

_MIN_CWD, _MIN_ID = 2, 8
_FEW_WORDS = 32
# In a reminder's text arguments stand as JSON, where a line feed is a backslash and an n: neither
# is part of the word or path that follows.
_AFTER_ESCAPE = r"(?<=\\[nrtbf])"
_WORD_START = re.compile(rf"(?:(?<!\w)|{_AFTER_ESCAPE})(?=\w\S{{{_MIN_ID - 1}}})")
# A path may stand right behind a one-letter option (-I/usr/include) or a URL's scheme.
_PATH_START = (
    r"(?:(?<![A-Za-z0-9_.~)}/\\-])|(?<=://)"
    rf"|(?<=^-[A-Za-z])|(?<=[\s\"'=]-[A-Za-z])|{_AFTER_ESCAPE})"
)
_PATH_END = r"(?!\.*[\w~@+#$%-])"
_SEPARATOR = r"(?:/|\\+)"
_REST = r"(?P<rest>(?:[\\/]+[^\s\\/\"'`<>|:;,]*)*)"
_BACKSLASHES = re.compile(r"(\\+)")
_JSON_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


class Words:
    """Ids and the tokens that stand for them, found as whole words of any text.

    The search takes time linear in the text, however many ids there are.
    """

    def __init__(self) -> None:
        """Know no id yet."""
        self._tokens: dict[str, str] = {}
        self._heads: set[str] = set()
        self._lengths: list[int] = []
        """Of the ids, longest first: the longest id that fits is the one that is meant."""

    def add(self, word: str, token: str) -> None:
        """Replace ``word`` from now on, if it has 8 characters or more (``main`` stays)."""
        if len(word) < _MIN_ID:
            return
        self._tokens[word] = token
        self._heads.add(word[:_MIN_ID])
        if len(word) not in self._lengths:
            self._lengths = sorted([*self._lengths, len(word)], reverse=True)

    def replace(self, text: str) -> str:
        """Return the text with every known id replaced by its token."""
        # Most texts hold no id, and to look for a few is quicker than to walk all words.
        if len(self._tokens) <= _FEW_WORDS and not any(word in text for word in self._tokens):
            return text
        parts: list[str] = []
        done = 0
        for found in _WORD_START.finditer(text):
            start = found.start()
            word = self._word_at(text, start) if start >= done else None
            if word is not None:
                parts += text[done:start], self._tokens[word]
                done = start + len(word)
        return "".join(parts) + text[done:]

    def _word_at(self, text: str, start: int) -> str | None:
        if text[start : start + _MIN_ID] not in self._heads:
            return None
        ends = (start + length for length in self._lengths)
        return next(
            (w for end in ends if (w := text[start:end]) in self._tokens and _ends(text, end)), None
        )


class Folder:
    """A working directory, found as a whole path prefix with either kind of separator."""

    def __init__(self, path: str) -> None:
        """Prepare the search for an absolute path in the spelling of its system."""
        names = re.split(r"[\\/]", path)
        self._key = max(names, key=len)
        self._windows = not path.startswith("/")
        self._pattern = re.compile(
            _PATH_START + _SEPARATOR.join(map(re.escape, names)) + _PATH_END + _REST
        )

    def replace(self, text: str) -> str:
        r"""Return the text with the folder as ``{{cwd}}`` and ``/`` between what follows it."""
        return self._pattern.sub(self._token, text) if self._key in text else text

    def _token(self, found: re.Match[str]) -> str:
        rest = found["rest"]
        runs = _BACKSLASHES.findall(found[0][: len(found[0]) - len(rest)])
        if not runs and self._windows:
            runs = _BACKSLASHES.findall(rest)[:1]
        return CWD + (_with_slashes(rest, runs[-1]) if runs else rest)


def folder(cwd: str | None) -> Folder | None:
    """Return the folder to look for; None if there is none or its path is too short to tell."""
    path = (cwd or "").rstrip("\\/")
    return Folder(path) if len(path) >= _MIN_CWD else None


class Normaliser(Struct, frozen=True):
    """The one function of a session's texts: ids and the working directory become tokens."""

    words: Words
    folder: Folder | None

    def text(self, text: str) -> str:
        """Normalise a text as a user reads it."""
        return self.words.replace(self.folder.replace(text) if self.folder else text)

    def json(self, text: str) -> str:
        """Normalise every string of a JSON text, keys too.

        All else stays to the byte: order, numbers, and nesting of any depth.
        """
        return _JSON_STRING.sub(self._json_string, text)

    def _json_string(self, found: re.Match[str]) -> str:
        quoted = found[0]
        plain = str(loads(quoted)) if "\\" in quoted else quoted[1:-1]
        changed = self.text(plain)
        return quoted if changed == plain else dumps(changed).decode()


def _ends(text: str, end: int) -> bool:
    """Tell whether a word that stops at ``end`` is whole."""
    after = text[end : end + 1]
    return not (after.isalnum() or after == "_")


def _with_slashes(rest: str, separator: str) -> str:
    r"""Turn each ``separator`` into ``/``, up to a run of backslashes that is something else.

    In JSON a separator is two backslashes; a single one there begins an escape such as ``\n``.
    """
    parts = _BACKSLASHES.split(rest)
    other = next((at for at in range(1, len(parts), 2) if parts[at] != separator), len(parts))
    return "/".join(parts[:other:2]) + "".join(parts[other:])
