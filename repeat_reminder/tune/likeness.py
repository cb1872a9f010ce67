"""Do the results of equal calls tell anything new? Texts are compared, and forgotten."""

import re
from collections import OrderedDict
from enum import IntEnum
from hashlib import blake2b
from typing import Final, TypeAlias

from repeat_reminder.tune.digests import Parts


class Likeness(IntEnum):
    """How the result of a call compares with that of the previous call of the tool."""

    CHANGED = 0
    VOLATILE = 1
    """Equal but for numbers, hex ids and times."""
    IDENTICAL = 2
    UNKNOWN = 3
    """There is no previous call, or results are not recorded."""


VOLATILE: Final = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|\b(?=[a-fA-F]*[0-9])[0-9a-fA-F]{6,}\b"
    r"|\b0x[0-9a-fA-F]+\b"
    r"|[0-9]+(?:[-.,:/T][0-9]+)*(?:Z\b)?"
)
_DIGIT: Final = re.compile(r"[0-9]")
"""Nothing volatile is without one."""
"""What changes in a text by itself: UUIDs, hex ids, numbers and times, all in one line."""

LONGEST: Final = 64 << 10
"""Characters of a result up to which volatile parts are looked for."""
_GLANCE: Final = 256
_CUT: Final = 40
"""Characters: the longest thing that is volatile as one, and some."""
_MOST: Final = 16 << 20
"""Characters of results that are held at a time; of those beyond a digest is."""
_MOST_DIFFERENCES: Final = 2
"""Arguments that may differ between calls whose results are worth a closer look."""

_Told: TypeAlias = tuple[str, ...] | bytes
"""A result's texts, or a digest of them."""


def without_volatile(text: str) -> str:
    """Return a text without what changes by itself."""
    return VOLATILE.sub("", text)


class Results:
    """The latest result of every tool in every lane.

    Calls that can ever be in one run, whatever is excluded or ignored, are consecutive calls of
    one tool in one lane: so one look back is enough.
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._last: dict[int, dict[str, tuple[Parts | None, _Told]]] = {}
        self._sizes: OrderedDict[tuple[int, str], int] = OrderedDict()
        """Of the texts that are held, the latest last."""
        self._held = 0

    def compare(
        self, lane: int, tool: str, parts: Parts | None, texts: tuple[str, ...]
    ) -> Likeness:
        """Compare a result with the previous one of its tool and lane, and take its place.

        Args:
            lane: where the call was made.
            tool: the call's tool.
            parts: the call's arguments; None if they cannot be counted.
            texts: the result.
        """
        tools = self._last.setdefault(lane, {})
        before = tools.get(tool)
        self._held -= self._sizes.pop((lane, tool), 0)
        size = sum(map(len, texts))
        if size > LONGEST:
            tools[tool] = parts, _exact(texts)
        else:
            tools[tool] = parts, texts
            self._sizes[lane, tool] = size
            self._held += size
            self._shed()
        return Likeness.UNKNOWN if before is None else _likeness(*before, parts, texts)

    def forget(self, lane: int) -> None:
        """Drop the results of a lane that nothing is added to any more."""
        for tool in self._last.pop(lane, ()):
            self._held -= self._sizes.pop((lane, tool), 0)

    def _shed(self) -> None:
        """Keep only a digest of the results that were not asked about for the longest time."""
        while self._held > _MOST:
            (lane, tool), size = self._sizes.popitem(last=False)
            parts, told = self._last[lane][tool]
            self._last[lane][tool] = parts, _digest(told)
            self._held -= size


def _likeness(
    other_parts: Parts | None, other: _Told, parts: Parts | None, texts: tuple[str, ...]
) -> Likeness:
    if isinstance(other, bytes):
        return Likeness.IDENTICAL if other == _exact(texts) else Likeness.CHANGED
    if other == texts:
        return Likeness.IDENTICAL
    close = _related(other_parts, parts) and sum(map(len, texts)) <= LONGEST
    if close and len(other) == len(texts) and all(map(_alike, other, texts)):
        return Likeness.VOLATILE
    return Likeness.CHANGED


def _alike(one: str, other: str) -> bool:
    """Compare line by line: most results that differ do so in an early line, and in few."""
    if one.count("\n") != other.count("\n"):
        return False
    pairs = zip(one.split("\n"), other.split("\n"), strict=True)
    return all(line == with_ or _lines_alike(line, with_) for line, with_ in pairs)


def _lines_alike(one: str, other: str) -> bool:
    if not _DIGIT.search(one) and not _DIGIT.search(other):
        return False
    return _begin_alike(one, other) and without_volatile(one) == without_volatile(other)


def _begin_alike(one: str, other: str) -> bool:
    """Look at the beginnings of long lines alone.

    The end of what is cut off here may be half of an id, so it is left out.
    """
    if len(one) <= _GLANCE or len(other) <= _GLANCE:
        return True
    begins = without_volatile(one[:_GLANCE]), without_volatile(other[:_GLANCE])
    sure = max(0, min(map(len, begins)) - _CUT)
    return begins[0][:sure] == begins[1][:sure]


def _related(one: Parts | None, other: Parts | None) -> bool:
    """Tell whether two calls of a tool could be in one run, with few arguments ignored."""
    if one is None or other is None:
        return False
    names = {name for name, _ in set(one) ^ set(other)}
    return len(names) <= _MOST_DIFFERENCES


def _digest(told: _Told) -> bytes:
    return told if isinstance(told, bytes) else _exact(told)


def _exact(texts: tuple[str, ...]) -> bytes:
    text = "\0".join(texts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
