"""Calls of a Codex rollout as its writer spells them, and the lines that change nothing about them.

The writer puts time, envelope and payload in that order, and no blanks. The first quote behind the
beginning of the time is the one that ends it. From there on to the end of the type the bytes are
compared, so that nothing is escaped. Lines of calls are parsed, and such as are spelt otherwise; of
results the id is compared.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import orjson

from repeat_reminder.batches import SPOKE, Batch, Left, PlainCall
from repeat_reminder.events import Event, Json
from repeat_reminder.formats.codex.proofs import BEGIN, REPEATS, SILENT, TIME
from repeat_reminder.formats.codex.thread import Thread
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.lenient import members
from repeat_reminder.source.lines import Line

_ITEM: Final = b'Z","type":"response_item","payload":{"type":"'
_TYPE: Final = TIME + len(_ITEM)
_OUTPUTS: Final = frozenset({_ITEM + b"function_call_output", _ITEM + b"custom_tool_call_output"})
_MESSAGE: Final = _ITEM + b"message"
_SAID: Final = b'","role":"assistant","content":[{"type":"output_text","text":"'
_END: Final = b"}}\n"
_UNTOLD: Final = frozenset(head.removesuffix(b'"') for head in SILENT)
"""Lines that say nothing."""
_TOKENS: Final = b'Z","type":"event_msg","payload":{"type":"token_count'
_RESULTS: Final = ("function_call_output", "custom_tool_call_output")


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
        self._awaited = b""
        """What stands behind the type in that result."""
        self._tokens: bytes | None = None
        """The newest line of tokens that was left out."""
        self._ids: set[str] = set()
        """Of calls that were taken in or read."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        free = self._call is not None or self._begins()
        number = self.line
        for number, data in lines:
            end = data.find(b'"', _TYPE)
            head = data[TIME:end]
            if data.startswith(BEGIN) and data.find(b'"', len(BEGIN)) == TIME + 1:
                if head in _UNTOLD:
                    continue
                if head == _TOKENS and (self._calls or self._call):
                    self._tokens = data
                    continue
                if self._call is not None and head in _OUTPUTS:
                    if data.startswith(self._awaited, end) and data.endswith(_END):
                        self._settle(number)
                        continue
                elif free and head == _MESSAGE and data.startswith(_SAID, end) and self._calls:
                    self._speaks(number)
                    continue
            if not free or not self._parses(number, data):
                self.line = number
                return [*self.rest(), (number, data)]
        self.line = number
        return []

    def taken(self) -> Iterable[Event | Batch]:
        """See `Skimmer.taken`."""
        calls, thread = self._calls, self._thread()
        if thread is not None and self._tokens is not None:
            thread.note_tokens(members(_parsed(self._tokens).get("payload")))
            self._tokens = None
        if not calls or thread is None:
            return ()
        self._calls = []
        return thread.take(calls, spoke=calls[-1][1] is None)

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`."""
        call, self._call = self._call, None
        return [] if call is None else [call[0]]

    def _begins(self) -> bool:
        """Tell whether calls may be taken in from here on."""
        thread = self._thread()
        if thread is None or not thread.is_free:
            return False
        self._ids = thread.ids
        return True

    def _parses(self, number: int, data: bytes) -> bool:
        """Take in a line by parsing it: that of a call, or one that is spelt in another way."""
        record = _parsed(data)
        payload = members(record.get("payload"))
        envelope, kind = record.get("type"), payload.get("type")
        if envelope == "event_msg":
            return isinstance(kind, str) and kind in REPEATS
        return envelope == "response_item" and self._takes((number, data), payload, kind)

    def _takes(self, line: Line, item: Record, kind: Json) -> bool:
        """Take in an item."""
        if kind == "message":
            return self._says(line[0], item)
        if self._call is None:
            is_call = kind in ("function_call", "custom_tool_call")
            return kind == "reasoning" or (is_call and self._starts(line, item))
        if kind in _RESULTS and item.get("call_id") == self._call[3]:
            return self._settle(line[0])
        return kind == "reasoning"

    def _says(self, number: int, message: Record) -> bool:
        """Take in a message, unless it may be a human's."""
        role = message.get("role")
        if role == "assistant" and texts_of(message.get("content")):
            return self._speaks(number)
        return role != "user"

    def _starts(self, line: Line, item: Record) -> bool:
        """Take in a call."""
        custom = item["type"] == "custom_tool_call"
        tool, call_id = item.get("name"), item.get("call_id")
        arguments = item.get("input" if custom else "arguments")
        if not (isinstance(tool, str) and isinstance(arguments, str) and isinstance(call_id, str)):
            return False
        if not call_id or call_id in self._ids or "namespace" in item or may_be_deep(arguments):
            return False
        left: Left = [arguments] if custom else arguments  # free text is a value
        self._call = line, tool, left, call_id
        self._awaited = b'","call_id":%b,' % orjson.dumps(call_id)
        return True

    def _settle(self, number: int) -> bool:
        """Take in the call that waits; its result is here."""
        if self._call is not None:
            (start, _), tool, arguments, call_id = self._call
            self._calls.append((start, tool, arguments, call_id, number, None))
            self._ids.add(call_id)
            self._call = None
        return True

    def _speaks(self, number: int) -> bool:
        """Take in what the model says; behind the calls taken in, the step of the last is over."""
        if self._call is None:
            if not self._calls:
                return False
            if self._calls[-1][1] is not None:
                self._calls.append((number, None, SPOKE, "", number, None))
        return True


def _parsed(data: bytes) -> Record:
    """Parse a line; what is no object has nothing in it."""
    try:
        return members(orjson.loads(data))
    except orjson.JSONDecodeError:
        return {}
