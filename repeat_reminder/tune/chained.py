"""Runs of identical calls: their calls, what their results had in common, how they ended."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from repeat_reminder.tune.likeness import Likeness
from repeat_reminder.tune.table import NO_KEY, NO_ROW, SessionTable


class Cut(IntEnum):
    """Why a run may have been longer than what was seen of it (right-censored)."""

    NONE = 0
    LOG = 1
    """The log ends while it could go on."""
    REMINDER = 2
    """The agent read a recorded reminder about it, or in the middle of it."""


class Run(NamedTuple):
    """A run of two calls or more."""

    rows: tuple[int, ...]
    """Its calls, by row."""
    likeness: Likeness
    """Of its results: the least that any two neighbours have in common."""
    cut: Cut
    seen: int
    """Its calls before the agent read a recorded reminder; all of them if it read none."""

    @property
    def length(self) -> int:
        """Calls."""
        return len(self.rows)


class Chained(NamedTuple):
    """A session's runs under one choice."""

    runs: tuple[Run, ...]
    """Of two calls or more, in the order of their ends."""
    tracked: int
    """Calls that count."""

    @property
    def longest(self) -> int:
        """Calls of the longest run; 1 where nothing repeats, 0 where nothing is tracked."""
        return max((run.length for run in self.runs), default=min(self.tracked, 1))

    @property
    def reminded(self) -> bool:
        """Whether a recorded reminder cuts a run."""
        return any(run.cut is Cut.REMINDER for run in self.runs)


def walked(table: SessionTable, keys: Sequence[int], tracked: Sequence[bool]) -> Chained:
    """Chain the calls of a session, one after the other.

    Args:
        table: the session.
        keys: the column of keys; see `SessionTable.keys_without`.
        tracked: for each tool of the table, whether its calls count.
    """
    last: list[int] = [NO_KEY] * len(table.lane_agent)
    members: list[list[int]] = [[] for _ in last]
    runs: list[tuple[int, ...]] = []
    count = 0
    for row, (lane, tool, key) in enumerate(zip(table.lane, table.tool, keys, strict=True)):
        if not tracked[tool] or key == NO_KEY:
            continue
        count += 1
        if last[lane] == key:
            members[lane].append(row)
            continue
        if len(members[lane]) > 1:
            runs.append(tuple(members[lane]))
        last[lane] = key
        members[lane] = [row]
    done = [run_of(table, rows, open_=False) for rows in runs]
    for lane, rows in enumerate(members):
        if len(rows) > 1:
            done.append(run_of(table, tuple(rows), open_=bool(table.lane_open[lane])))
    return Chained(tuple(done), count)


def run_of(table: SessionTable, rows: tuple[int, ...], *, open_: bool) -> Run:
    """Make a run.

    Args:
        table: the session.
        rows: its calls, two or more.
        open_: whether it could have gone on where the log ends.
    """
    likeness = _LIKENESS[min([table.likeness[row] for row in rows[1:]])]
    cut, seen = (Cut.LOG if open_ else Cut.NONE), len(rows)
    if table.recorded:
        agent = table.lane_agent[table.lane[rows[0]]]
        for told in table.recorded:
            if told.read and told.agent == agent and _cuts(told.row, told.after, rows):
                cut = Cut.REMINDER
                seen = min(seen, sum(row < told.after for row in rows))
    return Run(rows, likeness, cut, seen)


_LIKENESS = tuple(Likeness)


def _cuts(row: int, after: int, rows: Sequence[int]) -> bool:
    """Tell whether a reminder is about a run, or was read while it went on."""
    return (row != NO_ROW and row in rows) or rows[0] < after <= rows[-1]
