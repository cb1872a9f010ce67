"""Qwen Code sessions: ``~/.qwen/projects/<project>/chats/<id>.jsonl``, and its subagents' files.

The lines look like Claude Code's, but a message holds Gemini's ``parts`` and a result is a line of
type ``tool_result``. A step is one ``assistant`` line. Lines whose ``uuid`` was seen are copies:
they count nothing. A branch begins with copies from another session (``forkedFrom``): they count as
they stand, and the branch's own records begin with fresh chains.

Memory: what `Session` keeps, and 60 bytes a line for its ``uuid``.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, NamedTuple

from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.gemini_parts import answer_of, brings_results, said
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    started,
    text,
    total,
)
from repeat_reminder.formats.shared.seen import Seen

NAME: Final = "qwen"
HUMAN: Final = "real_user"
MID_TURN: Final = "mid_turn_user_message"
"""The subtype of what a human says while the agent works; every other one is no human's."""
COMPACTION: Final = "chat_compression"
NESTED_RESULT: Final = "code_mode_tool_result"
"""The subtype of a result for a call that a program made: the call itself is not recorded."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: Claude Code's keys with Gemini's parts."""
    for record in sample.records:
        if not all(isinstance(record.get(key), str) for key in ("uuid", "sessionId", "type")):
            continue
        if isinstance(members(record.get("message")).get("parts"), list):
            return "a line with uuid, sessionId and message.parts"
        if record["type"] == "system" and "systemPayload" in record:
            return "a line of type system with uuid, sessionId and systemPayload"
    return None


class _Place(NamedTuple):
    """Whose line it is."""

    session: Session
    agent: str
    line: int | None
    time: float | None


class QwenReader:
    """Reads the lines of one file; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None
        self._id: str | None = None
        self._uuids = Seen()
        self._forked = False
        self._unnamed: list[tuple[str, str]] = []
        """Open calls to which the log gives no id: tool and the id given here, oldest first."""
        self._filled = 0
        self._handlers: dict[str, Callable[[_Place, Record], Iterable[Event]]] = {
            "user": _user,
            "assistant": self._assistant,
            "tool_result": self._result,
            "system": _system,
        }

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one line."""
        handler = self._handlers.get(text(record.get("type")) or "")
        if handler is None:
            return
        uuid = text(record.get("uuid"))
        if uuid is not None:
            if uuid in self._uuids:
                yield from self._copies(line, record)
                return
            self._uuids.add(uuid)
        session = yield from self._session_of(line, record)
        agent = text(record.get("agentId")) or MAIN
        was_forked, self._forked = self._forked, "forkedFrom" in record
        if was_forked and not self._forked:
            yield from session.resume(None, line)
        yield from handler(_Place(session, agent, line, time_of(record.get("timestamp"))), record)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the file's last session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _session_of(self, line: int | None, record: Record) -> Generator[Event, None, Session]:
        """Return the session a line belongs to; another id than the last line's begins one."""
        given = text(record.get("sessionId"))
        if self._session is not None and given in (None, self._id):
            return self._session
        yield from self.end(line - 1 if line else None)
        self._id, self._unnamed, self._forked = given, [], False
        # A subagent has a file of its own, under its parent's session id.
        parent = given if isinstance(record.get("agentId"), str) else None
        start = started(self._origin, NAME, line, given, cwd=record.get("cwd"), parent=parent)
        self._session = Session(start, patience=PATIENCE)
        yield from self._session.begin()
        return self._session

    def _copies(self, line: int | None, record: Record) -> Iterator[Event]:
        """Count the calls of a line that stands in the file again."""
        for part in objects(_parts(record)):
            call_id = text(members(part.get("functionCall")).get("id"))
            if call_id is not None and self._session is not None:
                yield self._session.copy(call_id, line)

    # ------------------------------------------------------------ one method a line type

    def _assistant(self, place: _Place, record: Record) -> Iterator[Event]:
        parts, usage = _parts(record), _usage(record.get("usageMetadata"))
        self._unnamed = []
        yield from place.session.assistant(
            place.agent, place.line, said(parts), usage=usage, time=place.time
        )
        for part in objects(parts):
            if "functionCall" in part:
                yield from self._call(place, members(part["functionCall"]))

    def _call(self, place: _Place, call: Record) -> Iterator[Event]:
        name, arguments = text(call.get("name")), call.get("args")
        if name is None:
            yield malformed(place.session, place.line, "a functionCall without a name")
            return
        yield from place.session.call(
            place.agent,
            name,
            place.line,
            call_id=text(call.get("id")) or self._fill(name),
            text=text(arguments),
            value=arguments,
            time=place.time,
        )

    def _result(self, place: _Place, record: Record) -> Iterator[Event]:
        if record.get("subtype") == NESTED_RESULT:
            return
        told = members(record.get("toolCallResult"))
        responses = [p for p in objects(_parts(record)) if "functionResponse" in p]
        for part in responses:
            yield from self._answer(place, part, told)
        if not responses:
            yield malformed(place.session, place.line, "a tool_result without a functionResponse")

    def _answer(self, place: _Place, part: Record, told: Record) -> Iterator[Event]:
        response = members(part["functionResponse"])
        call_id = text(response.get("id")) or self._take(response, told)
        if call_id is None:
            yield malformed(place.session, place.line, "a functionResponse for no call")
            return
        status = text(told.get("status")) or ("error" if told.get("error") else None)
        answer = answer_of(status, text(response.get("name")), [part], place.line, place.time)
        yield from place.session.result(call_id, answer, place.line, agent=place.agent)

    def _fill(self, name: str) -> str:
        self._filled += 1
        call_id = f"c{self._filled}"
        self._unnamed.append((name, call_id))
        return call_id

    def _take(self, response: Record, told: Record) -> str | None:
        """Return the oldest open call of that tool among those without an id."""
        name = response.get("name")
        for position, (tool, call_id) in enumerate(self._unnamed):
            if tool == name:
                del self._unnamed[position]
                return call_id
        return text(told.get("callId"))


def _user(place: _Place, record: Record) -> Iterator[Event]:
    session, agent, line, time = place
    parts = _parts(record)
    if brings_results(parts):
        return
    texts = said(parts) or ("",)
    kind = _kind(record)
    if kind is None:
        yield from session.user(agent, line, texts, resets=True, time=time)
        return
    source: Record = {"kind": NAME, "type": kind}
    yield from session.user(agent, line, texts, source=source, resets=False, time=time)


def _kind(record: Record) -> str | None:
    """Return what a user line is if no human wrote it."""
    subtype, provenance = record.get("subtype"), record.get("provenance")
    if subtype not in (None, MID_TURN):
        return text(subtype) or "subtype"
    if provenance not in (None, HUMAN):
        return text(provenance) or "provenance"
    external = record.get("externalInputKind")
    return None if external is None else f"external-{text(external) or 'input'}"


def _system(place: _Place, record: Record) -> Iterator[Event]:
    if record.get("subtype") == COMPACTION:
        yield from place.session.compaction(place.agent, place.line)


def _parts(record: Record) -> Json:
    return members(record.get("message")).get("parts")


def _usage(value: Json) -> Usage | None:
    if not isinstance(value, dict):
        return None
    output = total(value, "candidatesTokenCount", "thoughtsTokenCount")
    return Usage(input=total(value, "promptTokenCount"), output=output)


FORMAT: Final = Format(
    name=NAME,
    title="Qwen Code session",
    where="~/.qwen/projects/<project>/chats/<session id>.jsonl",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=QwenReader,
    lossy="resumes; structured results; calls that programs make in code mode",
)
