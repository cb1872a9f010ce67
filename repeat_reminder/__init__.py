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
    from repeat_reminder.events import (
        Action,
        Agent,
        AgentEnd,
        AgentStart,
        AssistantMessage,
        CallId,
        Compaction,
        Event,
        Failure,
        FingerprintHit,
        InjectedMessage,
        Intervention,
        Item,
        Json,
        Place,
        Problem,
        Resume,
        SessionEnd,
        SessionId,
        SessionStart,
        Settlement,
        Severity,
        Status,
        StepEnd,
        StepStart,
        Tier,
        ToolCall,
        ToolResult,
        Usage,
        UserMessage,
    )
    from repeat_reminder.policies import Guard, Verdict
    from repeat_reminder.policies.breaker import Breaker, BreakerConfig
    from repeat_reminder.policies.reminder import Reminder, ReminderConfig

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Agent",
    "AgentEnd",
    "AgentStart",
    "AssistantMessage",
    "Breaker",
    "BreakerConfig",
    "CallId",
    "Compaction",
    "ConfigError",
    "Event",
    "Failure",
    "FingerprintHit",
    "FormatError",
    "Guard",
    "InjectedMessage",
    "Intervention",
    "Item",
    "Json",
    "Place",
    "Problem",
    "Reminder",
    "ReminderConfig",
    "RepeatReminderError",
    "Replay",
    "Resume",
    "SessionEnd",
    "SessionId",
    "SessionStart",
    "Settlement",
    "Severity",
    "SourceError",
    "Status",
    "StepEnd",
    "StepStart",
    "Tier",
    "ToolCall",
    "ToolResult",
    "Usage",
    "UsageError",
    "UserMessage",
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
    "events": (
        "Action",
        "Agent",
        "AgentEnd",
        "AgentStart",
        "AssistantMessage",
        "CallId",
        "Compaction",
        "Event",
        "Failure",
        "FingerprintHit",
        "InjectedMessage",
        "Intervention",
        "Item",
        "Json",
        "Place",
        "Problem",
        "Resume",
        "SessionEnd",
        "SessionId",
        "SessionStart",
        "Settlement",
        "Severity",
        "Status",
        "StepEnd",
        "StepStart",
        "Tier",
        "ToolCall",
        "ToolResult",
        "Usage",
        "UserMessage",
    ),
    "policies": ("Guard", "Verdict"),
    "policies.breaker": ("Breaker", "BreakerConfig"),
    "policies.reminder": ("Reminder", "ReminderConfig"),
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """Import a public name from the module it lives in."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
