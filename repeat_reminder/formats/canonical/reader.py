"""The canonical log, ``repeat-reminder/session@1``: the product's own format.

Rules: file order is event order; a call counts at its result if the session records any, else
where it stands. Which of the two a session is, is known at its first result, after
`LOOKAHEAD` unanswered calls, or at its end: until then its records are held.

Memory: what `Session` keeps, and at most `LOOKAHEAD` calls' records until the first result.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final

from repeat_reminder.canonical import canonical, canonical_of
from repeat_reminder.errors import FormatError
from repeat_reminder.events import (
    CallId,
    Event,
    Failure,
    Json,
    Place,
    SessionId,
    SessionStart,
    Severity,
    Source,
    Status,
    Usage,
)
from repeat_reminder.formats.model import Origin, Record, Skimmer
from repeat_reminder.formats.session import IMPLICIT, USER, Answer, Session
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.jsontext import TooDeep

NAME: Final = "canonical"
SCHEMA: Final = "repeat-reminder/session"
MAJOR: Final = 1
LOOKAHEAD: Final = 1000
"""Unanswered calls after which a session is taken for one that records no results."""

COMMON: Final = frozenset({"type", "ts", "meta"})
KEYS: Final[dict[str, frozenset[str]]] = {
    "session": frozenset({"schema", "id", "harness", "cwd", "results", "labels", "parent_session"}),
    "agent": frozenset({"id", "parent", "name", "state"}),
    "user_message": frozenset({"agent", "content", "source"}),
    "assistant_message": frozenset({"agent", "content", "usage", "turn", "step"}),
    "tool_call": frozenset(
        {"id", "agent", "name", "arguments", "arguments_text", "turn", "step", "nested"}
    ),
    "tool_result": frozenset(
        {
            *("call_id", "agent", "status", "content", "exit_code", "http_status", "signal"),
            *("timed_out_ms", "sandbox_denied", "background", "value", "error"),
            *("content_sha256", "content_chars"),
        }
    ),
    "injected_message": frozenset({"agent", "content", "source", "after_call_id"}),
    "resume": frozenset({"agent"}),
    "compaction": frozenset({"agent", "summary"}),
    "step_end": frozenset({"agent", "turn", "step"}),
}
"""The record types and the keys each knows beside `COMMON` and ``x_…``."""

ERROR_STATES: Final = frozenset({Status.ERROR, Status.DENIED, Status.ABORTED})


class _MalformedError(Exception):
    """A record that says something the schema does not allow."""


class CanonicalReader:
    """Reads canonical records; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a log; a session starts with its first record."""
        self._origin = origin
        self._session: Session | None = None
        self._held: list[tuple[int | None, Record]] | None = None
        self._held_calls = 0
        self._ownerless: set[str] = set()
        self._handlers: dict[str, Callable[[Session, int | None, Record], Sequence[Event]]] = {
            "agent": self._agent,
            "user_message": self._user_message,
            "assistant_message": self._assistant_message,
            "tool_call": self._tool_call,
            "tool_result": self._tool_result,
            "injected_message": self._injected_message,
            "resume": self._resume,
            "compaction": self._compaction,
            "step_end": self._step_end,
        }

    def skimmer(self) -> Skimmer:
        """See `formats.model.Skimmable`."""
        # What is declared there takes its time, and few commands skim.
        from repeat_reminder.formats.canonical.plain import CanonicalSkimmer  # noqa: PLC0415

        return CanonicalSkimmer(self._without_results)

    def _without_results(self) -> Session | None:
        """Return the session that is being read, if it is known to record no results."""
        session = self._session
        decided = session is not None and self._held is None
        return session if decided and session and not session.start.records_results else None

    def record(self, line: int | None, record: Record) -> Iterable[Event]:
        """Map one record; hold it while it is unknown whether the session records results."""
        kind = record.get("type")
        if kind == "session":
            return self._new_session(line, record)
        session = self._session
        if session is None:
            session = self._begin(line, {})
        if self._held is None:
            return self._handle(session, line, record)
        self._held.append((line, record))
        self._held_calls += kind == "tool_call"
        if kind == "tool_result" or self._held_calls >= LOOKAHEAD:
            return self._release(results=kind == "tool_result")
        return ()

    def end(self, line: int | None) -> Iterator[Event]:
        """End the last session of the log."""
        if self._held is not None:
            yield from self._release(results=False)
        if self._session is not None:
            yield from self._session.end(line)

    def _new_session(self, line: int | None, record: Record) -> Iterator[Event]:
        schema = record.get("schema")
        if schema is not None and schema != f"{SCHEMA}@{MAJOR}":
            raise FormatError(
                f"schema {schema!r} is not one that this version reads",
                path=self._origin.path,
                line=line,
                hint=f"it reads {SCHEMA}@{MAJOR}",
            )
        if self._session is not None:
            yield from self.end(line - 1 if line else None)
        self._begin(line, record)
        results = record.get("results")
        if isinstance(results, bool):
            yield from self._release(results=results)

    def _begin(self, line: int | None, record: Record) -> Session:
        given = _text(record.get("id"))
        labels = record.get("labels")
        start = SessionStart(
            session=SessionId(given or self._origin.name),
            line=line,
            format=NAME,
            path=self._origin.path,
            compression=self._origin.compression,
            cwd=_text(record.get("cwd")),
            unique_id=given is not None,
            parent=_text(record.get("parent_session")),
            labels=labels if isinstance(labels, dict) else None,
        )
        self._session = Session(start)
        self._held, self._held_calls = [], 0
        self._ownerless.clear()
        return self._session

    def _release(self, *, results: bool) -> Iterator[Event]:
        held, self._held = self._held or [], None
        session = self._session
        if session is not None:
            session.decide_results(recorded=results)
            yield from session.begin()
            for line, record in held:
                yield from self._handle(session, line, record)

    def _handle(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        kind = record.get("type")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is None:
            message = f"{_unknown(record)}; skipped"
            return [session.problem(line, Severity.NOTE, "unknown-type", message, skipped=True)]
        try:
            return handler(session, line, record)
        except _MalformedError as error:
            hint = "repeat-reminder formats --schema session prints the schema"
            what = f"{kind}: {error}"
            return [session.problem(line, Severity.WARNING, "malformed", what, hint, skipped=True)]

    # ------------------------------------------------------------ one method a record type

    def _agent(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        name = _required(record, "id")
        if _choice(record, "state", ("start", "end"), "start") == "end":
            return session.dismiss(name, line)
        parent, title = _text(record.get("parent")), _text(record.get("name"))
        return session.introduce(name, line, parent=parent, title=title)

    def _user_message(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        source, content = _source(record, USER), record.get("content")
        # A prompt that no request read says so: it has a content, and that is empty.
        texts = texts_of(content) or (() if content == [] else ("",))
        return session.user(
            _agent_of(record),
            line,
            texts,
            source=source,
            resets=source.get("kind") == "user",
            time=time_of(record.get("ts")),
        )

    def _assistant_message(
        self, session: Session, line: int | None, record: Record
    ) -> Sequence[Event]:
        return session.assistant(
            _agent_of(record),
            line,
            texts_of(record.get("content")),
            key=_step_key(_number(record, "turn"), _number(record, "step")),
            usage=_usage(record.get("usage")),
            time=time_of(record.get("ts")),
        )

    def _tool_call(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        call_id = _optional(record, "id")
        if record.get("agent") is None and "agent" in record:
            if call_id is not None:
                self._ownerless.add(call_id)
            return ()
        text = _optional(record, "arguments_text")
        if text is None and "arguments" not in record:
            raise _MalformedError("needs arguments or arguments_text")
        if text is not None and "arguments" in record:
            _agree(text, record["arguments"])
        turn = _number(record, "turn") if "turn" in record else None
        step = _number(record, "step") if "step" in record else None
        return session.call(
            _agent_of(record),
            _required(record, "name"),
            line,
            call_id=call_id,
            text=text,
            value=record.get("arguments"),
            key=_step_key(turn, step),
            turn=turn,
            step=step,
            nested=record.get("nested") is True,
            time=time_of(record.get("ts")),
        )

    def _tool_result(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        call_id = _required(record, "call_id")
        agent = _optional(record, "agent")
        if agent is None and call_id in self._ownerless:
            return ()
        return session.result(call_id, _answer(line, record), line, agent=agent)

    def _injected_message(
        self, session: Session, line: int | None, record: Record
    ) -> Sequence[Event]:
        after = _optional(record, "after_call_id")
        return session.injected(
            _agent_of(record),
            line,
            texts_of(record.get("content")),
            _source(record, None),
            trigger=None if after is None else Place(None, CallId(after)),
            time=time_of(record.get("ts")),
        )

    def _resume(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        return session.resume(_optional(record, "agent"), line)

    def _compaction(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        return session.compaction(_agent_of(record), line)

    def _step_end(self, session: Session, line: int | None, record: Record) -> Sequence[Event]:
        return session.end_step(_agent_of(record), line)


def _unknown(record: Record) -> str:
    kind = record.get("type")
    if isinstance(kind, str):
        return f"unknown record type {kind!r}"
    return "a record without a type" if kind is None else "a record with a type that is no string"


def _answer(line: int | None, record: Record) -> Answer:
    status = Status(_choice(record, "status", [status.value for status in Status], "ok"))
    value = record.get("value")
    error = record.get("error")
    return Answer(
        line=line,
        status=status,
        texts=texts_of(record.get("content")),
        value=_structured(record, status) if value is None else value,
        is_error=status in ERROR_STATES,
        failure=_failure(error) if isinstance(error, dict) else None,
        time=time_of(record.get("ts")),
    )


def _structured(record: Record, status: Status) -> Json:
    """Build the harness's structured result from the plain fields (breaker.md, section 8)."""
    timed_out = record.get("timed_out_ms")
    fields: dict[str, Json] = {
        "kind": "background" if record.get("background") is True else None,
        "exitCode": record.get("exit_code"),
        "timedOut": True if timed_out is not None or status is Status.TIMEOUT else None,
        "timeoutMs": timed_out,
        "signal": record.get("signal"),
        "statusCode": record.get("http_status"),
        "sandbox": {"denied": True} if record.get("sandbox_denied") is True else None,
    }
    return {key: value for key, value in fields.items() if value is not None} or None


def _failure(error: dict[str, Json]) -> Failure:
    return Failure(
        name=_text(error.get("name")),
        code=_text(error.get("code")),
        message=_text(error.get("message")),
    )


def _usage(value: Json) -> Usage | None:
    """Read token counts under the names harnesses use for them."""
    if not isinstance(value, dict):
        return None
    found = [
        next((value[key] for key in keys if isinstance(value.get(key), int)), 0)
        for keys in (("input", "input_tokens", "inputTokens"), _OUTPUT_KEYS)
    ]
    return Usage(input=int(str(found[0])), output=int(str(found[1])))


_OUTPUT_KEYS: Final = ("output", "output_tokens", "outputTokens")


def _agree(text: str, value: Json) -> None:
    try:
        same = canonical_of(text, None) == canonical(value)
    except TooDeep:
        return
    if not same:
        raise _MalformedError("arguments and arguments_text differ")


def _step_key(turn: int | None, step: int | None) -> Hashable:
    return IMPLICIT if step is None else (turn, step)


def _agent_of(record: Record) -> str:
    agent = _optional(record, "agent")
    return "main" if agent is None else agent


def _source(record: Record, default: Source | None) -> Source:
    source = record.get("source")
    if source is None and default is not None:
        return default
    if not isinstance(source, dict) or not isinstance(source.get("kind"), str):
        raise _MalformedError("source must be an object with a kind")
    return source


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _optional(record: Record, key: str) -> str | None:
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _MalformedError(f"{key} must be a string")


def _required(record: Record, key: str) -> str:
    value = _optional(record, key)
    if value is None:
        raise _MalformedError(f"needs {key}, a string")
    return value


def _number(record: Record, key: str) -> int | None:
    value = record.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _MalformedError(f"{key} must be a whole number")


def _choice(record: Record, key: str, choices: Sequence[str], default: str) -> str:
    value = record.get(key, default)
    if isinstance(value, str) and value in choices:
        return value
    raise _MalformedError(f"{key} must be one of {', '.join(choices)}")
