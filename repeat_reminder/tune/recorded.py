"""Reminders that a log holds: whose they are, and which call they are about."""

from collections.abc import Sequence
from typing import Final

from repeat_reminder.events import InjectedMessage, Source
from repeat_reminder.tune.table import NO_ROW

STAMPS: Final = ("repeat-tool-reminder", "repeat-tool-guard")
"""How the reminder plugin signs its messages; the second is its former name."""
_TIMES: Final = " \N{MULTIPLICATION SIGN} "


def is_reminder(source: Source) -> bool:
    """Tell whether a recorded message is a reminder; from DSH 4 on a plugin is its own kind."""
    return source.get("plugin") in STAMPS or source.get("kind") in STAMPS


def about(message: InjectedMessage, recent: Sequence[tuple[str, str, int]]) -> int:
    """Return the row of the call that a reminder is about.

    The log may say it; else it is the last call of the tool that the reminder names, else the
    agent's last call.

    Args:
        message: the reminder.
        recent: id, tool and row of the agent's last settled calls.
    """
    if message.trigger is not None:
        for call_id, _, row in reversed(recent):
            if call_id == message.trigger.call_id:
                return row
    summary = message.source.get("summary")
    tool = summary.rpartition(_TIMES)[0] if isinstance(summary, str) else ""
    for _, name, row in reversed(recent):
        if name == tool:
            return row
    return recent[-1][2] if recent else NO_ROW
