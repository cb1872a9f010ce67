"""What a tuning report holds: plain values, made by the tune room, shown by this one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from repeat_reminder.events import Json
from repeat_reminder.render.tune.advice_values import Advice
from repeat_reminder.render.tune.figures import (
    Constraints,
    CorpusFigures,
    Interval,
    Results,
    Spend,
)

__all__ = [
    "Advice",
    "Candidate",
    "Conformal",
    "Constraints",
    "CorpusFigures",
    "CurvePoint",
    "HeldOut",
    "Interval",
    "LengthRow",
    "Missed",
    "Results",
    "SessionChange",
    "Spend",
    "Survival",
    "ToolShare",
    "TuneReport",
]


class Candidate(Struct, frozen=True, kw_only=True):
    """One whole configuration, scored. Figures are of the cost group unless said otherwise."""

    thresholds: tuple[int, ...]
    also_excluded: tuple[str, ...] = ()
    """Patterns excluded beside those of the current config."""
    messages: int
    messages_off_policy: int = 0
    """Those that come after a recorded reminder in their run, which the agent had read."""
    sessions: int
    sessions_warned: int
    p95: int
    """Messages in a session that 95 % of the sessions do not exceed."""
    most: int
    """Messages in the session with most of them."""
    stuck: int
    caught: int
    """Stuck sessions that get a message."""
    first_hit: float | None
    """Median over the caught sessions: the number of the call that the first message follows."""
    dead: tuple[int, ...]
    """Thresholds that no run of any session reaches."""
    spend_after: Spend
    """Of all runs of all sessions, after their first message."""
    all_messages: int
    """In all sessions, stuck ones included."""
    all_sessions_warned: int
    messages_interval: Interval | None = None
    warned_interval: Interval | None = None
    """Of the share of sessions."""
    caught_interval: Interval | None = None
    caught_at_least: float | None = None
    """95 % lower bound of the share of stuck sessions it catches (exact binomial)."""
    unmet: tuple[str, ...] | None = None
    """Constraints it breaks, by the name of their option; None if there are no constraints."""
    is_now: bool = False
    is_named: bool = False
    is_front: bool = False
    """Nothing else is better in one respect without being worse in another."""
    is_best: bool = False

    @property
    def per_session(self) -> float:
        """Messages per session, on average."""
        return self.messages / self.sessions if self.sessions else 0.0

    @property
    def warned(self) -> float:
        """Share of sessions that get a message."""
        return self.sessions_warned / self.sessions if self.sessions else 0.0


class LengthRow(NamedTuple):
    """How many runs have a length."""

    length: int
    cost: int
    """In sessions labelled ok, or not at all."""
    stuck: int
    ok: int = 0
    unknown: int = 0


class CurvePoint(NamedTuple):
    """What a single threshold would do in the cost group, and to the stuck sessions."""

    first: int
    messages: int
    sessions_warned: int
    caught: int
    low: float | None = None
    """95 % interval of the share of sessions warned."""
    high: float | None = None
    messages_interval: Interval | None = None


class Conformal(NamedTuple):
    """The first threshold that warns a new good session with probability alpha at most."""

    alpha: Fraction
    sessions: int
    """Good sessions it is computed from: the cost group."""
    threshold: int | None
    """None: these sessions support no threshold at this alpha."""
    needed: int
    """Good sessions without which there can be none."""
    endless: int
    """Sessions that enter as longer than any threshold: a recorded reminder cuts a run."""


class ToolShare(NamedTuple):
    """Messages that calls of one tool cause, by stage."""

    tool: str
    now: tuple[int, ...]
    best: tuple[int, ...] | None
    results: Results
    """Of the tool's runs that reach the current first threshold."""


class Survival(NamedTuple):
    """How many runs of a tool reach each length, from 2 on."""

    tool: str
    reach: tuple[int, ...]


class Missed(NamedTuple):
    """A stuck session that the best configuration never warns."""

    session: str
    place: str
    longest: int


class SessionChange(NamedTuple):
    """A session that the best configuration treats otherwise than the current one."""

    session: str
    place: str
    """Of the call that gets its first message, under the best configuration if that sends one."""
    label: str
    tool: str
    preview: str | None
    longest: int
    now: int
    """Messages."""
    best: int


class HeldOut(NamedTuple):
    """The best configuration on sessions that had no part in its choice."""

    chosen_on: int
    """Sessions it was chosen on."""
    sessions: int
    """Held out."""
    candidate: Candidate


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneReport:
    """Everything that choosing the reminder's thresholds and scope comes to."""

    version: str
    command: str
    """What was typed."""
    corpus: CorpusFigures
    now: Mapping[str, Json]
    """The current config, every key."""
    origins: Mapping[str, str] = field(default_factory=dict)
    objective: str
    constraints: Constraints
    candidates: tuple[Candidate, ...]
    """The current config first, the named ones next, then all others by their thresholds."""
    lengths: tuple[LengthRow, ...]
    """Of runs of two calls or more, under the current scope."""
    curve: tuple[CurvePoint, ...]
    tools: tuple[ToolShare, ...]
    """Most messages first."""
    survival: tuple[Survival, ...]
    conformal: Conformal | None = None
    held_out: HeldOut | None = None
    missed: tuple[Missed, ...] = ()
    """Stuck sessions that the best configuration misses."""
    later: float | None = None
    """Median number of calls by which its first message comes later than now in stuck sessions."""
    changes: tuple[SessionChange, ...] = ()
    advice: tuple[Advice, ...] = ()
    best_config: Mapping[str, Json] | None = None
    """Every key of the best configuration; None if nothing is called best."""
    is_recommended: bool = False
    """The best configuration rests on sessions that are known to be stuck."""
    resamples: int = 0
    seed: int = 0

    @property
    def current(self) -> Candidate:
        """Return the current config."""
        return self.candidates[0]

    @property
    def best(self) -> Candidate | None:
        """Return the best configuration; None without constraints, or if none meets them."""
        return next((one for one in self.candidates if one.is_best), None)
