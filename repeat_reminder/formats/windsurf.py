"""Windsurf Cascade transcripts: one line a step of the trajectory.

A line has a ``type``, a ``status`` and an object under the name of its type, which holds what the
model asked for and what came of it side by side. So the arguments are that object without what is
known to come of a call. A call settles in its own line, once its status is done or error.

Memory: what `Session` keeps.
"""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.events import Event, Json, Severity, Status
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.blocks import result_texts
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import MAIN, started, text, whole

NAME: Final = "windsurf"
HUMAN: Final = "user_input"
MODEL: Final = "planner_response"
SILENT: Final = frozenset(
    {"checkpoint", "ephemeral_message", "system_message", "error_message", "conversation_history"}
)
"""Steps that neither a human nor the model takes."""

OUTCOMES: Final = frozenset(
    {
        *("content", "output", "exit_code", "total_results"),
        *("user_rejected", "acknowledgement_type"),
    }
)
"""What comes of a call, beside its arguments."""

SETTLED: Final = frozenset({"done", "error"})


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a type, a status, and an object under the type's name."""
    for record in sample.records:
        kind, status = record.get("type"), record.get("status")
        if isinstance(kind, str) and isinstance(status, str) and isinstance(record.get(kind), dict):
            return f"a record of type {kind} with a status and an object {kind}"
    return None


class WindsurfReader:
    """Reads the lines of one file; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None
        self._step = 0

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one step of the trajectory."""
        kind = record.get("type")
        body = record.get(kind) if isinstance(kind, str) else None
        if not isinstance(kind, str) or not isinstance(body, dict) or kind in SILENT:
            return
        session = self._session
        if session is None:
            session = self._session = Session(started(self._origin, NAME, line, None))
        self._step += 1
        if kind == HUMAN:
            texts = (text(body.get("user_response")) or "",)
            yield from session.user(MAIN, line, texts, resets=True)
        elif kind == MODEL:
            said = texts_of(body.get("response"))
            yield from session.assistant(MAIN, line, said, key=self._step)
        else:
            arguments = {key: value for key, value in body.items() if key not in OUTCOMES}
            answer = _answer(line, text(record.get("status")), body)
            yield from session.call(
                MAIN, kind, line, value=arguments, key=self._step, answer=answer
            )
            if answer is None:
                message = f"a call of {kind} has no result: it does not count"
                yield session.problem(line, Severity.NOTE, "unfinished", message)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the session."""
        if self._session is not None:
            yield from self._session.end(line)


def _answer(line: int | None, said: str | None, body: Record) -> Answer | None:
    if said not in SETTLED:
        return None
    status = Status.ERROR if said == "error" else Status.OK
    verdict = text(body.get("acknowledgement_type")) or ""
    if body.get("user_rejected") is True or verdict.endswith("_REJECT"):
        status = Status.DENIED
    code = whole(body.get("exit_code"))
    value: Json = None if code is None else {"exitCode": code}
    return Answer(
        line=line,
        status=status,
        texts=result_texts(body.get("output", body.get("content"))),
        value=value,
        is_error=status is not Status.OK,
    )


FORMAT: Final = Format(
    name=NAME,
    title="Windsurf Cascade transcript",
    where="~/.windsurf/transcripts/<trajectory id>.jsonl",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=WindsurfReader,
    lossy="ids, times, parallel calls; outcomes under names that are not known count as arguments",
)
