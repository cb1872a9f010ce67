"""Any number of threshold lists, scored by arithmetic on the run lengths of a corpus.

Thresholds never change what a run is, so a list sends one message per threshold that a run
reaches: the runs are counted once, by length.
"""

import statistics
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import ceil
from typing import NamedTuple

from repeat_reminder.render.tune.figures import Spend
from repeat_reminder.render.tune.values import Candidate
from repeat_reminder.tune.chained import Chained, Cut
from repeat_reminder.tune.spend import Spending
from repeat_reminder.tune.table import SessionTable

P95 = 0.95


class Chosen(NamedTuple):
    """A session with its runs under one choice of scope."""

    table: SessionTable
    chained: Chained
    is_stuck: bool


class Reach:
    """How many runs, and how many sessions, reach each length."""

    def __init__(self, sessions: Iterable[Chained]) -> None:
        """Count."""
        lengths: Counter[int] = Counter()
        longest: Counter[int] = Counter()
        self.profiles: Counter[tuple[int, ...]] = Counter()
        """Sessions by the sorted lengths of their runs; sessions without a run are left out."""
        self.sessions = 0
        many = list(sessions)
        for one in many:
            self.sessions += 1
            if one.runs:
                own = sorted([len(run.rows) for run in one.runs])
                lengths.update(own)
                longest[own[-1]] += 1
                self.profiles[tuple(own)] += 1
        self.lengths = lengths
        self.longest = max(lengths, default=0)
        self._after = self._after_reminders(many)
        self._runs = self._at_least(lengths)
        self._sessions = self._at_least(longest)
        self._columns: dict[int, list[int]] = {}

    def _at_least(self, counts: Counter[int]) -> list[int]:
        found = [0] * (self.longest + 2)
        for length in range(self.longest, -1, -1):
            found[length] = found[length + 1] + counts[length]
        return found

    def _after_reminders(self, sessions: Iterable[Chained]) -> list[int]:
        """Count for each length the runs that reached it after a recorded reminder was read."""
        steps = [0] * (self.longest + 2)
        for one in sessions:
            for run in one.runs:
                if run.cut is Cut.REMINDER:
                    steps[run.seen + 1] += 1
                    steps[run.length + 1] -= 1
        return list(accumulate(steps))

    def off_policy(self, thresholds: Sequence[int]) -> int:
        """Return how many messages of a list come after a recorded reminder in their run."""
        return sum([self._after[length] for length in thresholds if length <= self.longest])

    def runs(self, length: int) -> int:
        """Return how many runs have this length or more."""
        return self._runs[length] if length <= self.longest else 0

    def warned(self, length: int) -> int:
        """Return how many sessions have such a run."""
        return self._sessions[length] if length <= self.longest else 0

    def messages(self, thresholds: Sequence[int]) -> int:
        """Return how many messages a list sends."""
        runs, longest = self._runs, self.longest
        return sum([runs[length] for length in thresholds if length <= longest])

    def by_profile(self, thresholds: Sequence[int]) -> list[int]:
        """Return the messages a session of each profile gets."""
        columns = [self._column(length) for length in thresholds]
        return list(map(sum, zip(*columns, strict=True)))

    def _column(self, length: int) -> list[int]:
        if length not in self._columns:
            self._columns[length] = [len(own) - bisect_left(own, length) for own in self.profiles]
        return self._columns[length]

    def p95_and_most(self, thresholds: Sequence[int]) -> tuple[int, int]:
        """Return the messages of the session at the 95th percentile, and of the last one."""
        if not self.profiles:
            return 0, 0
        counts: Counter[int] = Counter()
        for messages, sessions in zip(
            self.by_profile(thresholds), self.profiles.values(), strict=True
        ):
            counts[messages] += sessions
        above = self.sessions - ceil(P95 * self.sessions)
        """Sessions that may have more."""
        for messages in sorted(counts, reverse=True):
            above -= counts[messages]
            if above < 0:
                return messages, max(counts)
        return 0, max(counts, default=0)


@dataclass(frozen=True)
class Scorer:
    """The runs of some sessions under one choice, ready to score threshold lists."""

    sessions: tuple[Chosen, ...]
    also_excluded: tuple[str, ...] = ()

    @cached_property
    def cost(self) -> Reach:
        """Every session not labelled stuck."""
        return Reach(one.chained for one in self.sessions if not one.is_stuck)

    @cached_property
    def stuck(self) -> Reach:
        """Every session labelled stuck."""
        return Reach(one.chained for one in self.sessions if one.is_stuck)

    @cached_property
    def _spending(self) -> Spending:
        return Spending((one.table, run) for one in self.sessions for run in one.chained.runs)

    @cached_property
    def _first_hits(self) -> dict[int, float | None]:
        return {}

    @cached_property
    def longest(self) -> int:
        """Calls of the longest run of all."""
        return max(self.cost.longest, self.stuck.longest)

    def runs(self, length: int) -> int:
        """Return how many runs of any session have this length or more."""
        return self.cost.runs(length) + self.stuck.runs(length)

    def spend_after(self, calls: int) -> Spend:
        """Return what all runs cost after so many calls of each."""
        return self._spending.after(calls)

    def score(self, thresholds: Sequence[int]) -> Candidate:
        """Score one list, which must be ascending."""
        first = thresholds[0]
        cost, stuck, longest = self.cost, self.stuck, self.longest
        p95, most = cost.p95_and_most(thresholds)
        messages, warned = cost.messages(thresholds), cost.warned(first)
        caught = stuck.warned(first)
        return Candidate(
            thresholds=tuple(thresholds),
            also_excluded=self.also_excluded,
            messages=messages,
            messages_off_policy=cost.off_policy(thresholds),
            sessions=cost.sessions,
            sessions_warned=warned,
            p95=p95,
            most=most,
            stuck=stuck.sessions,
            caught=caught,
            first_hit=self.first_hit(first),
            dead=tuple([length for length in thresholds if length > longest]),
            spend_after=self._spending.after(first),
            all_messages=messages + stuck.messages(thresholds),
            all_sessions_warned=warned + caught,
        )

    def first_hit(self, length: int) -> float | None:
        """Return the median call number of the first message in the stuck sessions it reaches."""
        if length not in self._first_hits:
            hits = [
                hit
                for one in self.sessions
                if one.is_stuck and (hit := first_hit(one, length)) is not None
            ]
            self._first_hits[length] = statistics.median(hits) if hits else None
        return self._first_hits[length]


def first_hit(session: Chosen, length: int) -> int | None:
    """Return the number of the call, among its agent's, at which a run first has a length."""
    row = first_row(session, length)
    return None if row is None else session.table.index[row]


def first_row(session: Chosen, length: int) -> int | None:
    """Return the row of the call at which a run first has a length."""
    rows = [run.rows[length - 1] for run in session.chained.runs if len(run.rows) >= length]
    return min(rows, default=None)
