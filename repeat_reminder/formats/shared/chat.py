"""Chat messages, as OpenAI's and Anthropic's APIs take them, and as agents mix the two.

A step is one assistant message. Its results are messages of role ``tool`` or ``function``, blocks
in a message of role ``user``, or stand in the call itself. A message of role ``user`` is a human's
unless it brings results or is nothing but ``<system-reminder>``.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Event, Json, Status, Usage
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.human import injected_source, is_human
from repeat_reminder.formats.shared.lenient import MAIN, malformed, members, objects, total

KIND: Final = "chat"
INJECTED: Final = ("<system-reminder>",)

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

UNSAID: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking")
"""Blocks of an assistant message that are not what it says."""

ARGUMENTS: Final = ("arguments", "args", "input", "parameters")
"""Where call entries that are not OpenAI's own hold the arguments."""


class ChatMessages:
    """Maps the messages of one session."""

    def __init__(self, session: Session) -> None:
        """Take the session the messages belong to."""
        self._session = session
        self._step = 0
        self._unnamed: list[tuple[str, str]] = []
        """Open calls that the log gives no id: tool and the id given here, oldest first."""
        self._handlers: dict[str, Callable[[int | None, Record], Iterable[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "tool": self._tool,
            "function": self._tool,
        }

    def message(self, line: int | None, message: Record) -> Iterable[Event]:
        """Map one message."""
        role = message.get("role")
        handler = self._handlers.get(role) if isinstance(role, str) else None
        return () if handler is None else handler(line, message)

    def _user(self, line: int | None, message: Record) -> Iterator[Event]:
        content, time = message.get("content"), time_of(message.get("timestamp"))
        results = [block for block in objects(content) if block.get("type") == "tool_result"]
        for block in results:
            yield from self._answer(line, block, block.get("tool_use_id"), time)
        if results:
            content = [block for block in objects(content) if block.get("type") != "tool_result"]
        texts = texts_of(content)
        if not texts:
            return
        if not results and is_human(texts, INJECTED):
            yield from self._session.user(MAIN, line, texts, resets=True, time=time)
            return
        source = injected_source(KIND, texts, INJECTED)
        yield from self._session.user(MAIN, line, texts, source=source, resets=False, time=time)

    def _assistant(self, line: int | None, message: Record) -> Iterator[Event]:
        self._step += 1
        content, calls = message.get("content"), [*_calls(message)]
        if isinstance(content, list):
            content = [block for block in content if members(block).get("type") not in UNSAID]
        texts, usage = texts_of(content), _usage(message.get("usage"))
        time = time_of(message.get("timestamp"))
        if texts or usage or not calls:
            yield from self._session.assistant(
                MAIN, line, texts, key=self._step, usage=usage, time=time
            )
        for entry in calls:
            yield from self._call(line, entry, time)

    def _call(self, line: int | None, entry: Record, time: float | None) -> Iterator[Event]:
        name, arguments, free_text = _described(entry)
        if not isinstance(name, str):
            yield malformed(self._session, line, "a tool call without a name")
            return
        call_id = entry.get("id")
        if not isinstance(call_id, str):
            call_id = f"unnamed-{self._session.calls_of(MAIN) + 1}"
            self._unnamed.append((name, call_id))
        output = entry.get("output")
        yield from self._session.call(
            MAIN,
            name,
            line,
            call_id=call_id,
            text=arguments if isinstance(arguments, str) and not free_text else None,
            value=None if isinstance(arguments, str) and not free_text else arguments,
            key=self._step,
            answer=None if output is None else _answer(line, {"content": output}, time),
            time=time,
        )

    def _tool(self, line: int | None, message: Record) -> Iterator[Event]:
        time = time_of(message.get("timestamp"))
        call_id = message.get("tool_call_id") or self._oldest(message.get("name"))
        yield from self._answer(line, message, call_id, time)

    def _answer(
        self, line: int | None, block: Record, call_id: Json, time: float | None
    ) -> Iterator[Event]:
        if isinstance(call_id, str):
            answer = _answer(line, block, time)
            yield from self._session.result(call_id, answer, line, agent=MAIN)
        else:
            yield malformed(self._session, line, "a result without a call's id")

    def _oldest(self, name: Json) -> str | None:
        """Take the oldest open call without id, of that tool if it is named."""
        for position, (tool, call_id) in enumerate(self._unnamed):
            if name in (None, tool):
                del self._unnamed[position]
                return call_id
        return None


def _calls(message: Record) -> Iterator[Record]:
    """Yield the call entries of an assistant message, in model order."""
    blocks = [b for b in objects(message.get("content")) if b.get("type") == "tool_use"]
    yield from blocks
    # Some writers hold the same call both as a block and as an entry.
    known = [block.get("id") for block in blocks]
    yield from (e for e in objects(message.get("tool_calls")) if e.get("id") not in known)
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield legacy


def _described(entry: Record) -> tuple[Json, Json, bool]:
    """Return name, arguments, and whether they are free text, of any shape of call entry."""
    inner = entry.get("function")
    if isinstance(inner, dict):
        return inner.get("name"), inner.get("arguments"), False
    custom = entry.get("custom")
    if isinstance(custom, dict):
        return custom.get("name"), custom.get("input"), True
    name = next((entry[key] for key in ("name", "tool", "function") if key in entry), None)
    return name, next((entry[key] for key in ARGUMENTS if key in entry), None), False


def _answer(line: int | None, block: Record, time: float | None) -> Answer:
    content = block.get("content")
    failed = block.get("is_error") is True or block.get("status") == "error"
    texts = texts_of(content)
    if not texts and content is not None:
        texts = (jsontext.dumps(content).decode(),)
    return Answer(
        line=line,
        status=Status.ERROR if failed else Status.OK,
        texts=texts,
        is_error=failed,
        time=time,
    )


def _usage(value: Json) -> Usage | None:
    """Read token counts under the names of either API."""
    if not isinstance(value, dict):
        return None
    return Usage(
        input=total(value, "input_tokens") or total(value, "prompt_tokens"),
        output=total(value, "output_tokens") or total(value, "completion_tokens"),
    )
