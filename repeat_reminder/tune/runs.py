"""Runs of identical calls, chained over a table: any scope, without reading the log again."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from repeat_reminder.policies.identity import IgnoredArguments
from repeat_reminder.policies.patterns import Scope
from repeat_reminder.tune.likeness import Likeness
from repeat_reminder.tune.table import NO_KEY, NO_ROW, SessionTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of a config decides which calls are one run."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore_args: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        """Return the tools that are tracked."""
        return _scope(self.include, self.exclude)

    @property
    def ignored(self) -> IgnoredArguments:
        """Return the arguments that are no part of a call's identity."""
        return IgnoredArguments(self.ignore_args)

    def without(self, *patterns: str) -> "Choice":
        """Return the choice that excludes more tools."""
        return Choice(
            include=self.include,
            exclude=(*self.exclude, *patterns),
            ignore_args=self.ignore_args,
        )


@lru_cache(maxsize=256)
def _scope(include: tuple[str, ...], exclude: tuple[str, ...]) -> Scope:
    """Keep what a scope has decided: the next session calls the same tools."""
    return Scope(include, exclude)


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


def chain(table: SessionTable, choice: Choice) -> Chained:
    """Chain the calls of a session.

    A run has the rows that a replay with the same include, exclude and ignore-args would count as
    1, 2, 3, …: `policies.chains.Chains` is the rule, this is its arithmetic.
    """
    scope = choice.scope
    tracked = [scope.tracks(tool) for tool in table.tools]
    keys = table.keys_without(choice.ignored)
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
    done = [_run(table, rows, open_=False) for rows in runs]
    for lane, rows in enumerate(members):
        if len(rows) > 1:
            done.append(_run(table, tuple(rows), open_=bool(table.lane_open[lane])))
    return Chained(tuple(done), count)


def _run(table: SessionTable, rows: tuple[int, ...], *, open_: bool) -> Run:
    likeness = Likeness(min([table.likeness[row] for row in rows[1:]]))
    cut, seen = (Cut.LOG if open_ else Cut.NONE), len(rows)
    agent = table.lane_agent[table.lane[rows[0]]]
    for told in table.recorded:
        if told.read and told.agent == agent and _cuts(told.row, told.after, rows):
            cut = Cut.REMINDER
            seen = min(seen, sum(row < told.after for row in rows))
    return Run(rows, likeness, cut, seen)


def _cuts(row: int, after: int, rows: Sequence[int]) -> bool:
    """Tell whether a reminder is about a run, or was read while it went on."""
    return (row != NO_ROW and row in rows) or rows[0] < after <= rows[-1]
