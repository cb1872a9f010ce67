"""Calls of a Claude Code transcript as its writer spells them.

The writer begins a line of a message with ``parentUuid``; then come members that are the same in
all lines of one agent: its surroundings. In lines of users the type and the message follow, in
lines of the model the message. Lines of the model, and of messages for it, are read as far as
`lines.Lines` would look into them; of a result the surroundings are compared with those of its
call, and the id of the call that it answers. It is read too where the surroundings differ, or do
not tell whose it is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

import orjson
from msgspec import Raw, Struct
from msgspec.structs import replace

from repeat_reminder import jsontext
from repeat_reminder.batches import HUMAN, SPOKE, Batch, PlainCall, PlainCalls
from repeat_reminder.events import Event, Json
from repeat_reminder.formats.claude_code.lines import SYNTHETIC, Names, Owner
from repeat_reminder.formats.claude_code.messages import INJECTED
from repeat_reminder.formats.claude_code.proofs import UNREAD, irrelevant
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.human import is_human
from repeat_reminder.formats.shared.seen import Seen
from repeat_reminder.formats.shared.shapes import reader_of
from repeat_reminder.formats.shared.waiting import has_room
from repeat_reminder.source.lines import Line

_BEGIN: Final = b'{"parentUuid":"'
_UUID: Final = b'}]},"uuid":"'
"""Behind the message of a result."""
_UUID_SIZE: Final = 36
_AROUND: Final = len(_BEGIN) + _UUID_SIZE + len('",')
"""Where the surroundings begin."""
_MESSAGE: Final = b',"message":{"'
_SESSION: Final = b'"sessionId":"'
_AGENT: Final = b'"agentId":"'
_RESULT: Final = (
    b',"type":"user","message":{"role":"user","content":[{"tool_use_id":%b,"type":"tool_result",'
)
_NO: Final = (b"", b"false", b"null")
_FAR: Final = 1_000
"""How far into a line the surroundings may go."""


class _Block(Struct, gc=False):
    type: str
    id: str = ""
    name: str | None = None
    input: Raw = Raw()
    tool_use_id: str | None = None


class _Message(Struct, gc=False):
    content: tuple[_Block]
    id: str = ""
    model: str = ""
    usage: Raw = Raw()


class _Owned(Struct, gc=False, rename="camel", kw_only=True):
    """What a line says of whose it is."""

    uuid: str
    session_id: str
    agent_id: str | None = None
    is_sidechain: bool = False

    def names(self) -> Names:
        return self.session_id, self.agent_id, self.is_sidechain


class _Said(_Owned, gc=False, rename="camel", kw_only=True):
    """A line with one block of a message."""

    type: str
    message: _Message
    is_api_error_message: bool = False


class _Text(Struct, gc=False):
    type: Literal["text"]
    text: str


class _Prompt(Struct, gc=False):
    content: str | tuple[_Text, ...]


class _Asked(_Owned, gc=False, rename="camel", kw_only=True):
    """A line with a message that the model reads."""

    type: Literal["user"]
    message: _Prompt
    is_meta: bool = False
    is_compact_summary: bool = False
    origin: Raw = Raw()
    command_mode: Raw = Raw()


class _Other(Struct, gc=False, rename="camel"):
    """A line of whatever type."""

    type: str
    is_sidechain: Raw = Raw()


_said, _asked, _other = reader_of(_Said), reader_of(_Asked), reader_of(_Other)


@dataclass(slots=True)
class _Lane:
    """Calls of one agent that have been taken in."""

    session: Session
    agent: str
    calls: list[PlainCall] = field(default_factory=list)
    number: int = 0
    """How many calls there are among them."""
    prompts: int = 0
    """How many messages of a human."""
    is_new: bool = False
    """The agent has still to be introduced."""
    key: str | None = None
    """The message of the last one, while that may go on."""
    heard: tuple[str, Raw] = "", Raw()
    """The newest message and its tokens."""


class _Call(Struct, gc=False):
    """A call that waits for its result."""

    line: Line
    uuid: str
    """The line's own id."""
    lane: _Lane
    key: str
    """The id of its message."""
    tool: str
    left: bytes
    id: str
    usage: Raw


class _Question(Struct, gc=False):
    """A message that waits for what the model says next: only there its step is over."""

    line: Line
    uuid: str
    names: Names
    is_human: bool


class ClaudeCodeSkimmer:
    """See `formats.model.Skimmer`.

    It takes for granted that a result which stands first in its line is all that the line says, and
    that the line's own id stands right behind the message.
    """

    def __init__(
        self,
        whose: Callable[[Names], Owner | None],
        introduce: Callable[[Session, str, int], list[Event]],
        heard: Callable[[Session, str, str, Json], None],
        uuids: Seen,
    ) -> None:
        """Take calls for a reader.

        Args:
            whose: tells whose line it is, if its session has begun.
            introduce: begins an agent that has still to be introduced, at a line.
            heard: is told of an agent's newest message, and of its tokens.
            uuids: the ids of lines that were read; those taken in are added.
        """
        self.line = 0
        self._whose = whose
        self._introduce = introduce
        self._heard = heard
        self._uuids = uuids
        self._lanes: dict[Names, _Lane] = {}
        """By what their lines say of session, agent and sidechain."""
        self._call: _Call | None = None
        self._questions: list[_Question] = []
        """Those of one agent; while there are any no call waits."""
        self._awaited: bytes | None = None
        """How the result of the call goes on behind its first member, if that can be told."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        number = self.line
        for number, data in lines:
            if self._awaited is not None and data.startswith(self._awaited, _AROUND):
                if _is_linked(data) and self._ends(number, data):
                    continue
            elif (at := data.find(_MESSAGE, 0, _FAR)) > 0:
                if self._takes((number, data), at):
                    continue
            elif irrelevant(data) or _is_unread(data):
                continue
            self.line = number
            return [*self.rest(), (number, data)]
        self.line = number
        return []

    def taken(self) -> list[Event | Batch]:
        """See `Skimmer.taken`."""
        told: list[Event | Batch] = []
        parts = []
        for lane in self._lanes.values():
            if lane.calls:  # none of one that stands here again
                key, usage = lane.heard
                told_usage = jsontext.loads(bytes(usage)) if usage else None
                self._heard(lane.session, lane.agent, key, told_usage)
                told += lane.session.begin()
                parts.append(self._part(lane))
        # The reader may get lines now: all but the agent whose result is awaited is seen afresh.
        waiting = None if self._call is None else self._call.lane
        self._lanes = {names: lane for names, lane in self._lanes.items() if lane is waiting}
        return [*told, Batch(parts=tuple(parts))] if parts else told

    def _part(self, lane: _Lane) -> PlainCalls:
        """Give out what was taken in of one agent."""
        entries, session, agent = lane.calls, lane.session, lane.agent
        new = self._introduce(session, agent, entries[0][0]) if lane.is_new else []
        _, part = session.take(agent, entries, lane.number, prompts=lane.prompts, key=lane.key)
        lane.calls, lane.number, lane.prompts, lane.is_new = [], 0, 0, False
        return replace(part, before=[*new, *part.before]) if new else part

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`."""
        call, self._call, self._awaited = self._call, None, None
        questions, self._questions = self._questions, []
        return [each.line for each in questions] if call is None else [call.line]

    # ------------------------------------------------------------ results that are not parsed

    def _ends(self, number: int, data: bytes) -> bool:
        """Take in the result that is awaited, unless its line is a copy."""
        at = data.find(_UUID, _AROUND) + len(_UUID)
        uuid = data[at : at + _UUID_SIZE]
        if at < _AROUND or data[at + _UUID_SIZE : at + _UUID_SIZE + 1] != b'"':
            return False
        if not (uuid.isascii() and data.endswith(b"}\n")) or b'"' in uuid or b"\\" in uuid:
            return False
        return self._settle(number, uuid)

    def _settle(self, number: int, uuid: str | bytes) -> bool:
        """Take in the call that waits: its result is here, in a line with this id."""
        call = self._call
        if call is None or call.lane.session.knows(call.lane.agent, call.id):
            return False
        if not self._uuids.add_all(call.uuid, uuid):
            return False
        lane = call.lane
        lane.session.note(lane.agent, call.id)
        lane.calls.append((call.line[0], call.tool, call.left, call.id, number, None))
        lane.number += 1
        lane.key = call.key
        lane.heard = call.key, call.usage
        self._call = self._awaited = None
        return True

    # ------------------------------------------------------------ lines that are read

    def _takes(self, line: Line, at: int) -> bool:
        """Take in a line of the model, or a result that is spelt in another way.

        ``at`` is where its message begins.
        """
        said = _said(line[1])
        if said is None:
            return self._asks(line)
        names = said.names()
        if said.type == "user":
            (block,) = said.message.content
            if block.type == "text":
                return self._asks(line)
            return self._answers(line[0], self._lanes.get(names), block, said.uuid)
        return said.type == "assistant" and self._hears(line, at, names, said)

    def _hears(self, line: Line, at: int, names: Names, said: _Said) -> bool:
        """Take in a line of the model."""
        message = said.message
        if self._call is not None or said.is_api_error_message or message.model == SYNTHETIC:
            return False
        # What a line without tokens does depends on what was heard long before.
        usage = bytes(message.usage)
        if not message.id or not usage.startswith(b"{") or may_be_deep(usage):
            return False
        lane = self._lanes.get(names) or self._admit(names, message.id)
        if lane is None:
            return False
        if self._questions and (message.id == lane.key or not self._may_answer(names, said.uuid)):
            return False
        if message.content[0].type == "tool_use":
            return self._starts(line, at, lane, said)
        return self._speaks(line[0], lane, said)

    def _may_answer(self, names: Names, uuid: str) -> bool:
        """Tell a line of the agent that was asked, if it is no copy of what it was asked."""
        return all(each.names == names and each.uuid != uuid for each in self._questions)

    def _answers(self, number: int, lane: _Lane | None, block: _Block, uuid: str) -> bool:
        """Take in a result that stands alone in its line."""
        call = self._call
        if call is None or lane is not call.lane or block.type != "tool_result":
            return False
        if block.tool_use_id != call.id:
            return False
        return self._settle(number, uuid)

    def _starts(self, line: Line, at: int, lane: _Lane, said: _Said) -> bool:
        """Take in a call."""
        (block,), key = said.message.content, said.message.id
        call_id, tool, arguments = block.id, block.name, bytes(block.input)
        if tool is None or arguments[:1] != b"{" or not call_id or key == lane.key:
            return False
        if lane.session.awaits(call_id) or may_be_deep(arguments):
            return False
        if self._questions:
            if said.uuid in self._uuids or lane.session.knows(lane.agent, call_id):
                return False
            self._reads(line[0], lane)
        usage = said.message.usage
        self._call = _Call(line, said.uuid, lane, key, tool, arguments, call_id, usage)
        around = line[1][_AROUND:at]
        told = _SESSION in around and (said.agent_id is not None) == (_AGENT in around)
        if told and _is_linked(line[1]):
            self._awaited = around + _RESULT % orjson.dumps(call_id)
        return True

    def _speaks(self, number: int, lane: _Lane, said: _Said) -> bool:
        """Take in what the model says; another message ends the step of the last call."""
        if not self._uuids.add(said.uuid):
            return False
        if self._questions:
            self._reads(number, lane)
        lane.heard = said.message.id, said.message.usage
        if said.message.id != lane.key:
            lane.key = None
            if not lane.calls or lane.calls[-1][1] is not None:
                lane.calls.append((number, None, SPOKE, "", number, None))
        return True

    def _asks(self, line: Line) -> bool:
        """Take in a message for the model."""
        free = self._call is None and has_room(self._questions, line)
        asked = _asked(line[1]) if free else None
        if asked is None or not asked.message.content or asked.origin or asked.command_mode:
            return False
        names = asked.names()
        inline = asked.is_sidechain and asked.agent_id is None
        if inline or asked.uuid in self._uuids or self._whose(names) is None:
            return False
        if any(other.names != names or other.uuid == asked.uuid for other in self._questions):
            return False
        content = asked.message.content
        texts = (content,) if isinstance(content, str) else [block.text for block in content]
        human = not (asked.is_meta or asked.is_compact_summary) and is_human(texts, INJECTED)
        self._questions.append(_Question(line, asked.uuid, names, human))
        return True

    def _reads(self, number: int, lane: _Lane) -> None:
        """Take in the messages that wait: the model answers."""
        for question in self._questions:
            self._uuids.add(question.uuid)
            whose = HUMAN if question.is_human else SPOKE
            lane.calls.append((number, None, whose, "", number, None))
            lane.prompts += question.is_human
        self._questions.clear()
        lane.key = None

    def _admit(self, names: Names, key: str) -> _Lane | None:
        """Begin to take calls of an agent that has begun and has nothing under way."""
        found = self._whose(names)
        if found is None or not found.session.is_free(found.agent, key):
            return None
        session, agent, is_new = found
        # Lines may name an agent in more than one way.
        known = (
            one for one in self._lanes.values() if (one.session, one.agent) == (session, agent)
        )
        lane = next(known, None) or _Lane(session, agent, is_new=is_new)
        self._lanes[names] = lane
        return lane


def _is_unread(data: bytes) -> bool:
    """Tell a line of a type that is not read, and that begins no inline sidechain."""
    other = _other(data)
    return other is not None and other.type in UNREAD and bytes(other.is_sidechain) in _NO


def _is_linked(data: bytes) -> bool:
    """Tell whether a line begins with the id of another one."""
    return data[: len(_BEGIN)] == _BEGIN and data.find(b'"', len(_BEGIN)) == _AROUND - 2
