"""pi and Copilot CLI: how calls ended, who speaks, tokens, agents."""

from typing import Final

import pytest

from repeat_reminder.events import (
    AgentStart,
    AssistantMessage,
    Compaction,
    Failure,
    InjectedMessage,
    Json,
    Problem,
    Resume,
    SessionStart,
    Status,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from repeat_reminder.formats import copilot_cli, pi
from repeat_reminder.formats.model import Format, Record
from tests.readers import events_of, file_events, of_type

TIME: Final = "2026-02-03T10:00:00Z"


def entry(role: str, content: Json, **rest: Json) -> Record:
    message: Json = {"role": role, "content": content, **rest}
    return {"type": "message", "timestamp": TIME, "message": message}


PI_CALL: Final = entry(
    "assistant", [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}]
)

PI_ENDINGS: Final = [
    pytest.param("x", False, Status.OK, None, id="ok"),
    pytest.param("x", True, Status.ERROR, None, id="error"),
    pytest.param(
        "x\n\nCommand exited with code 2", True, Status.ERROR, {"exitCode": 2}, id="exit-code"
    ),
    pytest.param("Command exited with code 2", False, Status.OK, None, id="an-output-like-it"),
    pytest.param("Command exited with code 2\nx", True, Status.ERROR, None, id="not-at-the-end"),
    pytest.param(
        "x\nCommand timed out after 5 seconds",
        True, Status.TIMEOUT, {"timedOut": True}, id="timeout",
    ),
    pytest.param("x\nCommand aborted", True, Status.ABORTED, None, id="aborted"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "status", "value"), PI_ENDINGS)
def test_how_a_call_of_pi_ends(text: str, error: Json, status: Status, value: Json) -> None:
    answer = entry("toolResult", [{"type": "text", "text": text}], toolCallId="c", isError=error)
    (result,) = of_type(events_of(pi.FORMAT, [PI_CALL, answer]), ToolResult)
    assert (result.status, result.value, result.is_error) == (status, value, error)
    assert (result.texts, result.time) == ((text,), 1770112800.0)


def test_what_extensions_say_is_injected() -> None:
    events = file_events(pi.FORMAT, "injected.jsonl")
    (message,) = of_type(events, InjectedMessage)
    assert (message.texts, message.line) == (("lint failed",), 5)
    assert message.source == {"kind": "plugin", "plugin": "auto-lint"}
    assert [message.line for message in of_type(events, UserMessage)] == [2, 14]
    assert [event.line for event in of_type(events, Compaction)] == [9]
    (hook,) = of_type(file_events(pi.FORMAT, "version-1.jsonl"), InjectedMessage)
    assert hook.source == {"kind": "plugin", "plugin": "clock"}


def test_what_a_session_of_pi_says_of_itself() -> None:
    events = file_events(pi.FORMAT, "injected.jsonl")
    (start,) = of_type(events, SessionStart)
    assert (start.session, start.cwd, start.unique_id) == ("pi-a", "/home/ann/shop", True)
    assert not start.unique_call_ids
    message = of_type(events, AssistantMessage)[0]
    assert (message.texts, message.usage) == (("I build.",), Usage(input=29, output=7))


def test_a_log_without_its_beginning_is_named_after_its_file() -> None:
    (start,) = of_type(events_of(pi.FORMAT, [PI_CALL]), SessionStart)
    assert (start.session, start.unique_id, start.line) == ("log", False, 1)


def test_a_second_header_begins_another_session() -> None:
    header: Record = {"type": "session", "id": "a", "timestamp": TIME, "cwd": "/w"}
    events = events_of(pi.FORMAT, [header, PI_CALL, {**header, "id": "b"}, PI_CALL])
    assert [call.agent.session for call in of_type(events, ToolCall)] == ["a", "b"]


# ---------------------------------------------------------------- Copilot CLI


def event(kind: str, **data: Json) -> Record:
    return {"type": kind, "data": data, "id": "e", "parentId": None, "timestamp": TIME}


ASK: Final = event(
    "assistant.message", content="", toolRequests=[{"toolCallId": "c", "name": "bash"}]
)
SHELL: Final = "x\n<exited with exit code 2>"

COPILOT_ENDINGS: Final = [
    pytest.param(
        {"success": True, "result": {"content": "x"}}, Status.OK, ("x",), None, id="success"
    ),
    pytest.param({"success": True, "result": "x"}, Status.OK, ("x",), None, id="text"),
    pytest.param({"result": {"contents": [{"text": "x"}]}}, Status.OK, ("x",), None, id="blocks"),
    pytest.param(
        {"result": {"result_type": "success", "text_result_for_llm": "x"}},
        Status.OK, ("x",), None, id="older-success",
    ),
    pytest.param(
        {"result": {"result_type": "denied", "text_result_for_llm": "x"}},
        Status.DENIED, ("x",), None, id="older-denied",
    ),
    pytest.param(
        {"success": True, "result": {"content": SHELL}},
        Status.OK, (SHELL,), {"exitCode": 2}, id="exit-code",
    ),
    pytest.param(
        {"success": False, "error": {"message": "no", "code": "failure"}},
        Status.ERROR, ("no",), None, id="failure",
    ),
    pytest.param(
        {"success": False, "error": {"message": "no", "code": "rejected"}},
        Status.DENIED, ("no",), None, id="rejected",
    ),
    pytest.param(
        {"success": False, "error": {"message": "no", "code": "timeout"}},
        Status.TIMEOUT, ("no",), None, id="timeout",
    ),
    pytest.param({"success": False, "error": "no"}, Status.ERROR, ("no",), None, id="error-text"),
    pytest.param(
        {"success": False, "result": {"content": "x"}}, Status.ERROR, ("x",), None, id="no-error"
    ),
    pytest.param({}, Status.OK, (), None, id="nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "status", "texts", "value"), COPILOT_ENDINGS)
def test_how_a_call_of_copilot_ends(
    data: Record, status: Status, texts: tuple[str, ...], value: Json
) -> None:
    answer = event("tool.execution_complete", toolCallId="c", **data)
    (result,) = of_type(events_of(copilot_cli.FORMAT, [ASK, answer]), ToolResult)
    assert (result.status, result.texts, result.value) == (status, texts, value)
    assert result.is_error == (status is not Status.OK)


def test_the_error_of_a_result_is_kept() -> None:
    error: Json = {"message": "no", "code": "rejected"}
    answer = event("tool.execution_complete", toolCallId="c", success=False, error=error)
    (result,) = of_type(events_of(copilot_cli.FORMAT, [ASK, answer]), ToolResult)
    assert result.failure == Failure(code="rejected", message="no")


SPEAKERS: Final[list[tuple[Record, str | None]]] = [
    ({}, None),
    ({"source": "user"}, None),
    ({"source": "system"}, "system"),
    ({"source": "agent-1"}, "agent-1"),
    ({"source": 5}, "unknown"),
]


@pytest.mark.parametrize(("data", "kind"), SPEAKERS)
def test_who_speaks_to_copilot(data: Record, kind: str | None) -> None:
    record = event("user.message", content="go", transformedContent="<now>\ngo", **data)
    (message,) = of_type(events_of(copilot_cli.FORMAT, [record]), UserMessage)
    assert (message.texts, message.resets) == (("go",), kind is None)
    assert message.source.get("type") == kind


def test_what_misses_its_id_or_name_is_left_out() -> None:
    records = [
        event("tool.execution_start", toolName="bash"),
        event("tool.execution_start", toolCallId="c"),
        event("tool.user_requested"),
        event("subagent.started"),
        event("other.type"),
    ]
    problems = of_type(events_of(copilot_cli.FORMAT, records), Problem)
    assert [(problem.kind, problem.line) for problem in problems] == [
        ("malformed", 1),
        ("malformed", 2),
    ]


def test_agents_of_copilot() -> None:
    events = file_events(copilot_cli.FORMAT, "subagent.jsonl")
    (agent,) = of_type(events, AgentStart)
    assert (agent.agent.id, agent.parent, agent.name, agent.line) == ("t1", "main", "explore", 5)
    nested = event("subagent.started", toolCallId="t2", parentToolCallId="t1")
    (agent,) = of_type(events_of(copilot_cli.FORMAT, [nested]), AgentStart)
    assert (agent.agent.id, agent.parent, agent.name) == ("t2", "t1", None)


def test_what_a_session_of_copilot_says_of_itself() -> None:
    events = file_events(copilot_cli.FORMAT, "twice-and-out-of-order.jsonl")
    (start,) = of_type(events, SessionStart)
    assert (start.session, start.cwd) == ("cp-a", "/home/ann/shop")
    assert (start.unique_id, start.unique_call_ids) == (True, True)
    messages = of_type(events, AssistantMessage)
    assert messages[-1].texts == ("done",)
    assert {message.usage for message in messages} == {Usage(output=12)}
    assert [event.line for event in of_type(events, Compaction)] == [18]
    calls = of_type(events, ToolCall)
    assert calls[0].arguments_text == '{"command":"ls","all":1.0}'
    assert (calls[2].arguments_text, calls[2].arguments) == (None, {"all": 1, "command": "ls"})


def test_resumes_of_copilot() -> None:
    events = file_events(copilot_cli.FORMAT, "resume-user-tools-cut.jsonl")
    assert [event.line for event in of_type(events, Resume)] == [8]
    assert [start.line for start in of_type(events, SessionStart)] == [1, 14]


NOTES: Final = [
    pytest.param(
        copilot_cli.FORMAT, "twice-and-out-of-order.jsonl",
        [("copy", 14), ("stray-result", 16), ("unfinished", 17)], id="copilot-cli",
    ),
    pytest.param(pi.FORMAT, "parallel-reused-ids.jsonl", [("unfinished", 8)], id="pi"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "name", "told"), NOTES)
def test_what_is_noted(form: Format, name: str, told: list[tuple[str, int]]) -> None:
    problems = of_type(file_events(form, name), Problem)
    assert [(problem.kind, problem.line) for problem in problems] == told
