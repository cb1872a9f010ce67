"""Guards: each is a frozen config plus what it does at the points where a plugin listens."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from repeat_reminder.batches import PlainCalls
from repeat_reminder.events import Agent, Intervention, Json, SessionId, ToolCall, ToolResult


class Verdict(NamedTuple):
    """What a guard makes of a call that has just settled."""

    tracked: bool
    run: int | None
    """Run length at this call; None if untracked, or in a policy without runs."""
    interventions: tuple[Intervention, ...] = ()
    """Messages for the model, in queue order."""


UNTRACKED = Verdict(tracked=False, run=None)


class Guard(Protocol):
    """One mounted policy with the state it keeps between calls.

    The methods are the harness's listeners; whoever drives a guard (the engine, or a live harness)
    calls them at those points and in that order.
    """

    @property
    def name(self) -> str:
        """The policy's name in commands and records."""

    @property
    def gates(self) -> bool:
        """Whether `on_call` may ask or deny."""

    def config_record(self) -> dict[str, Json]:
        """Return every config key with its effective value, as DSH spells it."""

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        """Act before a call runs (``tools/pre-execute`` and guards)."""

    def on_result(self, result: ToolResult) -> Verdict:
        """Act when a call settles (``tools/post-execute``). Skipped calls do not come here."""

    def on_skipped(self, call: ToolCall) -> None:
        """Undo what `on_call` noted: the harness never brought this call before its guards."""

    def on_user_message(self, agent: Agent) -> None:
        """Take note of a step boundary that takes in a human message (``agent/pre-step``)."""

    def on_agent_gone(self, agent: Agent) -> None:
        """Drop what was kept for an agent that ended or is rebuilt from a saved session."""

    def on_session_end(self, session: SessionId) -> None:
        """Drop what was kept for every agent of a session."""


class Verdicts(NamedTuple):
    """What a guard makes of many calls at once."""

    tracked: int
    """How many it tracks."""
    reached: Mapping[int, int]
    """By run length: how many of the calls came that far."""
    said: Sequence[tuple[int, Intervention]]
    """Each message, and the position of its call."""


@runtime_checkable
class Bulk(Guard, Protocol):
    """A guard that can take many calls at once: the same as one after the other, but faster."""

    def on_calls(self, calls: PlainCalls) -> Verdicts:
        """Act as `Guard.on_result` does for each, and as `Guard.on_user_message` between them."""
