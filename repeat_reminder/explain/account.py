"""What is told about a call: how each guard counted it, and why."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from repeat_reminder.events import (
    Intervention,
    Place,
    SessionStart,
    ToolCall,
    ToolResult,
)
from repeat_reminder.explain.differences import Difference
from repeat_reminder.policies.patterns import Decision

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import Standing


class Outcome(StrEnum):
    """What became of a call."""

    COUNTED = "counted"
    """It settled; guards that track its tool counted it."""
    SKIPPED = "skipped"
    """It never started, or the harness refused it before its guards."""
    UNFINISHED = "unfinished"
    """The log has no result for it."""


class Cause(StrEnum):
    """What can end a run beside another call."""

    USER_MESSAGE = "user_message"
    RESUME = "resume"
    AGENT_END = "agent_end"


class Reset(NamedTuple):
    """Something that dropped an agent's run."""

    cause: Cause
    line: int | None


class Counted(NamedTuple):
    """A call that counted, and the line of its result."""

    call: ToolCall
    result_line: int | None


class Ended(NamedTuple):
    """A run that is over."""

    last: Counted
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAccount:
    """How a guard that counts runs saw a call."""

    policy: str
    decision: Decision
    """Whether the tool is tracked, and which pattern decides it."""
    key: str | None
    """The canonical arguments that are compared; None if they are nested too deep to count."""
    count: int | None
    """Run length at this call; None if it did not count."""
    run: tuple[Counted, ...]
    """The run so far, this call last; of a call that did not count, the run it left alone."""
    before: Ended | None
    """The agent's run before this one."""
    resets: tuple[Reset, ...]
    """What came between them."""
    difference: Difference | None
    """What tells this run's calls from the one before; None if nothing does."""
    next_threshold: int | None

    @property
    def tracked(self) -> bool:
        """Whether the guard counts calls like this one."""
        return self.decision.tracked and self.key is not None

    @property
    def previous(self) -> Counted | None:
        """The last tracked call of the agent before this one."""
        earlier = self.run if self.count is None else self.run[:-1]
        return earlier[-1] if earlier else self.before.last if self.before else None

    @property
    def without_resets(self) -> int | None:
        """How long the run would have been but for the resets; None if they changed nothing."""
        if self.count is None or self.before is None or not self.resets or self.difference:
            return None
        return self.before.length + self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAccount:
    """How a guard that counts fingerprints saw a call."""

    policy: str
    decision: Decision
    """Whether the tool is tracked, and which pattern decides it."""
    fail_limit: float | None
    """Failures in a row at which calls are stopped."""
    before: "tuple[Standing, ...]"
    """Where each fingerprint stood before the call."""
    after: "tuple[Standing, ...] | None"
    """The same once it had settled; None if it never did."""

    @property
    def tracked(self) -> bool:
        """Whether the guard counts calls like this one: every call it counts has a fingerprint."""
        return bool(self.before)


Account: TypeAlias = RunAccount | WindowAccount


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A call, and how every mounted guard saw it."""

    session: SessionStart
    call: ToolCall
    result: ToolResult | None
    outcome: Outcome
    inject_after: Place | None
    """Where messages of its step land; None if it did not count, or no guard is mounted."""
    accounts: tuple[Account, ...]
    said: tuple[Intervention, ...]
    """What the guards said because of it."""
