"""Goose sessions: ``sessions/*.jsonl`` of older versions, and the database ``sessions.db``.

A step is one assistant message; its calls are blocks ``toolRequest``, its results blocks
``toolResponse`` of a message of role ``user``. A user message without results is a human's unless
the user never saw it (``metadata.userVisible: false``: summaries, continuations).

The first line of an older file may be metadata. In a database every row of ``sessions`` is a
session, subagents' too.

Memory: what `Session` keeps.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Failure, Json, Severity, Status
from repeat_reminder.formats import model
from repeat_reminder.formats.goose.database import database_records, is_goose
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, USER, Answer, Session
from repeat_reminder.formats.shared.blocks import is_of, result_texts
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.lenient import MAIN, malformed, members, objects, started, text

NAME: Final = "goose"
REQUESTS: Final = frozenset({"toolRequest", "frontendToolRequest"})
RESPONSES: Final = frozenset({"toolResponse"})
HEADER: Final = frozenset({"working_dir", "description", "message_count"})
SPOKEN: Final = frozenset({"text", "image"})
DECLINED: Final = "The user has declined to run this tool"
HIDDEN: Final[dict[str, Json]] = {"kind": NAME, "type": "hidden"}
WITH_RESULTS: Final[dict[str, Json]] = {"kind": NAME, "type": "beside-results"}


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: its tables, the metadata line, or its blocks."""
    if sample.kind == "sqlite":
        known = is_goose(frozenset(sample.names))
        return "tables sessions, messages and schema_version" if known else None
    for record in sample.records:
        if "role" not in record and record.keys() >= HEADER:
            return "a line with working_dir, description and message_count"
        blocks = objects(record.get("content"))
        if "role" in record and any(is_of(block, REQUESTS | RESPONSES) for block in blocks):
            return "a message with a toolRequest or toolResponse"
        visible = members(record.get("metadata")).get("userVisible")
        if "created" in record and blocks and isinstance(visible, bool):
            return "a message with metadata.userVisible"
    return None


class GooseReader:
    """Reads lines of a file or rows of a database; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None
        self._step = 0

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one message; ``{"session": row}`` begins a session."""
        row = record.get("session")
        if isinstance(row, dict) and "role" not in record:
            yield from self.end(line)
            yield from self._begin(line, row).begin()
            return
        session = self._session
        if session is None:
            header = {} if "role" in record else record
            session = self._begin(line, {"working_dir": header.get("working_dir")})
            yield from session.begin()
        match record.get("role"):
            case "user":
                yield from _user(session, line, record)
            case "assistant":
                self._step += 1
                yield from _assistant(session, line, record, self._step)
            case _:
                pass

    def end(self, line: int | None) -> Iterator[Event]:
        """End the open session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _begin(self, line: int | None, row: Record) -> Session:
        start = started(
            self._origin,
            NAME,
            line,
            text(row.get("id")),
            cwd=row.get("working_dir"),
            parent=text(row.get("parent_session_id")),
        )
        # Each machine counts its sessions of a day from 1.
        self._session = Session(replace(start, unique_id=False), ids_repeat=True, patience=PATIENCE)
        return self._session


def _user(session: Session, line: int | None, message: Record) -> Iterator[Event]:
    blocks, time = objects(message.get("content")), time_of(message.get("created"))
    results = [block for block in blocks if is_of(block, RESPONSES)]
    for block in results:
        call_id = text(block.get("id"))
        if call_id is None:
            yield malformed(session, line, "a toolResponse without an id")
            continue
        yield from session.result(call_id, _answer(line, block, time), line, agent=MAIN)
    spoken = [block for block in blocks if is_of(block, SPOKEN)]
    if not spoken:
        return
    seen = members(message.get("metadata")).get("userVisible") is not False
    human = seen and not results
    source = USER if human else WITH_RESULTS if seen else HIDDEN
    yield from session.user(MAIN, line, texts_of([*spoken]), source=source, resets=human, time=time)


def _assistant(session: Session, line: int | None, message: Record, step: int) -> Iterator[Event]:
    blocks, time = objects(message.get("content")), time_of(message.get("created"))
    spoken = [block for block in blocks if is_of(block, SPOKEN)]
    yield from session.assistant(MAIN, line, texts_of([*spoken]), key=step, time=time)
    for block in blocks:
        if is_of(block, REQUESTS):
            yield from _call(session, line, block, step, time)


def _call(
    session: Session, line: int | None, block: Record, step: int, time: float | None
) -> Iterator[Event]:
    request = members(block.get("toolCall"))
    call = members(request.get("value")) or request
    name, arguments = text(call.get("name")), call.get("arguments")
    if name is None:
        refused = text(request.get("error"))
        if refused is None:
            yield malformed(session, line, "a toolRequest without the name of a tool")
        else:
            message = f"a call that could not be parsed is no call: {refused[:200]}"
            yield session.problem(line, Severity.NOTE, "unparsed-call", message)
        return
    yield from session.call(
        MAIN,
        name,
        line,
        call_id=text(block.get("id")),
        text=text(arguments),
        value={} if arguments is None else arguments,
        key=step,
        time=time,
    )


def _answer(line: int | None, block: Record, time: float | None) -> Answer:
    """Read a result: blocks, or an object with them, or what went wrong."""
    result = members(block.get("toolResult"))
    value, error = result.get("value"), text(result.get("error"))
    wrapped = members(value)
    texts = result_texts(wrapped.get("content") if wrapped else value)
    failed = result.get("status") == "error" or wrapped.get("isError") is True
    if error is not None and not texts:
        texts = (error,)
    status = Status.ERROR if failed else Status.OK
    if texts and texts[0].startswith(DECLINED):
        status = Status.DENIED
    structured = wrapped.get("structuredContent")
    return Answer(
        line=line,
        status=status,
        texts=texts,
        value=structured if isinstance(structured, dict) else None,
        is_error=status is not Status.OK,
        failure=None if error is None else Failure(message=error),
        time=time,
    )


FORMAT: Final = Format(
    name=NAME,
    title="Goose session",
    where="~/.local/share/goose/sessions/sessions.db; older: *.jsonl beside it",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=GooseReader,
    records=database_records,
    lossy="lines of a database; tokens, exit codes",
)
