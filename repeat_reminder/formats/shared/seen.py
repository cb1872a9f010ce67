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
    with a secret of this process.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._recent: set[int] = set()
        self._packed = array("q")
        """Sorted."""

    def __contains__(self, key: Hashable) -> bool:
        """Tell whether a key was added."""
        known = hash(key)
        if known in self._recent:
            return True
        packed = self._packed
        at = bisect_left(packed, known) if packed else 0
        return at < len(packed) and packed[at] == known

    def __bool__(self) -> bool:
        """Tell whether any key was added."""
        return bool(self._recent or self._packed)

    def add(self, key: Hashable) -> bool:
        """Add a key; tell whether it is new."""
        known = hash(key)
        recent, packed = self._recent, self._packed
        if known in recent:
            return False
        if packed:
            at = bisect_left(packed, known)
            if at < len(packed) and packed[at] == known:
                return False
        recent.add(known)
        if len(recent) > RECENT and len(recent) > len(packed) // 4:
            self._packed = array("q", merge(packed, sorted(recent)))
            recent.clear()
        return True
