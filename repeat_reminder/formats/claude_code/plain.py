"""Calls of a Claude Code transcript as its writer spells them.

The writer begins a line of a message with ``parentUuid``; then come members that are the same in
all lines of one agent: its surroundings. In lines of users the type and the message follow, in
lines of the model the message. Lines of the model are parsed; of a result the surroundings are
compared with those of its call, and the id of the call that it answers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from repeat_reminder.batches import SPOKE, Batch, Left, PlainCall
from repeat_reminder.events import Event, Json
from repeat_reminder.formats.claude_code.lines import SYNTHETIC
from repeat_reminder.formats.claude_code.proofs import irrelevant
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.lenient import members
from repeat_reminder.source.lines import Line

_BEGIN: Final = b'{"parentUuid":"'
_UUID: Final = b'}]},"uuid"'
"""Behind the message of a result."""
_UUID_SIZE: Final = 36
_AROUND: Final = len(_BEGIN) + _UUID_SIZE + len('",')
"""Where the surroundings begin."""
_MESSAGE: Final = b',"message":{"'
_SESSION: Final = b'"sessionId":"'
_AGENT: Final = b'"agentId":"'
_RESULT: Final = (
    b',"type":"user","message":{"role":"user","content":[{"tool_use_id":"%b","type":"tool_result",'
)
_FAR: Final = 1_000
"""How far into a line the surroundings may go."""


@dataclass(slots=True)
class _Lane:
    """Calls of one agent that have been taken in."""

    session: Session
    agent: str
    ids: set[str]
    calls: list[PlainCall] = field(default_factory=list)
    number: int = 0
    """How many calls there are among them."""
    key: str | None = None
    """The message of the last one, while that may go on."""


class _Call(NamedTuple):
    """The line of a call that may be taken in."""

    line: Line
    around: bytes
    """Its surroundings."""
    lane: _Lane
    key: str
    """The id of its message."""
    uuid: int
    """The hash of the line's own id."""


class ClaudeCodeSkimmer:
    """See `formats.model.Skimmer`.

    It takes for granted that a result which stands first in its line is all that the line says, and
    that the line's own id stands right behind the message. Of a giant result neither is looked at.
    """

    def __init__(
        self, whose: Callable[[Record], tuple[Session, str] | None], uuids: set[int]
    ) -> None:
        """Take calls for a reader.

        Args:
            whose: tells the session and the agent of a line, if both have begun.
            uuids: hashes of the ids of lines that were read; those taken in are added.
        """
        self.line = 0
        self._whose = whose
        self._uuids = uuids
        self._lanes: dict[bytes, _Lane] = {}
        """By the surroundings of their lines."""
        self._call: _Call | None = None
        """The call that waits for its result."""
        self._made: tuple[str, Left, str] = "", None, ""
        """Its tool, arguments and id."""
        self._awaited = b""
        """How that result goes on behind its first member."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        number = self.line
        for number, data in lines:
            if data.startswith(_BEGIN) and data.find(b'"', len(_BEGIN)) == _AROUND - 2:
                if self._call is not None:
                    if data.startswith(self._awaited, _AROUND) and self._settles(number, data):
                        continue
                elif self._says(number, data):
                    continue
            if irrelevant(data):
                continue
            self.line = number
            return [*self.rest(), (number, data)]
        self.line = number
        return []

    def swallow(self, number: int, head: bytes) -> bool:
        """See `Skimmer.swallow`."""
        begun = head.startswith(_BEGIN) and head.find(b'"', len(_BEGIN)) == _AROUND - 2
        awaited = self._call is not None and head.startswith(self._awaited, _AROUND)
        return begun and awaited and self._ran(number)

    def taken(self) -> list[Event | Batch]:
        """See `Skimmer.taken`."""
        told: list[Event | Batch] = []
        parts = []
        for lane in self._lanes.values():
            if lane.calls:  # none of one that stands here again
                before, calls = lane.session.take(
                    lane.agent, lane.calls, lane.number, read=_read, key=lane.key, values=True
                )
                told += before
                parts.append(calls)
                lane.calls, lane.number = [], 0
        # The reader may get lines now: all but the agent whose result is awaited is seen afresh.
        waiting = None if self._call is None else self._call.lane
        self._lanes = {around: lane for around, lane in self._lanes.items() if lane is waiting}
        return [*told, Batch(parts=tuple(parts))] if parts else told

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`."""
        call, self._call = self._call, None
        if call is None:
            return []
        self._uuids.discard(call.uuid)
        return [call.line]

    def _settles(self, number: int, data: bytes) -> bool:
        """Take in the call that waits, with its result; a copy of a line is no result."""
        at = data.find(_UUID, _AROUND) + len(_UUID)
        if at < _AROUND or data[at : at + 2] != b':"' or not data.endswith(b"}\n"):
            return False
        known = hash(data[at + 2 : at + 2 + _UUID_SIZE].decode(errors="replace"))
        if known in self._uuids:
            return False
        self._uuids.add(known)
        return self._ran(number)

    def _ran(self, number: int) -> bool:
        """Take in the call that waits."""
        call, self._call = self._call, None
        if call is None:
            return False
        tool, left, call_id = self._made
        call.lane.calls.append((call.line[0], tool, left, call_id, number, None))
        call.lane.ids.add(call_id)
        call.lane.number += 1
        call.lane.key = call.key
        return True

    def _says(self, number: int, data: bytes) -> bool:
        """Take in a line of the model: a call, or what stands between two."""
        end = data.find(_MESSAGE, _AROUND, _FAR)
        try:
            record: Record = orjson.loads(data) if end > 0 else {}
        except orjson.JSONDecodeError:
            return False
        if record.get("type") != "assistant" or "isApiErrorMessage" in record:
            return False
        message, uuid = members(record.get("message")), record.get("uuid")
        content, key = message.get("content"), message.get("id")
        if not isinstance(uuid, str) or message.get("model") == SYNTHETIC:
            return False
        if not isinstance(content, list) or len(content) != 1 or not isinstance(key, str):
            return False
        around, known = data[_AROUND:end], hash(uuid)
        lane = self._lanes.get(around) or self._admit(around, record, key)
        if lane is None or known in self._uuids or not key:
            return False
        block = members(content[0])
        if block.get("type") == "tool_use":
            taken = self._starts(_Call((number, data), around, lane, key, known), block)
        else:
            taken = isinstance(message.get("usage"), dict) and _speaks(lane, number, key)
        if taken:
            self._uuids.add(known)
        return taken

    def _admit(self, around: bytes, record: Record, key: str) -> _Lane | None:
        """Begin to take calls of an agent, if its surroundings tell it and nothing is under way."""
        if _SESSION not in around or ("agentId" in record) != (_AGENT in around):
            return None
        found = self._whose(record)
        if found is None or not found[0].is_free(found[1], key):
            return None
        session, agent = found
        # Surroundings change, the working directory for one; the agent stays the same.
        known = (one for one in self._lanes.values() if (one.session, one.agent) == found)
        lane = next(known, None) or _Lane(session, agent, session.ids_of(agent))
        self._lanes[around] = lane
        return lane

    def _starts(self, call: _Call, block: Record) -> bool:
        tool, arguments, call_id = block.get("name"), block.get("input"), block.get("id")
        if not (isinstance(tool, str) and isinstance(arguments, dict) and isinstance(call_id, str)):
            return False
        if not call_id or call_id in call.lane.ids or call.key == call.lane.key:
            return False
        self._call = call
        self._made = tool, arguments, call_id
        self._awaited = call.around + _RESULT % call_id.encode()
        return True


def _speaks(lane: _Lane, number: int, key: str) -> bool:
    """Take in what the model says; another message ends the step of the last call."""
    if not lane.calls:
        return False
    if key != lane.key:
        lane.key = None
        if lane.calls[-1][1] is not None:
            lane.calls.append((number, None, SPOKE, "", number, None))
    return True


def _read(left: Left) -> tuple[str | None, Json]:
    return None, left if isinstance(left, dict) else None
