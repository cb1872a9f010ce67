"""Calls of a canonical log that records no results, as `convert` and most writers spell them.

A line is read by its shape; the arguments are left as they stand there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from msgspec import Raw, Struct

from repeat_reminder.batches import HUMAN, Batch, PlainCall, PlainCalls
from repeat_reminder.events import Event
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.lenient import MAIN
from repeat_reminder.formats.shared.shapes import reader_of
from repeat_reminder.source.lines import Line

_MOST_AGENTS: Final = 4_096
"""Agents that are kept in mind."""


class _Call(Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="tool_call"):
    name: str
    arguments: Raw
    agent: str = MAIN


class _Asked(Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="user_message"):
    agent: str = MAIN
    content: Raw = Raw()
    ts: Raw = Raw()


_read: Callable[[bytes], _Call | _Asked | None] = reader_of(_Call | _Asked)  # type: ignore[arg-type]


@dataclass(slots=True)
class _Lane:
    """What one agent has done."""

    agent: str
    calls: list[PlainCall] = field(default_factory=list)
    prompts: int = 0
    """How many of those are messages of a human."""


class CanonicalSkimmer:
    """See `formats.model.Skimmer`."""

    def __init__(self, session: Callable[[], Session | None]) -> None:
        """Take calls for the session that is being read when asked."""
        self.line = 0
        self._ask = session
        self._session: Session | None = None
        self._lanes: dict[str, _Lane] = {}
        self._active: list[_Lane] = []
        """Those that have done something since `taken`."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        session = self._begins()
        if session is None:
            return list(islice(lines, 1))
        active, number, filled = self._active, self.line, session.filled
        left: Line | None = None
        for number, data in lines:
            found = _read(data)
            if type(found) is _Call:
                arguments = bytes(found.arguments)
                if arguments[:1] == b"{" and not may_be_deep(arguments):
                    lane = self._lanes.get(found.agent) or self._lane(found.agent)
                    if not lane.calls:
                        active.append(lane)
                    filled += 1
                    lane.calls.append((number, found.name, arguments, filled, number, None))
                    continue
            elif type(found) is _Asked and self._asks(number, found):
                continue
            left = number, data
            break
        session.filled = filled
        self.line = number
        return [] if left is None else [left]

    def taken(self) -> list[Event | Batch]:
        """See `Skimmer.taken`."""
        session = self._session
        if session is None or not self._active:
            return []
        told: list[Event | Batch] = []
        parts: list[PlainCalls] = []
        for lane in self._active:
            calls, lane.calls = lane.calls, []
            number = len(calls) - lane.prompts
            # Whether the last step goes on makes no difference: without results, any event ends it.
            begun, part = session.take(lane.agent, calls, number, prompts=lane.prompts)
            lane.prompts = 0
            told += begun
            parts.append(part)
        self._active.clear()
        if len(self._lanes) > _MOST_AGENTS:
            self._lanes.clear()
        return [*told, Batch(parts=tuple(parts))]

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`: no line waits for another."""
        return []

    def _begins(self) -> Session | None:
        """Return the session if its calls may be taken in."""
        session = self._ask()
        if session is not self._session:
            self._session = session
            self._lanes.clear()
        return session

    def _asks(self, number: int, asked: _Asked) -> bool:
        """Take in a message of a human."""
        if bytes(asked.content).startswith(b"[") and not bytes(asked.content)[1:-1].strip():
            return False  # nothing was said
        lane = self._lane(asked.agent)
        if not lane.calls:
            if self._session is None or self._session.in_named_step(asked.agent):
                return False
            self._active.append(lane)
        lane.calls.append((number, None, HUMAN, 0, number, None))
        lane.prompts += 1
        return True

    def _lane(self, agent: str) -> _Lane:
        lane = self._lanes.get(agent)
        if lane is None:
            lane = self._lanes[agent] = _Lane(agent)
        return lane
