"""What ``codex exec --json`` prints: items of a thread, as they start and complete.

A call is an item that names what was run; the tool's name is the item's type. An item that starts
and completes is one call. The stream holds no prompts, so nothing resets a chain, and no steps:
calls that start before an earlier one has completed are taken for one step. To-do lists are updated
in place and are no calls here.

Memory: what `Session` keeps.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from repeat_reminder.events import Event, Failure, Json, Status, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import MAIN, members, started, text, total, whole

NAME: Final = "codex-exec"

ITEM_EVENTS: Final = frozenset({"item.started", "item.updated", "item.completed"})

KNOWN_LATE: Final = frozenset({"web_search"})
"""Items whose arguments stand only in the completed item."""

STATUSES: Final = {"failed": Status.ERROR, "declined": Status.DENIED}


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: the thread's start, or an item with its type."""
    for record in sample.records:
        kind = record.get("type")
        if kind == "thread.started" and isinstance(record.get("thread_id"), str):
            return "a line of type thread.started with a thread_id"
        item = record.get("item")
        if isinstance(kind, str) and kind in ITEM_EVENTS and isinstance(item, dict):
            return f"a line of type {kind} with an item"
    return None


class CodexExecReader:
    """Reads the events of one run; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a stream."""
        self._origin = origin
        self._session: Session | None = None
        self._started: set[str] = set()
        """Items that have started and not completed."""
        self._calls: dict[str, Callable[[Record], tuple[str, Json] | None]] = {
            "command_execution": _command,
            "file_change": _file_change,
            "mcp_tool_call": _mcp_call,
            "collab_tool_call": _collab_call,
            "web_search": _web_search,
        }

    def record(self, line: int | None, record: Record) -> Iterable[Event]:
        """Map one event."""
        kind, item = record.get("type"), record.get("item")
        if kind == "thread.started":
            return self._thread(line, record.get("thread_id"))
        if isinstance(item, dict) and kind in ("item.started", "item.completed"):
            return self._item(line, item, completed=kind == "item.completed")
        if kind == "turn.completed":
            return self._turn_completed(line, record.get("usage"))
        return ()

    def end(self, line: int | None) -> Iterator[Event]:
        """End the run."""
        if self._session is not None:
            yield from self._session.end(line)

    def _thread(self, line: int | None, given: Json) -> Iterator[Event]:
        """Begin a thread, or resume it: a stream may hold several runs of one."""
        thread_id = text(given)
        if self._session is not None and self._session.start.session == thread_id:
            self._started.clear()
            yield from self._session.resume(None, line)
            return
        if self._session is not None:
            yield from self._session.end(line - 1 if line else None)
        self._started.clear()
        self._session = self._begin(line, thread_id)
        yield from self._session.begin()

    def _begin(self, line: int | None, thread_id: str | None) -> Session:
        start = started(self._origin, NAME, line, thread_id)
        # Items count from 0 again in every run of a thread.
        return Session(start, ids_repeat=True)

    def _item(self, line: int | None, item: Record, *, completed: bool) -> Iterator[Event]:
        session = self._session = self._session or self._begin(line, None)
        kind, item_id = item.get("type"), item.get("id")
        said = text(item.get("text"))
        if kind == "agent_message" and completed and said is not None:
            yield from session.assistant(MAIN, line, (said,))
        described = self._calls.get(kind) if isinstance(kind, str) else None
        call = described(item) if described is not None else None
        if call is None or not isinstance(item_id, str):
            return
        name, value = call
        answer = _answer(line, item) if completed else None
        if answer is not None and item_id in self._started:
            self._started.remove(item_id)
            yield from session.result(item_id, answer, line, agent=MAIN)
        elif completed or kind not in KNOWN_LATE:
            if not completed:
                self._started.add(item_id)
            yield from session.call(MAIN, name, line, call_id=item_id, value=value, answer=answer)

    def _turn_completed(self, line: int | None, value: Json) -> Iterator[Event]:
        if self._session is not None and isinstance(value, dict):
            usage = Usage(input=total(value, "input_tokens"), output=total(value, "output_tokens"))
            yield from self._session.assistant(MAIN, line, (), usage=usage)


def _command(item: Record) -> tuple[str, Json] | None:
    return "command_execution", {"command": item.get("command")}


def _file_change(item: Record) -> tuple[str, Json] | None:
    return "file_change", {"changes": item.get("changes")}


def _mcp_call(item: Record) -> tuple[str, Json] | None:
    server, tool = item.get("server"), item.get("tool")
    if not isinstance(server, str) or not isinstance(tool, str):
        return None
    return f"{server}.{tool}", item.get("arguments")


def _collab_call(item: Record) -> tuple[str, Json] | None:
    tool = item.get("tool")
    asked: dict[str, Json] = {"prompt": item.get("prompt"), "to": item.get("receiver_thread_ids")}
    return (tool, asked) if isinstance(tool, str) else None


def _web_search(item: Record) -> tuple[str, Json] | None:
    action = item.get("action")
    return "web_search", {"query": item.get("query")} if action is None else action


def _answer(line: int | None, item: Record) -> Answer:
    status = item.get("status")
    ended = STATUSES.get(status, Status.OK) if isinstance(status, str) else Status.OK
    code = whole(item.get("exit_code"))
    return Answer(
        line=line,
        status=ended,
        texts=_texts(item),
        value=None if code is None else {"exitCode": code},
        # A command that ran and failed tells its exit code instead.
        is_error=ended is Status.DENIED or (ended is Status.ERROR and not code),
        failure=_failure(item.get("error")),
    )


def _texts(item: Record) -> tuple[str, ...]:
    output = item.get("aggregated_output")
    if isinstance(output, str):
        return (output,)
    return texts_of(members(item.get("result")).get("content"))


def _failure(error: Json) -> Failure | None:
    message = text(members(error).get("message"))
    return None if message is None else Failure(message=message)


FORMAT: Final = Format(
    name=NAME,
    title="codex exec --json",
    where="standard output of `codex exec --json`, saved to a file",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=CodexExecReader,
    lossy="prompts, steps, and the arguments of tools that are no command",
)
