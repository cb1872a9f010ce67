"""Codex: how calls ended, prompts, tokens, threads; and the stream of codex exec."""

from typing import Any, Final

import pytest

from repeat_reminder.events import (
    AssistantMessage,
    Json,
    Resume,
    SessionEnd,
    SessionStart,
    Status,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from repeat_reminder.formats import codex, codex_exec
from repeat_reminder.formats.model import Record
from tests.readers import events_of, file_events, of_type


def codex_line(kind: str, /, **payload: Json) -> Record:
    return {"timestamp": "2026-02-03T10:00:00Z", "type": kind, "payload": payload}


def codex_item(kind: str, /, **rest: Json) -> Record:
    return codex_line("response_item", **{"type": kind, **rest})


def codex_answers(output: Json) -> list[Record]:
    call = codex_item("function_call", name="shell", arguments="{}", call_id="c1")
    return [call, codex_item("function_call_output", call_id="c1", output=output)]


CODEX_RESULTS: Final = [
    pytest.param("plain", Status.OK, None, "plain", id="text"),
    pytest.param(
        "Exit code: 2\nWall time: 1 seconds\nOutput:\nx",
        Status.OK,
        {"exitCode": 2},
        None,
        id="exit-code",
    ),
    pytest.param(
        "Wall time: 1 seconds\nProcess exited with code -1\nOutput:\nx",
        Status.OK,
        {"exitCode": -1},
        None,
        id="unified-exec",
    ),
    pytest.param(
        "Wall time: 1 seconds\nOutput:\nExit code: 2\n",
        Status.OK,
        None,
        None,
        id="words-of-the-output",
    ),
    pytest.param(
        "Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\n",
        Status.OK,
        {"kind": "background"},
        None,
        id="still-running",
    ),
    pytest.param(
        "command timed out after 1000 milliseconds\nx",
        Status.TIMEOUT,
        {"timedOut": True, "timeoutMs": 1000},
        None,
        id="timed-out",
    ),
    pytest.param("aborted by user after 3.2s", Status.ABORTED, None, None, id="aborted-by-user"),
    pytest.param("aborted", Status.ABORTED, None, None, id="aborted"),
    pytest.param("exec command rejected by user", Status.DENIED, None, None, id="rejected"),
    pytest.param("he said: rejected by user", Status.OK, None, None, id="rejected-elsewhere"),
    pytest.param(
        '{"output":"x","metadata":{"exit_code":1}}', Status.OK, {"exitCode": 1}, "x", id="wrapped"
    ),
    pytest.param('{"output":', Status.OK, None, '{"output":', id="wrapped-and-torn"),
    pytest.param({"content": "x", "success": False}, Status.ERROR, None, "x", id="object"),
    pytest.param(
        {"content": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
        Status.OK,
        None,
        "a\nb",
        id="object-with-blocks",
    ),
    pytest.param([{"type": "input_text", "text": "x"}], Status.OK, None, "x", id="blocks"),
    pytest.param(None, Status.OK, None, "", id="nothing"),
]


@pytest.mark.parametrize(("output", "status", "value", "text"), CODEX_RESULTS)
def test_codex_tells_how_a_call_ended(
    output: Json, status: Status, value: Json, text: str | None
) -> None:
    (result,) = of_type(events_of(codex.FORMAT, codex_answers(output)), ToolResult)
    assert (result.status, result.value) == (status, value)
    assert result.is_error == (status is Status.ERROR)
    assert text is None or "".join(result.texts) == text


def test_codex_arguments_are_text_and_patches_are_values() -> None:
    calls = of_type(file_events(codex.FORMAT, "kinds-of-calls.jsonl"), ToolCall)
    assert [(c.arguments_text, c.arguments) for c in calls[:3]] == [
        (None, '{"x":1}'),
        (None, '{"x": 1}'),
        ('{"q":1}', None),
    ]


def test_a_codex_prompt_is_told_once() -> None:
    messages = of_type(file_events(codex.FORMAT, "prompts-twice.jsonl"), UserMessage)
    assert [(m.line, m.resets, m.source.get("type"), m.texts[0][:12]) for m in messages] == [
        (4, False, "agents-md-instructions", "# AGENTS.md "),
        (7, True, None, "go"),
        (10, False, "turn-aborted", "<turn_aborte"),
        (11, False, "injected", "text that no"),
        (14, True, None, "the event fi"),
        (18, False, "environment-context", "<environment"),
    ]


def test_codex_tokens_are_told_once_for_each_response() -> None:
    def count(total: int, last: int) -> Record:
        info: dict[str, Json] = {
            "total_token_usage": {"input_tokens": total},
            "last_token_usage": {"input_tokens": last, "output_tokens": 1},
        }
        return codex_line("event_msg", type="token_count", info=info)

    lines = [count(10, 10), count(10, 10), count(30, 20)]
    said = of_type(events_of(codex.FORMAT, lines), AssistantMessage)
    assert [message.usage for message in said] == [
        Usage(input=10, output=1),
        Usage(input=20, output=1),
    ]


PARENTS: Final[list[Any]] = [
    pytest.param({"source": "cli"}, None, id="a-thread-of-its-own"),
    pytest.param({"source": {"subagent": "review"}}, None, id="a-review"),
    pytest.param(
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}}, "p", id="spawned"
    ),
    pytest.param({"parent_thread_id": "p"}, "p", id="newer"),
]


@pytest.mark.parametrize(("meta", "parent"), PARENTS)
def test_a_codex_thread_names_its_parent(meta: Record, parent: str | None) -> None:
    lines = [codex_line("session_meta", id="t", cwd="/w", **meta), *codex_answers("x")]
    start = of_type(events_of(codex.FORMAT, lines), SessionStart)[0]
    assert (start.session, start.parent, start.cwd) == ("t", parent, "/w")
    assert start.unique_id
    assert start.unique_call_ids


def test_a_codex_header_that_comes_again_is_a_resume() -> None:
    events = file_events(codex.FORMAT, "resume-fork-join.jsonl")
    assert [event.line for event in of_type(events, Resume)] == [11]
    assert [event.line for event in of_type(events, SessionEnd)] == [17, 22]


def test_codex_exec_tells_how_items_ended() -> None:
    events = file_events(codex_exec.FORMAT, "run.jsonl")
    results = of_type(events, ToolResult)
    assert [(r.call.id, r.status.value, r.value) for r in results if r.status != "ok"] == [
        ("item_2", "error", {"exitCode": 2}),
        ("item_3", "error", None),
        ("item_1", "denied", None),
    ]
    failures = [result.failure.message for result in results if result.failure]
    assert failures == ["no"]
    usages = [message.usage for message in of_type(events, AssistantMessage) if message.usage]
    assert usages == [Usage(input=10, output=5)]
