"""Claude Code: who speaks, how calls ended, tokens, agents."""

from itertools import count
from typing import Final

import pytest

from repeat_reminder.events import (
    AgentStart,
    AssistantMessage,
    InjectedMessage,
    Json,
    SessionStart,
    Status,
    ToolResult,
    Usage,
    UserMessage,
)
from repeat_reminder.formats import claude_code
from repeat_reminder.formats.model import Record
from tests.readers import events_of, file_events, of_type

_LINES = count(1)


def claude(kind: str, **rest: Json) -> Record:
    line: Record = {"type": kind, "uuid": f"u{next(_LINES)}", "parentUuid": None, "sessionId": "s"}
    return {**line, "timestamp": "2026-02-03T10:00:00.000Z", **rest}


def claude_said(*blocks: Json, **message: Json) -> Record:
    return claude("assistant", message={"id": "m1", "content": [*blocks], **message})


def claude_call(call_id: str = "t1") -> Record:
    return claude_said({"type": "tool_use", "id": call_id, "name": "Bash", "input": {"c": 1}})


def claude_answer(
    content: Json = "ok", *, error: bool = False, told: Json = None, call_id: str = "t1"
) -> Record:
    block: dict[str, Json] = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    if error:
        block["is_error"] = True
    return claude("user", message={"role": "user", "content": [block]}, toolUseResult=told)


REJECTION: Final = "The user doesn't want to proceed with this tool use. It was rejected."

CLAUDE_RESULTS: Final = [
    pytest.param(claude_answer(told="x"), Status.OK, None, id="ok"),
    pytest.param(
        claude_answer("Exit code 3\nno", error=True), Status.ERROR, {"exitCode": 3}, id="exit-code"
    ),
    pytest.param(
        claude_answer("Exit code 3\nno"), Status.OK, None, id="an-output-like-an-exit-code"
    ),
    pytest.param(
        claude_answer("Exit code 99999999999", error=True), Status.ERROR, None, id="no-exit-code"
    ),
    pytest.param(claude_answer(REJECTION, error=True), Status.DENIED, None, id="rejected"),
    pytest.param(
        claude_answer("[Request interrupted by user for tool use]", error=True),
        Status.ABORTED,
        None,
        id="interrupt-marker",
    ),
    pytest.param(
        claude_answer("x", told={"stdout": "x", "interrupted": True}),
        Status.ABORTED,
        {"interrupted": True},
        id="interrupted",
    ),
    pytest.param(
        claude_answer("Exit code 143\nCommand timed out after 2m 0.0s", error=True),
        Status.TIMEOUT,
        {"exitCode": 143, "timedOut": True},
        id="timed-out",
    ),
    pytest.param(
        claude_answer("started", told={"backgroundTaskId": "b1"}),
        Status.OK,
        {"kind": "background"},
        id="background",
    ),
    pytest.param(
        claude_answer("launched", told={"isAsync": True}),
        Status.OK,
        {"kind": "background"},
        id="async-agent",
    ),
    pytest.param(
        claude_answer("page", told={"code": 404, "codeText": "Not Found"}),
        Status.OK,
        {"statusCode": 404},
        id="http-status",
    ),
]


@pytest.mark.parametrize(("line", "status", "value"), CLAUDE_RESULTS)
def test_claude_code_tells_how_a_call_ended(line: Record, status: Status, value: Json) -> None:
    (result,) = of_type(events_of(claude_code.FORMAT, [claude_call(), line]), ToolResult)
    assert (result.status, result.value) == (status, value)
    assert (result.line, result.time) == (2, 1770112800.0)


@pytest.mark.parametrize("error", [True, False])
def test_the_error_flag_is_the_logs_own(*, error: bool) -> None:
    events = events_of(claude_code.FORMAT, [claude_call(), claude_answer(error=error)])
    assert [result.is_error for result in of_type(events, ToolResult)] == [error]


def test_claude_code_results_are_texts_and_other_blocks_by_name() -> None:
    blocks: list[Json] = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, "b"]
    events = events_of(claude_code.FORMAT, [claude_call(), claude_answer(blocks)])
    assert of_type(events, ToolResult)[0].texts == ("a", "[image]", "b")


def test_claude_code_tells_the_tokens_of_a_message_once() -> None:
    """Every line of a message repeats its usage; the output grows while it is streamed."""
    first: dict[str, Json] = {"input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 1}
    lines = [
        claude_said({"type": "thinking", "thinking": ""}, usage=first),
        claude_said({"type": "text", "text": "a"}, usage=first),
        claude_said({"type": "text", "text": "b"}, usage={**first, "output_tokens": 9}),
    ]
    said = of_type(events_of(claude_code.FORMAT, lines), AssistantMessage)
    assert [message.usage for message in said] == [
        Usage(input=105, output=1),
        None,
        Usage(input=0, output=8),
    ]
    assert [message.texts for message in said] == [(), ("a",), ("b",)]


def test_claude_code_itself_is_not_the_model() -> None:
    lines = [
        claude("assistant", isApiErrorMessage=True, message={"id": "e", "content": "API Error"}),
        claude_said({"type": "text", "text": "No response requested."}, model="<synthetic>"),
    ]
    assert of_type(events_of(claude_code.FORMAT, lines), AssistantMessage) == []


def test_claude_code_names_the_sources_of_messages_that_no_human_wrote() -> None:
    events = [
        *file_events(claude_code.FORMAT, "not-human.jsonl"),
        *file_events(claude_code.FORMAT, "denied.jsonl"),
        *file_events(claude_code.FORMAT, "queued.jsonl"),
    ]
    kinds = {m.source["type"] for m in of_type(events, UserMessage) if not m.resets}
    assert kinds >= {
        *("meta", "compact-summary", "task-notification", "peer", "coordinator", "beside-result"),
        *("local-command-stdout", "teammate-message", "system-reminder", "stop-hook-feedback"),
        *("request-interrupted-by-user", "caveat", "ide-opened-file"),
    }
    assert {m.source["kind"] for m in of_type(events, UserMessage) if m.resets} == {"user"}
    hooks = of_type(events, InjectedMessage)
    assert [hook.source["type"] for hook in hooks] == ["hook-context"]


def test_a_session_of_claude_code_says_what_is_known_of_it() -> None:
    start = of_type(file_events(claude_code.FORMAT, "compaction.jsonl"), SessionStart)[0]
    assert (start.session, start.cwd, start.parent) == ("s-0001", "/w/app", None)
    assert start.unique_id
    assert start.unique_call_ids
    assert start.records_results


def test_a_subagents_file_names_its_parent() -> None:
    events = file_events(claude_code.FORMAT, "agent-a1b2c3d4.jsonl")
    assert of_type(events, SessionStart)[0].parent == "parent-session"
    assert [(a.agent.id, a.parent) for a in of_type(events, AgentStart)] == [("a1b2c3d4", "main")]


def test_inline_subagents_are_introduced_as_children() -> None:
    starts = of_type(file_events(claude_code.FORMAT, "sidechains.jsonl"), AgentStart)
    assert [(a.agent.id, a.parent, a.line) for a in starts] == [
        ("side:b1", "main", 5),
        ("side:c1", "main", 10),
    ]


def test_a_session_without_an_id_is_named_after_its_file() -> None:
    line = claude("user", message={"content": "go"})
    del line["sessionId"]
    start = of_type(events_of(claude_code.FORMAT, [line]), SessionStart)[0]
    assert (start.session, start.unique_id) == ("log", False)
