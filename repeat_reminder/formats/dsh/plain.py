"""Steps of a DSH log with one call.

A step begins with a line that names it, and so it ends; between are the model's message, the call,
and its result. Each of these lines is read as far as `story.Story` would look into it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Raw, Struct

from repeat_reminder.batches import Batch, PlainCall
from repeat_reminder.canonical import refused
from repeat_reminder.events import Event
from repeat_reminder.formats.dsh.proofs import SILENT, TYPE
from repeat_reminder.formats.dsh.story import Story
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.seen import Seen
from repeat_reminder.formats.shared.shapes import reader_of
from repeat_reminder.source.lines import Line

_CHUNK: Final = TYPE + b'assistant/chunk"'
"""Nearly all lines begin so."""
_CHUNK_SIZE: Final = len(_CHUNK)
_END: Final = TYPE + b"step/end"
_TURN_END: Final = TYPE + b"turn/end"
_OF_STEP: Final = frozenset(
    TYPE + kind
    for kind in (b"step/start", b"step/end", b"assistant/message", b"tool/call", b"tool/result")
)
_FEWEST_LINES, _MOST_LINES = 4, 8
"""Lines of a step with one call, beside chunks."""


_Number: TypeAlias = Annotated[int, Meta(ge=1, le=10**15)]
"""A number that every reader takes for whole: not ``-0``, and not beyond 64 bits."""


class _Step(Struct, gc=False):
    turn: _Number
    step: _Number


class _Start(Struct, gc=False):
    type: Literal["step/start"]
    data: _Step


class _End(Struct, gc=False):
    type: Literal["step/end"]
    data: _Step


class _Said(Struct, gc=False, rename="camel"):
    type: Literal["assistant/message"]
    data: _Step
    surface_op: str = ""


class _Call(_Step, gc=False, rename="camel"):
    call_id: str
    name: str
    arguments: str


class _Called(Struct, gc=False):
    type: Literal["tool/call"]
    data: _Call


class _Source(Struct, gc=False, rename="camel"):
    call_id: str


class _Block(Struct, gc=False):
    type: Literal["tool-result"]


class _Message(Struct, gc=False):
    source: _Source
    content: tuple[_Block]


class _Result(_Step, gc=False):
    message: _Message
    error: Raw = Raw()
    """Why it did not run, or was cut short."""


class _Answered(Struct, gc=False, rename="camel"):
    type: Literal["tool/result"]
    data: _Result
    surface_op: str = ""


class _TurnEnd(Struct, gc=False):
    type: Literal["turn/end"]
    data: dict[str, Raw] = {}


_turn_end = reader_of(_TurnEnd)
_start, _said, _called = reader_of(_Start), reader_of(_Said), reader_of(_Called)
_answered, _end = reader_of(_Answered), reader_of(_End)


class DshSkimmer:
    """See `formats.model.Skimmer`."""

    def __init__(self, story: Callable[[], Story | None]) -> None:
        """Take calls for the story that is being read when asked."""
        self.line = 0
        self._story = story
        self._calls: list[PlainCall] = []
        self._step: list[Line] = []
        """The lines of the step that runs, but for chunks."""
        self._known = Seen()
        self._nothing_waits = False
        """No message is on its way to a request, so that the end of a turn says nothing."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        step = self._step
        free = bool(step) or self._begins()
        number, before = self.line, len(TYPE)
        for number, data in lines:
            if data[:_CHUNK_SIZE] == _CHUNK:
                continue
            kind = data[: data.find(b'"', before)]
            if free and kind in _OF_STEP:
                step.append((number, data))
                ends = kind == _END
                if (ends and self._takes(step)) or (not ends and len(step) < _MOST_LINES):
                    continue
            elif kind in SILENT or (kind == _TURN_END and self._is_quiet_end(data)):
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
        self._nothing_waits = False
        if story is None or not story.is_free:
            return False
        self._known = story.known
        self._nothing_waits = story.nothing_waits
        return True

    def _is_quiet_end(self, data: bytes) -> bool:
        """Tell the end of a turn at which nothing runs, and no message waits."""
        return self._nothing_waits and not self._step and _turn_end(data) is not None

    def _takes(self, step: list[Line]) -> bool:
        """Take in a step that has ended, if it has one call, and its answer."""
        if len(step) < _FEWEST_LINES:
            return False
        (_, first), *messages, (line, call), (settled, result), (_, last) = step
        start, called, answered, end = _start(first), _called(call), _answered(result), _end(last)
        if start is None or called is None or answered is None or end is None:
            return False
        place, made, got = start.data, called.data, answered.data
        where = place.turn, place.step
        if (made.turn, made.step) != where or (got.turn, got.step) != where or end.data != place:
            return False
        for _, message in messages:
            if (said := _said(message)) is None or said.data != place:
                return False
        if got.message.source.call_id != made.call_id or got.error:
            return False
        return self._counts(line, made, settled, where)

    def _counts(self, line: int, call: _Call, settled: int, where: tuple[int, int]) -> bool:
        """Take in the call of a step, unless the harness refuses it or it stands here again."""
        known, text = (where, call.call_id, None), call.arguments
        if not call.call_id or known in self._known or may_be_deep(text) or refused(text, None):
            return False
        self._known.add(known)
        self._calls.append((line, call.name, text, call.call_id, settled, where))
        self._nothing_waits = True  # its request has read all there was
        self._step.clear()
        return True
