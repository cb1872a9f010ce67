"""Who wrote a user-role message of a Claude Code transcript: most of them are no human's."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from repeat_reminder.events import Source
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import USER
from repeat_reminder.formats.shared.human import injected_source, is_human
from repeat_reminder.formats.shared.lenient import members

KIND: Final = "claude-code"

INJECTED: Final = (
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<system-reminder>",
    "<teammate-message",
    "<ci-monitor-event",
    "<user-prompt-submit-hook>",
    "<ide_opened_file>",
    "<ide_selection>",
    "<ide_diagnostics>",
    "[Request interrupted by user",
    "Caveat:",
    "This session is being continued from",
    "Stop hook feedback",
)
"""Beginnings of texts that no human typed. A slash command or ``!command`` is a human's act."""

NOTIFICATION: Final = "task-notification"


class Author(NamedTuple):
    """Who wrote a message."""

    source: Source
    is_human: bool


def author_of(texts: Sequence[str], kind: str | None) -> Author:
    """Tell by the texts, unless the log says what kind of message it is."""
    if kind is not None:
        return Author({"kind": KIND, "type": kind}, is_human=False)
    if is_human(texts, INJECTED):
        return Author(USER, is_human=True)
    return Author(injected_source(KIND, texts, INJECTED), is_human=False)


def kind_of(record: Record) -> str | None:
    """Return what a user line or queued command is if the log says it is no human's message."""
    if record.get("isCompactSummary") is True:
        return "compact-summary"
    if record.get("isMeta") is True:
        return "meta"
    origin = members(record.get("origin")).get("kind")
    if isinstance(origin, str) and origin != "human":
        return origin
    return NOTIFICATION if record.get("commandMode") == NOTIFICATION else None
