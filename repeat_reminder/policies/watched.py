"""A guard with somebody beside it who notes what it is told."""

from repeat_reminder.events import Agent, Intervention, Json, SessionId, ToolCall, ToolResult
from repeat_reminder.policies import Guard, Verdict


class Watched:
    """Passes everything on to a guard, at the very moment that a harness would.

    Subclasses note what goes by. Only here is the order of counting certain: settlements are told
    when a step has ended, and messages when they land.
    """

    def __init__(self, guard: Guard) -> None:
        """Stand beside a guard that has seen nothing yet."""
        self._guard = guard

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self._guard.name

    @property
    def gates(self) -> bool:
        """Tell whether the guard may ask or deny."""
        return self._guard.gates

    def config_record(self) -> dict[str, Json]:
        """Return the guard's config."""
        return self._guard.config_record()

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        """Pass on."""
        return self._guard.on_call(call)

    def on_result(self, result: ToolResult) -> Verdict:
        """Pass on."""
        return self._guard.on_result(result)

    def on_skipped(self, call: ToolCall) -> None:
        """Pass on."""
        self._guard.on_skipped(call)

    def on_user_message(self, agent: Agent) -> None:
        """Pass on."""
        self._guard.on_user_message(agent)

    def on_agent_gone(self, agent: Agent) -> None:
        """Pass on."""
        self._guard.on_agent_gone(agent)

    def on_session_end(self, session: SessionId) -> None:
        """Pass on."""
        self._guard.on_session_end(session)
