"""Whose an event is."""

from repeat_reminder.events import (
    Agent,
    Event,
    Problem,
    Resume,
    SessionEnd,
    SessionId,
    SessionStart,
    ToolResult,
)


def session_of(event: Event) -> SessionId | None:
    """Return the session of an event; None for a problem."""
    match event:
        case SessionStart() | SessionEnd() | Resume():
            return event.session
        case ToolResult():
            return event.call.agent.session
        case Problem():
            return None
        case _:
            return event.agent.session


def agent_of(event: Event) -> Agent | None:
    """Return the agent of an event; None if it is nobody's, or everybody's."""
    match event:
        case ToolResult():
            return event.call.agent
        case SessionStart() | SessionEnd() | Problem():
            return None
        case _:
            return event.agent
