"""Calls of a Codex rollout as its writer spells them, and the lines that change nothing about them.

The writer puts time, envelope and payload in that order, and no blanks. The first quote behind the
beginning of the time is the one that ends it. From there on to the end of the type the bytes are
compared, so that nothing is escaped. What says nothing, begins a turn, tells tokens, or is said by
the model is told by that beginning; of results the id is compared. Lines of calls and of prompts,
and such as are spelt otherwise, are read as far as `thread.Thread` would look into them.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

import orjson
from msgspec import Raw, Struct

from repeat_reminder import jsontext
from repeat_reminder.batches import HUMAN, SPOKE, Batch, Left, PlainCall
from repeat_reminder.events import Event
from repeat_reminder.formats.codex.proofs import BEGIN, REPEATS, SILENT, TIME
from repeat_reminder.formats.codex.thread import INJECTED, Thread
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.human import is_human
from repeat_reminder.formats.shared.lenient import MAIN, members
from repeat_reminder.formats.shared.shapes import reader_of
from repeat_reminder.formats.shared.waiting import has_room
from repeat_reminder.source.lines import Line

if TYPE_CHECKING:
    from repeat_reminder.formats.session import Session

_ITEM: Final = b'Z","type":"response_item","payload":{"type":"'
_TYPE: Final = TIME + len(_ITEM)
_OUTPUTS: Final = frozenset({_ITEM + b"function_call_output", _ITEM + b"custom_tool_call_output"})
_MESSAGE: Final = _ITEM + b"message"
_SAID: Final = b'","role":"assistant","content":[{"type":"output_text","text":"'
_END: Final = b"}}\n"
_UNTOLD: Final = frozenset(head.removesuffix(b'"') for head in SILENT)
"""Lines that say nothing."""
_TURN: Final = b'Z","type":"turn_context","payload":{"'
_TOKENS: Final = b'Z","type":"event_msg","payload":{"type":"token_count'
_INFO: Final = b'","info":{'
_NO_INFO: Final = b'","info":null'


class _Item(Struct, gc=False):
    type: str
    role: str | None = None
    content: Raw = Raw()
    name: str | None = None
    call_id: str | None = None
    arguments: str | None = None
    input: Raw = Raw()
    namespace: Raw = Raw()


class _Line(Struct, gc=False):
    type: str
    payload: _Item


class _Prompt(Struct, gc=False):
    type: Literal["user_message"]
    kind: Raw = Raw()


class _Told(Struct, gc=False):
    type: Literal["event_msg"]
    payload: _Prompt


class _Count(Struct, gc=False):
    info: Raw


class _Tokens(Struct, gc=False):
    payload: _Count


_PLAIN: Final = (b"", b"null", b'"plain"')
"""Kinds of the events of a human's prompt."""
_read, _read_prompt, _tokens = reader_of(_Line), reader_of(_Told), reader_of(_Tokens)


class CodexSkimmer:
    """See `formats.model.Skimmer`.

    Behind a call that is taken in, lines of tokens are left out too: nothing depends on them there.
    """

    def __init__(self, thread: Callable[[], Thread | None]) -> None:
        """Take calls for the thread that is being read when asked."""
        self.line = 0
        self._thread = thread
        self._calls: list[PlainCall] = []
        self._call: tuple[Line, str, Left, str] | None = None
        """The call that waits for its result: its line, tool, arguments and id."""
        self._waiting: list[Line] = []
        """Lines of messages to the model. They wait for what the model does next: only there the
        step before them is known to be over."""
        self._asked: list[bytes] = []
        """Whose those messages are."""
        self._untold = False
        """The last of the lines is the item of a human's prompt, whose event has still to come."""
        self._prompts = 0
        """How many entries are messages of a human."""
        self._awaited = b""
        """What stands behind the type in that result."""
        self._turned = False
        """A turn has begun behind all that was taken in."""
        self._tokens: list[bytes] = []
        """Lines of tokens that were left out."""
        self._session: Session | None = None
        """That of the thread, while calls may be taken in."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        free = self._call is not None or bool(self._waiting) or self._begins()
        number, begun = self.line, len(BEGIN)
        for number, data in lines:
            if data.find(b'"', begun) == TIME + 1 and data[:begun] == BEGIN and not self._untold:
                end = data.find(b'"', _TYPE)
                head = data[TIME:end]
                if head in _UNTOLD or (free and self._passes(number, data, head, end)):
                    continue
            if not free or not self._reads((number, data)):
                self.line = number
                return [*self.rest(), (number, data)]
        self.line = number
        return []

    def taken(self) -> Iterable[Event | Batch]:
        """See `Skimmer.taken`."""
        calls, thread = self._calls, self._thread()
        if thread is None:
            return ()
        counts = (bytes(one.payload.info) for one in map(_tokens, reversed(self._tokens)) if one)
        newest = next((info for info in counts if not may_be_deep(info)), None)
        if newest is not None:
            thread.note_tokens(members(jsontext.loads(newest)))
        self._tokens.clear()
        self._calls = []
        told: Iterable[Event | Batch] = ()
        if calls:
            told = thread.take(calls, self._prompts, spoke=calls[-1][1] is None)
            self._prompts = 0
        if self._turned:
            self._turned = False
            thread.begin_turn()
        return told

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`."""
        waiting = self._waiting if self._call is None else [self._call[0]]
        self._call, self._waiting, self._asked, self._untold = None, [], [], False
        return waiting

    def _begins(self) -> bool:
        """Tell whether calls may be taken in from here on."""
        thread = self._thread()
        self._session = thread.session if thread is not None and thread.is_free else None
        return self._session is not None

    def _passes(self, number: int, data: bytes, head: bytes, end: int) -> bool:
        """Take in a line by its beginning, up to the end of its type."""
        if head == _TOKENS:
            return bool(self._calls or self._call) and self._notes(data, end)
        if head in _OUTPUTS:
            known = self._call is not None and data.startswith(self._awaited, end)
            return known and data.endswith(_END) and self._settle(number)
        if head == _MESSAGE:
            return data.startswith(_SAID, end) and self._speaks(number)
        if self._call is None and data.startswith(_TURN, TIME):
            self._turned = True
            return True
        return False

    def _notes(self, data: bytes, end: int) -> bool:
        """Take in a line of tokens. Some tell of limits alone: nothing changes what is known."""
        if data.startswith(_INFO, end) and data.endswith(_END):
            self._tokens.append(data)
            return True
        return data.startswith(_NO_INFO, end)

    def _reads(self, line: Line) -> bool:
        """Take in a line by what it says: a call's, or one that is spelt in another way."""
        if self._untold:
            return self._asks(line)
        found = _read(line[1])
        if found is None:
            return False
        if found.type != "response_item":
            return found.type == "event_msg" and found.payload.type in REPEATS
        return self._reads_item(line, found.payload)

    def _reads_item(self, line: Line, item: _Item) -> bool:
        call = self._call
        match item.type:
            case "function_call" | "custom_tool_call":
                return call is None and self._starts(line, item)
            case "function_call_output" | "custom_tool_call_output":
                return call is not None and item.call_id == call[3] and self._settle(line[0])
            case "message":
                return self._says(line, item)
            case kind:
                return kind == "reasoning"

    def _says(self, line: Line, message: _Item) -> bool:
        """Take in a message. A human's waits for the event behind it."""
        content = bytes(message.content)
        if may_be_deep(content):
            return False
        texts = texts_of(jsontext.loads(content)) if content else ()
        if message.role == "assistant" and texts:
            return self._speaks(line[0])
        if message.role == "user" and texts:
            if self._call is not None or not has_room(self._waiting, line):
                return False
            self._waiting.append(line)
            self._untold = is_human(texts, INJECTED)
            if not self._untold:
                self._asked.append(SPOKE)
        return True

    def _asks(self, line: Line) -> bool:
        """Take in the event of a human's prompt."""
        told = _read_prompt(line[1])
        if told is None or bytes(told.payload.kind) not in _PLAIN:
            return False
        self._waiting.append(line)
        self._asked.append(HUMAN)
        self._untold = False
        return True

    def _answers(self, number: int) -> None:
        """Take in the messages that wait: the model does something."""
        self._calls += [(number, None, whose, "", number, None) for whose in self._asked]
        self._prompts += self._asked.count(HUMAN)
        self._waiting, self._asked = [], []

    def _starts(self, line: Line, item: _Item) -> bool:
        """Take in a call. The input of a custom tool is free text: its arguments are a value."""
        left: Left | None = item.arguments
        if item.type == "custom_tool_call":
            left = bytes(item.input)
            if not left.startswith(b'"'):
                return False
        tool, call_id, session = item.name, item.call_id, self._session
        if tool is None or left is None or not call_id or session is None:
            return False
        if session.knows(MAIN, call_id) or item.namespace or may_be_deep(left):
            return False
        if self._asked:
            self._answers(line[0])
        self._call = line, tool, left, call_id
        self._awaited = b'","call_id":%b,' % orjson.dumps(call_id)
        return True

    def _settle(self, number: int) -> bool:
        """Take in the call that waits, unless it stands here again; its result is here."""
        call, session = self._call, self._session
        if call is None or session is None or not session.note(MAIN, call[3]):
            return False
        (start, _), tool, arguments, call_id = call
        self._calls.append((start, tool, arguments, call_id, number, None))
        self._call = None
        self._turned = False
        return True

    def _speaks(self, number: int) -> bool:
        """Take in what the model says; behind the calls taken in, the step of the last is over."""
        if self._call is None:
            self._turned = False
            if self._asked:
                self._answers(number)
            if not self._calls or self._calls[-1][1] is not None:
                self._calls.append((number, None, SPOKE, "", number, None))
        return True
