"""Calls of a Codex rollout as its writer spells them, and the lines that change nothing about them.

The writer puts time, envelope and payload in that order, and no blanks. The first quote behind the
beginning of the time is the one that ends it. From there on to the end of the type the bytes are
compared, so that nothing is escaped. Lines of calls are parsed; of results the id is compared.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import orjson

from repeat_reminder.batches import SPOKE, Batch, Left, PlainCall
from repeat_reminder.events import Event
from repeat_reminder.formats.codex.proofs import BEGIN, SILENT, TIME
from repeat_reminder.formats.codex.thread import Thread
from repeat_reminder.formats.shared.lenient import members
from repeat_reminder.source.lines import Line

_ITEM: Final = b'Z","type":"response_item","payload":{"type":"'
_TYPE: Final = TIME + len(_ITEM)
_FUNCTION: Final = _ITEM + b"function_call"
_CUSTOM: Final = _ITEM + b"custom_tool_call"
_OUTPUTS: Final = frozenset({_ITEM + b"function_call_output", _ITEM + b"custom_tool_call_output"})
_MESSAGE: Final = _ITEM + b"message"
_SAID: Final = b'","role":"assistant","content":[{"type":"output_text","text":"'
_END: Final = b"}}\n"
_UNTOLD: Final = frozenset(head.removesuffix(b'"') for head in SILENT)
"""Lines that say nothing."""
_TOKENS: Final = b'Z","type":"event_msg","payload":{"type":"token_count'
_FIELDS: Final = {
    _FUNCTION: ("function_call", "arguments", {"type", "name", "arguments", "call_id"}),
    _CUSTOM: ("custom_tool_call", "input", {"type", "status", "call_id", "name", "input"}),
}
"""The type of a call, where its arguments stand, and the members that it has."""


class CodexSkimmer:
    """See `formats.model.Skimmer`.

    Lines of tokens are left out too: nothing that counts depends on them.
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
                if head in _UNTOLD or (free and head == _TOKENS):
                    continue
                if free:
                    if self._call is not None:
                        if head in _OUTPUTS and data.endswith(_END) and self._settles(number, data):
                            continue
                    elif head in _FIELDS and self._starts(number, data, head):
                        continue
                    if head == _MESSAGE and data.startswith(_SAID, end) and self._speaks(number):
                        continue
            self.line = number
            return [*self.rest(), (number, data)]
        self.line = number
        return []

    def swallow(self, number: int, head: bytes) -> bool:
        """See `Skimmer.swallow`."""
        timed = head.startswith(BEGIN) and head.find(b'"', len(BEGIN)) == TIME + 1
        is_output = head[TIME : head.find(b'"', _TYPE)] in _OUTPUTS
        return timed and is_output and self._settles(number, head)

    def taken(self) -> Iterable[Event | Batch]:
        """See `Skimmer.taken`."""
        calls, thread = self._calls, self._thread()
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

    def _starts(self, number: int, data: bytes, head: bytes) -> bool:
        """Take in the line of a call."""
        kind, key, fields = _FIELDS[head]
        try:
            record = orjson.loads(data)
        except orjson.JSONDecodeError:
            return False
        payload = members(record.get("payload"))
        if record["type"] != "response_item" or payload.keys() != fields:
            return False
        if payload["type"] != kind:
            return False
        tool, arguments, call_id = payload["name"], payload[key], payload["call_id"]
        if not (type(tool) is type(arguments) is type(call_id) is str):
            return False
        if not call_id or call_id in self._ids:
            return False
        left: Left = [arguments] if head == _CUSTOM else arguments  # free text is a value
        self._call = (number, data), tool, left, call_id
        self._awaited = b'","call_id":"%b",' % call_id.encode()
        return True

    def _settles(self, number: int, data: bytes) -> bool:
        """Take in the call that waits, if the line of a result begins as its result does."""
        if self._call is None or not data.startswith(self._awaited, data.find(b'"', _TYPE)):
            return False
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
