"""τ-bench results: one JSON list, an entry a run of a task, ``traj`` its OpenAI messages (`chat`).

Each entry is a session. The user is played by a model; what it says is a human message. Agents
without tool calls write ``Action: {"name": …, "arguments": …}``, and the answer comes as a
user-role message that begins ``API output:``.

Memory: the document.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder import jsontext
from repeat_reminder.events import Event, Json
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.chat import ChatMessages
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import members, objects, started, text
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.source import Log

NAME: Final = "tau-bench"
RESULT: Final = "API output: "
ACTION: Final = "Action:"


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: an entry with task_id and a list of messages under traj."""
    whole = sample.document
    for entry in [whole, *objects(whole), *sample.records]:
        if isinstance(entry, dict) and "task_id" in entry and isinstance(entry.get("traj"), list):
            return "an entry with task_id and traj"
    return None


def records(log: Log) -> Iterator[Record]:
    """Yield the entries.

    Raises:
        FormatError: the file is not one JSON value.
    """
    document = document_of(log)
    yield from objects(document if isinstance(document, list) else [document])


class TauBenchReader:
    """Reads entries; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a file."""
        self._origin = origin
        self._entries = 0

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map a run of a task."""
        self._entries += 1
        messages = record.get("traj")
        if not isinstance(messages, list):
            return
        task, trial = _name(record.get("task_id")), _name(record.get("trial"))
        session_id = f"{task or self._entries}/{trial or '0'}"
        # Every file has a task 0.
        start = replace(started(self._origin, NAME, line, session_id), unique_id=False)
        session = Session(start, ids_repeat=True, patience=PATIENCE)
        mapper = ChatMessages(session)
        yield from session.begin()
        for message in _with_calls(objects(messages)):
            yield from mapper.message(line, message)
        yield from session.end(line)

    def end(self, line: int | None) -> Iterator[Event]:  # noqa: ARG002 - see Reader
        """End nothing: an entry ends where it stands."""
        yield from ()


def _name(value: Json) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _with_calls(messages: list[Record]) -> Iterator[Record]:
    """Yield the messages; calls and results that are written in texts get their proper shape."""
    for number, message in enumerate(messages):
        following = messages[number + 1] if number + 1 < len(messages) else {}
        previous = messages[number - 1] if number else {}
        if _is_result(following) and (call := _written(message)) is not None:
            entry: Record = {"id": f"unnamed-{number}", "function": call}
            yield {**message, "tool_calls": [entry]}
        elif _is_result(message) and _written(previous) is not None:
            said = "".join(texts_of(message.get("content"))).removeprefix(RESULT)
            yield {"role": "tool", "tool_call_id": f"unnamed-{number - 1}", "content": said}
        else:
            yield message


def _is_result(message: Record) -> bool:
    content = text(message.get("content"))
    return message.get("role") == "user" and content is not None and content.startswith(RESULT)


def _written(message: Record) -> Record | None:
    """Return name and arguments of the action at an answer's end, as the agent parses it."""
    content = text(message.get("content"))
    if message.get("role") != "assistant" or content is None or message.get("tool_calls"):
        return None
    try:
        action = members(jsontext.loads(content.rpartition(ACTION)[2].strip()))
    except (jsontext.NotJson, jsontext.TooDeep):
        return None
    return action if isinstance(action.get("name"), str) else None


FORMAT: Final = Format(
    name=NAME,
    title="τ-bench results",
    where="results/<agent>-<model>-<temperature>_….json",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=TauBenchReader,
    records=records,
    lossy="times, tokens, exit codes",
)
