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
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.lenient import members, whole
from repeat_reminder.source.lines import Line

if TYPE_CHECKING:
    from repeat_reminder.formats.dsh.calls import Known

_CHUNK: Final = b'{"type":"assistant/chunk"'
"""Nearly all lines begin so."""
_CHUNK_SIZE: Final = len(_CHUNK)
_NUMBERED: Final = (
    rb'",(?:"seq":[0-9]+,"time":[0-9]+,)?"data":\{"turn":([0-9]{1,15}),"step":([0-9]{1,15})'
)
_STEP: Final = re.compile(rb'\{"type":"step/(?:start|end)' + _NUMBERED + rb"\}\}\n")
_RESULT: Final = re.compile(
    rb'\{"type":"tool/result' + _NUMBERED + rb',"message":\{"source":\{"kind":"tool","callId":'
)
_RESULT_END: Final = re.compile(
    rb'"isError":(?:true|false)\}\],"role":"user","id":"[^"\\]*"\}\}'
    rb'(?:,"sourceEventSeqs":\[[0-9,]*\])?(?:,"surfaceOp":"append")?\}\n\Z'
)
"""The end of a result that says nothing beside its message: the call ran."""
_TAIL: Final = 400
"""How far from the end of a result's line that begins."""
_MOST_LINES: Final = 8
"""Lines of a step that are kept."""
_FIELDS: Final = {"turn", "step", "callId", "name", "arguments"}


class DshSkimmer:
    """See `formats.model.Skimmer`."""

    def __init__(self, story: Callable[[], Story | None]) -> None:
        """Take calls for the story that is being read when asked."""
        self.line = 0
        self._story = story
        self._calls: list[PlainCall] = []
        self._step: list[Line] = []
        """The lines of the step that runs."""
        self._place: tuple[int, int] = 0, 0
        self._call: tuple[int, str, str, str] | None = None
        """The step's call: line, tool, arguments and id."""
        self._settled: int | None = None
        self._known: Known = set()
        self._handlers: dict[bytes, Callable[[int, bytes], bool]] = {
            TYPE + b"step/start": self._start,
            TYPE + b"assistant/message": self._said,
            TYPE + b"tool/call": self._called,
            TYPE + b"tool/result": self._answered,
            TYPE + b"step/end": self._end,
        }

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        free = bool(self._step) or self._begins()
        handlers, number, before = self._handlers, self.line, len(TYPE)
        for number, data in lines:
            if data[:_CHUNK_SIZE] == _CHUNK:
                continue
            kind = data[: data.find(b'"', before)]
            if kind in SILENT:
                continue
            if free and kind in handlers and handlers[kind](number, data):
                continue
            self.line = number
            return [*self.rest(), (number, data)]
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
        lines, self._step = self._step, []
        self._call = self._settled = None
        return lines

    def _begins(self) -> bool:
        """Tell whether steps may be taken in from here on."""
        story = self._story()
        if story is None or not story.is_free:
            return False
        self._known = story.known
        return True

    # ------------------------------------------------------------ one method a line of a step

    def _start(self, number: int, data: bytes) -> bool:
        found = _STEP.fullmatch(data)
        if found is None or self._step:
            return False
        self._place = int(found[1]), int(found[2])
        self._step = [(number, data)]
        self._call = self._settled = None
        return True

    def _said(self, number: int, data: bytes) -> bool:
        runs = 0 < len(self._step) < _MOST_LINES and self._call is None
        return runs and self._keep(number, data)

    def _called(self, number: int, data: bytes) -> bool:
        told = _data_of(data) if self._step and self._call is None else {}
        if told.keys() != _FIELDS:
            return False
        if (whole(told["turn"]), whole(told["step"])) != self._place:
            return False
        call_id, tool, arguments = told["callId"], told["name"], told["arguments"]
        if not (type(call_id) is type(tool) is type(arguments) is str and call_id):
            return False
        if (self._place, call_id, None) in self._known or refused(arguments, None):
            return False
        if may_be_deep(arguments):
            return False
        self._call = number, tool, arguments, call_id
        return self._keep(number, data)

    def _answered(self, number: int, data: bytes) -> bool:
        found = _RESULT.match(data)
        if found is None or self._call is None or self._settled is not None:
            return False
        if (int(found[1]), int(found[2])) != self._place:
            return False
        if not data.startswith(orjson.dumps(self._call[3]) + b"}", found.end()):
            return False
        if _RESULT_END.search(data, max(0, len(data) - _TAIL)) is None:
            return False
        self._settled = number
        return self._keep(number, data)

    def _end(self, _: int, data: bytes) -> bool:
        found = _STEP.fullmatch(data)
        if found is None or self._call is None or self._settled is None:
            return False
        if (int(found[1]), int(found[2])) != self._place:
            return False
        number, tool, arguments, call_id = self._call
        self._calls.append((number, tool, arguments, call_id, self._settled, self._place))
        self._known.add((self._place, call_id, None))
        self.rest()
        return True

    def _keep(self, number: int, data: bytes) -> bool:
        """Keep a line of the step, in case something else happens in it."""
        self._step.append((number, data))
        return True


def _data_of(data: bytes) -> Record:
    """Parse the line of a call; one that turns out to be something else has no data."""
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    return members(record.get("data")) if record["type"] == "tool/call" else {}
