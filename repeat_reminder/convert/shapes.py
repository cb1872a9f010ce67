"""Events as canonical records: what each says, apart from where it stands in a step."""

from collections.abc import Sequence
from typing import Final

from repeat_reminder.convert.lanes import StepKey
from repeat_reminder.events import (
    AgentEnd,
    AgentStart,
    AssistantMessage,
    Failure,
    InjectedMessage,
    Json,
    SessionStart,
    Source,
    Status,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats import canonical
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.content import MILLISECONDS_FROM

MAIN: Final = "main"
"""The agent of a record that names none."""
HUMAN: Final = "user"
NOT_HUMAN: Final = "not-human"
"""Kind of a message that has a human's kind in its log and yet resets nothing."""
UNKNOWN: Final = "unknown"
UNNAMED: Final = "unnamed"


def session_record(start: SessionStart) -> Record:
    """Say that a session begins."""
    foreign = start.format and start.format != canonical.NAME
    return _record(
        "session",
        schema=f"{canonical.SCHEMA}@{canonical.MAJOR}",
        id=start.session,
        harness={"format": start.format} if foreign else None,
        cwd=start.cwd,
        results=start.records_results,
        labels=dict(start.labels) if start.labels is not None else None,
        parent_session=start.parent,
    )


def agent_record(start: AgentStart) -> Record:
    """Introduce an agent."""
    return _record("agent", id=_named(start.agent.id), parent=start.parent, name=start.name)


def agent_end_record(end: AgentEnd) -> Record:
    """Say that an agent is gone."""
    return _record("agent", id=_named(end.agent.id), state="end")


def call_record(call: ToolCall, call_id: str, step: StepKey | None) -> Record:
    """Say that a call starts, and in which step."""
    record = _record("tool_call", id=call_id, agent=agent_of(call.agent.id), name=call.name)
    if call.arguments_text is None:
        record["arguments"] = call.arguments
    else:
        record["arguments_text"] = call.arguments_text
    named = {} if step is None else step.record()
    return record | named | _rest(nested=call.nested or None, ts=_time(call.time))


def result_record(result: ToolResult, call_id: str, *, name_agent: bool) -> Record:
    """Say that a call settles; whose it is, if several agents may have a call with the id."""
    agent = result.call.agent.id
    return _record(
        "tool_result",
        call_id=call_id,
        agent=_named(agent) if name_agent else agent_of(agent),
        status=None if result.status is Status.OK else result.status.value,
        content=_content(result.texts),
        value=result.value,
        error=_error(result.failure),
        ts=_time(result.time),
    )


def user_record(message: UserMessage) -> Record:
    """Say what the model read in role user; the source's kind says whether it resets."""
    source = _source(message.source)
    if message.resets != (source["kind"] == HUMAN):
        source = {"kind": HUMAN} if message.resets else {**source, "kind": NOT_HUMAN}
    return _record(
        "user_message",
        agent=agent_of(message.agent.id),
        content=_content(message.texts) if message.texts else [],
        source=None if source == {"kind": HUMAN} else source,
        ts=_time(message.time),
    )


def assistant_record(message: AssistantMessage, step: StepKey | None) -> Record:
    """Say what the model said; with the step's name where it said it inside the step."""
    usage = message.usage
    return (
        _record(
            "assistant_message",
            agent=agent_of(message.agent.id),
            content=_content(message.texts),
            usage=None if usage is None else {"input": usage.input, "output": usage.output},
        )
        | ({} if step is None else step.record())
        | _rest(ts=_time(message.time))
    )


def injected_record(message: InjectedMessage, after: str | None) -> Record:
    """Say what a plugin injected; its landing is where the record stands."""
    return _record(
        "injected_message",
        agent=agent_of(message.agent.id),
        content=_content(message.texts),
        source=_source(message.source),
        after_call_id=after,
        ts=_time(message.time),
        meta=None if message.delivered is not False else {"delivered": False},
    )


def bare_record(kind: str, agent: str | None, **rest: Json) -> Record:
    """Make a record that says nothing but whom it concerns."""
    return _record(kind, agent=None if agent is None else agent_of(agent), **rest)


def agent_of(agent: str) -> str | None:
    """Return how a record names an agent: not at all, if it is the default."""
    return None if agent == MAIN else _named(agent)


def _named(agent: str) -> str:
    """Return an agent's name; an empty one would mean the default."""
    return agent or UNNAMED


def _record(kind: str, **fields: Json) -> Record:
    return {"type": kind, **_rest(**fields)}


def _rest(**fields: Json) -> Record:
    return {key: value for key, value in fields.items() if value is not None}


def _content(texts: Sequence[str]) -> Json:
    """Return one text as it is, several as blocks, none as nothing."""
    if len(texts) == 1:
        return texts[0]
    return [{"type": "text", "text": text} for text in texts] or None


def _source(source: Source) -> Record:
    kind = source.get("kind")
    return {**source, "kind": kind if isinstance(kind, str) else UNKNOWN}


def _error(failure: Failure | None) -> Json:
    if failure is None:
        return None
    return _rest(name=failure.name, code=failure.code, message=failure.message) or None


def _time(seconds: float | None) -> Json:
    """Return epoch milliseconds where a reader takes the number for such, else seconds."""
    if seconds is None:
        return None
    milliseconds = round(seconds * 1000)
    return milliseconds if milliseconds > MILLISECONDS_FROM else seconds
