"""SWE-agent trajectories: ``trajectories/<user>/<run>/<instance>/<instance>.traj``, one document.

Each step of ``trajectory`` holds an action, as the model wrote it, and what was observed: that is a
call of ``action`` with the trimmed text, and its result. A step without an action is an answer that
could not be parsed: no call. ``history`` repeats all that in the roles of a chat, observations as
``user``; only its first message of that role, behind the demonstrations, is a human's.

A file of several ``attempts`` is one session each; its own ``trajectory`` is a copy of one of them.

Memory: the document.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Json, SessionId
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import MAIN, malformed, members, objects, started, text
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "swe-agent"
TOOL: Final = "action"


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a document with a trajectory of actions and observations."""
    document = members(sample.document)
    attempts = [document, *objects(document.get("attempts"))]
    for attempt in attempts:
        steps = attempt.get("trajectory")
        if any("action" in step and "observation" in step for step in objects(steps)):
            return "a document with a trajectory of actions and observations"
        if steps == [] and "history" in attempt:
            return "a document with trajectory and history"
    return None


def records(log: Log) -> Iterator[Record]:
    """Yield the attempts; a document without is one itself.

    Raises:
        FormatError: the file is not one JSON value.
    """
    document = members(document_of(log))
    attempts = [each for each in objects(document.get("attempts")) if "trajectory" in each]
    yield from attempts or [document]


class SweAgentReader:
    """Reads attempts; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin
        self._attempts = 0

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map an attempt."""
        self._attempts += 1
        start = started(self._origin, NAME, line, None)
        if self._attempts > 1:
            start = replace(start, session=SessionId(f"{start.session}-{self._attempts}"))
        session = Session(start)
        yield from session.begin()
        yield from _task(session, line, record.get("history"))
        for number, step in enumerate(objects(record.get("trajectory")), 1):
            yield from _step(session, line, number, step)
        yield from session.end(line)

    def end(self, line: int | None) -> Iterator[Event]:  # noqa: ARG002 - see Reader
        """End nothing: an attempt ends in its own document."""
        yield from ()


def _task(session: Session, line: int | None, history: Json) -> Iterator[Event]:
    """Give out what the human asked for."""
    for message in objects(history):
        if message.get("role") == "user" and message.get("is_demo") is not True:
            texts = texts_of(message.get("content")) or ("",)
            yield from session.user(MAIN, line, texts, resets=True)
            return


def _step(session: Session, line: int | None, number: int, step: Record) -> Iterator[Event]:
    said, action = text(step.get("thought")), step.get("action")
    if said is None:
        said = text(step.get("response"))
    yield from session.assistant(MAIN, line, () if said is None else (said,), key=number)
    if not isinstance(action, str | None):
        yield malformed(session, line, f"step {number}: an action that is no text")
        return
    action = (action or "").strip()
    if not action:
        return
    observed = step.get("observation")
    answer = None if observed is None else Answer(line=line, texts=texts_of(observed))
    yield from session.call(
        MAIN,
        TOOL,
        line,
        call_id=None if answer is not None else f"step-{number}",
        value={TOOL: action},
        key=number,
        answer=answer,
    )


FORMAT: Final = Format(
    name=NAME,
    title="SWE-agent trajectory",
    where="trajectories/<user>/<run>/<instance>/<instance>.traj",
    shape=Shape.DOCUMENT,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=SweAgentReader,
    records=records,
    lossy="lines, ids, times, exit codes; whether an action was blocked before it ran",
)
