"""Calls and lines by name, as reports for people write them."""

from repeat_reminder.events import CallId, ToolCall
from repeat_reminder.render.look import Look


def named(call: ToolCall, look: Look) -> str:
    """Name a call: ``c4 bash``."""
    return f"{look.safe(call.id)} {look.safe(call.name)}"


def at_line(call: ToolCall, look: Look) -> str:
    """Say where a call stands; in a log without lines, its id does."""
    return spot_of(call.line, call.id, look)


def spot_of(line: int | None, call_id: CallId, look: Look) -> str:
    """Say where something stands."""
    return f"#{look.safe(call_id)}" if line is None else f"line {line}"
