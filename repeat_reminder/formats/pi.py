"""pi sessions: ``~/.pi/agent/sessions/--<path>--/<time>_<id>.jsonl``, versions 1 to 3.

A step is one assistant message; its calls are blocks of it. The entries form a tree, for a user may
go back and branch off: they are read in file order, all branches, as they happened. What
extensions and compactions say to the model is no human message, and ``!command`` is no call.

Memory: what `Session` keeps. Providers may use call ids again, so none is remembered.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from repeat_reminder.events import Event, Json, Status, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Answer, Session
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    started,
    text,
    total,
)

NAME: Final = "pi"
HEADER: Final = "session"

FOREIGN: Final = frozenset({"schema", "createdAt", "delegationDepth"})
"""Members of other writers' session headers."""

COMPACTION: Final = "compaction"
EXTENSION_ENTRY: Final = "custom_message"
"""An entry of type ``custom`` is an extension's own state: the model never reads it."""
EXTENSION_ROLES: Final = frozenset({"custom", "hookMessage"})

_EXIT_CODE: Final = re.compile(r"(?:^|\n)Command exited with code (-?\d{1,10})\s*\Z")
_TIMED_OUT: Final = re.compile(r"(?:^|\n)Command timed out after [\d.]{1,12} seconds?\s*\Z")
_ABORTED: Final = re.compile(r"(?:^|\n)(?:Command|Operation) aborted\s*\Z")
"""How pi's own tools end the text of a result that is an error."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a header with time and folder, or a message in an entry."""
    for record in sample.records:
        kind = record.get("type")
        if kind == HEADER and not FOREIGN & record.keys():
            if isinstance(record.get("timestamp"), str) and isinstance(record.get("cwd"), str):
                return "a session header with timestamp and cwd"
        elif kind == "message" and "timestamp" in record:
            message = members(record.get("message"))
            blocks = objects(message.get("content"))
            if message.get("role") == "toolResult" and "toolCallId" in message:
                return "an entry of type message with role toolResult"
            if any(block.get("type") == "toolCall" for block in blocks):
                return "an entry of type message with a toolCall"
    return None


class _Place(NamedTuple):
    """Where a message stands."""

    session: Session
    line: int | None
    time: float | None


class PiReader:
    """Reads the entries of one file; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one entry."""
        kind = record.get("type")
        if kind == HEADER or self._session is None:
            yield from self.end(line - 1 if line else None)
            header = record if kind == HEADER else {}
            cwd, session_id = header.get("cwd"), text(header.get("id"))
            start = started(self._origin, NAME, line, session_id, cwd=cwd)
            self._session = Session(start, ids_repeat=True, patience=PATIENCE)
            yield from self._session.begin()
        time = time_of(record.get("timestamp"))
        if kind == "message":
            yield from self._message(self._session, line, record, time)
        elif kind == COMPACTION:
            yield from self._session.compaction(MAIN, line)
        elif kind == EXTENSION_ENTRY:
            yield from _injected(_Place(self._session, line, time), record)

    def _message(
        self, session: Session, line: int | None, record: Record, time: float | None
    ) -> Iterator[Event]:
        message = record.get("message")
        if not isinstance(message, dict):
            yield malformed(session, line, "an entry of type message without a message")
            return
        own = time_of(message.get("timestamp"))
        place = _Place(session, line, time if own is None else own)
        role = text(message.get("role"))
        if role in EXTENSION_ROLES:
            yield from _injected(place, message)
        elif role in HANDLERS:
            yield from HANDLERS[role](place, message)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the file's last session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)


def _user(place: _Place, message: Record) -> Iterator[Event]:
    session, line, time = place
    texts = texts_of(message.get("content")) or ("",)
    yield from session.user(MAIN, line, texts, resets=True, time=time)


def _assistant(place: _Place, message: Record) -> Iterator[Event]:
    session, line, time = place
    content = message.get("content")
    blocks = objects(content)
    said = texts_of([block for block in blocks if block.get("type") == "text"])
    texts = (content,) if isinstance(content, str) else said
    usage = _usage(message.get("usage"))
    yield from session.assistant(MAIN, line, texts, usage=usage, time=time)
    for block in blocks:
        if block.get("type") == "toolCall":
            yield from _call(place, block)


def _call(place: _Place, block: Record) -> Iterator[Event]:
    session, line, time = place
    name, arguments = text(block.get("name")), block.get("arguments")
    if name is None:
        yield malformed(session, line, "a toolCall without a name")
        return
    yield from session.call(
        MAIN,
        name,
        line,
        call_id=text(block.get("id")),
        text=text(arguments),
        value=arguments,
        time=time,
    )


def _result(place: _Place, message: Record) -> Iterator[Event]:
    call_id = text(message.get("toolCallId"))
    if call_id is None:
        yield malformed(place.session, place.line, "a toolResult without a toolCallId")
        return
    yield from place.session.result(call_id, _answer(place, message), place.line)


def _injected(place: _Place, message: Record) -> Iterator[Event]:
    """Take in what an extension says to the model."""
    session, line, time = place
    source: Record = {"kind": "plugin", "plugin": text(message.get("customType")) or NAME}
    texts = texts_of(message.get("content"))
    if texts:
        yield from session.injected(MAIN, line, texts, source, time=time)


HANDLERS: Final[dict[str, Callable[[_Place, Record], Iterable[Event]]]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _result,
}


def _answer(place: _Place, message: Record) -> Answer:
    texts, is_error = texts_of(message.get("content")), message.get("isError") is True
    last = texts[-1] if texts and is_error else ""
    code = _EXIT_CODE.search(last)
    value: dict[str, Json] = {"exitCode": int(code[1])} if code else {}
    status = Status.ERROR if is_error else Status.OK
    if _TIMED_OUT.search(last):
        value["timedOut"], status = True, Status.TIMEOUT
    elif _ABORTED.search(last):
        status = Status.ABORTED
    return Answer(
        line=place.line,
        status=status,
        texts=texts,
        value=value or None,
        is_error=is_error,
        time=place.time,
    )


def _usage(value: Json) -> Usage | None:
    if not isinstance(value, dict):
        return None
    return Usage(
        input=total(value, "input", "cacheRead", "cacheWrite"), output=total(value, "output")
    )


FORMAT: Final = Format(
    name=NAME,
    title="pi session",
    where="~/.pi/agent/sessions/--<working directory>--/<time>_<session id>.jsonl",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=PiReader,
    lossy="resumes; exit codes of commands that succeed",
)
