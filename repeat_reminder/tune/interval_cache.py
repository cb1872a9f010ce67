"""Intervals from run to run, in the same file as the run tables: resampling takes its time."""

import sys
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import msgspec

from repeat_reminder.render.tune.figures import Interval
from repeat_reminder.tune.cache import program, unused
from repeat_reminder.tune.store import Entry, Store, Unusable

if TYPE_CHECKING:
    from repeat_reminder.events import Problem


class IntervalCache:
    """The cache as one report sees it. It is a `bootstrap.Memory`.

    Attributes:
        fault: why it is not used, or is used no more.
    """

    def __init__(self, store: Store) -> None:
        """Look at nothing yet."""
        self.fault: Problem | None = None
        self._store: Store | None = store
        self._how = f"intervals {sys.platform} {program()}".encode()
        self._waiting: list[Entry] = []

    def find(self, key: bytes) -> list[Interval] | None:
        """Return what was kept."""
        if self._store is None:
            return None
        try:
            (entry,) = self._store.get([self._key(key)])
            pairs = None if entry is None else _PAIRS.decode(entry.read)
        except (Unusable, msgspec.MsgspecError) as error:
            self._give_up(self._store, str(error))
            return None
        return None if pairs is None else [Interval(*pair) for pair in pairs]

    def keep(self, key: bytes, intervals: Sequence[Interval]) -> None:
        """Keep intervals for the next run."""
        data = msgspec.msgpack.encode(intervals)
        self._waiting.append(Entry(self._key(key), b"", None, data))

    def write(self) -> None:
        """Write down what is to be kept."""
        if self._store is not None and self._waiting:
            try:
                self._store.put(self._waiting)
            except Unusable as error:
                self._give_up(self._store, str(error))

    def _key(self, key: bytes) -> bytes:
        return blake2b(self._how + key, digest_size=16).digest()

    def _give_up(self, store: Store, why: str) -> None:
        self.fault = unused(str(store.path), why)
        self._store = None


_PAIRS: Final = msgspec.msgpack.Decoder(list[tuple[float | int, float | int]])
