"""What the overview of a corpus holds: plain values, made by the tune room, shown by this one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from repeat_reminder.events import Json
from repeat_reminder.render.tune.figures import CorpusFigures, Results, Spend


class LongRun(NamedTuple):
    """One of the longest runs."""

    length: int
    place: str
    """Of its first call."""
    session: str
    agent: str
    tool: str
    results: str
    """``identical``, ``volatile``, ``changing`` or ``unknown``."""
    cut: str | None
    """Why it may have been longer: ``log`` or ``reminder``."""
    preview: str | None
    """The beginning of its arguments."""


class Streak(NamedTuple):
    """Calls of one agent that failed one after the other."""

    length: int
    place: str
    session: str
    agent: str
    tools: tuple[str, ...]


class Count(NamedTuple):
    """How many things have a length."""

    length: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """Figures of one tool, agent, session, label or format."""

    name: str
    sessions: int
    calls: int
    tracked: int
    failed: int
    runs: int
    """Of two calls or more."""
    runs_of_three: int
    """Of three calls or more."""
    longest: int
    repeats: int
    """Calls that repeat the tracked call before."""
    results: Results
    """Of its runs of three calls or more."""
    spend: Spend
    """In runs after their third call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsReport:
    """What is in a corpus."""

    version: str
    command: str
    corpus: CorpusFigures
    scope: Mapping[str, Json]
    """Include, exclude and ignored arguments."""
    formats: Mapping[str, int] = field(default_factory=dict)
    """Sessions by format."""
    agents: int
    unfinished: int
    human_messages: int
    """That reset a chain."""
    recorded_reminders: int
    duplicates: int
    """Calls that stood in one file twice."""
    lines: int
    failed: int
    lengths: tuple[Count, ...]
    """Of runs of two calls or more."""
    results: Results
    """Of runs of three calls or more."""
    longest: tuple[LongRun, ...]
    streaks: tuple[Count, ...]
    """Of two failures or more."""
    longest_streaks: tuple[Streak, ...]
    spend: Spend
    """In runs after their third call."""
    by: str
    groups: tuple[GroupRow, ...]
    """Most repeats first."""
