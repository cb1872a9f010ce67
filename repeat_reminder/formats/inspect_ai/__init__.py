"""Inspect AI logs: ``logs/*.eval``, an archive with a member a sample, or ``.json``, a document.

Every sample and epoch is a session. A step is one assistant message; results are messages of role
``tool``. A human's are the user messages with ``source: input``: the others are the harness's and
the solver's. Long texts lie in ``attachments``, messages point at them.

Memory: of an archive one sample at a time, of a document all of it.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Failure, Json, Status
from repeat_reminder.formats import model
from repeat_reminder.formats.inspect_ai.samples import samples
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, USER, Answer, Session
from repeat_reminder.formats.shared.blocks import said
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import MAIN, malformed, members, objects, started, text

NAME: Final = "inspect"
HEADERS: Final = ("header.json", "_journal/start.json")
POINTER: Final = "attachment://"
SOLVER: Final[dict[str, Json]] = {"kind": NAME, "type": "solver"}
STATUSES: Final = {"timeout": Status.TIMEOUT, "approval": Status.DENIED}
"""Kinds of a tool error that are not simply errors."""

UNSPOKEN: Final = frozenset({"reasoning", "tool_use"})
"""Parts of what an assistant message holds that are not said."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: an archive with samples and a header, or a document with both."""
    names = frozenset(sample.names)
    if sample.kind == "zip":
        header = next((name for name in HEADERS if name in names), None)
        return None if header is None else f"an archive with {header}"
    document = members(sample.document)
    if "version" not in document or not isinstance(document.get("eval"), dict):
        return None
    held = next((key for key in ("samples", "plan") if key in document), None)
    return None if held is None else f"a document with version, eval and {held}"


class InspectReader:
    """Reads samples; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a sample."""
        sample, epoch = (record.get(key) for key in ("id", "epoch"))
        known = isinstance(sample, str | int) and isinstance(epoch, int)
        session_id = f"{sample}/{epoch}" if known else text(record.get("uuid"))
        # Every run of a task has the same samples.
        start = replace(started(self._origin, NAME, line, session_id), unique_id=False)
        session = Session(start, ids_repeat=True, patience=PATIENCE)
        yield from session.begin()
        _resolve(record.get("messages"), members(record.get("attachments")))
        for step, message in enumerate(objects(record.get("messages"))):
            match message.get("role"):
                case "user":
                    yield from _user(session, line, message)
                case "assistant":
                    yield from _assistant(session, line, message, step)
                case "tool":
                    yield from _result(session, line, message)
                case _:
                    pass
        yield from session.end(line)

    def end(self, line: int | None) -> Iterator[Event]:  # noqa: ARG002 - see Reader
        """End nothing: a sample ends where it stands."""
        yield from ()


def _resolve(value: Json, attachments: Record) -> None:
    """Put attached texts where the messages point at them."""
    todo: list[Json] = [value] if attachments else []
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            for key, inner in node.items():
                node[key] = _resolved(inner, attachments)
            todo += node.values()
        elif isinstance(node, list):
            node[:] = [_resolved(inner, attachments) for inner in node]
            todo += node


def _resolved(value: Json, attachments: Record) -> Json:
    if isinstance(value, str) and value.startswith(POINTER):
        attached = attachments.get(value.removeprefix(POINTER))
        return attached if isinstance(attached, str) else value
    return value


def _user(session: Session, line: int | None, message: Record) -> Iterator[Event]:
    human = message.get("source") == "input"
    texts = texts_of(message.get("content")) or ("",)
    source = USER if human else SOLVER
    yield from session.user(MAIN, line, texts, source=source, resets=human)


def _assistant(session: Session, line: int | None, message: Record, step: int) -> Iterator[Event]:
    content = message.get("content")
    texts = said(content, UNSPOKEN)
    yield from session.assistant(MAIN, line, texts, key=step)
    for call in objects(message.get("tool_calls")):
        name, arguments = text(call.get("function")), call.get("arguments")
        if name is None:
            yield malformed(session, line, "a tool call without a function")
            continue
        yield from session.call(
            MAIN,
            name,
            line,
            call_id=text(call.get("id")),
            text=text(arguments),
            value=arguments,
            key=step,
        )


def _result(session: Session, line: int | None, message: Record) -> Iterator[Event]:
    call_id = text(message.get("tool_call_id"))
    if call_id is None:
        yield malformed(session, line, "a tool message without a tool_call_id")
        return
    yield from session.result(call_id, _answer(line, message), line, agent=MAIN)


def _answer(line: int | None, message: Record) -> Answer:
    texts, error = texts_of(message.get("content")), message.get("error")
    if not isinstance(error, dict):
        return Answer(line=line, texts=texts)
    kind, why = text(error.get("type")), text(error.get("message"))
    status = STATUSES.get(kind or "", Status.ERROR)
    if why is not None and not any(texts):
        texts = (why,)
    return Answer(
        line=line,
        status=status,
        texts=texts,
        value={"timedOut": True} if status is Status.TIMEOUT else None,
        is_error=status is not Status.TIMEOUT,
        failure=Failure(name=kind, message=why),
    )


FORMAT: Final = Format(
    name=NAME,
    title="Inspect AI log",
    where="logs/<time>_<task>_<id>.eval or .json",
    shape=Shape.ARCHIVE,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=InspectReader,
    records=samples,
    lossy="lines, times, exit codes; calls that a compaction took out of the messages",
)
