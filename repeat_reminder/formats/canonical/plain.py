"""Calls of a canonical log that records no results, as `convert` and most writers spell them.

A line is a head, which many lines have in common, and the arguments behind it. A head is parsed
once. Nothing can stand behind the arguments if they are the one object of the rest of the line.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import orjson

from repeat_reminder import jsontext
from repeat_reminder.batches import HUMAN, Batch, Left, PlainCall, PlainCalls
from repeat_reminder.events import Event, Json
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.lenient import MAIN
from repeat_reminder.source.lines import Line

_ARGUMENTS: Final = b',"arguments":{'
_OBJECT: Final = len(_ARGUMENTS) - 1
"""Where in that the arguments begin."""
_END: Final = b"}}\n"
_CALL: Final = {"type", "agent", "name"}
"""The members of a head; the agent may be left out."""
_PROMPT: Final = b'{"type":"user_message",'
_MESSAGE: Final = {"type", "agent", "content", "ts"}
_LONG: Final = 1_000
"""A shorter line is not nested deep."""
_MOST_HEADS: Final = 4_096
"""Heads, and agents, that are kept."""


@dataclass(slots=True)
class _Lane:
    """What one agent has done."""

    agent: str
    calls: list[PlainCall] = field(default_factory=list)
    prompts: int = 0
    """How many of those are messages of a human."""


class CanonicalSkimmer:
    """See `formats.model.Skimmer`.

    It takes for granted that arguments which are never compared are well-formed.
    """

    def __init__(self, session: Callable[[], Session | None]) -> None:
        """Take calls for the session that is being read when asked."""
        self.line = 0
        self._ask = session
        self._session: Session | None = None
        self._lanes: dict[str, _Lane] = {}
        self._active: list[_Lane] = []
        """Those that have done something since `taken`."""
        self._heads: dict[bytes, tuple[_Lane, str]] = {}
        """Agent and tool of each head."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        session = self._begins()
        if session is None:
            return self._leave(next(lines, None))
        heads, active, number = self._heads, self._active, self.line
        filled = session.filled
        left: Line | None = None
        for number, data in lines:
            at = data.find(_ARGUMENTS)
            known = heads.get(data[:at]) or self._learn(data[:at])
            if (
                known is not None
                and data.endswith(_END)
                and (
                    (data.count(b"{", at) == 1 and len(data) < _LONG and data.isascii())
                    or _is_object(data[at + _OBJECT : -2])
                )
            ):
                lane, tool = known
                calls = lane.calls
                if not calls:
                    active.append(lane)
                filled += 1
                calls.append((number, tool, data[at + _OBJECT : -2], filled, number, None))
            elif not (data.startswith(_PROMPT) and self._prompts(number, data)):
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
            before, part = session.take(lane.agent, calls, number, prompts=lane.prompts, read=_read)
            lane.prompts = 0
            told += before
            parts.append(part)
        self._active.clear()
        if len(self._lanes) > _MOST_HEADS:
            self._lanes.clear()
            self._heads.clear()
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
            self._heads.clear()
        return session

    def _leave(self, line: Line | None) -> list[Line]:
        return [] if line is None else [line]

    def _learn(self, head: bytes) -> tuple[_Lane, str] | None:
        """Parse a head that was not seen yet; None if it is no call's."""
        try:
            record = orjson.loads(head + b"}")
        except orjson.JSONDecodeError:
            return None
        if not record.keys() <= _CALL or record.get("type") != "tool_call":
            return None
        tool, agent = record.get("name"), record.get("agent", MAIN)
        if not isinstance(tool, str) or not isinstance(agent, str):
            return None
        if len(self._heads) >= _MOST_HEADS:
            self._heads.clear()
        found = self._heads[head] = self._lane(agent), tool
        return found

    def _prompts(self, number: int, data: bytes) -> bool:
        """Take in a message of a human."""
        try:
            record = orjson.loads(data)
        except orjson.JSONDecodeError:
            return False
        agent = record.get("agent", MAIN)
        if not record.keys() <= _MESSAGE or record["type"] != "user_message":
            return False
        if not isinstance(agent, str) or record.get("content") == []:
            return False
        lane = self._lane(agent)
        if not lane.calls:
            if self._session is None or self._session.in_named_step(agent):
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


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(orjson.loads(data), dict) and not may_be_deep(data)
    except orjson.JSONDecodeError:
        return False


def _read(left: Left) -> tuple[None, Json]:
    """Read arguments; such as are not JSON are a text."""
    if not isinstance(left, bytes):
        return None, None
    try:
        return None, jsontext.loads(left)
    except jsontext.NotJson:
        return None, left.decode(errors="replace")
