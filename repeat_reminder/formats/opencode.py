"""opencode sessions as ``opencode export`` prints them: one document; see also `opencode_db`.

A step is one response of the model: from one ``step-start`` part of a message to the next. A call
and its result are one part: it has settled when its state is ``completed`` or ``error``. A message
of role user is a human's if a text or a file of it is not ``synthetic``.

Memory: the document, and what `Session` keeps.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from repeat_reminder.events import Event, Json, Problem, Source, Status, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.documents import documents, sampled
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    started,
    text,
    total,
)
from repeat_reminder.source import Log

NAME: Final = "opencode-export"
SYNTHETIC: Final[Source] = {"kind": "opencode", "type": "synthetic"}
SETTLED: Final = {"completed": Status.OK, "error": Status.ERROR}

ABORTED: Final = "Tool execution aborted"
DENIED: Final = (
    "The user rejected permission to use this specific tool call",
    "The user has specified a rule which prevents you from using this specific tool call",
)
"""How the errors of calls begin that did not run to their end."""

_TIMED_OUT: Final = re.compile(r"terminated command after exceeding timeout (\d{1,12}) ?ms")
TAIL: Final = 400


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a session's ``info`` and messages of ``info`` and ``parts``."""
    return next((evidence for evidence in map(_evidence, sampled(sample)) if evidence), None)


def _evidence(document: Record) -> str | None:
    info, messages = members(document.get("info")), objects(document.get("messages"))
    if not isinstance(info.get("id"), str) or not isinstance(document.get("messages"), list):
        return None
    if messages and all("info" in message and "parts" in message for message in messages):
        return "an object with info and messages of info and parts"
    return "an object with a session's info" if not messages and "projectID" in info else None


def records(log: Log) -> Iterator[Record | Problem]:
    """Yield each session's ``info``, then its messages; raises as `documents`."""
    for session in documents(log):
        if isinstance(session, Problem):
            yield session
            continue
        yield {"info": session.get("info")}
        for message in objects(session.get("messages")):
            yield {"parts": None, **message}


class OpencodeReader:
    """Reads sessions, each an ``info`` and its messages; see `formats.model.Reader`."""

    def __init__(self, origin: Origin, form: str) -> None:
        """Begin before the first session."""
        self._origin = origin
        self._form = form
        self._session: Session | None = None
        self._step = 0

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a session's ``info``, or one message: it has ``parts``."""
        info = members(record.get("info"))
        if "parts" not in record or self._session is None:
            yield from self.end(line)
            start = started(
                self._origin,
                self._form,
                line,
                text(info.get("id")),
                cwd=info.get("directory"),
                parent=text(info.get("parentID")),
            )
            # Providers may count call ids from 0 in every response.
            self._session = Session(start, ids_repeat=True)
            yield from self._session.begin()
        if "parts" not in record:
            return
        if not isinstance(record["parts"], list) or not info:
            yield malformed(self._session, line, "a message without info and parts")
            return
        parts = objects(record["parts"])
        if info.get("role") == "user":
            yield from _user(self._session, line, info, parts)
        elif info.get("role") == "assistant":
            for step in _steps(parts):
                self._step += 1
                yield from _assistant(self._session, line, info, step, self._step)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the last session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)


def _steps(parts: list[Record]) -> Iterator[list[Record]]:
    """Split a message: each ``step-start`` but one at its beginning begins another step."""
    step: list[Record] = []
    for part in parts:
        if part.get("type") == "step-start" and step:
            yield step
            step = []
        step.append(part)
    yield step


def _user(session: Session, line: int | None, info: Record, parts: list[Record]) -> Iterator[Event]:
    if any(part.get("type") == "compaction" for part in parts):
        yield from session.compaction(MAIN, line)
    said = [part for part in parts if part.get("type") in ("text", "file")]
    human = [part for part in said if part.get("synthetic") is not True]
    if not said:
        return
    time = time_of(members(info.get("time")).get("created"))
    texts = texts_of(list[Json]([_shown(part) for part in human or said]))
    if human:
        yield from session.user(MAIN, line, texts, resets=True, time=time)
    else:
        yield from session.user(MAIN, line, texts, source=SYNTHETIC, resets=False, time=time)


def _shown(part: Record) -> Json:
    """Return a part as a content block: a file goes by what kind of data it is."""
    if part.get("type") == "text":
        return {"text": text(part.get("text")) or ""}
    return {"type": (text(part.get("mime")) or "").partition("/")[0]}


def _assistant(
    session: Session, line: int | None, info: Record, parts: list[Record], key: int
) -> Iterator[Event]:
    """Tell one step: what the model says, its calls with their results, the step's end."""
    times = members(info.get("time"))
    texts = tuple(
        said
        for part in parts
        if part.get("type") == "text" and (said := text(part.get("text"))) is not None
    )
    counted = [part.get("tokens") for part in parts if part.get("type") == "step-finish"]
    usage = _usage(next(iter(counted), None) or info.get("tokens"))
    time = time_of(times.get("created"))
    yield from session.assistant(MAIN, line, texts, key=key, usage=usage, time=time)
    for part in parts:
        if part.get("type") == "tool":
            yield from _call(session, line, part, key)
    yield from session.end_step(MAIN, line)


def _call(session: Session, line: int | None, part: Record, key: int) -> Iterator[Event]:
    name, state = text(part.get("tool")), members(part.get("state"))
    if name is None:
        yield malformed(session, line, "a tool part without a tool")
        return
    arguments = state.get("input")
    yield from session.call(
        MAIN,
        name,
        line,
        call_id=text(part.get("callID")),
        text=text(arguments),
        value=arguments,
        key=key,
        answer=_answer(state, line) if text(state.get("status")) in SETTLED else None,
        time=time_of(members(state.get("time")).get("start")),
    )


def _answer(state: Record, line: int | None) -> Answer:
    failed = state.get("status") == "error"
    shown = text(state.get("error" if failed else "output")) or ""
    metadata = members(state.get("metadata"))
    exit_code = metadata.get("exit")
    value: dict[str, Json] = {"exitCode": exit_code} if isinstance(exit_code, int) else {}
    timed_out = _TIMED_OUT.search(shown[-TAIL:])
    if timed_out is not None:
        value |= {"timedOut": True, "timeoutMs": int(timed_out[1])}
    return Answer(
        line=line,
        status=_status(shown, metadata) if failed else _ended(value),
        texts=(shown,) if shown else (),
        value=value or None,
        is_error=failed,
        time=time_of(members(state.get("time")).get("end")),
    )


def _ended(value: dict[str, Json]) -> Status:
    return Status.TIMEOUT if "timedOut" in value else Status.OK


def _status(error: str, metadata: Record) -> Status:
    if error.startswith(ABORTED) or metadata.get("interrupted") is True:
        return Status.ABORTED
    return Status.DENIED if error.startswith(DENIED) else Status.ERROR


def _usage(tokens: Json) -> Usage | None:
    if not isinstance(tokens, dict):
        return None
    cached = total(members(tokens.get("cache")), "read", "write")
    return Usage(input=total(tokens, "input") + cached, output=total(tokens, "output", "reasoning"))


FORMAT: Final = Format(
    name=NAME,
    title="opencode session (export)",
    where="what opencode export <session id> prints",
    shape=Shape.DOCUMENT,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=partial(OpencodeReader, form=NAME),
    records=records,
    lossy="lines, resumes; the session of each subagent is exported on its own",
)
