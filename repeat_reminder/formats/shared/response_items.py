"""Items of OpenAI's Responses API, as Codex writes them and as request logs hold them.

A step is what stands between two outputs, user messages or turn starts: the items do not name the
response they came in. A call that runs on the server has its result in its own item.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from repeat_reminder.batches import TOOL, Batch, PlainCall
from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.lenient import malformed, text
from repeat_reminder.formats.shared.outputs import answer_of


class _Hosted(NamedTuple):
    """A call that is no function of the client's: its tool, and what its arguments are."""

    tool: str
    arguments: str


HOSTED: Final[dict[str, _Hosted]] = {
    "web_search_call": _Hosted("web_search", "action"),
    "local_shell_call": _Hosted("local_shell", "action"),
    "shell_call": _Hosted("shell", "action"),
    "computer_call": _Hosted("computer", "action"),
    "tool_search_call": _Hosted("tool_search", "arguments"),
    "file_search_call": _Hosted("file_search", "queries"),
    "code_interpreter_call": _Hosted("code_interpreter", "code"),
}
SELF_ANSWERED: Final = frozenset({"web_search_call", "file_search_call", "code_interpreter_call"})
"""Calls whose outputs never come as items of their own."""

OUTPUTS: Final = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "computer_call_output",
        "tool_search_output",
    }
)
CALLS: Final = frozenset({"function_call", "custom_tool_call", "mcp_call", *HOSTED})


class ResponseItems:
    """Maps the items of one agent, and knows where its steps end."""

    def __init__(self, session: Session, agent: str) -> None:
        """Take the session the items belong to."""
        self._session = session
        self._agent = agent
        self._step = 0
        self._over = False
        """What follows is of the next response."""
        self._handlers: dict[str, Callable[[int | None, Record, float | None], Iterable[Event]]] = {
            "function_call": self._function_call,
            "custom_tool_call": self._custom_tool_call,
            "mcp_call": self._mcp_call,
            **dict.fromkeys(HOSTED, self._hosted_call),
            **dict.fromkeys(OUTPUTS, self._output),
        }

    @property
    def next_step(self) -> int:
        """The step that a call belongs to which comes now."""
        return self._step + self._over

    def take(
        self, entries: Sequence[PlainCall], prompts: int, *, spoke: bool
    ) -> list[Event | Batch]:
        """Take in plain calls, and messages between them.

        Args:
            entries: see `Session.take`.
            prompts: see `Session.take`.
            spoke: the last entry is a message: the step of the last call has ended.
        """
        number = len(entries) - [*map(TOOL, entries)].count(None)
        last = self.next_step + number - 1
        self._step, self._over = last + spoke, not spoke
        key = None if spoke else last
        told, taken = self._session.take(self._agent, entries, number, prompts=prompts, key=key)
        return [*told, Batch(parts=(taken,))]

    def item(self, line: int | None, item: Record, time: float | None = None) -> Iterable[Event]:
        """Map a call or an output; anything else gives nothing."""
        kind = item.get("type")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        return () if handler is None else handler(line, item, time)

    def assistant(
        self,
        line: int | None,
        texts: tuple[str, ...],
        *,
        usage: Usage | None = None,
        time: float | None = None,
    ) -> Iterator[Event]:
        """Take in what the model said."""
        if texts:
            self._advance()
        yield from self._session.assistant(
            self._agent, line, texts, key=self._step, usage=usage, time=time
        )

    def end_response(self) -> None:
        """Take note that what follows is of another response: a turn or a message began."""
        self._over = True

    # ------------------------------------------------------------ one method a kind of item

    def _function_call(self, line: int | None, item: Record, time: float | None) -> Iterator[Event]:
        name, space = item.get("name"), item.get("namespace")
        if isinstance(name, str) and isinstance(space, str) and space:
            name = f"{space}.{name}"
        yield from self._call(line, item, name, item.get("arguments"), time)

    def _custom_tool_call(
        self, line: int | None, item: Record, time: float | None
    ) -> Iterator[Event]:
        """Start a call whose input is free text, such as a patch: it is not read as JSON."""
        value = item.get("input")
        yield from self._call(line, item, item.get("name"), value, time, free_text=True)

    def _mcp_call(self, line: int | None, item: Record, time: float | None) -> Iterator[Event]:
        name = f"{item.get('server_label')}.{item.get('name')}"
        answer = None
        if item.get("output") is not None or item.get("error") is not None:
            failed = item.get("error") is not None
            output = item["error"] if failed else item.get("output")
            answer = answer_of({"output": output, "success": not failed}, line, time)
        yield from self._call(line, item, name, item.get("arguments"), time, answer=answer)

    def _hosted_call(self, line: int | None, item: Record, time: float | None) -> Iterator[Event]:
        kind = str(item["type"])
        tool, field = HOSTED[kind]
        alone = kind in SELF_ANSWERED or not isinstance(item.get("call_id"), str)
        answer = Answer(line=line, time=time) if alone else None
        yield from self._call(line, item, tool, item.get(field), time, answer=answer)

    def _call(  # noqa: PLR0913 - the fields of a call
        self,
        line: int | None,
        item: Record,
        name: Json,
        arguments: Json,
        time: float | None,
        *,
        answer: Answer | None = None,
        free_text: bool = False,
    ) -> Iterator[Event]:
        if not isinstance(name, str):
            yield malformed(self._session, line, f"{item['type']} without a name")
            return
        self._advance()
        as_text = isinstance(arguments, str) and not free_text
        # A call with its own result needs no call id; its item's id tells copies.
        call_id = item.get("call_id") or (item.get("id") if answer is not None else None)
        yield from self._session.call(
            self._agent,
            name,
            line,
            call_id=text(call_id),
            text=arguments if isinstance(arguments, str) and as_text else None,
            value=None if as_text else arguments,
            key=self._step,
            answer=answer,
            time=time,
        )

    def _output(self, line: int | None, item: Record, time: float | None) -> Iterator[Event]:
        call_id = item.get("call_id")
        self._over = True
        if isinstance(call_id, str):
            answer = answer_of(item, line, time)
            yield from self._session.result(call_id, answer, line, agent=self._agent)

    def _advance(self) -> None:
        if self._over:
            self._over = False
            self._step += 1
