"""Figures that the reports about a corpus share: plain values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class Interval(NamedTuple):
    """Where a figure lies with 95 % confidence."""

    low: float
    high: float


class Results(NamedTuple):
    """Runs by what their results had in common."""

    identical: int = 0
    volatile: int = 0
    """Equal but for numbers, hex ids and times."""
    changing: int = 0
    unknown: int = 0
    """The log records no results."""

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self)


class Spend(NamedTuple):
    """What was spent in runs after some call of each."""

    calls: int = 0
    seconds: float | None = None
    """None where the logs record no times."""
    tokens: int | None = None
    """None where the logs record no usage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFigures:
    """What was read, and what of it counts."""

    digest: str
    files: int
    sessions: int
    calls: int
    tracked: int
    stuck: int
    """Sessions with this label."""
    ok: int
    unknown: int
    off_policy: int
    """Sessions in which the agent read recorded reminders."""
    cut_by_reminder: int
    """Runs that are known only up to a recorded reminder."""
    cut_by_log: int
    """Runs that are known only up to the end of the log."""
    copies: int
    copied_sessions: int
    skipped_lines: int
    skipped_files: int
    """Files in which lines were skipped, or that could not be read."""

    @property
    def cost(self) -> int:
        """Sessions of the cost group: every one not labelled stuck."""
        return self.ok + self.unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What the user asks of a configuration."""

    max_warned: Fraction | None = None
    """Share of the cost group."""
    max_messages: float | None = None
    """Messages per session of the cost group, on average."""
    require_caught: Fraction | None = None
    """Share of the stuck sessions."""
    alpha: Fraction | None = None
    """Chance that a new good session is warned."""

    @property
    def any(self) -> bool:
        """Whether there is one."""
        given = (self.max_warned, self.max_messages, self.require_caught, self.alpha)
        return any(value is not None for value in given)
