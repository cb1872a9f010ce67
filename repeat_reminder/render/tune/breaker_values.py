"""What a sweep of breaker configurations holds: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from repeat_reminder.events import Json
from repeat_reminder.render.tune.figures import Constraints, CorpusFigures, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerCandidate:
    """One whole breaker configuration, replayed over all sessions."""

    config: Mapping[str, Json]
    """Every key."""
    changes: Mapping[str, Json]
    """What differs from the current config: dotted keys and their values."""
    sessions: int
    """Of the cost group, like all figures unless said otherwise."""
    messages: int
    """Advice of every kind."""
    by_action: Mapping[str, int]
    sessions_warned: int
    """With a message or a gate."""
    sessions_gated: int
    gate_calls: int
    """Calls that were asked about or denied."""
    stuck: int
    caught: int
    """Stuck sessions with a message or a gate."""
    caught_gated: int
    """Stuck sessions with a gate."""
    first_hit: float | None
    all_messages: int
    all_sessions_warned: int
    all_sessions_gated: int
    all_gate_calls: int
    warned_interval: Interval | None = None
    gated_interval: Interval | None = None
    messages_interval: Interval | None = None
    caught_at_least: float | None = None
    unmet: tuple[str, ...] | None = None
    is_now: bool = False
    is_named: bool = False
    is_front: bool = False
    is_best: bool = False

    @property
    def per_session(self) -> float:
        """Messages per session, on average."""
        return self.messages / self.sessions if self.sessions else 0.0

    @property
    def warned(self) -> float:
        """Share of sessions with a message or a gate."""
        return self.sessions_warned / self.sessions if self.sessions else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerReport:
    """Everything that a sweep of breaker configurations comes to."""

    version: str
    command: str
    corpus: CorpusFigures
    now: Mapping[str, Json]
    origins: Mapping[str, str] = field(default_factory=dict)
    objective: str
    constraints: Constraints
    candidates: tuple[BreakerCandidate, ...]
    """The current config first."""
    answer: str
    """What became of every question to the operator."""
    is_recommended: bool = False
    resamples: int = 0
    seed: int = 0

    @property
    def current(self) -> BreakerCandidate:
        """Return the current config."""
        return self.candidates[0]

    @property
    def best(self) -> BreakerCandidate | None:
        """Return the best configuration; None without constraints, or if none meets them."""
        return next((one for one in self.candidates if one.is_best), None)

    @property
    def best_config(self) -> Mapping[str, Json] | None:
        """Return every key of the best configuration; None if nothing is called best."""
        return None if self.best is None else self.best.config
