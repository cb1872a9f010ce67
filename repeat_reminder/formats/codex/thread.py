"""What the lines of a Codex rollout say.

Every human prompt stands in the log twice: as a role-user item, as the model reads it, and right
behind it as ``event_msg/user_message``. The event tells, and the item is dropped. Logs without
such events tell a human by the item: one that is no fragment which Codex injects. A log is read
once, so items count as human until the first event has been seen.

``*_end`` events repeat calls, and ``compacted`` repeats history: neither is read.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from repeat_reminder.batches import Batch, PlainCall
from repeat_reminder.events import Event, Json, Usage
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.human import injected_source, is_human
from repeat_reminder.formats.shared.lenient import MAIN, members, text, total
from repeat_reminder.formats.shared.response_items import ResponseItems

KIND: Final = "codex"

INJECTED: Final = (
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<user_instructions>",
    "<environment_context>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<hook_prompt",
    "<goal_context>",
    "<codex_internal_context",
    "<recommended_plugins>",
    "<external_",
    "Warning: apply_patch was requested via ",
    "Warning: The maximum number of unified exec processes",
    "Warning: Your account was flagged for potentially high-risk",
)
"""Beginnings of the fragments that Codex puts into role user."""

TURN_EVENTS: Final = frozenset({"task_started", "turn_started", "turn_aborted"})
"""Events behind which another response follows."""


class _Prompt(NamedTuple):
    """A role-user item that waits for its event."""

    line: int | None
    texts: tuple[str, ...]
    time: float | None


class Thread:
    """One thread: maps its lines, told apart by their envelope."""

    def __init__(self, session: Session) -> None:
        """Take the session that its header announces."""
        self._session = session
        self._items = ResponseItems(session, MAIN)
        self._prompts: list[_Prompt] = []
        self._events_tell = False
        """There are events for human prompts: an item alone is none."""
        self._said: str | None = None
        """The newest event's prompt, in case its item comes behind it."""
        self._total: Json = None
        """The newest token totals: the same count is told more than once."""
        self.empty = True
        """Nothing but headers so far."""
        self._envelopes: dict[str, Callable[[int | None, Record, float | None], Iterable[Event]]]
        self._envelopes = {
            "response_item": self.item,
            "event_msg": self._event,
            "turn_context": self._turn_context,
            "compacted": self._compacted,
            "inter_agent_communication": self._inter_agent,
        }

    @property
    def id(self) -> str:
        """Id of the thread, which is that of its session."""
        return self._session.start.session

    @property
    def undecided(self) -> bool:
        """Whether the next line decides about prompts, or shows that the thread is not empty."""
        return self.empty or bool(self._prompts) or self._said is not None

    @property
    def is_free(self) -> bool:
        """Whether the next call is sure to be of a step of its own."""
        return not self.undecided and self._session.is_free(MAIN, self._items.next_step)

    @property
    def session(self) -> Session:
        """The session, for whoever takes calls of its one agent."""
        return self._session

    def note_tokens(self, info: Record) -> None:
        """Take note of a token count that was left out: the same may be told again."""
        self._total = info.get("total_token_usage")

    def take(
        self, entries: Sequence[PlainCall], prompts: int, *, spoke: bool
    ) -> list[Event | Batch]:
        """See `ResponseItems.take`. Each of the prompts had its event."""
        self._events_tell |= prompts > 0
        return self._items.take(entries, prompts, spoke=spoke)

    def begin_turn(self) -> None:
        """Take note of a turn whose line was left out: what follows is of another response."""
        self._items.end_response()

    def envelope(
        self, kind: str, line: int | None, payload: Record, time: float | None
    ) -> Iterable[Event]:
        """Map the payload of one line."""
        self.empty = False
        handler = self._envelopes.get(kind)
        return () if handler is None else handler(line, payload, time)

    def resume(self, line: int | None) -> Iterator[Event]:
        """Take note that the thread was loaded from this file."""
        yield from self._flush()
        if not self.empty:
            self._items.end_response()
            yield from self._session.resume(None, line)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the thread."""
        yield from self._flush()
        yield from self._session.end(line)

    # ------------------------------------------------------------ one method an envelope

    def item(self, line: int | None, item: Record, time: float | None) -> Iterator[Event]:
        """Map one item of the conversation."""
        self.empty = False
        if item.get("type") != "message":
            yield from self._flush()
            yield from self._items.item(line, item, time)
            return
        texts, role = texts_of(item.get("content")), item.get("role")
        if role == "user" and texts:
            yield from self._user_item(_Prompt(line, texts, time))
        elif role == "assistant" and texts:
            yield from self._flush()
            yield from self._items.assistant(line, texts, time=time)

    def _user_item(self, prompt: _Prompt) -> Iterator[Event]:
        if not is_human(prompt.texts, INJECTED):
            yield from self._not_human(prompt)
        elif self._said is not None and "".join(prompt.texts) == self._said:
            self._said = None
        else:
            self._prompts.append(prompt)

    def _event(self, line: int | None, event: Record, time: float | None) -> Iterator[Event]:
        kind = event.get("type")
        if kind == "user_message":
            yield from self._user_event(line, event, time)
        elif kind == "token_count":
            yield from self._token_count(line, event.get("info"), time)
        elif isinstance(kind, str) and kind in TURN_EVENTS:
            yield from self._flush()
            self._items.end_response()

    def _turn_context(self, _line: int | None, _: Record, _time: float | None) -> Iterator[Event]:
        yield from self._flush()
        self._items.end_response()

    def _compacted(self, line: int | None, _: Record, _time: float | None) -> Iterator[Event]:
        yield from self._flush()
        yield from self._session.compaction(MAIN, line)

    def _inter_agent(self, line: int | None, said: Record, time: float | None) -> Iterator[Event]:
        texts = texts_of(said.get("content"))
        if texts:
            yield from self._flush()
            yield from self._not_human(_Prompt(line, texts, time), "inter-agent")

    # ------------------------------------------------------------ prompts

    def _user_event(self, line: int | None, event: Record, time: float | None) -> Iterator[Event]:
        message = text(event.get("message")) or ""
        self._events_tell = True
        # The item right before has the whole content, images too.
        prompt = self._prompts.pop() if self._prompts else None
        yield from self._flush()
        self._said = message if prompt is None else None
        if event.get("kind") not in (None, "plain"):
            yield from self._not_human(prompt or _Prompt(line, (message,), time))
            return
        self._items.end_response()
        texts = (message,) if prompt is None else prompt.texts
        yield from self._session.user(MAIN, line, texts, resets=True, time=time)

    def _flush(self) -> Iterator[Event]:
        """Decide about the items that no event came for."""
        waiting, self._prompts = self._prompts, []
        self._said = None
        for prompt in waiting:
            if self._events_tell:
                yield from self._not_human(prompt)
            else:
                self._items.end_response()
                line, texts, time = prompt
                yield from self._session.user(MAIN, line, texts, resets=True, time=time)

    def _not_human(self, prompt: _Prompt, kind: str | None = None) -> Iterator[Event]:
        line, texts, time = prompt
        source = injected_source(KIND, texts, INJECTED)
        if kind is not None:
            source = {"kind": KIND, "type": kind}
        self._items.end_response()
        yield from self._session.user(MAIN, line, texts, source=source, resets=False, time=time)

    def _token_count(self, line: int | None, info: Json, time: float | None) -> Iterator[Event]:
        if not isinstance(info, dict) or info.get("total_token_usage") == self._total:
            return
        self._total = info.get("total_token_usage")
        last = members(info.get("last_token_usage"))
        usage = Usage(input=total(last, "input_tokens"), output=total(last, "output_tokens"))
        yield from self._items.assistant(line, (), usage=usage, time=time)
