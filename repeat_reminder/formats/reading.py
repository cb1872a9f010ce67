"""Reading logs: every event in harness order, or calls in batches, and what is wrong with them."""

from collections.abc import Iterator
from typing import cast

from msgspec.structs import replace

from repeat_reminder.batches import Batch
from repeat_reminder.errors import FormatError, RepeatReminderError
from repeat_reminder.events import (
    Event,
    Problem,
    SessionStart,
    Severity,
    ToolCall,
)
from repeat_reminder.formats import detect
from repeat_reminder.formats.model import (
    Format,
    Origin,
)
from repeat_reminder.formats.one_log import NO_CALLS, Care, Reading
from repeat_reminder.formats.recognition import recognise, sample_of
from repeat_reminder.source import Log, stem


def read_log(log: Log, chosen: Format | None = None, *, every_line: bool = True) -> Iterator[Event]:
    """Yield the events of a log in harness order, and a `Problem` for all that was left out.

    Args:
        log: an open log.
        chosen: its format; recognised by content if not given.
        every_line: parse them all. Else those proved to give no event are left out unparsed: the
            events are the same, but what is wrong with such lines is not told.

    Raises:
        FormatError: the format is unknown, of a version that is not read, or not the chosen one.
        SourceError: the file cannot be read on.
    """
    care = Care.EVERY_LINE if every_line else Care.EVERY_EVENT
    return cast("Iterator[Event]", _read(log, chosen, care))  # only counts come in batches


def skim_log(log: Log, chosen: Format | None = None) -> Iterator[Event | Batch]:
    """Yield what `read_log` does, but for plain calls: they come in batches, with their counts.

    Raises:
        FormatError: as in `read_log`.
        SourceError: as in `read_log`.
    """
    return _read(log, chosen, Care.COUNTS)


def _read(log: Log, chosen: Format | None, care: Care) -> Iterator[Event | Batch]:
    form = chosen or recognise(log).format
    events = _events(log, form, care)
    yield from events if chosen is None else _as_chosen(events, log, form)


def _events(log: Log, form: Format, care: Care) -> Iterator[Event | Batch]:
    if form.parts is not None:
        return _read_parts(log, form, form.parts(log), care)
    origin = Origin(path=log.path, name=stem(log.path), compression=log.compression)
    return Reading(log, form, form.reader(origin), care).events()


def _as_chosen(events: Iterator[Event | Batch], log: Log, form: Format) -> Iterator[Event | Batch]:
    """Pass on what a log gives as a format that the user named, if it can be that format."""
    found = None if log.growing else detect(sample_of(log))
    other = found is not None and found.format.name != form.name
    for event in events:
        if found and other and isinstance(event, Problem) and event.kind == NO_CALLS:
            message = f"--from {form.name} finds no call here"
            hint = f"by its content this is {found.format.name}: leave --from away"
            raise FormatError(message, path=log.path, hint=hint)
        yield event


def _read_parts(
    log: Log,
    form: Format,
    parts: Iterator[tuple[Log, Format] | Problem],
    care: Care,
) -> Iterator[Event | Batch]:
    """Read the logs inside one log; one that cannot be read stops none of the others."""
    calls = 0
    for part in parts:
        if isinstance(part, Problem):
            yield part
            continue
        try:
            for event in _events(*part, care):
                calls += isinstance(event, ToolCall)
                if isinstance(event, SessionStart):
                    yield replace(event, format=form.name)
                elif not (isinstance(event, Problem) and event.kind == NO_CALLS):
                    yield event
        except RepeatReminderError as error:
            yield Problem(
                path=error.path or log.path,
                line=error.line,
                severity=Severity.ERROR,
                kind="unreadable-part",
                message=error.message,
                hint=error.hint,
            )
    if not calls:
        what = "no tool calls"
        yield Problem(path=log.path, line=None, severity=Severity.NOTE, kind=NO_CALLS, message=what)
