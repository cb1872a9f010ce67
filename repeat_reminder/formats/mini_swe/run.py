"""What the messages of a mini-swe-agent run tell; see `mini_swe`."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from repeat_reminder.events import Event, Json, Status, Usage
from repeat_reminder.formats.mini_swe.actions import actions_in
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.lenient import (
    MAIN,
    malformed,
    members,
    objects,
    text,
    total,
    whole,
)

BASH: Final = "bash"
HARNESS: Final[dict[str, Json]] = {"kind": "mini-swe", "type": "harness"}

_CODE: Final = re.compile(r"\s*<returncode>(-?\d{1,10})</returncode>")
_KILLED: Final = re.compile(
    r"The last command <command>.*?</command> timed out and has been", re.DOTALL
)


class Run:
    """Maps the messages of one run."""

    def __init__(self, session: Session) -> None:
        """Take the session that the messages belong to."""
        self._session = session
        self._step = 0
        self._begun = False
        self._open: str | None = None
        """The call in the newest text, until a message answers it."""
        self._roles: dict[str, Callable[[int | None, Record], Iterator[Event]]] = {
            "assistant": self._assistant,
            "user": self._user,
            "tool": self._result,
        }

    def message(self, line: int | None, message: Record) -> Iterator[Event]:
        """Map one message, or one Responses answer."""
        role = message.get("role")
        if message.get("object") == "response":
            yield from self._assistant(line, message)
        elif message.get("type") == "function_call_output":
            yield from self._result(line, message)
        elif isinstance(role, str) and role in self._roles:
            yield from self._roles[role](line, message)

    def _assistant(self, line: int | None, message: Record) -> Iterator[Event]:
        self._step += 1
        self._open = None
        time = _time(message)
        texts = texts_of(message.get("content"))
        yield from self._session.assistant(
            MAIN, line, texts, key=self._step, usage=_usage(message), time=time
        )
        calls = [*objects(message.get("tool_calls")), *_items(message)]
        for entry in calls:
            yield from self._call(line, entry, time)
        if calls:
            return
        actions = actions_in("".join(texts))
        if len(actions) == 1:
            self._open = f"unnamed-{self._session.calls_of(MAIN) + 1}"
            arguments: Record = {"command": actions[0]}
            yield from self._session.call(
                MAIN, BASH, line, call_id=self._open, value=arguments, key=self._step, time=time
            )

    def _call(self, line: int | None, entry: Record, time: float | None) -> Iterator[Event]:
        inner = members(entry.get("function")) or entry
        name, arguments = text(inner.get("name")), inner.get("arguments")
        if name is None:
            yield malformed(self._session, line, "a tool call without a name")
            return
        yield from self._session.call(
            MAIN,
            name,
            line,
            call_id=text(entry.get("call_id")) or text(entry.get("id")),
            text=text(arguments),
            value=arguments,
            key=self._step,
            time=time,
        )

    def _user(self, line: int | None, message: Record) -> Iterator[Event]:
        texts, time = texts_of(message.get("content")), _time(message)
        if not self._begun:
            self._begun = True
            yield from self._session.user(MAIN, line, texts or ("",), resets=True, time=time)
            return
        if self._open is not None:
            call_id, self._open = self._open, None
            yield from self._session.result(call_id, _answer(line, message, texts), line)
            return
        yield from self._session.user(
            MAIN, line, texts or ("",), source=HARNESS, resets=False, time=time
        )

    def _result(self, line: int | None, message: Record) -> Iterator[Event]:
        call_id = text(message.get("tool_call_id")) or text(message.get("call_id"))
        if call_id is None:
            yield malformed(self._session, line, "a result without the id of a call")
            return
        texts = texts_of(message.get("content", message.get("output")))
        yield from self._session.result(call_id, _answer(line, message, texts), line)


def _items(message: Record) -> list[Record]:
    """Return the calls among the items of a Responses answer."""
    items = objects(message.get("output"))
    return [item for item in items if item.get("type") == "function_call"]


def _answer(line: int | None, message: Record, texts: tuple[str, ...]) -> Answer:
    extra, said = members(message.get("extra")), "".join(texts)
    code = whole(extra.get("returncode"))
    if code is None and (written := _CODE.match(said)):
        code = int(written[1])
    killed = _KILLED.match(said) or "timed out" in (text(extra.get("exception_info")) or "")
    value: dict[str, Json] = {} if code is None else {"exitCode": code}
    if killed:
        value["timedOut"] = True
    return Answer(
        line=line,
        status=Status.TIMEOUT if killed else Status.OK,
        texts=texts,
        value=value or None,
        time=_time(message),
    )


def _time(message: Record) -> float | None:
    return time_of(members(message.get("extra")).get("timestamp"))


def _usage(message: Record) -> Usage | None:
    response = members(members(message.get("extra")).get("response"))
    usage = members(response.get("usage")) or members(message.get("usage"))
    if not usage:
        return None
    return Usage(
        input=total(usage, "prompt_tokens", "input_tokens"),
        output=total(usage, "completion_tokens", "output_tokens"),
    )
