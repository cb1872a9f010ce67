"""Logs of the Agent Client Protocol's wire: JSON-RPC messages, both directions in one file.

A line may hold a batch, what a logger put before the message, or the message inside an object of
the logger. Several sessions may be in one log. What an agent sends between a ``session/load``
request and its answer is a replay of old history: it counts nothing. See `acp_session` for what a
session's updates mean.

Memory: the requests without an answer, and what `AcpSession` keeps of each session.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Event, Json, Problem, Severity, Status
from repeat_reminder.formats import model
from repeat_reminder.formats.acp_wire.rpc import Request, Requests, message_of, parse
from repeat_reminder.formats.acp_wire.sessions import AcpSession
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.shared.lenient import members, objects, started, text, whole

NAME: Final = "acp-wire"

TELLING: Final = frozenset(
    {
        "session/update",
        "session/prompt",
        "session/new",
        "session/load",
        "session/request_permission",
    }
)
"""Methods that no other protocol on JSON-RPC has."""

TRANSCRIPT: Final = "repeat-reminder/transcript"
"""In the ``_meta`` of a transcript's first line: such a file is made from a log, and is none."""

UPSERTS: Final = 2
"""The protocol version from which an update also opens a call."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a JSON-RPC message of one of the protocol's methods."""
    found = None
    for message in _messages(sample):
        method = text(message.get("method"))
        if message.get("jsonrpc") != "2.0" or method not in TELLING:
            continue
        update = members(members(message.get("params")).get("update"))
        if TRANSCRIPT in members(update.get("_meta")):
            return None
        found = found or f"a JSON-RPC message {method}"
    return found


def _messages(sample: Sample) -> Iterator[Record]:
    for line in sample.lines:
        if b'"jsonrpc"' not in line:
            continue
        try:
            value = parse(line)
        except jsontext.NotJson:
            continue
        yield from map(message_of, objects(value if isinstance(value, list) else [value]))
    yield from map(message_of, sample.records)


class AcpReader:
    """Reads the messages of one log; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a log."""
        self._origin = origin
        self._sessions: dict[str, AcpSession] = {}
        self._parents: dict[str, str] = {}
        """The sessions of subagents, with the session each is of."""
        self._requests = Requests()
        self._upserts = False
        self._handlers: dict[str, Callable[[int | None, str, Record], Iterable[Event]]] = {
            "session/update": self._update,
            "session/prompt": self._prompt,
            "session/load": self._load,
            "session/resume": self._resume,
        }

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one message."""
        message = message_of(record)
        method, params = text(message.get("method")), members(message.get("params"))
        if method is None:
            request = self._requests.answered(message.get("id"))
            if request is not None:
                yield from self._answer(line, request, members(message.get("result")))
            return
        session_id = text(params.get("sessionId"))
        if "id" in message:
            self._requests.remember(message["id"], method, params)
        handler = self._handlers.get(method)
        if handler is None:
            return
        if session_id is None:
            yield self._malformed(line, f"{method} without a sessionId")
        else:
            yield from handler(line, session_id, params)

    def end(self, line: int | None) -> Iterator[Event]:
        """End every session of the log."""
        for session in self._sessions.values():
            yield from session.end(line)

    # ------------------------------------------------------------ requests and answers

    def _answer(self, line: int | None, request: Request, result: Record) -> Iterator[Event]:
        if request.method == "initialize":
            self._upserts = (whole(result.get("protocolVersion")) or 1) >= UPSERTS
        elif request.method in ("session/new", "session/fork"):
            session_id = text(result.get("sessionId"))
            if session_id is not None:
                yield from self._open(line, session_id, request.cwd)
        session = self._sessions.get(request.session or "")
        if session is None:
            return
        if request.method == "session/load":
            session.replaying = False
        elif request.method == "session/prompt":
            yield from session.turn_end(line)
        elif request.call is not None:
            session.decide(request.call, _decision(members(result.get("outcome")), request.options))

    # ------------------------------------------------------------ one method a message

    def _open(self, line: int | None, session_id: str, cwd: Json = None) -> Iterator[Event]:
        """Begin a session, unless it is there already."""
        if session_id in self._sessions:
            return
        parent = self._parents.get(session_id)
        start = started(self._origin, NAME, line, session_id, cwd=cwd, parent=parent)
        session = self._sessions[session_id] = AcpSession(start, upserts=self._upserts)
        yield from session.begin()

    def _update(self, line: int | None, session_id: str, params: Record) -> Iterator[Event]:
        update = params.get("update")
        if not isinstance(update, dict):
            yield self._malformed(line, "session/update without an update")
            return
        child = text(update.get("subagentSessionId")) or text(update.get("sessionId"))
        if child is not None and (text(update.get("sessionUpdate")) or "").startswith("subagent"):
            self._parents.setdefault(child, session_id)
        yield from self._open(line, session_id)
        yield from self._sessions[session_id].update(line, update)

    def _prompt(self, line: int | None, session_id: str, params: Record) -> Iterator[Event]:
        yield from self._open(line, session_id)
        yield from self._sessions[session_id].prompt(line, params.get("prompt"))

    def _load(self, line: int | None, session_id: str, params: Record) -> Iterator[Event]:
        yield from self._resume(line, session_id, params)
        self._sessions[session_id].replaying = True

    def _resume(self, line: int | None, session_id: str, params: Record) -> Iterator[Event]:
        if session_id in self._sessions:
            yield from self._sessions[session_id].resume(line)
        yield from self._open(line, session_id, params.get("cwd"))

    def _malformed(self, line: int | None, what: str) -> Problem:
        return Problem(
            path=self._origin.path,
            line=line,
            severity=Severity.WARNING,
            kind="malformed",
            message=what,
            skipped=True,
        )


def _decision(outcome: Record, options: Json) -> Status | None:
    """Return how a call ends that was not allowed; None if it was."""
    if outcome.get("outcome") == "cancelled":
        return Status.ABORTED
    chosen = next((o for o in objects(options) if o.get("optionId") == outcome.get("optionId")), {})
    return Status.DENIED if (text(chosen.get("kind")) or "").startswith("reject") else None


FORMAT: Final = Format(
    name=NAME,
    title="Agent Client Protocol wire log",
    where="a client's or proxy's log of JSON-RPC messages",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=AcpReader,
    parse=parse,
    lossy="tool names and arguments that an agent does not send; times; which calls are one step",
)
