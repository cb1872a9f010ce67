"""Copilot CLI sessions: ``~/.copilot/session-state/<id>/events.jsonl``.

A step is one ``assistant.message``: its ``toolRequests`` are the calls, and stand again in
``tool.execution_start`` and in hooks. A call whose request is not in the log counts where it
starts, unless the user asked for it (``!command``). Subagents write into the same file, named by
``agentId`` or by the call that made them.

Memory: what `Session` keeps, and one id per call (about 100 bytes).
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, NamedTuple

from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.copilot_cli.results import answer_of
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, USER, Session
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    started,
    text,
    whole,
)

NAME: Final = "copilot-cli"
START: Final = "session.start"

TELLING: Final[dict[str, tuple[str, ...]]] = {
    "user.message": ("content",),
    "assistant.message": ("content", "toolRequests"),
    "tool.execution_start": ("toolCallId", "toolName"),
    "tool.execution_complete": ("toolCallId",),
}
"""Event types, each with the members that tell it from other logs' dotted types."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: the session's start, or an event in its envelope."""
    for record in sample.records:
        kind, data = text(record.get("type")), members(record.get("data"))
        if kind == START and "sessionId" in data and ("producer" in data or "parentId" in record):
            return f"a {START} event"
        enveloped = "parentId" in record and "id" in record and "timestamp" in record
        if enveloped and kind in TELLING and all(key in data for key in TELLING[kind]):
            return f"a {kind} event with id and parentId"
    return None


class _Place(NamedTuple):
    """Whose event it is."""

    session: Session
    agent: str
    agent_id: str | None
    """The agent as the event itself names it."""
    line: int | None
    time: float | None


class CopilotReader:
    """Reads the events of one file; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None
        self._told: set[str] = set()
        self._users: set[str] = set()
        """Calls that the user asked for."""
        self._handlers: dict[str, Callable[[_Place, Record], Iterable[Event]]] = {
            "user.message": _user,
            "assistant.message": self._assistant,
            "tool.user_requested": self._user_requested,
            "tool.execution_start": self._execution_start,
            "tool.execution_complete": self._execution_complete,
            "subagent.started": _subagent,
            "session.resume": _resume,
            "session.compaction_complete": _compaction,
        }

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one event."""
        kind, data = text(record.get("type")), record.get("data")
        if kind == START:
            yield from self.end(line - 1 if line else None)
            yield from self._begin(line, members(data))
            return
        handler = self._handlers.get(kind or "")
        if handler is None:
            return
        session = self._session or (yield from self._begin(line, {}))
        if not isinstance(data, dict):
            yield malformed(session, line, f"a {kind} event without data")
            return
        agent_id = text(record.get("agentId"))
        agent = agent_id or text(data.get("parentToolCallId")) or MAIN
        time = time_of(record.get("timestamp"))
        yield from handler(_Place(session, agent, agent_id, line, time), data)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the file's last session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _begin(self, line: int | None, data: Record) -> Generator[Event, None, Session]:
        cwd = members(data.get("context")).get("cwd")
        session_id = text(data.get("sessionId"))
        start = started(self._origin, NAME, line, session_id, cwd=cwd, unique_call_ids=True)
        # Copies are told here, so the session need not know ids too.
        session = self._session = Session(start, ids_repeat=True, patience=PATIENCE)
        self._told, self._users = set(), set()
        yield from session.begin()
        return session

    # ------------------------------------------------------------ one method an event type

    def _assistant(self, place: _Place, data: Record) -> Iterator[Event]:
        output = whole(data.get("outputTokens"))
        content = text(data.get("content"))
        yield from place.session.assistant(
            place.agent,
            place.line,
            (content,) if content else (),
            usage=None if output is None else Usage(output=output),
            time=place.time,
        )
        for request in objects(data.get("toolRequests")):
            call_id = text(request.get("toolCallId"))
            if call_id is not None and call_id in self._told:
                yield place.session.copy(call_id, place.line)
            else:
                yield from self._call(place, call_id, request.get("name"), request)

    def _call(
        self, place: _Place, call_id: str | None, name: Json, request: Record
    ) -> Iterator[Event]:
        if not isinstance(name, str):
            yield malformed(place.session, place.line, "a call without a name")
            return
        if call_id is not None:
            self._told.add(call_id)
        arguments = request.get("arguments")
        yield from place.session.call(
            place.agent,
            name,
            place.line,
            call_id=call_id,
            text=text(arguments),
            value=arguments,
            time=place.time,
        )

    def _user_requested(self, _: _Place, data: Record) -> Iterator[Event]:
        call_id = text(data.get("toolCallId"))
        if call_id is not None:
            self._users.add(call_id)
        yield from ()

    def _execution_start(self, place: _Place, data: Record) -> Iterator[Event]:
        """Count a call whose request is not in the log."""
        call_id = text(data.get("toolCallId"))
        if call_id is None:
            yield malformed(place.session, place.line, "a start of a call without a toolCallId")
        elif call_id not in self._told and call_id not in self._users:
            yield from self._call(place, call_id, data.get("toolName"), data)

    def _execution_complete(self, place: _Place, data: Record) -> Iterator[Event]:
        call_id = text(data.get("toolCallId"))
        if call_id is None:
            yield malformed(place.session, place.line, "a result without a toolCallId")
        elif call_id not in self._users and data.get("isUserRequested") is not True:
            answer = answer_of(data, place.line, place.time)
            yield from place.session.result(call_id, answer, place.line)


def _user(place: _Place, data: Record) -> Iterator[Event]:
    source = data.get("source")
    human = source in (None, "user")
    yield from place.session.user(
        place.agent,
        place.line,
        texts_of(data.get("content")) or ("",),
        source=USER if human else {"kind": NAME, "type": text(source) or "unknown"},
        resets=human,
        time=place.time,
    )


def _subagent(place: _Place, data: Record) -> Iterator[Event]:
    """Introduce a subagent: the call that made it names it where the event itself does not."""
    name = place.agent_id or text(data.get("toolCallId"))
    title = text(data.get("agentName"))
    if name is not None:
        parent = place.agent if place.agent != name else MAIN
        yield from place.session.introduce(name, place.line, parent=parent, title=title)


def _resume(place: _Place, _: Record) -> Iterator[Event]:
    yield from place.session.resume(None, place.line)


def _compaction(place: _Place, _: Record) -> Iterator[Event]:
    yield from place.session.compaction(place.agent, place.line)


FORMAT: Final = Format(
    name=NAME,
    title="Copilot CLI session",
    where="~/.copilot/session-state/<session id>/events.jsonl",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=CopilotReader,
    lossy="input tokens; which agent made a subagent",
)
