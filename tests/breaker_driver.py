"""Drives a breaker by the streams of `breaker.json`, as its harness would: call, gate, result."""

from collections.abc import Iterable, Iterator
from typing import Any

from repeat_reminder.canonical import refused
from repeat_reminder.events import (
    Agent,
    CallId,
    Intervention,
    SessionId,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.policies.breaker import Answer, Breaker, BreakerConfig

SESSION = SessionId("s")
MAIN = Agent(SESSION, "main")
ANSWERS: dict[str, Answer] = {"none": "unattended", "approve": "approve", "reject": "reject"}


def breaker(config: dict[str, Any] | None = None, answer: Answer = "unattended") -> Breaker:
    return Breaker(BreakerConfig.from_mapping(config or {}), answer)


def tool_call(index: int, event: dict[str, Any]) -> ToolCall:
    return ToolCall(
        agent=Agent(SESSION, event.get("agent", "main")),
        id=CallId(f"c{index}"),
        index=index + 1,
        line=index + 1,
        name=event["name"],
        arguments_text=event.get("raw"),
        arguments=event.get("arguments", {}),
        result_recorded=event.get("result_recorded", True),
    )


def tool_result(call: ToolCall, result: dict[str, Any] | None) -> ToolResult:
    given = result or {}
    return ToolResult(
        call=call,
        line=call.line,
        settled_line=call.line,
        status=Status(given.get("status", "ok")),
        texts=texts_of(given.get("content", [])),
        value=given.get("value"),
        is_error=given.get("isError") is True,
    )


def texts_of(content: Any) -> tuple[str, ...]:  # noqa: ANN401 - any JSON, as logs have it
    blocks = [content] if isinstance(content, str) else content
    return tuple(
        block if isinstance(block, str) else (block or {}).get("text", "") for block in blocks
    )


def said(guard: Breaker, events: Iterable[dict[str, Any]]) -> Iterator[tuple[int, Intervention]]:
    """Yield what the guard says, with the position of the event that made it."""
    for index, event in enumerate(events):
        agent = Agent(SESSION, event.get("agent", "main"))
        match event["type"]:
            case "tool_call":
                call = tool_call(index, event)
                if refused(call.arguments_text, call.arguments):
                    continue  # the harness never brings it before its guards
                gate = guard.on_call(call)
                verdict = guard.on_result(tool_result(call, event.get("result")))
                yield from ((index, words) for words in (*gate, *verdict.interventions))
            case "user_message":
                guard.on_user_message(agent)
            case "resume":
                guard.on_agent_gone(agent)
            case "plugin_message":
                pass  # a boundary without a human message reaches no guard
            case other:
                raise AssertionError(other)


def effect(index: int, words: Intervention) -> dict[str, Any]:
    """Spell an intervention as the cases do."""
    found = [
        {"fp": hit.fp, "count": hit.hits, "cap": hit.cap, "track": hit.track}
        for hit in words.fingerprints
    ]
    record: dict[str, Any] = {"index": index, "kind": words.action.value, "fingerprints": found}
    return record | ({} if words.outcome is None else {"outcome": words.outcome})


def effects(guard: Breaker, events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [effect(index, words) for index, words in said(guard, events)]
