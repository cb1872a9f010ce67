"""Which call is asked about: ``FILE:LINE``, or ``FILE#CALL_ID`` where there are no lines."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from repeat_reminder.errors import UsageError
from repeat_reminder.events import CallId, ToolCall

WAYS: Final = "name the call as FILE:LINE or FILE#CALL_ID"
_DIGITS: Final = 18
_LINE: Final = re.compile(r"(?s)(.+):([0-9]{1,18})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The calls that are asked about."""

    line: int | None = None
    """A line of the call: its own or its result's."""
    call_id: CallId | None = None
    sessions: tuple[str, ...] = ()
    """Beginnings of session ids to look in; no entry: in all."""
    agents: tuple[str, ...] = ()
    """The same of agents."""

    @property
    def number(self) -> int | None:
        """The call's number among its agent's, if what stands for its id may be that."""
        word = self.call_id or ""
        return int(word) if word.isascii() and word.isdecimal() and len(word) < _DIGITS else None

    def takes(self, call: ToolCall, result_line: int | None = None) -> bool:
        """Tell whether a call is meant, as far as its own line, or with its result's, can tell.

        One that only has the number is meant if no call has the id.
        """
        here = self.line is not None and self.line in (call.line, result_line)
        named = self.call_id is not None and self.call_id == call.id
        return (here or named or call.index == self.number) and self.covers(call)

    def covers(self, call: ToolCall) -> bool:
        """Tell whether the call is of a session and an agent to look in."""
        session, agent = call.agent
        return (not self.sessions or session.startswith(self.sessions)) and (
            not self.agents or agent.startswith(self.agents)
        )


class Spot(NamedTuple):
    """A file, and what in it is meant; neither line nor id: the whole file."""

    path: str
    line: int | None = None
    call_id: CallId | None = None


def split(word: str, exists: Callable[[str], bool]) -> Spot:
    """Take ``FILE:LINE`` or ``FILE#CALL_ID`` apart.

    Paths may hold colons and marks, ids anything: what comes before must be a file.

    Args:
        word: as it was typed.
        exists: tells whether a path is there.

    Raises:
        UsageError: a line 0.
    """
    if exists(word):
        return Spot(word)
    lined = _LINE.match(word)
    if lined and exists(lined[1]):
        return _lined(lined)
    marks = (at for at, character in enumerate(word) if character == "#")
    for at in marks:
        if exists(word[:at]) and word[at + 1 :]:
            return Spot(word[:at], call_id=CallId(word[at + 1 :]))
    # Nothing of it is there: let whoever opens the likeliest path say so.
    if lined:
        return _lined(lined)
    path, mark, call_id = word.rpartition("#")
    return Spot(path, call_id=CallId(call_id)) if mark and path and call_id else Spot(word)


def _lined(match: re.Match[str]) -> Spot:
    line = int(match[2])
    if not line:
        raise UsageError("lines count from 1", path=match[1], hint=WAYS)
    return Spot(match[1], line=line)
