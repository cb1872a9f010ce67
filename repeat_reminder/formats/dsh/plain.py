"""Steps of a DSH log with one call.

A step begins with a line that names it, and so it ends; between are the model's message, the call,
and its result. Each of these lines is read as far as `story.Story` would look into it. Messages on
their way to the model are handed to the story, which tells at the next step what that reads.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Raw, Struct

from repeat_reminder.batches import HUMAN, SPOKE, Batch, PlainCall
from repeat_reminder.canonical import refused
from repeat_reminder.events import Event
from repeat_reminder.formats.dsh.proofs import SILENT, TYPE
from repeat_reminder.formats.dsh.story import MESSAGES, SPLICED, Story
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.depth import may_be_deep
from repeat_reminder.formats.shared.seen import Seen
from repeat_reminder.formats.shared.shapes import NOT_SO_SHAPED, decoder_of, is_utf8, reader_of
from repeat_reminder.formats.shared.waiting import has_room
from repeat_reminder.jsontext import NotJson, loads_exact
from repeat_reminder.source.lines import Line

if TYPE_CHECKING:
    from repeat_reminder.formats.dsh.shapes import Message

_CHUNK: Final = TYPE + b'assistant/chunk"'
"""Nearly all lines begin so."""
_CHUNK_SIZE: Final = len(_CHUNK)
_END: Final = TYPE + b"step/end"
_TURN_END: Final = TYPE + b"turn/end"
_MESSAGES: Final = frozenset(TYPE + kind.encode() for kind in (*MESSAGES, SPLICED))
_OF_STEP: Final = frozenset(
    TYPE + kind
    for kind in (b"step/start", b"step/end", b"assistant/message", b"tool/call", b"tool/result")
)
_FEWEST_LINES, _MOST_LINES = 4, 8
"""Lines of a step with one call, beside chunks and messages."""


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
_start, _said, _called = decoder_of(_Start), decoder_of(_Said), decoder_of(_Called)
_answered, _end = decoder_of(_Answered), decoder_of(_End)


class DshSkimmer:
    """See `formats.model.Skimmer`."""

    def __init__(self, story: Callable[[], Story | None]) -> None:
        """Take calls for the story that is being read when asked."""
        self.line = 0
        self._ask = story
        self._story: Story | None = None
        """The story, while steps may be taken in."""
        self._calls: list[PlainCall] = []
        self._prompts = 0
        """How many entries are messages of a human."""
        self._step: list[Line] = []
        """The lines of the step that runs, but for chunks."""
        self._landing: list[tuple[int, Message]] = []
        """The messages that stand at its beginning."""
        self._known = Seen()
        self._heard = False
        """There may be messages on their way to the request that comes."""

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
                ends, most = kind == _END, _MOST_LINES + len(self._landing)
                if (ends and self._takes(step)) or (not ends and len(step) < most):
                    continue
            elif kind in SILENT or (free and self._passes((number, data), kind)):
                continue
            else:
                step.append((number, data))
            self.line = number
            return self.rest()
        self.line = number
        return []

    def taken(self) -> Iterable[Event | Batch]:
        """See `Skimmer.taken`."""
        calls, story = self._calls, self._ask()
        if not calls or story is None:
            return ()
        told = story.take(calls, self._prompts)
        self._calls, self._prompts = [], 0
        return told

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`."""
        lines = self._step.copy()
        self._step.clear()
        self._landing.clear()
        return lines

    def _begins(self) -> bool:
        """Tell whether steps may be taken in from here on."""
        story = self._ask()
        self._story = story if story is not None and story.is_free else None
        if self._story is not None:
            self._known = self._story.known
            self._heard = not self._story.nothing_waits
        return self._story is not None

    def _passes(self, line: Line, kind: bytes) -> bool:
        """Take in a message, or the end of a turn if none waits."""
        story = self._story
        if story is None:
            return False
        if kind == _TURN_END:
            quiet = not self._step and (not self._heard or story.nothing_waits)
            return quiet and _turn_end(line[1]) is not None
        if kind not in _MESSAGES:
            return False
        try:
            record = loads_exact(line[1])
        except NotJson:
            return False
        return isinstance(record, dict) and self._hears(line, record, story)

    def _hears(self, line: Line, record: Record, story: Story) -> bool:
        """Take in a message: between steps, or at the beginning of one for its request."""
        if not self._step:
            self._heard = True
            return story.hears(line[0], record)
        message = story.message(record)
        if message is None or len(self._step) != 1 + len(self._landing):
            return False
        if not has_room(self._landing, line):
            return False
        self._step.append(line)
        self._landing.append((line[0], message))
        return True

    def _takes(self, step: list[Line]) -> bool:
        """Take in a step that has ended, if it has one call, and its answer."""
        if len(step) < _FEWEST_LINES:
            return False
        (_, first), *between, (line, call), (settled, result), (_, last) = step
        messages = between[len(self._landing) :]
        for _, data in step:
            if not (data.isascii() or is_utf8(data)):
                return False
        try:
            place, made, got = _start(first).data, _called(call).data, _answered(result).data
            same = _end(last).data == place
            for _, message in messages:
                same = same and _said(message).data == place
        except NOT_SO_SHAPED:
            return False
        turn, number = place.turn, place.step
        same = same and made.turn == got.turn == turn and made.step == got.step == number
        if not same or got.message.source.call_id != made.call_id or got.error:
            return False
        return self._counts(line, made, settled, (turn, number))

    def _counts(self, line: int, call: _Call, settled: int, where: tuple[int, int]) -> bool:
        """Take in the call of a step, unless the harness refuses it or it stands here again."""
        known, text = (where, call.call_id, None), call.arguments
        if not call.call_id or may_be_deep(text) or refused(text, None):
            return False
        if (self._heard or self._landing) and (known in self._known or not self._reads()):
            return False
        if not self._known.add(known):
            return False
        self._calls.append((line, call.name, text, call.call_id, settled, where))
        self._step.clear()
        return True

    def _reads(self) -> bool:
        """Take in the messages that the request of a step reads, if they are all it tells."""
        read = None if self._story is None else self._story.read_plain(self._landing)
        if read is None:
            return False
        for line, resets in read:
            self._calls.append((line or 0, None, HUMAN if resets else SPOKE, "", line or 0, None))
            self._prompts += resets
        self._heard = False
        self._landing.clear()
        return True
