"""Cline and Roo Code tasks: ``<global storage>/tasks/<task id>/api_conversation_history.json``.

A step is one assistant message. Its calls are ``tool_use`` blocks or, in older files, the first XML
element named after a tool. Its results are ``tool_result`` blocks, or texts that begin ``[tool for
'x'] Result:`` and name no call: such a text answers the oldest open call of that tool in the
newest step, or the oldest of any if the step has none of that name. A call of an older step that
has no result by then stays unfinished.

Everything else in the user's role is the harness's own text, unless a block or a result brings a
``<task>``, ``<user_message>`` or ``<feedback>``: then it is human. Calls that the log gives no id
are called ``unnamed-1``, ``unnamed-2``, …

Memory: the document.
"""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Json, SessionId, Severity, Status, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.cline.texts import (
    TextResult,
    is_human,
    parts,
    result_of,
    status_of,
    xml_call,
)
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, USER, Answer, Session
from repeat_reminder.formats.shared.blocks import plain_answer, said
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    started,
    text,
    total,
)
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "cline"
GENERIC_NAMES: Final = frozenset({"api_conversation_history", "claude_messages"})
"""Every task's file is called so; its folder is called after the task."""

MARKS: Final = ("<environment_details>", "<task>", "[TASK RESUMPTION]")
INJECTED_SOURCE: Final[dict[str, Json]] = {"kind": NAME, "type": "harness"}


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a list of messages with a text that Cline or Roo writes."""
    for message in _messages(sample.document):
        if message.get("role") != "user" or "type" in message:
            continue
        for part in _texts(message.get("content")):
            mark = next((mark for mark in MARKS if part.lstrip().startswith(mark)), None)
            if mark is not None:
                return f"a user message with a text that begins {mark}"
            if result_of(part) is not None:
                return "a user message with a text that begins [… for …] Result:"
    return None


def _messages(document: Json) -> list[Record]:
    """Return the messages; files from other tools of the family wrap them."""
    if isinstance(document, dict) and not {"sessionId", "info"} & document.keys():
        document = document.get("messages")
    return [message for message in objects(document) if "role" in message]


def records(log: Log) -> Iterator[Record]:
    """Yield the task.

    Raises:
        FormatError: the file is not one JSON value.
    """
    yield {"messages": [*_messages(document_of(log))]}


class ClineReader:
    """Reads tasks; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        start = started(origin, NAME, None, None)
        folder = PurePath(origin.path).parent.name
        if origin.name in GENERIC_NAMES and folder:
            start = replace(start, session=SessionId(folder))
        self._session = Session(start, ids_repeat=True, patience=PATIENCE)
        self._step = 0
        self._native = False
        """Calls are blocks, so an XML element in a text is only text."""
        self._open: list[tuple[str, str]] = []
        """Tool and id of the newest step's calls without a result, in order."""
        self._tools: frozenset[str] = frozenset()
        """All tools of the newest step."""

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a task."""
        messages = objects(record.get("messages"))
        self._native = any(_uses(message.get("content")) for message in messages)
        yield from self._session.begin()
        for message in messages:
            role, time = message.get("role"), time_of(message.get("ts"))
            if message.get("isSummary") is True:
                yield from self._session.compaction(MAIN, line)
            elif role == "assistant":
                yield from self._assistant(line, message, time)
            elif role == "user":
                yield from self._user(line, message.get("content"), time)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the task."""
        yield from self._session.end(line)

    def _assistant(self, line: int | None, message: Record, time: float | None) -> Iterator[Event]:
        self._step += 1
        content = message.get("content")
        texts = said(content)
        calls = _uses(content) if self._native else _written(texts)
        self._open, self._tools = [], frozenset()
        yield from self._session.assistant(
            MAIN, line, texts, key=self._step, usage=_usage(message.get("metrics")), time=time
        )
        for call in calls:
            yield from self._call(line, call, time)

    def _call(self, line: int | None, call: Record, time: float | None) -> Iterator[Event]:
        name, arguments = text(call.get("name")), call.get("input")
        if name is None:
            yield malformed(self._session, line, "a tool_use without a name")
            return
        call_id = text(call.get("id")) or f"unnamed-{self._session.calls_of(MAIN) + 1}"
        self._open.append((name, call_id))
        self._tools |= {name}
        yield from self._session.call(
            MAIN,
            name,
            line,
            call_id=call_id,
            text=text(arguments),
            value=arguments,
            key=self._step,
            time=time,
        )

    def _user(self, line: int | None, content: Json, time: float | None) -> Iterator[Event]:
        """Map results first, then what the user or the harness says."""
        spoken: list[str] = []
        human = False
        for part in parts(content):
            if isinstance(part, dict):
                yield from self._native_result(line, part, time)
                texts = [*texts_of(part.get("content"))]
            elif isinstance(part, TextResult):
                yield from self._text_result(line, part, time)
                texts = part.texts
            else:
                spoken.append(part)
                human = human or is_human(part)
                continue
            feedback = next(filter(is_human, texts), None)
            if feedback is not None:
                spoken.append(feedback)
                human = True
        if spoken:
            source = USER if human else INJECTED_SOURCE
            yield from self._session.user(
                MAIN, line, tuple(spoken), source=source, resets=human, time=time
            )

    def _native_result(
        self, line: int | None, block: Record, time: float | None
    ) -> Iterator[Event]:
        call_id, answer = plain_answer(line, block, time)
        if call_id is None or answer is None:
            yield malformed(self._session, line, "a tool_result without a tool_use_id")
            return
        status = status_of(answer.texts[0]) if answer.texts else Status.OK
        if status is not Status.OK:
            answer = replace(answer, status=status, is_error=True)
        self._open = [entry for entry in self._open if entry[1] != call_id]
        yield from self._session.result(call_id, answer, line, agent=MAIN)

    def _text_result(
        self, line: int | None, result: TextResult, time: float | None
    ) -> Iterator[Event]:
        any_tool = result.tool not in self._tools
        found = next((entry for entry in self._open if any_tool or entry[0] == result.tool), None)
        if found is None:
            message = f"a result of {result.tool} for no open call; ignored"
            yield self._session.problem(line, Severity.NOTE, "stray-result", message)
            return
        self._open.remove(found)
        status = status_of(result.texts[0]) if result.texts else Status.OK
        answer = Answer(
            line=line,
            status=status,
            texts=tuple(result.texts),
            is_error=status is not Status.OK,
            time=time,
        )
        yield from self._session.result(found[1], answer, line, agent=MAIN)


def _uses(content: Json) -> list[Record]:
    return [block for block in objects(content) if block.get("type") == "tool_use"]


def _written(texts: tuple[str, ...]) -> list[Record]:
    """Return the call that is written in the texts, if there is one, as a block."""
    call = xml_call("\n".join(texts))
    return [] if call is None else [{"name": call.tool, "input": call.arguments}]


def _texts(content: Json) -> list[str]:
    blocks = [part for part in objects(content) if isinstance(part.get("text"), str)]
    return [*texts_of(content if isinstance(content, str) else [*blocks])]


def _usage(metrics: Json) -> Usage | None:
    tokens = members(members(metrics).get("tokens"))
    if not tokens:
        return None
    return Usage(input=total(tokens, "prompt", "cached"), output=total(tokens, "completion"))


FORMAT: Final = Format(
    name=NAME,
    title="Cline or Roo Code task",
    where="<editor's global storage>/tasks/<task id>/api_conversation_history.json",
    shape=Shape.DOCUMENT,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=ClineReader,
    records=records,
    lossy="lines, exit codes; which call a result given as text belongs to",
)
