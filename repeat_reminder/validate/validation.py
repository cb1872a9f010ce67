"""One pass over one log."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Event, Problem, Severity
from repeat_reminder.formats import Detection, canonical
from repeat_reminder.formats.model import Format, Origin, Reader, Record, Shape
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import recognise
from repeat_reminder.source import Log
from repeat_reminder.validate.integrity import Integrity
from repeat_reminder.validate.mixture import Mixture
from repeat_reminder.validate.report import Counts, LogReport
from repeat_reminder.validate.vocabulary import type_hint, unknown

BREAKS_RULES: Final = "malformed"
"""Kind of the problems of records that break the rules of their format."""
UNKNOWN_TYPE: Final = "unknown-type"
TOLD: Final = "the format was given, not recognised"


def validate(
    log: Log, chosen: Format | None = None, *, strict: bool = False
) -> Iterator[Problem | LogReport]:
    """Yield everything that is wrong with a log, then what it comes to.

    Records that break the rules of the canonical log are errors here: whoever writes one wants to
    know. Those of other formats are warnings, as they are for every command.

    Args:
        log: an open log; it is read.
        chosen: its format; recognised by content if not given.
        strict: whatever left something out is an error.

    Raises:
        RepeatReminderError: it cannot be read at all, or no reader knows it.
    """
    found = recognise(log) if chosen is None else Detection(chosen, TOLD)
    counts, integrity = Counts(), Integrity()
    mixture = Mixture(found.format, log.path)
    for event in _events(log, found.format, mixture):
        for each in (*integrity.of(event), event):
            judged = _judged(each, found.format, strict=strict)
            counts.add(judged)
            if isinstance(judged, Problem):
                yield judged
    yield counts.report(log.path, found.format.name, found.evidence, log.compression)


def unreadable(path: str, error: RepeatReminderError) -> tuple[Problem, LogReport]:
    """Say of a log that could not be read what is wrong, and what it comes to."""
    problem = Problem(
        path=error.path or path,
        line=error.line,
        severity=Severity.ERROR,
        kind="unreadable",
        message=error.message,
        hint=error.hint,
    )
    return problem, LogReport(path=path, problems={Severity.ERROR: 1})


def _events(log: Log, form: Format, mixture: Mixture) -> Iterator[Event]:
    def reader(origin: Origin) -> Reader:
        watched = form.reader(origin)
        if form.name == canonical.NAME:
            watched = _Spelling(watched, origin.path)
        made_of_lines = form.shape is Shape.LINES and log.kind == "text"
        return _Passed(watched, mixture) if made_of_lines else watched

    yield from read_log(log, replace(form, reader=reader))
    yield from mixture.problems()


class _Passed:
    """A reader with somebody beside it who looks at the records that gave nothing."""

    def __init__(self, reader: Reader, mixture: Mixture) -> None:
        self._reader = reader
        self._mixture = mixture

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        silent = True
        for event in self._reader.record(line, record):
            silent = silent and isinstance(event, Problem)
            yield event
        if silent:
            self._mixture.look(line, record)

    def end(self, line: int | None) -> Iterable[Event]:
        return self._reader.end(line)


class _Spelling:
    """The reader of canonical logs with somebody beside it who looks at every key."""

    def __init__(self, reader: Reader, path: str) -> None:
        self._reader = reader
        self._path = path
        self._types: dict[int | None, str] = {}
        """Unknown record types by line: the reader tells of them when it knows its session."""

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        yield from unknown(self._path, line, record)
        kind = record.get("type")
        if isinstance(kind, str) and kind not in canonical.KEYS:
            self._types[line] = kind
        yield from map(self._advised, self._reader.record(line, record))

    def end(self, line: int | None) -> Iterator[Event]:
        yield from map(self._advised, self._reader.end(line))

    def _advised(self, event: Event) -> Event:
        if not isinstance(event, Problem) or event.kind != UNKNOWN_TYPE or event.hint is not None:
            return event
        return replace(event, hint=type_hint(self._types.pop(event.line, "")))


def _judged(event: Event, form: Format, *, strict: bool) -> Event:
    """Make an error of what breaks a rule of ours; in a strict run, of all that was left out."""
    if not isinstance(event, Problem):
        return event
    breaks = event.kind == BREAKS_RULES and form.name == canonical.NAME
    return (
        replace(event, severity=Severity.ERROR) if breaks or (strict and event.skipped) else event
    )
