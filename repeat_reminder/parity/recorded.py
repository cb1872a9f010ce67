"""Reminders that a log holds: which plugin signed them, about which tool, at which count."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from repeat_reminder.canonical import utf16_length
from repeat_reminder.events import InjectedMessage, Source
from repeat_reminder.policies.reminder import PLUGIN

STAMPS: Final = frozenset({PLUGIN, "repeat-tool-guard"})
"""Names that the plugin has signed with; the second is its former one."""
_SUMMARY: Final = re.compile(r"(?s)(.*) \u00d7 ([0-9]{1,9})\Z")
_DETAILED: Final = re.compile(
    r"(?s)Repeated tool call detected:\n- tool: (.*?)\n- consecutive_calls: ([0-9]{1,9})\n"
    r"- arguments: (.*)\n"
)
_CUT: Final = re.compile(r"(?s)(.*)\u2026 \(\+[0-9]+ more chars\)\Z")


class Spot(NamedTuple):
    """Where a message stands in its agent's story."""

    request: int
    """Requests that the model has made before it."""
    messages: int
    """Messages of the agent before it, reminders not counted."""


START: Final = Spot(0, 0)
"""Where every agent begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A reminder as a log has it."""

    message: InjectedMessage
    stamp: str
    """The name it is signed with."""
    tool: str | None
    count: int | None
    """None where neither source nor text tells, as in the first tier of old logs."""
    spot: Spot

    @property
    def preview_chars(self) -> int | None:
        """How many UTF-16 units of the arguments it quotes; None if it quotes all, or none."""
        text = "".join(self.message.texts)
        quoted = _DETAILED.match(text)
        cut = _CUT.match(quoted[3]) if quoted else None
        return utf16_length(cut[1]) if cut else None


def stamp_of(source: Source) -> str | None:
    """Return the name a reminder is signed with, in each of its spellings; None for others.

    Until format 3 a DSH log names the plugin beside the kind ``plugin``; from 4 on it is the kind.
    """
    kind = source.get("kind")
    name = source.get("plugin") if kind == "plugin" else kind
    if not isinstance(name, str):
        return None
    name = name.removeprefix("plugin:")
    return name if name in STAMPS else None


def recorded(message: InjectedMessage, spot: Spot) -> Recorded | None:
    """Read a recorded message; None if it is no reminder of this plugin."""
    stamp = stamp_of(message.source)
    if stamp is None:
        return None
    summary = message.source.get("summary")
    told = _SUMMARY.match(summary) if isinstance(summary, str) else None
    told = told or _DETAILED.match("".join(message.texts))
    return Recorded(
        message=message,
        stamp=stamp,
        tool=told[1] if told else None,
        count=int(told[2]) if told else None,
        spot=spot,
    )
