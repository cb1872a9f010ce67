"""What stands for a text, a path, a key, an id or a number: the same for equal ones, in one log.

They are numbered as they come, so the same log always gives the same. Different things get
different placeholders: every text is replaced, and of keys and numbers, of which the harmless ones
stay, also those that look like a placeholder.
"""

import re
from collections import Counter
from hashlib import blake2b
from typing import Final

from repeat_reminder.canonical import canonical

SHORT: Final = 10
"""Numbers of fewer characters tell nothing by themselves."""
FIRST_NUMBER: Final = 9_000_000_000
"""Numbers behind this one stand for others; it has `SHORT` characters, so none of them stays."""
LONG: Final = 64
"""Characters of a text that is remembered as it is."""
LONGEST_KEY: Final = 40
MOST_DIGITS: Final = 4

MARKS: Final = frozenset({"", "[image]", "[audio]", "[resource]"})
"""Texts that say nothing, or that readers put in place of a block."""

_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.-]*|[0-9]{1,9}")
_OURS: Final = re.compile(r"key-[0-9]+")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://\S+")
_ABSOLUTE: Final = re.compile(r"(?:/|~/|[A-Za-z]:[\\/]|\\\\)\S*")
_RELATIVE: Final = re.compile(r"[\w.@+][\w.@+-]*(?:[/\\][\w.@+-]*)+")


class Placeholders:
    """Everything replaced so far. Memory: about 200 bytes for each different text."""

    def __init__(self) -> None:
        """Begin at 1 everywhere."""
        self._given: dict[str, dict[str | bytes, str]] = {}
        self._numbers: dict[str, int] = {}
        self._count: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """Replace a text by one of its kind: a URL, a path, or any other."""
        return text if text in MARKS else self._stand_in("text", _shape(text), text)

    def key(self, key: str) -> str:
        """Keep a key that looks like a tool's own name for an argument; replace another."""
        if (
            len(key) <= LONGEST_KEY
            and _NAME.fullmatch(key)
            and sum(map(str.isdigit, key)) <= MOST_DIGITS
            and not _OURS.fullmatch(key)
        ):
            return key
        return self._stand_in("key", "key-{}", key)

    def id(self, kind: str, given: str) -> str:
        """Replace an id; ``kind`` is what its placeholder begins with."""
        return self._stand_in(kind, f"{kind}-{{}}", given)

    def next(self, kind: str) -> str:
        """Return a placeholder of a kind that stands for nothing yet."""
        self._count[kind] += 1
        return f"{kind}-{self._count[kind]}"

    def known(self, kind: str, given: str) -> str | None:
        """Return what stands for an id, if it was replaced before."""
        return self._given.get(kind, {}).get(_identity(given))

    def number(self, number: float) -> float:
        """Keep a short number; replace one that may be an id, a time or a telephone number."""
        text = canonical(number)
        if len(text) < SHORT:
            return number
        if text not in self._numbers:
            self._numbers[text] = FIRST_NUMBER + len(self._numbers) + 1
        return self._numbers[text]

    def _stand_in(self, kind: str, shape: str, given: str) -> str:
        known, identity = self._given.setdefault(kind, {}), _identity(given)
        found = known.get(identity)
        if found is None:
            self._count[shape] += 1
            found = known[identity] = shape.format(self._count[shape])
        return found


def _identity(given: str) -> str | bytes:
    """Return what a text is remembered by: a digest, where the text is long."""
    if len(given) <= LONG:
        return given
    return blake2b(given.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _shape(text: str) -> str:
    """Tell what a text looks like. Different shapes never give the same placeholder."""
    if _URL.fullmatch(text):
        return "https://example.invalid/{}"
    if _ABSOLUTE.fullmatch(text):
        return "/path-{}"
    return "dir/path-{}" if _RELATIVE.fullmatch(text) else "text-{}"
