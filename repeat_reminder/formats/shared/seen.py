"""What stood in a log already, however long that is: hashes of ids, packed."""

from array import array
from bisect import bisect_left
from collections.abc import Hashable
from heapq import merge
from typing import Final

RECENT: Final = 1 << 16
"""Hashes that are not packed: looking them up costs least."""


class Seen:
    """A set of keys of which only hashes are kept: 8 bytes each, the newest about 70.

    Two keys of one hash are taken for the same. Of ten million keys, that befalls any with a
    probability of less than one in fifty thousand, and nobody can bring it about: text is hashed
    with a secret of this process. A text that is ASCII has one hash as ``str`` and as ``bytes``.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._recent: set[int] = set()
        self._packed = array("q")
        """Sorted."""

    def __contains__(self, key: Hashable) -> bool:
        """Tell whether a key was added."""
        return self._has(hash(key))

    def __bool__(self) -> bool:
        """Tell whether any key was added."""
        return bool(self._recent or self._packed)

    def add(self, key: Hashable) -> bool:
        """Add a key, and tell whether it is new."""
        known = hash(key)
        if known in self._recent or (self._packed and self._is_packed(known)):
            return False
        self._recent.add(known)
        self._pack()
        return True

    def add_all(self, *keys: Hashable) -> bool:
        """Add keys if all are new, and no two the same; tell whether that is so."""
        new = {*map(hash, keys)}
        if len(new) < len(keys) or not new.isdisjoint(self._recent):
            return False
        if self._packed and any(map(self._is_packed, new)):
            return False
        self._recent |= new
        self._pack()
        return True

    def _has(self, known: int) -> bool:
        return known in self._recent or (bool(self._packed) and self._is_packed(known))

    def _is_packed(self, known: int) -> bool:
        at = bisect_left(self._packed, known)
        return at < len(self._packed) and self._packed[at] == known

    def _pack(self) -> None:
        recent = self._recent
        if len(recent) > RECENT and len(recent) > len(self._packed) // 4:
            self._packed = array("q", merge(self._packed, sorted(recent)))
            recent.clear()
