"""Replay recorded agent sessions through repeated-tool-call guards.

The public API; names are imported when first used, so that ``import repeat_reminder`` is cheap::

    from repeat_reminder import Reminder, ReminderConfig, read, replay

    for item in replay(read("session.jsonl"), Reminder(ReminderConfig(thresholds=(3, 5)))):
        ...
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repeat_reminder.api import read, transcript
    from repeat_reminder.engine import Replay, replay
    from repeat_reminder.errors import (
        ConfigError,
        FormatError,
        RepeatReminderError,
        SourceError,
        UsageError,
    )
    from repeat_reminder.events import Event, Intervention, Item, Settlement
    from repeat_reminder.policies import Guard, Verdict
    from repeat_reminder.policies.reminder import Reminder, ReminderConfig

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "Event",
    "FormatError",
    "Guard",
    "Intervention",
    "Item",
    "Reminder",
    "ReminderConfig",
    "RepeatReminderError",
    "Replay",
    "Settlement",
    "SourceError",
    "UsageError",
    "Verdict",
    "__version__",
    "read",
    "replay",
    "transcript",
]

_HOMES = {
    "api": ("read", "transcript"),
    "engine": ("Replay", "replay"),
    "errors": (
        "ConfigError",
        "FormatError",
        "RepeatReminderError",
        "SourceError",
        "UsageError",
    ),
    "events": ("Event", "Intervention", "Item", "Settlement"),
    "policies": ("Guard", "Verdict"),
    "policies.reminder": ("Reminder", "ReminderConfig"),
}


def __getattr__(name: str) -> object:
    """Import a public name from the module it lives in."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
