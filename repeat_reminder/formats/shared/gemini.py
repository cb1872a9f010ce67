"""Gemini CLI chats, in both of their forms: one document, or one record a line.

A step is one message of type ``gemini``; calls and their results are members of it. A line log
appends the whole message again under the same id whenever something of it changes, so a message is
held until a record with another id comes: the last record tells the arguments, the first in which a
call is, or is settled, tells its line. ``$set.messages`` is a checkpoint and ``$rewindTo`` takes
nothing back that happened: neither counts. Resuming writes ``$set.sessionId``.

Memory: what `Session` keeps, one message, and the calls without a result.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats.model import Origin, Record
from repeat_reminder.formats.session import PATIENCE, Answer, Session
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.gemini_parts import STATUSES, answer_of, brings_results, said
from repeat_reminder.formats.shared.human import injected_source, is_human
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    started,
    text,
    total,
)

KIND: Final = "gemini"
INJECTED: Final = ("<session_context>", "<hook_context>", "<state_snapshot>")
"""Beginnings of texts that the CLI puts into the user's role."""

CHATS: Final = "chats"
"""The folder of the sessions; a subagent's lies in one below, named after its parent."""


@dataclass(slots=True)
class _Call:
    """A call of a message, as of the newest record."""

    record: Record
    line: int | None
    """Where it first stands."""
    answer: Answer | None = None
    """As it was where it first was settled."""


@dataclass(slots=True)
class _Message:
    """A message of the model, as of its newest record."""

    line: int | None
    newest: Record
    calls: dict[str, _Call] = field(default_factory=dict)

    def take(self, line: int | None, record: Record) -> None:
        """Take in a record of the message."""
        self.newest = record
        for number, entry in enumerate(objects(record.get("toolCalls")), 1):
            # Ids are always written; where one is missing the call's place stands for it.
            call = self.calls.setdefault(text(entry.get("id")) or f"#{number}", _Call(entry, line))
            call.record = entry
            if call.answer is None and is_settled(entry):
                call.answer = _answer(entry, line)


class GeminiReader:
    """Reads the records of one chat; see `formats.model.Reader`."""

    def __init__(self, origin: Origin, form: str) -> None:
        """Begin at the top of a chat."""
        self._origin = origin
        self._form = form
        self._session: Session | None = None
        self._id: str | None = None
        self._held: _Message | None = None
        self._newest: str | None = None
        """The id of the newest message."""
        self._step = 0
        self._waiting: set[str] = set()
        """Calls that were told without a result."""

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one record."""
        if "$set" in record or "$rewindTo" in record:
            yield from self._change(line, members(record.get("$set")))
        elif is_header(record):
            yield from self._header(line, record)
        elif isinstance(record.get("type"), str):
            yield from self._message(line, record)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the file's last session."""
        if self._session is not None:
            yield from self._tell(line)
            yield from self._session.end(line)
            self._session = None

    # ------------------------------------------------------------ sessions

    def _header(self, line: int | None, record: Record) -> Iterator[Event]:
        given = text(record.get("sessionId"))
        if self._session is not None and given == self._id:
            yield from self._resume(line)
            return
        yield from self.end(line - 1 if line else None)
        yield from self._begin(line, record)

    def _begin(self, line: int | None, header: Record) -> Generator[Event, None, Session]:
        self._id = text(header.get("sessionId"))
        self._newest, self._waiting = None, set()
        folder = PurePosixPath(self._origin.path).parent.name
        child = header.get("kind") == "subagent" and folder not in ("", CHATS)
        start = started(
            self._origin,
            self._form,
            line,
            self._id,
            parent=folder if child else None,
            unique_call_ids=True,
        )
        session = self._session = Session(start, patience=PATIENCE)
        yield from session.begin()
        return session

    def _change(self, line: int | None, changed: Record) -> Iterator[Event]:
        """Take note of a change to the whole chat: only a resume means anything here."""
        if "sessionId" in changed and self._session is not None:
            yield from self._resume(line)

    def _resume(self, line: int | None) -> Iterator[Event]:
        yield from self._tell(line)
        if self._session is not None:
            yield from self._session.resume(None, line)

    # ------------------------------------------------------------ messages

    def _message(self, line: int | None, record: Record) -> Iterator[Event]:
        session = self._session or (yield from self._begin(line, {}))
        kind, message_id = record["type"], text(record.get("id"))
        again = message_id is not None and message_id == self._newest
        if not again:
            yield from self._tell(line)
        self._newest = message_id
        if kind == KIND:
            if self._held is None:
                self._held = _Message(line, record)
            self._held.take(line, record)
        elif kind == "user" and not again:
            yield from self._user(session, line, record)

    def _user(self, session: Session, line: int | None, record: Record) -> Iterator[Event]:
        content = record.get("content")
        texts, time = said(content), time_of(record.get("timestamp"))
        if brings_results(content):
            return
        if is_human(texts or ("",), INJECTED):
            yield from session.user(MAIN, line, texts or ("",), resets=True, time=time)
            return
        source = injected_source(self._form, texts, INJECTED)
        yield from session.user(MAIN, line, texts, source=source, resets=False, time=time)

    def _tell(self, line: int | None) -> Iterator[Event]:
        """Give out the held message: what it says, its calls, their results, the step's end."""
        held, self._held = self._held, None
        session = self._session
        if held is None or session is None:
            return
        self._step += 1
        texts, time = said(held.newest.get("content")), time_of(held.newest.get("timestamp"))
        usage = _usage(held.newest.get("tokens"))
        yield from session.assistant(MAIN, held.line, texts, key=self._step, usage=usage, time=time)
        answers: list[tuple[str, Answer]] = []
        for call_id, call in held.calls.items():
            known = call_id in self._waiting
            if not known:
                known = yield from self._call(session, call_id, call, time)
            if known and call.answer is not None:
                answers.append((call_id, call.answer))
        for call_id, answer in sorted(answers, key=lambda pair: pair[1].line or 0):
            self._waiting.discard(call_id)
            yield from session.result(call_id, answer, answer.line)
        yield from session.end_step(MAIN, line)

    def _call(
        self, session: Session, call_id: str, call: _Call, time: float | None
    ) -> Generator[Event, None, bool]:
        """Start a call; return whether it is one, and none that was told before."""
        name, arguments = text(call.record.get("name")), call.record.get("args")
        if name is None:
            yield malformed(session, call.line, "a toolCall without a name")
            return False
        before = session.calls_of(MAIN)
        yield from session.call(
            MAIN,
            name,
            call.line,
            call_id=None if call_id.startswith("#") else call_id,
            text=text(arguments),
            value=arguments,
            key=self._step,
            time=time,
        )
        if session.calls_of(MAIN) == before:
            return False
        self._waiting.add(call_id)
        return True


def is_header(record: Record) -> bool:
    """Tell the record that announces a chat."""
    return "type" not in record and all(
        isinstance(record.get(key), str) for key in ("sessionId", "projectHash")
    )


def is_settled(call: Record) -> bool:
    """Tell a call that has ended: by its state, or without one by having a result."""
    status = call.get("status")
    if status is None:
        return bool(call.get("result"))
    return isinstance(status, str) and status in STATUSES


def _answer(call: Record, line: int | None) -> Answer:
    return answer_of(
        text(call.get("status")),
        text(call.get("name")),
        call.get("result"),
        line,
        time_of(call.get("timestamp")),
    )


def _usage(tokens: Json) -> Usage | None:
    if not isinstance(tokens, dict):
        return None
    return Usage(input=total(tokens, "input"), output=total(tokens, "output", "thoughts"))
