"""What the lines of a Claude Code transcript say, once it is known whose they are."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats.claude_code.messages import KIND, author_of, kind_of
from repeat_reminder.formats.claude_code.results import answer_of
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import malformed, members, objects, text, total

SYNTHETIC: Final = "<synthetic>"
"""The model of assistant lines that Claude Code itself wrote, such as API errors."""

COMPACTIONS: Final = ("compact_boundary", "microcompact_boundary")

INPUT_TOKENS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Place(NamedTuple):
    """Whose line it is."""

    session: Session
    agent: str
    line: int | None
    time: float | None


Names: TypeAlias = tuple[str, str | None, bool]
"""What a line says of session, agent and sidechain."""


class Owner(NamedTuple):
    """Whose a line is that was not read."""

    session: Session
    agent: str
    is_new: bool
    """The agent has still to be introduced."""


Handler = Callable[[Place, Record], Iterable[Event]]


class Lines:
    """Maps lines of every type that says something; the others give nothing."""

    def __init__(self) -> None:
        """Know of no message yet."""
        self._usage: dict[tuple[Session, str], tuple[str | None, Usage]] = {}
        """What has been said of the newest message's tokens, by agent."""
        self._handlers: dict[str, Handler] = {
            "user": self._user,
            "assistant": self._assistant,
            "attachment": self._attachment,
            "system": self._system,
        }

    def handler(self, kind: Json) -> Handler | None:
        """Return what maps lines of a type; None for one that says nothing."""
        return self._handlers.get(kind) if isinstance(kind, str) else None

    def _assistant(self, place: Place, record: Record) -> Iterator[Event]:
        message = members(record.get("message"))
        content = message.get("content")
        if not isinstance(content, str | list):
            yield malformed(place.session, place.line, "assistant line without message content")
            return
        if record.get("isApiErrorMessage") is True or message.get("model") == SYNTHETIC:
            return
        session, agent, line, time = place
        key = text(message.get("id"))
        blocks = blocks_of(content)
        texts = texts_of([block for block in blocks if block.get("type") == "text"])
        usage = self._new_usage(place, key, message.get("usage"))
        if texts or usage:
            # A message without an id is a step of its own.
            yield from session.assistant(
                agent, line, texts, key=key or line, usage=usage, time=time
            )
        for block in blocks:
            if block.get("type") != "tool_use":
                continue
            name = block.get("name")
            if not isinstance(name, str):
                yield malformed(session, line, "tool_use without a name")
                continue
            yield from session.call(
                agent,
                name,
                line,
                call_id=text(block.get("id")),
                value=block.get("input"),
                key=key or line,
                time=time,
            )

    def heard(self, session: Session, agent: str, key: str, value: Json) -> None:
        """Take note of the newest message of an agent, whose line was not read."""
        if isinstance(value, dict):
            self._usage[session, agent] = key, _usage_of(value)

    def _new_usage(self, place: Place, key: str | None, value: Json) -> Usage | None:
        """Return the tokens that no earlier line of the same message has told."""
        if not isinstance(value, dict):
            return None
        now = _usage_of(value)
        agent = (place.session, place.agent)
        before_key, before = self._usage.get(agent, (None, now))
        self._usage[agent] = key, now
        if key is None or before_key != key:
            return now
        new = Usage(
            input=max(0, now.input - before.input), output=max(0, now.output - before.output)
        )
        return new if new.input or new.output else None

    def _user(self, place: Place, record: Record) -> Iterator[Event]:
        content = members(record.get("message")).get("content")
        if not isinstance(content, str | list):
            yield malformed(place.session, place.line, "user line without message content")
            return
        results = [block for block in blocks_of(content) if block.get("type") == "tool_result"]
        if results:
            yield from _results(place, record, results)
            content = [block for block in blocks_of(content) if block.get("type") != "tool_result"]
        texts = texts_of(content)
        if not texts:
            return
        kind = "beside-result" if results else kind_of(record)
        yield from _message(place, texts, kind)

    def _attachment(self, place: Place, record: Record) -> Iterator[Event]:
        """Take in a message that was queued while the agent worked, or a hook's context."""
        attachment = members(record.get("attachment"))
        if attachment.get("type") == "queued_command":
            texts = texts_of(attachment.get("prompt"))
            if texts:
                yield from _message(place, texts, kind_of(attachment))
        elif attachment.get("type") == "hook_additional_context":
            texts = texts_of(attachment.get("content"))
            if texts:
                session, agent, line, time = place
                hook: dict[str, Json] = {"kind": KIND, "type": "hook-context"}
                yield from session.injected(agent, line, texts, hook, time=time)

    def _system(self, place: Place, record: Record) -> Iterator[Event]:
        if record.get("subtype") in COMPACTIONS:
            yield from place.session.compaction(place.agent, place.line)


def _usage_of(value: Record) -> Usage:
    return Usage(input=total(value, *INPUT_TOKENS), output=total(value, "output_tokens"))


def _message(place: Place, texts: tuple[str, ...], kind: str | None) -> Iterator[Event]:
    session, agent, line, time = place
    source, human = author_of(texts, kind)
    yield from session.user(agent, line, texts, source=source, resets=human, time=time)


def _results(place: Place, record: Record, blocks: list[Record]) -> Iterator[Event]:
    told = members(record.get("toolUseResult")) if len(blocks) == 1 else {}
    for block in blocks:
        call_id = block.get("tool_use_id")
        if isinstance(call_id, str):
            # An agent is named only in its own lines; within a file an id tells the call.
            agent = place.agent if "agentId" in record else None
            answer = answer_of(block, told, place.line, place.time)
            yield from place.session.result(call_id, answer, place.line, agent=agent)
        else:
            yield malformed(place.session, place.line, "tool_result without tool_use_id")


def blocks_of(content: Json) -> list[Record]:
    """Return the blocks of message content that are objects."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
