"""Amp threads: one JSON document a thread.

A step is one assistant message. A result is a block of the user-role message behind it; while its
``run`` is under way it is none yet.

Memory: the document.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

from repeat_reminder.events import Event, Failure, Json, Status, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Answer, Session
from repeat_reminder.formats.shared.blocks import BlockMessages, result_texts
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import members, objects, started, text, total
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "amp"
UNDER_WAY: Final = frozenset({"in-progress", "queued", "blocked-on-user"})
STATUSES: Final = {
    "error": Status.ERROR,
    "cancelled": Status.ABORTED,
    "rejected-by-user": Status.DENIED,
}
"""How a run ended; ``done`` and what is not known are fine."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a document with messages and a thread's id or counter."""
    thread = members(sample.document)
    if not isinstance(thread.get("messages"), list):
        return None
    thread_id = text(thread.get("id"))
    if thread_id is not None and thread_id.startswith("T-"):
        return "a document with messages and an id that begins with T-"
    if "nextMessageId" in thread:
        return "a document with messages and nextMessageId"
    return None


def records(log: Log) -> Iterator[Record]:
    """Yield the thread.

    Raises:
        FormatError: the file is not one JSON value.
    """
    yield members(document_of(log))


class AmpReader:
    """Reads threads; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a thread."""
        start = started(
            self._origin,
            NAME,
            line,
            text(record.get("id")),
            cwd=_cwd(record),
            parent=text(record.get("mainThreadID")),
        )
        session = Session(start, ids_repeat=True, patience=PATIENCE)
        messages = BlockMessages(session, kind=NAME, answer_of=_answer)
        yield from session.begin()
        for message in objects(record.get("messages")):
            usage = members(message.get("usage"))
            sent = members(message.get("meta")).get("sentAt")
            time = time_of(usage.get("timestamp", sent))
            yield from messages.message(line, message, usage=_usage(usage), time=time)
        yield from session.end(line)

    def end(self, line: int | None) -> Iterator[Event]:  # noqa: ARG002 - see Reader
        """End nothing: a thread ends in its own document."""
        yield from ()


def _answer(
    line: int | None, block: Record, time: float | None
) -> tuple[str | None, Answer | None]:
    run = members(block.get("run"))
    said = run.get("status")
    if isinstance(said, str) and said in UNDER_WAY:
        return None, None
    status = STATUSES.get(said, Status.OK) if isinstance(said, str) else Status.OK
    failure = _failure(run) if status is not Status.OK else None
    result = run.get("result", block.get("content"))
    value = result if isinstance(result, dict) else None
    answer = Answer(
        line=line,
        status=status,
        texts=_texts(result, failure),
        value=value,
        is_error=status is not Status.OK,
        failure=failure,
        time=time,
    )
    return text(block.get("toolUseID", block.get("tool_use_id"))), answer


def _texts(result: Json, failure: Failure | None) -> tuple[str, ...]:
    if result is None and failure is not None:
        return () if failure.message is None else (failure.message,)
    output = members(result).get("output")
    return (output,) if isinstance(output, str) else result_texts(result)


def _failure(run: Record) -> Failure:
    error, reason = run.get("error"), text(run.get("reason"))
    message = text(error) or text(members(error).get("message")) or reason
    return Failure(code=text(members(error).get("errorCode")), message=message)


def _usage(usage: Record) -> Usage | None:
    if not usage:
        return None
    known = total(usage, "totalInputTokens")
    parts = total(usage, "inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
    return Usage(input=known or parts, output=total(usage, "outputTokens"))


def _cwd(thread: Record) -> str | None:
    """Return the first folder that was open."""
    initial = members(members(thread.get("env")).get("initial"))
    for tree in objects(initial.get("trees")):
        uri = text(tree.get("uri"))
        if uri is not None and uri.startswith("file://"):
            try:
                return unquote(urlsplit(uri).path)
            except ValueError:  # a host that is none
                return None
    return None


FORMAT: Final = Format(
    name=NAME,
    title="Amp thread",
    where="~/.local/share/amp/threads/T-<id>.json, or amp threads export <id>",
    shape=Shape.DOCUMENT,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=AmpReader,
    records=records,
    lossy="lines; what subagents did",
)
