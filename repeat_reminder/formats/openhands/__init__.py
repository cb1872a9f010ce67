"""OpenHands conversations: a folder of event files, or the same events in one file.

A step is one ``llm_response_id``. Results are observations, errors of the agent and rejections. A
``MessageEvent`` of source ``user`` is a human's, unless it names another sender. An agent that is
built again from its saved events begins with a system prompt of its own: that is a resume. Results
for no call are usual: condensed or cut logs have them.

Memory: what `Session` keeps, and one event.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Json, Severity, Status
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.openhands.files import is_event_folder, name_of, records
from repeat_reminder.formats.session import IMPLICIT, PATIENCE, Answer, Session
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

NAME: Final = "openhands"

TELLING: Final[dict[str, tuple[str, ...]]] = {
    "ActionEvent": ("tool_name", "tool_call_id"),
    "ObservationEvent": ("tool_call_id", "observation"),
    "AgentErrorEvent": ("tool_call_id", "error"),
    "UserRejectObservation": ("tool_call_id",),
    "MessageEvent": ("llm_message",),
    "SystemPromptEvent": ("system_prompt",),
    "ConversationStateUpdateEvent": ("key", "value"),
}
"""Kinds of events, each with the members that tell it."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: an event with kind and source, or a folder of event files."""
    if sample.kind == "folder":
        return "a folder of event-*.json files" if is_event_folder(sample.names) else None
    whole = sample.document
    for record in objects(whole) if isinstance(whole, list) else sample.records:
        keys = TELLING.get(text(record.get("kind")) or "")
        if keys is not None and "source" in record and all(key in record for key in keys):
            return f"an event of kind {record['kind']}"
    return None


class OpenHandsReader:
    """Reads the events of one conversation; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin before the first event."""
        self._origin = origin
        self._session: Session | None = None
        self._id: str | None = None
        self._cwd: Json = None
        self._prompted = False
        self._handlers: dict[str, Callable[[Session, int | None, Record], Iterable[Event]]] = {
            "ActionEvent": _action,
            "ObservationEvent": _result,
            "AgentErrorEvent": _result,
            "UserRejectObservation": _result,
            "MessageEvent": _message,
            "SystemPromptEvent": self._system_prompt,
            "Condensation": _condensation,
            "ACPToolCallEvent": _foreign_call,
        }

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one event."""
        kind = text(record.get("kind")) or ""
        if kind == "ConversationStateUpdateEvent":
            self._note_state(members(record.get("value")))
        handler = self._handlers.get(kind)
        if handler is None:
            return
        if self._session is None:
            self._session = self._begin(line)
            yield from self._session.begin()
        yield from handler(self._session, line, record)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the conversation."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _note_state(self, state: Record) -> None:
        """Take id and folder from a full state; they come before the first event of the story."""
        self._id = text(state.get("id")) or self._id
        self._cwd = members(state.get("workspace")).get("working_dir", self._cwd)

    def _begin(self, line: int | None) -> Session:
        origin = replace(self._origin, name=name_of(self._origin.path) or self._origin.name)
        start = started(origin, NAME, line, self._id, cwd=self._cwd)
        # Models may count call ids from 0 in every response.
        return Session(start, ids_repeat=True, patience=PATIENCE)

    def _system_prompt(self, session: Session, line: int | None, _: Record) -> Iterator[Event]:
        if self._prompted:
            yield from session.resume(None, line)
        self._prompted = True


def _action(session: Session, line: int | None, event: Record) -> Iterator[Event]:
    name, call_id = text(event.get("tool_name")), text(event.get("tool_call_id"))
    if name is None:
        yield malformed(session, line, "an ActionEvent without a tool_name")
        return
    key, time = _step(event), time_of(event.get("timestamp"))
    texts = tuple(said for said in texts_of(event.get("thought")) if said)
    if texts:
        yield from session.assistant(MAIN, line, texts, key=key, time=time)
    arguments = _arguments(event)
    yield from session.call(
        MAIN,
        name,
        line,
        call_id=call_id,
        text=text(arguments),
        value=arguments,
        key=key,
        time=time,
    )


def _arguments(event: Record) -> Json:
    """Return the arguments as the model gave them, or else what the agent made of them."""
    call = members(event.get("tool_call"))
    for holder in (call, members(call.get("function"))):
        if "arguments" in holder:
            return holder["arguments"]
    action = members(event.get("action"))
    return {key: value for key, value in action.items() if key != "kind"}


def _step(event: Record) -> Hashable:
    return text(event.get("llm_response_id")) or IMPLICIT


def _result(session: Session, line: int | None, event: Record) -> Iterator[Event]:
    call_id = text(event.get("tool_call_id"))
    if call_id is None:
        yield malformed(session, line, f"a {event['kind']} without a tool_call_id")
        return
    yield from session.result(call_id, _answer(line, event), line)


def _answer(line: int | None, event: Record) -> Answer:
    observation, time = members(event.get("observation")), time_of(event.get("timestamp"))
    if event["kind"] != "ObservationEvent":
        rejected = event["kind"] == "UserRejectObservation"
        said = text(event.get("rejection_reason" if rejected else "error"))
        status = Status.DENIED if rejected else Status.ERROR
        return Answer(line=line, status=status, texts=texts_of(said), is_error=True, time=time)
    value = _structured(observation)
    is_error = observation.get("is_error") is True
    status = Status.ERROR if is_error else Status.OK
    return Answer(
        line=line,
        status=Status.TIMEOUT if value.get("timedOut") is True else status,
        texts=texts_of(observation.get("content", observation.get("output"))),
        value=value or None,
        is_error=is_error,
        time=time,
    )


def _structured(observation: Record) -> dict[str, Json]:
    """Take over how a command ended; -1 stands for one that has not."""
    value: dict[str, Json] = {}
    code = whole(observation.get("exit_code"))
    if code is not None and code != -1:
        value["exitCode"] = code
    if observation.get("timeout") is True:
        value["timedOut"] = True
    return value


def _message(session: Session, line: int | None, event: Record) -> Iterator[Event]:
    source, time = text(event.get("source")), time_of(event.get("timestamp"))
    texts = texts_of(members(event.get("llm_message")).get("content"))
    if source == "agent":
        yield from session.assistant(MAIN, line, texts, key=_step(event), time=time)
        return
    sender = event.get("sender")
    if source == "user" and sender in (None, "user"):
        yield from session.user(MAIN, line, texts or ("",), resets=True, time=time)
        return
    told: Record = {"kind": NAME, "type": text(sender) or source or "unknown"}
    yield from session.user(MAIN, line, texts or ("",), source=told, resets=False, time=time)


def _condensation(session: Session, line: int | None, _: Record) -> Iterator[Event]:
    yield from session.compaction(MAIN, line)


def _foreign_call(session: Session, line: int | None, _: Record) -> Iterator[Event]:
    """Say that calls of another agent, which OpenHands only watches, are left out."""
    message = "a call of an agent behind ACP: such calls are not read"
    yield session.problem(line, Severity.NOTE, "acp-call", message)


FORMAT: Final = Format(
    name=NAME,
    title="OpenHands conversation (V1)",
    where="…/conversations/<id>/events/event-*.json, or such events one a line",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=OpenHandsReader,
    records=records,
    numbered=True,
    lossy="resumes that do not renew the system prompt; tokens of each response",
)
