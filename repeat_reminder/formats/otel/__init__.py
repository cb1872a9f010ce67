"""OpenTelemetry traces with the GenAI conventions: a call is a span of ``execute_tool``.

Spans are written as they end, so they are sorted by their start. They tell nothing of messages: no
human message resets, and a call counts at the call. What a span says of conversation and agent
counts for the spans below it too; without a conversation a trace is a session. A span right below
one of the same call (a client's inside an agent's) is that call again.

Arguments are only recorded on request. Where no span has any, calls cannot be compared: they are
left out, for all calls of a tool would look the same.

Memory: all spans of calls, and of every other span four short texts, until the end.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from repeat_reminder.events import Event, Problem, Severity, Status
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.otel.spans import NANOSECONDS, Span, spans_of
from repeat_reminder.formats.otel.tree import CALL, CALL_ID, OPERATION, TOOL, Tree
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.blocks import result_texts
from repeat_reminder.formats.shared.lenient import MAIN, objects, started, text
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "otel"
PREFIX: Final = "gen_ai."
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a span with an attribute of the GenAI conventions."""
    whole = sample.document
    for record in [*(objects(whole) if isinstance(whole, list) else ()), *sample.records]:
        for span in spans_of(record):
            found = next((key for key in span.attributes if key.startswith(PREFIX)), None)
            if found is not None:
                return f"a span with the attribute {found[:60]}"
    return None


def records(log: Log) -> Iterator[Record]:
    """Yield the records of a file that is one JSON value.

    Raises:
        FormatError: the file is not one JSON value.
    """
    document = document_of(log)
    yield from objects(document if isinstance(document, list) else [document])


class _Call(Struct, frozen=True, kw_only=True):
    line: int | None
    tool: str
    span: Span
    again: bool
    """The span stands in the file twice."""


class OtelReader:
    """Reads spans; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin
        self._tree = Tree()
        self._calls: list[_Call] = []

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Keep the spans of a record."""
        for span in spans_of(record):
            again = not self._tree.add(span)
            if span.attribute(OPERATION) != CALL:
                continue
            tool = span.attribute(TOOL)
            if tool is None:
                yield self._problem(line, "malformed", "a span of execute_tool without a tool name")
            else:
                self._calls.append(_Call(line=line, tool=tool, span=span, again=again))

    def end(self, line: int | None) -> Iterator[Event]:
        """Map what was kept, session by session in the order of their first calls."""
        calls, self._calls = self._calls, []
        if calls and not any(ARGUMENTS in call.span.attributes for call in calls):
            yield self._without_arguments(calls)
            return
        sessions: dict[str, list[_Call]] = {}
        for call in sorted(calls, key=lambda call: call.span.start):
            span = call.span
            session_id = self._tree.conversation(span) or span.trace or self._origin.name
            sessions.setdefault(session_id, []).append(call)
        for session_id, its_calls in sessions.items():
            yield from self._map(session_id, its_calls, line)

    def _map(self, session_id: str, calls: list[_Call], line: int | None) -> Iterator[Event]:
        start = started(self._origin, NAME, calls[0].line, session_id)
        session = Session(replace(start, unique_id=False, records_results=False), ids_repeat=True)
        yield from session.begin()
        for call in calls:
            span, call_id = call.span, call.span.attribute(CALL_ID)
            if call.again or self._tree.is_inner(span):
                yield session.copy(call_id or span.id or call.tool, call.line)
                continue
            arguments = span.attributes.get(ARGUMENTS)
            yield from session.call(
                self._tree.agent(span) or MAIN,
                call.tool,
                call.line,
                call_id=call_id,
                text=text(arguments),
                value={} if arguments is None else arguments,
                answer=_answer(call),
                time=span.start / NANOSECONDS,
            )
        yield from session.end(line)

    def _without_arguments(self, calls: list[_Call]) -> Problem:
        message = (
            f"no span records arguments, so none of the {len(calls):,} calls can be compared: "
            "left out"
        )
        return replace(
            self._problem(None, "no-arguments", message),
            hint="let the instrumentation record gen_ai.tool.call.arguments (it is opt-in)",
        )

    def _problem(self, line: int | None, kind: str, message: str) -> Problem:
        return Problem(
            path=self._origin.path,
            line=line,
            severity=Severity.WARNING,
            kind=kind,
            message=message,
            skipped=True,
        )


def _answer(call: _Call) -> Answer:
    """Read how a call ended: the span that is the call tells that too."""
    span = call.span
    return Answer(
        line=call.line,
        status=Status.OK if span.failure is None else Status.ERROR,
        texts=result_texts(span.attributes.get(RESULT)),
        is_error=span.failure is not None,
        failure=span.failure,
        time=None if span.end is None else span.end / NANOSECONDS,
    )


FORMAT: Final = Format(
    name=NAME,
    title="OpenTelemetry GenAI spans",
    where="what an OTLP file exporter or a collector writes: one export a line, or one JSON value",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=OtelReader,
    records=records,
    lossy="messages, so nothing ever resets; which calls were made together; often arguments",
)
