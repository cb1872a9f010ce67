"""Events without what their texts, arguments and ids said, and with the same story.

What decides about counts, resets and landings stays: tools, the equality of arguments, statuses,
whose message it is, structure and order. Times are left out. The names of tools and of arguments
stay, and so do the words of guards.

Memory: about 200 bytes for each different text and each call, and the calls without a result.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from repeat_reminder.convert.arguments import redacted_json, redacted_text
from repeat_reminder.convert.notices import (
    Redacted,
    message_text,
    redacted_source,
    result_text,
)
from repeat_reminder.convert.placeholders import Placeholders
from repeat_reminder.events import (
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    CallId,
    Compaction,
    Event,
    Failure,
    InjectedMessage,
    Json,
    Place,
    Problem,
    Resume,
    SessionEnd,
    SessionId,
    SessionStart,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    UserMessage,
)

MAIN: Final = "main"
"""The agent that everybody has."""
OUTCOMES: Final = frozenset({"stuck", "ok", "unknown"})
"""What the label ``outcome`` may say."""
WORDS: Final = ("kind", "signal")
"""Members of a structured result that name something of the harness."""

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}")


def redacted(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events of one log with placeholders in place of what was said.

    The same log always gives the same placeholders. Problems are passed on as they are.

    Args:
        events: in harness order.
    """
    redactor = Redactor()
    for event in events:
        yield redactor.event(event)


class Redactor:
    """Redacts one log."""

    def __init__(self) -> None:
        """Begin with no placeholder given."""
        self._placeholders = Placeholders()
        self._tools: set[str] = set()
        self._calls: dict[tuple[Agent, CallId], CallId] = {}
        """By id, the newest call that has it: ids may come again."""
        self._open: dict[tuple[Agent, int], ToolCall] = {}
        self._latest: dict[Agent, dict[str, Redacted]] = {}

    def event(self, event: Event) -> Event:  # noqa: C901, PLR0911, PLR0912 - one arm per event
        """Redact one event."""
        match event:
            case Problem():
                return event
            case SessionStart():
                return self._session(event)
            case SessionEnd():
                return replace(event, session=self._session_id(event.session))
            case Resume():
                agent = None if event.agent is None else self._agent(event.agent)
                return replace(event, session=self._session_id(event.session), agent=agent)
            case ToolCall():
                return self._call(event)
            case ToolResult():
                return self._result(event)
            case UserMessage() | InjectedMessage():
                return self._message(event)
            case AssistantMessage():
                texts = tuple(map(self._placeholders.text, event.texts))
                return replace(event, agent=self._agent(event.agent), texts=texts, time=None)
            case AgentStart():
                return self._agent_start(event)
            case StepEnd():
                after = self._place(event.agent, event.after)
                return replace(event, agent=self._agent(event.agent), after=after)
            case StepStart():
                return replace(event, agent=self._agent(event.agent))
            case AgentEnd():
                return replace(event, agent=self._agent(event.agent))
            case Compaction():
                return replace(event, agent=self._agent(event.agent))

    # ------------------------------------------------------------ who

    def _session_id(self, session: str) -> SessionId:
        return SessionId(self._placeholders.id("session", session))

    def _agent(self, agent: Agent) -> Agent:
        return Agent(self._session_id(agent.session), self._agent_id(agent.id))

    def _agent_id(self, agent: str) -> str:
        """Replace an agent's id; one that is its session's has the same placeholder."""
        if agent == MAIN:
            return agent
        known = (self._placeholders.known(kind, agent) for kind in ("agent", "session"))
        return next(filter(None, known), None) or self._placeholders.id("agent", agent)

    def _place(self, agent: Agent, place: Place | None) -> Place | None:
        known = None if place is None else self._calls.get((agent, place.call_id))
        return None if place is None or known is None else Place(place.line, known)

    def _session(self, start: SessionStart) -> SessionStart:
        session = self._session_id(start.session)
        parent = None if start.parent is None else self._session_id(start.parent)
        return replace(
            start,
            session=session,
            cwd=None if start.cwd is None else self._placeholders.text(start.cwd),
            parent=parent,
            labels=None if start.labels is None else self._labels(start.labels),
        )

    def _labels(self, labels: Mapping[str, Json]) -> Mapping[str, Json]:
        outcome = labels.get("outcome")
        known = isinstance(outcome, str) and outcome in OUTCOMES
        return self._members(labels, {"outcome": outcome} if known else {})

    def _members(self, members: Mapping[str, Json], kept: Mapping[str, Json]) -> dict[str, Json]:
        """Redact the members of an object but for some."""
        rest = {key: None if key in kept else value for key, value in members.items()}
        changed = redacted_json(rest, self._placeholders)
        return {**changed, **kept} if isinstance(changed, dict) else {}

    def _agent_start(self, start: AgentStart) -> AgentStart:
        return replace(
            start,
            agent=self._agent(start.agent),
            parent=None if start.parent is None else self._agent_id(start.parent),
            name=None if start.name is None else self._placeholders.text(start.name),
        )

    # ------------------------------------------------------------ what

    def _call(self, call: ToolCall) -> ToolCall:
        text = call.arguments_text
        call_id = CallId(self._placeholders.next("call"))
        self._calls[call.agent, call.id] = call_id
        changed = replace(
            call,
            agent=self._agent(call.agent),
            id=call_id,
            arguments_text=None if text is None else redacted_text(text, self._placeholders),
            arguments=redacted_json(call.arguments, self._placeholders) if text is None else None,
            time=None,
        )
        self._tools.add(call.name)
        self._open[call.agent, call.index] = changed
        self._latest.setdefault(call.agent, {})[call.name] = Redacted(call, changed)
        return changed

    def _result(self, result: ToolResult) -> ToolResult:
        call = self._open.pop((result.call.agent, result.call.index), None)
        return replace(
            result,
            call=self._call(result.call) if call is None else call,
            texts=tuple(result_text(text, self._placeholders) for text in result.texts),
            value=self._value(result.value),
            failure=None if result.failure is None else self._failure(result.failure),
            time=None,
        )

    def _value(self, value: Json) -> Json:
        """Redact a structured result; guards read its numbers and two of its words."""
        if not isinstance(value, dict):
            return redacted_json(value, self._placeholders)
        words = ((key, value.get(key)) for key in WORDS)
        kept = {key: word for key, word in words if isinstance(word, str) and _WORD.fullmatch(word)}
        return self._members(value, kept)

    def _failure(self, failure: Failure) -> Failure:
        message = failure.message
        return Failure(
            name=self._word(failure.name),
            code=self._word(failure.code),
            message=None if message is None else self._placeholders.text(message),
        )

    def _word(self, word: str | None) -> str | None:
        """Keep the name of an error; replace what is none."""
        if word is None or _WORD.fullmatch(word):
            return word
        return self._placeholders.text(word)

    def _message(self, message: UserMessage | InjectedMessage) -> UserMessage | InjectedMessage:
        latest = self._latest.get(message.agent, {})
        texts = tuple(message_text(text, latest, self._placeholders) for text in message.texts)
        source = redacted_source(message.source, self._tools, self._placeholders)
        agent = self._agent(message.agent)
        if isinstance(message, UserMessage):
            return replace(message, agent=agent, texts=texts, source=source, time=None)
        trigger = self._place(message.agent, message.trigger)
        return replace(message, agent=agent, texts=texts, source=source, trigger=trigger, time=None)
