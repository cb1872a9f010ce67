"""Files that hold whole sessions: one JSON object, a list of them, or one a line."""

from collections.abc import Iterator

from repeat_reminder import jsontext
from repeat_reminder.errors import FormatError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats.model import Record, Sample
from repeat_reminder.formats.shared.lenient import objects
from repeat_reminder.source import Log


def sampled(sample: Sample) -> list[Record]:
    """Return the objects at a file's beginning that may be sessions."""
    return objects(sample.document) if isinstance(sample.document, list) else [*sample.records]


def documents(log: Log) -> Iterator[Record | Problem]:
    """Yield the sessions of a file, and a problem for each line that is none.

    Raises:
        FormatError: neither the file nor its first line is JSON.
        SourceError: the file cannot be read.
    """
    problems: list[Problem] = []
    data = log.text(problems.append)
    yield from problems
    try:
        value = jsontext.loads(data)
    except jsontext.NotJson as error:
        yield from _lines(data, log.path, error)
    else:
        yield from objects(value if isinstance(value, list) else [value])


def _lines(data: bytes, path: str, whole: jsontext.NotJson) -> Iterator[Record | Problem]:
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            yield from objects([jsontext.loads(line)] if line.strip() else [])
        except jsontext.NotJson as error:
            if number == 1:
                raise FormatError(f"not one JSON value: {whole.reason}", path=path) from error
            yield Problem(
                path=path,
                line=number,
                severity=Severity.WARNING,
                kind="not-json",
                message=f"not valid JSON: {error.reason} at column {error.column}",
                skipped=True,
            )
