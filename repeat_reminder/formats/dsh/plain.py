"""Steps of a DSH log with one call, as its writer spells them.

The writer puts the type of a line first, then number and time of the line in logs that have them,
then the data. A step begins with a line that names it, and so it ends; between are the model's
message, the call, and its result.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

import orjson

from repeat_reminder.batches import Batch, PlainCall
from repeat_reminder.canonical import refused
from repeat_reminder.events import Event
from repeat_reminder.formats.dsh.proofs import SILENT, TYPE
from repeat_reminder.formats.dsh.story import Story
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.source.lines import Line

if TYPE_CHECKING:
    from repeat_reminder.formats.dsh.calls import Known

_CHUNK: Final = TYPE + b'assistant/chunk"'
"""Nearly all lines begin so."""
_CHUNK_SIZE: Final = len(_CHUNK)
_START: Final = TYPE + b'step/start",'
_SAID: Final = TYPE + b'assistant/message",'
_CALL: Final = TYPE + b'tool/call",'
_RESULT: Final = TYPE + b'tool/result",'
_END: Final = TYPE + b'step/end",'
_TURN_END: Final = TYPE + b'turn/end",'
_KIND: Final = len(TYPE) + 8
"""Bytes of a line that tell these apart."""
_OF_STEP: Final = frozenset(kind[:_KIND] for kind in (_START, _SAID, _CALL, _RESULT, _END))
_NUMBERS: Final = re.compile(rb'"seq":[0-9]+,"time":[0-9]+,')
"""What the writer of some logs puts between type and data."""
_PLACE: Final = re.compile(rb'"data":\{"turn":([0-9]{1,15}),"step":([0-9]{1,15})')
"""How the data of a step's lines begin."""
_STEP_END: Final = b"}}\n"
_RESULT_END: Final = re.compile(
    rb'"isError":(?:true|false)\}\],"role":"user","id":"[^"\\]*"\}\}'
    rb'(?:,"sourceEventSeqs":\[[0-9,]*\])?(?:,"surfaceOp":"append")?\}\n\Z'
)
"""The end of a result that says nothing beside its message: the call ran."""
_TAIL: Final = 400
"""How far from the end of a result's line that begins."""
_FEWEST_LINES, _MOST_LINES = 4, 8
"""Lines of a step with one call, beside chunks."""
_MOST_PLACES: Final = 4_096


class DshSkimmer:
    """See `formats.model.Skimmer`."""

    def __init__(self, story: Callable[[], Story | None]) -> None:
        """Take calls for the story that is being read when asked."""
        self.line = 0
        self._story = story
        self._calls: list[PlainCall] = []
        self._step: list[Line] = []
        """The lines of the step that runs, but for chunks."""
        self._places: dict[bytes, tuple[int, int]] = {}
        """Turn and step, by how data begin."""
        self._known: Known = set()
        self._nothing_waits = False

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        step = self._step
        free = bool(step) or self._begins()
        number, before = self.line, len(TYPE)
        for number, data in lines:
            if data[:_CHUNK_SIZE] == _CHUNK:
                continue
            if free and data[:_KIND] in _OF_STEP:
                step.append((number, data))
                ends = data.startswith(_END)
                if (ends and self._takes(step)) or (not ends and len(step) < _MOST_LINES):
                    continue
            elif data[: data.find(b'"', before)] in SILENT or self._is_quiet_end(data):
                continue
            else:
                step.append((number, data))
            self.line = number
            return self.rest()
        self.line = number
        return []

    def taken(self) -> Iterable[Event | Batch]:
        """See `Skimmer.taken`."""
        calls, story = self._calls, self._story()
        if not calls or story is None:
            return ()
        self._calls = []
        return story.take(calls)

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`."""
        lines = self._step.copy()
        self._step.clear()
        return lines

    def _begins(self) -> bool:
        """Tell whether steps may be taken in from here on."""
        story = self._story()
        if story is None or not story.is_free:
            return False
        self._known = story.known
        self._nothing_waits = story.nothing_waits
        return True

    def _is_quiet_end(self, data: bytes) -> bool:
        """Tell the end of a turn, unless a message was claimed that no request has read."""
        return self._nothing_waits and not self._step and data.startswith(_TURN_END)

    def _takes(self, step: list[Line]) -> bool:
        """Take in a step that has ended, if it has one call, and its answer."""
        if len(step) < _FEWEST_LINES:
            return False
        (_, start), *said, (line, call), (settled, result), (_, end) = step
        data = start[start.find(b'"data":') : -3]
        where = self._places.get(data) or self._learn(data)
        if where is None or not _goes_on(start, _START, data + _STEP_END):
            return False
        head, _, rest = call.partition(b',"callId":')
        given, _, rest = rest.partition(b',"name":')
        tool, _, arguments = rest.partition(b',"arguments":')
        if not (head.endswith(data) and _goes_on(head, _CALL, data)):
            return False
        answer = b'%b,"message":{"source":{"kind":"tool","callId":%b}' % (data, given)
        if not (_goes_on(result, _RESULT, answer) and _ran(result)):
            return False
        if not _goes_on(end, _END, data + _STEP_END):
            return False
        for _, message in said:
            if not message.startswith(_SAID):
                return False
        called = _strings(given, tool, arguments)
        return called is not None and self._counts(line, called, settled, where)

    def _counts(
        self, line: int, called: tuple[str, str, str], settled: int, where: tuple[int, int]
    ) -> bool:
        """Take in the call of a step, unless the harness refuses it or it stands here again."""
        call_id, name, text = called
        known = where, call_id, None
        if known in self._known or may_be_deep(text) or refused(text, None):
            return False
        self._known.add(known)
        self._calls.append((line, name, text, call_id, settled, where))
        self._nothing_waits = True  # its request has read all there was
        self._step.clear()
        return True

    def _learn(self, data: bytes) -> tuple[int, int] | None:
        """Parse the beginning of a step's data: its turn and step."""
        found = _PLACE.fullmatch(data)
        if found is None:
            return None
        if len(self._places) >= _MOST_PLACES:
            self._places.clear()
        where = self._places[data] = int(found[1]), int(found[2])
        return where


def _goes_on(data: bytes, begin: bytes, rest: bytes) -> bool:
    """Tell whether a line begins so and goes on so, with or without its number and time between."""
    if data.startswith(rest, len(begin)):
        return data.startswith(begin)
    found = _NUMBERS.match(data, len(begin))
    return found is not None and data.startswith(rest, found.end()) and data.startswith(begin)


def _ran(result: bytes) -> bool:
    """Tell whether a result is that of a call that ran."""
    at = result.rfind(b'"isError":', max(0, len(result) - _TAIL))
    return at >= 0 and _RESULT_END.match(result, at) is not None


def _strings(given: bytes, tool: bytes, arguments: bytes) -> tuple[str, str, str] | None:
    """Parse what a call consists of. That takes less time than a proof that it is three strings."""
    if arguments[-3:] != _STEP_END:
        return None
    try:
        found = orjson.loads(given), orjson.loads(tool), orjson.loads(arguments[:-3])
    except orjson.JSONDecodeError:
        return None
    call_id, name, text = found
    return found if type(call_id) is type(name) is type(text) is str and call_id else None
