"""What the breaker remembers about one agent, counted as it goes.

Mirrors ``lib/window.js`` of dsh-repeat-tool-breaker 0.5.2, with one thing more: a record can be
withdrawn. The plugin's guard never sees a call that somebody stopped before it, or that never
started; a replay meets the call first and learns of its status later.
"""

from collections import deque
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from repeat_reminder.policies.breaker.hits import Cause

Record: TypeAlias = list[str]
"""What one call left in the window. Two equal records are two records."""

_SHORT = 1_024


def key_of(fp: str) -> str:
    """Return what is remembered of a fingerprint: a digest of a long one, which no other can be.

    A window of calls that write whole files would hold them all; streaks would for a whole turn.
    """
    if len(fp) <= _SHORT:
        return fp
    return blake2b(fp.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Streak(NamedTuple):
    """Failures of one fingerprint without a success between them."""

    length: int
    last: Cause


class AgentState:
    """The window of one agent and what became of its measures, since the last human message.

    It knows fingerprints by their keys (`key_of`).
    """

    __slots__ = ("_records", "_size", "_trimmed", "_unsettled",
                 "counts", "exempt", "last_result", "refused", "streaks")  # fmt: skip

    def __init__(self, window: int) -> None:
        """Remember the last ``window`` records."""
        self._size = window
        self._records: deque[Record] = deque()
        self.counts: dict[str, int] = {}
        """How often each fingerprint is in the window; those that are not have no entry."""
        self._trimmed: deque[Record] = deque()
        self._unsettled = 0
        self.exempt: set[str] = set()
        """What the operator has approved: no longer recorded, never blocked."""
        self.refused: set[str] = set()
        """What the operator has declined: blocked without another question."""
        self.streaks: dict[str, Streak] = {}
        self.last_result = ""

    def open(self) -> None:
        """Take note of a call that may have to be withdrawn: keep what its record pushes out."""
        self._unsettled += 1

    def close(self) -> None:
        """Take note that such a call has settled."""
        self._unsettled -= 1
        self._forget_trimmed()

    def commit(self, keys: Iterable[str]) -> Record | None:
        """Record fingerprints, but for the exempt ones; None if nothing is left to record."""
        exempt = self.exempt
        record = [key for key in keys if key not in exempt] if exempt else list(keys)
        if not record:
            return None
        self._records.append(record)
        self._add(record)
        if len(self._records) > self._size:
            oldest = self._records.popleft()
            self._remove(oldest)
            self._trimmed.append(oldest)
            self._forget_trimmed()
        return record

    def note(self, key: str, cause: Cause | None) -> int:
        """Lengthen the streak of a fingerprint that failed, end that of one that did not.

        Returns:
            The streak; 0 for an exempt fingerprint, which is not counted.
        """
        if key in self.exempt:
            return 0
        if cause is None:
            self.streaks.pop(key, None)
            return 0
        before = self.streaks.get(key)
        length = 1 if before is None else before.length + 1
        self.streaks[key] = Streak(length, cause)
        return length

    def withdraw(self, record: Record) -> None:
        """Take a record out as if it had never been there: what it pushed out comes back."""
        if _drop(self._trimmed, record) or not _drop(self._records, record):
            return
        self._remove(record)
        if self._trimmed:
            oldest = self._trimmed.pop()
            self._records.appendleft(oldest)
            self._add(oldest)

    def _add(self, record: Record) -> None:
        counts = self.counts
        for key in record:
            counts[key] = counts.get(key, 0) + 1

    def _remove(self, record: Record) -> None:
        counts = self.counts
        for key in record:
            left = counts[key] - 1
            if left:
                counts[key] = left
            else:
                del counts[key]

    def _forget_trimmed(self) -> None:
        """Keep no more than can come back: every unsettled call can bring back one record."""
        while len(self._trimmed) > self._unsettled:
            self._trimmed.popleft()


def _drop(records: deque[Record], record: Record) -> bool:
    """Remove this very record, not an equal one."""
    for at, other in enumerate(records):
        if other is record:
            del records[at]
            return True
    return False
