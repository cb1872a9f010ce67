"""Gemini CLI and Qwen Code: who speaks, how calls ended, tokens, what a session says of itself."""

from pathlib import Path
from typing import Final

import pytest

from repeat_reminder.events import (
    AssistantMessage,
    Compaction,
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
from repeat_reminder.formats import gemini_json, gemini_jsonl, qwen
from repeat_reminder.formats.model import Format, Origin, Record
from repeat_reminder.formats.reading import read_log
from repeat_reminder.source import open_log
from tests.readers import DATA, events_of, file_events, of_type

NO: Final = "[Operation Cancelled] Reason: User did not allow tool call"
STOP: Final = "[Operation Cancelled] Reason: User cancelled tool execution."
SHELL: Final = "run_shell_command"
CODES: Final = "x\nExit Code: 1\nExit Code: 3\nSignal: (none)"
KILLED: Final = "x\nExit Code: 0\nSignal: SIGKILL\nPIDs: 1"
KILL: Final = {"exitCode": 0, "signal": "SIGKILL"}
IDLE: Final = "Command was automatically cancelled because it exceeded the timeout of 5 minutes."
THREE: Final = {"exitCode": 3}
LATE: Final = {"timedOut": True}
TEXT_A: Final[Json] = {"text": "a"}


def response(told: Json) -> Json:
    return [{"functionResponse": {"id": "c", "name": "f", "response": told}}]


ENDINGS: Final = [
    pytest.param("f", "success", {"output": "x"}, (Status.OK, ("x",), None), id="success"),
    pytest.param("f", "error", {"error": "no"}, (Status.ERROR, ("no",), None), id="error"),
    pytest.param("f", "cancelled", {"error": NO}, (Status.DENIED, (NO,), None), id="denied"),
    pytest.param("f", "cancelled", {"error": STOP}, (Status.ABORTED, (STOP,), None), id="aborted"),
    pytest.param("f", "success", {"content": [TEXT_A]}, (Status.OK, ("a",), None), id="blocks"),
    pytest.param("f", "success", {"odd": 1}, (Status.OK, (), None), id="other-members"),
    pytest.param("f", "success", "x", (Status.OK, ("x",), None), id="text"),
    pytest.param(SHELL, "success", {"output": CODES}, (Status.OK, (CODES,), THREE), id="exit-code"),
    pytest.param(SHELL, "success", {"output": KILLED}, (Status.OK, (KILLED,), KILL), id="signal"),
    pytest.param("read", "success", {"output": CODES}, (Status.OK, (CODES,), None), id="a-file"),
    pytest.param(SHELL, "success", {"output": IDLE}, (Status.TIMEOUT, (IDLE,), LATE), id="timeout"),
]  # fmt: skip


def gemini(calls: list[Json], **rest: Json) -> Record:
    return {"id": "m", "type": "gemini", "content": "", "toolCalls": calls, **rest}


def qwen_line(kind: str, number: int, parts: list[Json], **rest: Json) -> Record:
    message: Json = {"role": "x", "parts": parts}
    return {"uuid": f"u{number}", "sessionId": "s", "type": kind, "message": message, **rest}


def qwen_call(number: int = 1, name: str = "f") -> Record:
    return qwen_line("assistant", number, [{"functionCall": {"id": "c", "name": name, "args": {}}}])


@pytest.mark.parametrize(("name", "state", "told", "ended"), ENDINGS)
def test_how_a_call_ends(
    name: str, state: str, told: Json, ended: tuple[Status, tuple[str, ...], Json]
) -> None:
    part: Json = {"functionResponse": {"id": "c", "name": name, "response": told}}
    call: Json = {"id": "c", "name": name, "status": state, "result": [part]}
    answer = qwen_line("tool_result", 2, [part], toolCallResult={"callId": "c", "status": state})
    for form, records in (
        (gemini_jsonl.FORMAT, [gemini([call])]),
        (qwen.FORMAT, [qwen_call(name=name), answer]),
    ):
        (result,) = of_type(events_of(form, records), ToolResult)
        assert (result.status, result.texts, result.value) == ended
        assert result.is_error == (result.status not in (Status.OK, Status.TIMEOUT))


def test_a_result_that_is_a_text() -> None:
    call: Json = {"id": "c", "name": "f", "status": "success", "result": "x"}
    (result,) = of_type(events_of(gemini_jsonl.FORMAT, [gemini([call])]), ToolResult)
    assert result.texts == ("x",)


def test_what_stands_beside_a_result_belongs_to_it() -> None:
    parts: list[Json] = [*_list(response({"output": "x"})), {"text": "and"}, {"inlineData": {}}]
    call: Json = {"id": "c", "name": "f", "status": "success", "result": parts}
    (result,) = of_type(events_of(gemini_jsonl.FORMAT, [gemini([call])]), ToolResult)
    assert result.texts == ("x", "and", "[resource]")


def test_a_result_for_no_call_of_qwen_is_left_out() -> None:
    part: Json = {"functionResponse": {"name": "g", "response": {}}}
    known: Json = {"callId": "z"}
    for told, kind in ((None, "malformed"), (known, "stray-result")):
        answer = qwen_line("tool_result", 2, [part], toolCallResult=told)
        problems = of_type(events_of(qwen.FORMAT, [qwen_call(), answer]), Problem)
        assert [problem.kind for problem in problems] == [kind, "unfinished"]


def test_results_in_the_user_role_of_qwen_are_no_message() -> None:
    records: list[Record] = [{"type": "odd"}, qwen_line("user", 1, _list(response({})))]
    assert of_type(events_of(qwen.FORMAT, records), UserMessage) == []


def test_chats_may_stand_one_a_line(tmp_path: Path) -> None:
    one = (DATA / "gemini-json" / "one-line.jsonl").read_text("utf-8").strip()
    path = tmp_path / "chats.txt"
    path.write_text(f"{one}\n{{torn\n{one.replace('ge-line', 'ge-next')}\n", "utf-8")
    with open_log(str(path)) as log:
        events = list(read_log(log, gemini_json.FORMAT))
    assert [start.session for start in of_type(events, SessionStart)] == ["ge-line", "ge-next"]
    assert [problem.line for problem in of_type(events, Problem)] == [2]


def test_a_failed_result_without_a_state_is_one_of_qwen() -> None:
    told: Json = {"error": {"message": "x"}}
    answer = qwen_line("tool_result", 2, [*_list(response({"output": "x"}))], toolCallResult=told)
    (result,) = of_type(events_of(qwen.FORMAT, [qwen_call(), answer]), ToolResult)
    assert result.status is Status.ERROR


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


MESSAGES: Final = [
    pytest.param("go", ("go",), True, id="text"),
    pytest.param([{"text": "see"}, {"inlineData": {}}], ("see", "[resource]"), True, id="parts"),
    pytest.param("", ("",), True, id="empty"),
    pytest.param("<session_context>\nx", ("<session_context>\nx",), False, id="context"),
    pytest.param([{"text": "<hook_context>"}], ("<hook_context>",), False, id="hook"),
    pytest.param(
        [{"text": "<hook_context>"}, {"text": "go"}], ("<hook_context>", "go"), True, id="both"
    ),
    pytest.param(response({}), None, False, id="tool-response"),
    pytest.param([{"text": "x"}, *_list(response({}))], None, False, id="text-beside-response"),
]


@pytest.mark.parametrize(("content", "texts", "resets"), MESSAGES)
def test_who_speaks_in_the_user_role(
    content: Json,
    texts: tuple[str, ...] | None,
    resets: bool,  # noqa: FBT001 - a column
) -> None:
    record: Record = {"id": "u", "type": "user", "content": content}
    messages = of_type(events_of(gemini_jsonl.FORMAT, [record]), UserMessage)
    assert [(message.texts, message.resets) for message in messages] == (
        [] if texts is None else [(texts, resets)]
    )


SPEAKERS: Final[list[tuple[Record, str | None]]] = [
    ({}, None),
    ({"provenance": "real_user"}, None),
    ({"subtype": "mid_turn_user_message"}, None),
    ({"subtype": "cron"}, "cron"),
    ({"subtype": "notification", "provenance": "real_user"}, "notification"),
    ({"provenance": "system"}, "system"),
    ({"externalInputKind": "message"}, "external-message"),
]


@pytest.mark.parametrize(("rest", "kind"), SPEAKERS)
def test_who_speaks_to_qwen(rest: Record, kind: str | None) -> None:
    record = qwen_line("user", 1, [{"text": "x"}], **rest)
    (message,) = of_type(events_of(qwen.FORMAT, [record]), UserMessage)
    assert message.resets == (kind is None)
    assert message.source.get("type") == kind


def test_what_the_model_says() -> None:
    parts: list[Json] = [{"text": "hm", "thought": True}, {"text": "I look."}]
    tokens: Json = {"input": 10, "output": 3, "thoughts": 2, "cached": 4}
    time = "2026-02-03T10:00:00Z"
    record: Record = {
        "id": "m",
        "type": "gemini",
        "content": parts,
        "timestamp": time,
        "tokens": tokens,
    }
    line = qwen_line("assistant", 1, parts, timestamp=time)
    line["usageMetadata"] = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
    }
    for form, said in ((gemini_jsonl.FORMAT, record), (qwen.FORMAT, line)):
        (message,) = of_type(events_of(form, [said]), AssistantMessage)
        assert (message.texts, message.time) == (("I look.",), 1770112800.0)
        assert message.usage == Usage(input=10, output=5)


def test_the_last_record_tells_tokens_and_text() -> None:
    tokens: Json = {"input": 1, "output": 1}
    record: Record = {"id": "m", "type": "gemini", "content": "a"}
    records = [record, {**record, "content": "b", "tokens": tokens}]
    (message,) = of_type(events_of(gemini_jsonl.FORMAT, records), AssistantMessage)
    assert (message.texts, message.usage, message.line) == (("b",), Usage(input=1, output=1), 1)


def test_arguments_come_from_the_last_record_with_the_call() -> None:
    records = [
        gemini([{"id": "c", "name": "f", "args": {"a": number}, "status": state}])
        for number, state in ((1, "executing"), (2, "executing"), (3, "success"))
    ]
    records.append(gemini([]))
    events = events_of(gemini_jsonl.FORMAT, records)
    assert [(c.arguments, c.line) for c in of_type(events, ToolCall)] == [({"a": 3}, 1)]
    assert [result.line for result in of_type(events, ToolResult)] == [3]


STARTS: Final = [
    pytest.param(gemini_json.FORMAT, "states.json", [("ge-doc", None, None)], id="gemini-json"),
    pytest.param(
        gemini_jsonl.FORMAT, "headless-subagent.jsonl",
        [("headless-subagent", None, None), ("ge-sub", None, "gemini-jsonl")], id="gemini-jsonl",
    ),
    pytest.param(
        qwen.FORMAT, "branch.jsonl",
        [("qw-b", "/home/ann/shop", None), ("qw-c", "/home/ann/shop", None)], id="qwen",
    ),
    pytest.param(
        qwen.FORMAT, "subagent-without-ids.jsonl",
        [("qw-d", "/home/ann/shop", "qw-d")], id="qwen-subagent",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("form", "name", "sessions"), STARTS)
def test_what_a_session_says_of_itself(
    form: Format, name: str, sessions: list[tuple[str, str | None, str | None]]
) -> None:
    """A subagent's file lies in a folder that is called after its parent."""
    starts = of_type(file_events(form, name), SessionStart)
    assert [(start.session, start.cwd, start.parent) for start in starts] == sessions
    assert all(start.unique_id == (start.session != "headless-subagent") for start in starts)
    assert all(start.unique_call_ids == (form is not qwen.FORMAT) for start in starts)


def test_a_main_chat_has_no_parent() -> None:
    for path, parent in (
        ("x/chats/a.jsonl", None),
        ("x/chats/p1/a.jsonl", "p1"),
        ("a.jsonl", None),
    ):
        reader = gemini_jsonl.FORMAT.reader(Origin(path=path, name="a"))
        header: Record = {"sessionId": "s", "projectHash": "x", "kind": "subagent"}
        (start,) = of_type(reader.record(1, header), SessionStart)
        assert start.parent == parent


def test_resumes_and_compactions() -> None:
    events = file_events(gemini_jsonl.FORMAT, "checkpoint-rewind-resume.jsonl")
    assert [event.line for event in of_type(events, Resume)] == [8, 10]
    events = file_events(qwen.FORMAT, "branch.jsonl")
    assert [event.line for event in of_type(events, Resume)] == [6]
    events = file_events(qwen.FORMAT, "who-speaks.jsonl")
    assert [event.line for event in of_type(events, Compaction)] == [10]


def test_nothing_of_a_sound_chat_is_reported() -> None:
    for form, name, kinds in (
        (gemini_jsonl.FORMAT, "appended-again.jsonl", []),
        (gemini_jsonl.FORMAT, "checkpoint-rewind-resume.jsonl", []),
        (qwen.FORMAT, "who-speaks.jsonl", ["copy", "unfinished"]),
    ):
        assert [problem.kind for problem in of_type(file_events(form, name), Problem)] == kinds
