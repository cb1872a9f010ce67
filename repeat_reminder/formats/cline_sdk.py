"""Cline SDK sessions: one JSON document, ``<session id>.messages.json``.

A step is one assistant message; results are blocks of the user-role message behind it.

Memory: the document.
"""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.blocks import BlockMessages
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import MAIN, members, objects, started, text, total
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "cline-sdk"
INJECTED: Final = ("<environment_details>", "<system-reminder>")


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a document with sessionId, agent and messages."""
    document = members(sample.document)
    named = isinstance(document.get("sessionId"), str) and isinstance(document.get("agent"), str)
    if named and isinstance(document.get("messages"), list):
        return "a document with sessionId, agent and messages"
    return None


def records(log: Log) -> Iterator[Record]:
    """Yield the session.

    Raises:
        FormatError: the file is not one JSON value.
    """
    yield members(document_of(log))


class ClineSdkReader:
    """Reads sessions; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a session."""
        start = started(self._origin, NAME, line, text(record.get("sessionId")))
        session = Session(start, ids_repeat=True, patience=PATIENCE)
        agent = text(record.get("agent")) or MAIN
        messages = BlockMessages(session, kind=NAME, agent=agent, injected=INJECTED)
        yield from session.begin()
        for message in objects(record.get("messages")):
            usage, time = _usage(message.get("metrics")), time_of(message.get("ts"))
            yield from messages.message(line, message, usage=usage, time=time)
        yield from session.end(line)

    def end(self, line: int | None) -> Iterator[Event]:  # noqa: ARG002 - see Reader
        """End nothing: a session ends in its own document."""
        yield from ()


def _usage(metrics: Json) -> Usage | None:
    """Read the tokens of a response; the input counts what came from the cache too."""
    if not isinstance(metrics, dict):
        return None
    return Usage(input=total(metrics, "inputTokens"), output=total(metrics, "outputTokens"))


FORMAT: Final = Format(
    name=NAME,
    title="Cline SDK session",
    where="<sessions folder>/<session id>.messages.json",
    shape=Shape.DOCUMENT,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=ClineSdkReader,
    records=records,
    lossy="lines, exit codes",
)
