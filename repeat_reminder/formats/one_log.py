"""One pass over one log: parse its records, let its reader map them, count what is lost."""

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import partial
from itertools import chain, islice
from typing import Final

from msgspec.structs import replace

from repeat_reminder import jsontext
from repeat_reminder.batches import Batch
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import (
    Event,
    Json,
    Problem,
    SessionEnd,
    Severity,
    ToolCall,
)
from repeat_reminder.formats.model import (
    Attentive,
    Format,
    Reader,
    Record,
    Shape,
    Skimmable,
    Skimmer,
)
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.source import Log
from repeat_reminder.source.lines import BLANK, Line, without_end

BLOCKS: Final = 4
"""Blocks of lines (about 1 MiB) from which calls may be taken in before they are told."""

LINE_DEPTH: Final = jsontext.MAX_DEPTH + 16
"""A record may be a few levels deeper than the arguments in it."""

NO_CALLS: Final = "no-calls"
"""Kind of the note that nothing in a log can be counted."""

LEFT_OUT: Final = "--strict makes this an error"


class Care(Enum):
    """How much of a log is read."""

    EVERY_LINE = auto()
    """Every line is parsed: all that is wrong with the log is told."""
    EVERY_EVENT = auto()
    """Lines proved to give no event are left out unparsed."""
    COUNTS = auto()
    """Calls that hold no surprise come in batches, of which most lines are left unparsed."""


class Reading:
    """One pass over one log."""

    def __init__(self, log: Log, form: Format, reader: Reader, care: Care) -> None:
        """Take a log that nobody has read, and what maps its records."""
        self._log = log
        self._format = form
        self._reader = reader
        self._irrelevant = None if care is Care.EVERY_LINE else form.irrelevant
        self._skimmer: Skimmer | None = None
        if care is Care.COUNTS and isinstance(reader, Skimmable):
            self._skimmer = reader.skimmer()
        self._attentive = reader if isinstance(reader, Attentive) else None
        self._line: int | None = None
        self._lines = 0
        """Lines since the last session ended."""
        self._skipped = 0
        self._calls = 0
        self._types: Counter[str] = Counter()
        self._reports: list[Problem] = []
        self._taken: list[Event | Batch] = []
        self._broken: jsontext.NotJson | None = None
        """What is wrong with the newest line that was parsed: it is torn if it is the last."""
        self._dropped = 0
        """The number of a giant that is left out and the newest line; else 0."""

    def events(self) -> Iterator[Event | Batch]:
        """Yield all events. What breaks off in the middle ends the sessions it was in."""
        try:
            for event in self._from_lines() if self._is_made_of_lines() else self._from_records():
                kind = type(event)
                if kind is ToolCall:
                    self._calls += 1
                yield self._counted(event) if isinstance(event, Problem | SessionEnd) else event
        except RepeatReminderError as error:
            if not self._lines and not self._calls:
                raise
            yield self._problem(Severity.ERROR, "broken-off", error.message, error.hint)
        for event in self._reader.end(self._line):
            self._calls += isinstance(event, ToolCall)
            yield self._counted(event)
        if not self._calls:
            yield self._no_calls()

    def _from_records(self) -> Iterator[Event]:
        if self._format.records is not None:
            for place, record in enumerate(self._format.records(self._log), 1):
                self._line = place if self._format.numbered else None
                self._lines += self._format.numbered
                yield from self._from_stored(record)

    def _is_made_of_lines(self) -> bool:
        """Tell how the records are stored: some formats of lines are also kept as one value."""
        if self._format.shape is not Shape.LINES or self._log.kind != "text":
            return False
        return self._format.records is None or sample_of(self._log).document is None

    def _from_lines(self) -> Iterator[Event | Batch]:
        loads = jsontext.loads_exact if self._format.exact_numbers else jsontext.loads
        parse = self._format.parse or partial(loads, max_depth=LINE_DEPTH)
        for line in self._relevant() if self._skimmer is None else self._skimmed(self._skimmer):
            if self._taken or self._reports:
                yield from self._reported()
            if line is None:
                continue
            if self._broken is not None:
                yield self._invalid(self._broken)
                self._broken = None
            number, data = line
            self._lines += number - (self._line or 0)
            self._line = number
            try:
                value = parse(data)
            except jsontext.TooDeep as error:
                yield self._left_out("too-deep", f"{error.reason}; line skipped", LEFT_OUT)
            except jsontext.NotJson as error:
                self._broken = error
            else:
                if self._calls and isinstance(value, dict):  # nearly all lines
                    yield from self._reader.record(number, value)
                else:
                    yield from self._from_value(number, value)
        yield from self._reported()
        if self._broken is not None:
            yield self._torn(self._broken)

    def _skimmed(self, skimmer: Skimmer) -> Iterator[Line | None]:
        """Yield the lines that the skimmer leaves, and now and then None: what was taken is told.

        Where `_relevant` leaves nothing out, nothing is skimmed either; nor is a line without end,
        for it may be torn, nor the line behind one that is broken.
        """
        seen = last = 0
        for number, block in enumerate(self._log.blocks(self._reports.append, self._drop)):
            lines = iter(block)
            while rest := self._unskimmed(skimmer, lines):
                self._taken += skimmer.taken()
                if rest[-1][0] > seen + 1:  # blank lines are among those that are left
                    last = rest[-1][0] - 1
                seen = rest[-1][0]
                for at, data in rest:
                    line = without_end(data)
                    yield (at, line) if line.strip(BLANK) else None
            if skimmer.line > seen:
                seen = last = skimmer.line
            if self._log.growing:  # what waits for another line may wait long
                yield from self._given_up(skimmer)
            elif number % BLOCKS == 0:
                self._taken += skimmer.taken()
                yield None
        yield from self._given_up(skimmer)
        self._read_to(max(last, self._line or 0))

    def _given_up(self, skimmer: Skimmer) -> Iterator[Line | None]:
        """Yield what a skimmer waits with, behind what it has taken."""
        rest = skimmer.rest()
        self._taken += skimmer.taken()
        yield None
        yield from ((at, without_end(data)) for at, data in rest)

    def _read_to(self, last: int) -> None:
        """Take note of the last line that was not blank."""
        if self._dropped >= last:
            last = self._log.line_count
        self._lines += last - (self._line or 0)
        self._line = last

    def _unskimmed(self, skimmer: Skimmer, lines: Iterator[Line]) -> list[Line]:
        if self._skips() and self._broken is None and self._log.ended_with_newline:
            return skimmer.skim(lines)
        return [*skimmer.rest(), *islice(lines, 1)]

    def _relevant(self) -> Iterator[Line]:
        """Yield the lines, without those that are proved to say nothing.

        The last line is always given: it may be torn. So is every line until there is a call, so
        that a log without any can be told what records it has.
        """
        irrelevant, skips = self._irrelevant, False
        if irrelevant is None:
            yield from self._log.lines(self._reports.append)
            return
        last: Line | None = None
        try:
            for line in self._log.lines(self._reports.append, self._drop):
                if skips and irrelevant(line[1]):
                    last, self._dropped = line, 0
                    continue
                last, self._dropped = None, 0
                yield line
                skips = self._skips()  # lines that are left out change nothing about that
        except RepeatReminderError:
            if last is not None:
                yield last
            raise
        if last is not None and not self._dropped:
            yield last
        if self._dropped:
            self._lines += self._log.line_count - (self._line or 0)
            self._line = self._log.line_count

    def _drop(self, number: int, head: bytes) -> bool:
        """Tell by its beginning whether a giant line need not even be held in memory."""
        drops = self._irrelevant is not None and self._skips() and self._irrelevant(head)
        self._dropped = number if drops else 0
        return drops

    def _skips(self) -> bool:
        """Tell whether irrelevant lines may be left out now."""
        needed = self._attentive is not None and self._attentive.needs_every_line
        return self._calls > 0 and not needed

    def _from_stored(self, record: Record | Problem) -> Iterable[Event]:
        if isinstance(record, Problem):
            return (record if record.line is not None else replace(record, line=self._line),)
        return self._from_record(self._line, record)

    def _from_value(self, line: int, value: Json) -> Iterable[Event]:
        if isinstance(value, dict):
            return self._from_record(line, value)
        if isinstance(value, list) and self._format.parse is not None:
            return chain.from_iterable(self._from_value(line, entry) for entry in value)
        kind = type(value).__name__ if value is not None else "null"
        told = f"not a JSON object but {_NAMES[kind]}"
        return (self._left_out("not-an-object", told, LEFT_OUT),)

    def _from_record(self, line: int | None, record: Record) -> Iterable[Event]:
        if not self._calls:
            kind = record.get("type")
            if isinstance(kind, str):
                self._types[kind] += 1
        return self._reader.record(line, record)

    def _counted(self, event: Event) -> Event:
        """Count what is lost, and give each session's end the lines that were read for it."""
        if isinstance(event, Problem):
            self._skipped += event.skipped
        elif isinstance(event, SessionEnd):
            event = replace(event, lines=self._lines, skipped_lines=self._skipped)
            self._lines = self._skipped = 0
        return event

    def _reported(self) -> Iterator[Event | Batch]:
        """Pass on what was taken from lines, and what the source had to say."""
        taken, self._taken[:] = list(self._taken), []
        reports, self._reports[:] = list(self._reports), []
        yield from taken
        yield from reports

    def _torn(self, error: jsontext.NotJson) -> Problem:
        if self._log.ended_with_newline:
            return self._invalid(error)
        whole = (self._line or 1) - 1
        lines = "line" if whole == 1 else "lines"
        hint = (
            "the writer was still running or was killed; "
            f"what stands before it ({whole:,} whole {lines}) was replayed. {LEFT_OUT}."
        )
        return self._left_out("torn-line", f"not valid JSON: {_why(error)}", hint)

    def _invalid(self, error: jsontext.NotJson) -> Problem:
        return self._left_out("not-json", f"not valid JSON: {_why(error)}", LEFT_OUT)

    def _left_out(self, kind: str, message: str, hint: str) -> Problem:
        return self._problem(Severity.WARNING, kind, message, hint, skipped=True)

    def _no_calls(self) -> Problem:
        seen = ", ".join(f"{kind} ({count})" for kind, count in self._types.most_common(8))
        message = f"no tool calls; records seen: {seen}" if seen else "no tool calls"
        return replace(self._problem(Severity.NOTE, NO_CALLS, message, None), line=None)

    def _problem(
        self,
        severity: Severity,
        kind: str,
        message: str,
        hint: str | None,
        *,
        skipped: bool = False,
    ) -> Problem:
        return Problem(
            path=self._log.path,
            line=self._line,
            severity=severity,
            kind=kind,
            message=message,
            hint=hint,
            skipped=skipped,
        )


_NAMES: Final = {
    "list": "an array",
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}


def _why(error: jsontext.NotJson) -> str:
    return f"{error.reason} at column {error.column}"
