"""ACP wire logs: what stands around messages, what updates add up to, how calls end."""

from typing import Final

import pytest

from repeat_reminder.events import (
    AgentStart,
    AssistantMessage,
    Compaction,
    Json,
    Problem,
    SessionStart,
    Status,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.acp_wire import FORMAT
from repeat_reminder.formats.acp_wire.rpc import parse
from repeat_reminder.formats.model import Record
from repeat_reminder.jsontext import MAX_DEPTH, NotJson, TooDeep
from tests.readers import events_of, file_events, of_type

MESSAGE: Final = b'{"jsonrpc":"2.0","id":1}'

LINES: Final = [
    pytest.param(MESSAGE, id="bare"),
    pytest.param(b"  " + MESSAGE + b"  ", id="blanks"),
    pytest.param(b"2026-02-03 10:00 -> " + MESSAGE, id="prefix"),
    pytest.param(b"[10:00] {rpc} <- " + MESSAGE + b" (24 bytes)", id="braces-around"),
    pytest.param(b'{"level":"info"} <- ' + MESSAGE, id="an-object-before"),
    pytest.param(b'{ "jsonrpc" : "2.0", "id" : 1 }', id="spaces"),
]


@pytest.mark.parametrize("line", LINES)
def test_a_message_is_found_in_its_line(line: bytes) -> None:
    assert parse(line) == {"jsonrpc": "2.0", "id": 1}


def test_a_batch_is_found_in_its_line() -> None:
    assert parse(b"<- [" + MESSAGE + b"," + MESSAGE + b"]") == [{"jsonrpc": "2.0", "id": 1}] * 2


NO_MESSAGES: Final = [
    pytest.param(b"started", 1, id="words"),
    pytest.param(b"got {x}", 1, id="braces"),
    pytest.param(b'-> {"jsonrpc":"2.0","params":{"a":{"b":1}', 42, id="torn"),
    pytest.param(b"x" + b" " * 100_000, 1, id="blanks"),
    pytest.param(b"\xff{}", 1, id="not-utf-8"),
]


@pytest.mark.parametrize(("line", "column"), NO_MESSAGES)
def test_a_line_without_a_message_is_none(line: bytes, column: int) -> None:
    with pytest.raises(NotJson) as caught:
        parse(line)
    assert caught.value.column == column


def test_arguments_may_be_as_deep_as_they_may_be_elsewhere() -> None:
    deep = b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1)
    assert parse(b'<- {"jsonrpc":"2.0","params":{"update":{"rawInput":' + deep + b"}}}")
    with pytest.raises(TooDeep):
        parse(b'{"jsonrpc":' + b"[" * MAX_DEPTH * 2 + b"]" * MAX_DEPTH * 2 + b"}")


A: Final[Json] = {"a": 1}


def request(number: Json, method: str, **params: Json) -> Record:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def update(kind: str, **rest: Json) -> Record:
    params: Json = {"sessionId": "s", "update": {"sessionUpdate": kind, **rest}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def call(call_id: str = "c", rawInput: Json = A) -> Record:  # noqa: N803 - the protocol's name
    return update("tool_call", toolCallId=call_id, title="T", rawInput=rawInput)


def end(call_id: str = "c", status: str = "completed", **rest: Json) -> Record:
    return update("tool_call_update", toolCallId=call_id, status=status, **rest)


def said(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}


EXIT_3: Final[Json] = {"terminal_exit": {"exit_code": 3}}

ENDINGS: Final = [
    pytest.param([end()], Status.OK, (), None, id="completed"),
    pytest.param([end(status="failed")], Status.ERROR, (), None, id="failed"),
    pytest.param(
        [end(content=[said("a"), {"type": "diff", "path": "x"}, said("b")])],
        Status.OK, ("a", "b"), None, id="texts",
    ),
    pytest.param([end(rawOutput="x")], Status.OK, ("x",), None, id="raw-text"),
    pytest.param([end(rawOutput={"x": 1})], Status.OK, (), None, id="raw-object"),
    pytest.param(
        [end(status="in_progress", content=[said("old")]), end(content=[said("new")])],
        Status.OK, ("new",), None, id="content-is-replaced",
    ),
    pytest.param([end(_meta=EXIT_3)], Status.OK, (), {"exitCode": 3}, id="exit-code"),
    pytest.param([end(), end(status="failed")], Status.OK, (), None, id="the-first-end-counts"),
]  # fmt: skip


@pytest.mark.parametrize(("updates", "status", "texts", "value"), ENDINGS)
def test_how_a_call_ends(
    updates: list[Record], status: Status, texts: tuple[str, ...], value: Json
) -> None:
    (result,) = of_type(events_of(FORMAT, [call(), *updates]), ToolResult)
    assert (result.status, result.texts, result.value) == (status, texts, value)
    assert result.is_error == (status is not Status.OK)


OPTIONS: Final[Json] = [
    {"optionId": "y", "kind": "allow_once"},
    {"optionId": "n", "kind": "reject_always"},
]

DECISIONS: Final = [
    pytest.param({"outcome": "selected", "optionId": "y"}, "failed", Status.ERROR, id="allowed"),
    pytest.param({"outcome": "selected", "optionId": "n"}, "failed", Status.DENIED, id="rejected"),
    pytest.param({"outcome": "cancelled"}, "failed", Status.ABORTED, id="cancelled"),
    pytest.param({"outcome": "cancelled"}, "completed", Status.OK, id="ran-all-the-same"),
    pytest.param({"outcome": "selected", "optionId": "z"}, "failed", Status.ERROR, id="unknown"),
]


@pytest.mark.parametrize(("outcome", "status", "ended"), DECISIONS)
def test_what_the_user_decides_tells_how_a_call_failed(
    outcome: Json, status: str, ended: Status
) -> None:
    tool: Json = {"toolCallId": "c"}
    ask = request(5, "session/request_permission", sessionId="s", toolCall=tool, options=OPTIONS)
    answer: Record = {"jsonrpc": "2.0", "id": 5, "result": {"outcome": outcome}}
    (result,) = of_type(events_of(FORMAT, [call(), ask, answer, end(status=status)]), ToolResult)
    assert result.status is ended


INPUTS: Final = [
    pytest.param([call(rawInput={"a": 1})], {"a": 1}, id="given-at-once"),
    pytest.param([call(rawInput={}), end(rawInput={"a": 2})], {"a": 2}, id="given-at-the-end"),
    pytest.param([call(), end(rawInput={})], {"a": 1}, id="empty-does-not-replace"),
    pytest.param([call(rawInput={})], {}, id="empty"),
    pytest.param([call(rawInput=None)], {"title": "T"}, id="none-the-title-tells"),
    pytest.param([call(rawInput=None), end(title="U")], {"title": "U"}, id="the-newest-title"),
    pytest.param([call(rawInput="ls")], "ls", id="text-is-a-value"),
]


@pytest.mark.parametrize(("records", "arguments"), INPUTS)
def test_the_arguments_are_the_last_that_are_not_empty(
    records: list[Record], arguments: Json
) -> None:
    (told,) = of_type(events_of(FORMAT, records), ToolCall)
    assert (told.arguments, told.arguments_text) == (arguments, None)


def chunk(text: str, kind: str = "agent_message_chunk") -> Record:
    return update(kind, content={"type": "text", "text": text})


def test_chunks_of_one_message_are_told_as_one() -> None:
    records = [
        chunk("I "),
        chunk("hm", "agent_thought_chunk"),
        chunk("run"),
        call(),
        end(),
        chunk("it"),
    ]
    messages = of_type(events_of(FORMAT, records), AssistantMessage)
    assert [(message.line, message.texts) for message in messages] == [
        (1, ("I run",)),
        (6, ("it",)),
    ]


def test_a_prompt_is_a_humans_message() -> None:
    blocks: Json = [{"type": "text", "text": "see"}, {"type": "image"}, {"type": "resource_link"}]
    events = events_of(
        FORMAT, [request(1, "session/prompt", sessionId="s", prompt=blocks), chunk("x")]
    )
    (message,) = of_type(events, UserMessage)
    assert (message.texts, message.resets, message.line) == (
        ("see", "[image]", "[resource]"),
        True,
        1,
    )


def test_a_compaction_is_told_when_it_is_done() -> None:
    records = [
        update("compaction_update", status=status) for status in ("in_progress", "completed")
    ]
    assert [event.line for event in of_type(events_of(FORMAT, records), Compaction)] == [2]


def test_sessions_and_their_folders() -> None:
    starts = of_type(file_events(FORMAT, "two-sessions-reload.jsonl"), SessionStart)
    assert [(start.session, start.cwd, start.unique_id) for start in starts] == [
        ("sa", "/home/ann/a", True),
        ("sb", "/home/ann/b", True),
    ]
    assert not any(start.unique_call_ids for start in starts)


def test_subagents_and_their_parents() -> None:
    events = file_events(FORMAT, "names-subagents.jsonl")
    assert [start.parent for start in of_type(events, SessionStart)] == [None, "s1"]
    (agent,) = of_type(events, AgentStart)
    assert (agent.agent.id, agent.parent, agent.line) == ("t1", "main", 19)


def test_noise_is_left_out_with_a_warning() -> None:
    problems = of_type(file_events(FORMAT, "prefixes-batches.log"), Problem)
    assert [(problem.kind, problem.line) for problem in problems if problem.skipped] == [
        ("not-json", 1),
        ("not-an-object", 7),
        ("not-json", 10),
    ]


def test_a_load_that_fails_ends_the_replay_all_the_same() -> None:
    load = request(1, "session/load", sessionId="s", cwd="/w")
    failed: Record = {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "x"}}
    for after in (failed, request(2, "session/prompt", sessionId="s", prompt=[])):
        records = [load, call("old"), end("old"), after, call("new"), end("new")]
        calls = of_type(events_of(FORMAT, records), ToolCall)
        assert [told.id for told in calls] == ["new"]


def test_an_answer_to_nothing_is_nothing() -> None:
    records: list[Record] = [
        {"jsonrpc": "2.0", "id": number, "result": {}} for number in (1, "x", None)
    ]
    assert events_of(FORMAT, [*records, {"jsonrpc": "2.0", "id": [1], "result": {}}]) == []
