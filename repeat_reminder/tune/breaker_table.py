"""What a breaker met in a session, with the fingerprints already made."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    Ints: TypeAlias = array[int]
else:  # as in `table`
    Ints = array
Peaks: TypeAlias = dict[int, tuple[int, int]]
"""By fingerprint: the most occurrences, and the most failures, between two resets."""

NO_ROW: Final = 0xFFFF_FFFF
_SHORT: Final = 1_024


class Op(IntEnum):
    """What happened."""

    CALL = 0
    SUCCESS = 1
    FAILURE = 2
    DENIED = 3
    """Somebody stopped the call before the guards."""
    SILENT = 4
    """It settled, but nothing is known of how."""
    SKIPPED = 5
    HUMAN = 6
    GONE = 7


RESETS: Final = frozenset({Op.HUMAN, Op.GONE})
"""What is about an agent; it drops all that is kept of it."""
SETTLES: Final = frozenset({Op.SUCCESS, Op.FAILURE, Op.DENIED, Op.SILENT, Op.SKIPPED})
COUNTED: Final = frozenset({Op.CALL, Op.FAILURE, Op.DENIED})
"""What can add to an occurrence or to a streak."""


class Met(NamedTuple):
    """One thing that happened."""

    at: int
    """Its place in the session."""
    op: int
    """See `Op`."""
    subject: int
    """A call, or an agent."""


class Block(NamedTuple):
    """What one agent met from one reset to the next, or to a later one if a call ran meanwhile."""

    agent: int
    met: list[Met]
    peaks: Peaks


def short(fp: str) -> str:
    """Return a fingerprint, or in place of a long one its kind and a digest."""
    if len(fp) <= _SHORT:
        return fp
    digest = blake2b(fp.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{fp.partition(':')[0]}:{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerTable:
    """The tracked calls of a session, and what happened in which order."""

    fps: tuple[str, ...] = ()
    carried: tuple[tuple[int, ...], ...] = ()
    """What calls carry: fingerprints by number. Many calls carry the same."""

    call_carried: Ints = field(default_factory=lambda: array("I"))
    call_agent: Ints = field(default_factory=lambda: array("I"))
    call_index: Ints = field(default_factory=lambda: array("I"))
    """The call's number among those of its agent, from 1."""
    call_row: Ints = field(default_factory=lambda: array("I"))
    """In the session's table; `NO_ROW` if it never settled."""

    ops: Ints = field(default_factory=lambda: array("B"))
    subjects: Ints = field(default_factory=lambda: array("I"))

    def met(self) -> list[Met]:
        """Return what happened, in order."""
        both = enumerate(zip(self.ops, self.subjects, strict=True))
        return [Met(at, op, subject) for at, (op, subject) in both]

    def agent_of(self, one: Met) -> int:
        """Return whom it is about."""
        return one.subject if one.op in RESETS else self.call_agent[one.subject]

    def blocks(self) -> list[Block]:
        """Return the session in parts that have nothing to do with each other."""
        settle = {one for op, one in zip(self.ops, self.subjects, strict=True) if op in SETTLES}
        open_calls: dict[int, int] = {}
        current: dict[int, list[Met]] = {}
        blocks: list[Block] = []
        for one in self.met():
            agent = self.agent_of(one)
            met = current.setdefault(agent, [])
            met.append(one)
            if one.op == Op.CALL:
                open_calls[agent] = open_calls.get(agent, 0) + (one.subject in settle)
            elif one.op not in RESETS:
                open_calls[agent] -= 1
            elif not open_calls.get(agent):
                blocks.append(Block(agent, met, self._peaks(met)))
                del current[agent]
        blocks += (Block(agent, met, self._peaks(met)) for agent, met in current.items())
        return blocks

    def _peaks(self, met: Sequence[Met]) -> Peaks:
        """Return how much of each fingerprint came together between two resets at most."""
        now: Peaks = {}
        most: Peaks = {}
        for one in met:
            if one.op in RESETS:
                _raise(most, now)
                now = {}
            elif one.op in COUNTED:
                seen, lost = (1, 0) if one.op == Op.CALL else (0, 1)
                for fp in self.carried[self.call_carried[one.subject]]:
                    times, failures = now.get(fp, (0, 0))
                    now[fp] = times + seen, failures + lost
        _raise(most, now)
        return most

    def kept(self, rows: Sequence[bool], agents: Sequence[bool]) -> "BreakerTable":
        """Return the table without some calls.

        Args:
            rows: for each row of the session's table, whether it stays. What is left of the agent
                goes on as after a resume.
            agents: for each agent, whether it stays.
        """
        before = [0, *accumulate(map(int, rows))]
        stays = [
            agents[agent] and (row == NO_ROW or rows[row])
            for agent, row in zip(self.call_agent, self.call_row, strict=True)
        ]
        ops, subjects = array("B"), array("I")
        for one in self.met():
            is_call = one.op not in RESETS
            if not agents[self.agent_of(one)]:
                continue
            if not is_call or stays[one.subject]:
                ops.append(one.op)
                subjects.append(one.subject)
            elif one.op == Op.CALL:
                ops.append(Op.GONE)
                subjects.append(self.agent_of(one))
        call_row = array(
            "I",
            [before[row] if row != NO_ROW and rows[row] else NO_ROW for row in self.call_row],
        )
        return BreakerTable(
            fps=self.fps,
            carried=self.carried,
            call_carried=self.call_carried,
            call_agent=self.call_agent,
            call_index=self.call_index,
            call_row=call_row,
            ops=ops,
            subjects=subjects,
        )


def _raise(most: Peaks, counts: Peaks) -> None:
    for fp, (times, failures) in counts.items():
        old = most.get(fp, (0, 0))
        most[fp] = max(old[0], times), max(old[1], failures)
