"""OpenHands: how actions ended, who speaks, folders of event files."""

from pathlib import Path
from typing import Final

import pytest

from repeat_reminder import formats
from repeat_reminder.errors import SourceError
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
    UserMessage,
)
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.openhands import FORMAT
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import is_log_folder
from repeat_reminder.source import discover, open_log
from tests.readers import DATA, events_of, file_events, of_type

ACTION: Final[Record] = {
    "kind": "ActionEvent",
    "source": "agent",
    "tool_name": "terminal",
    "tool_call_id": "c",
    "tool_call": {"name": "terminal", "arguments": "{}"},
    "llm_response_id": "r",
}


def observed(**observation: Json) -> Record:
    return {"kind": "ObservationEvent", "tool_call_id": "c", "observation": observation}


ENDINGS: Final = [
    pytest.param(observed(content=[{"text": "x"}]), Status.OK, ("x",), None, id="ok"),
    pytest.param(observed(output="x", exit_code=3), Status.OK, ("x",), {"exitCode": 3}, id="code"),
    pytest.param(observed(exit_code=-1), Status.OK, (), None, id="still-running"),
    pytest.param(observed(exit_code=True), Status.OK, (), None, id="no-number"),
    pytest.param(observed(timeout=True), Status.TIMEOUT, (), {"timedOut": True}, id="timeout"),
    pytest.param(observed(is_error=True, content="no"), Status.ERROR, ("no",), None, id="error"),
    pytest.param(
        {"kind": "AgentErrorEvent", "tool_call_id": "c", "error": "no"},
        Status.ERROR, ("no",), None, id="agent-error",
    ),
    pytest.param(
        {"kind": "UserRejectObservation", "tool_call_id": "c", "rejection_reason": "no"},
        Status.DENIED, ("no",), None, id="rejected",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "status", "texts", "value"), ENDINGS)
def test_how_an_action_ends(
    answer: Record, status: Status, texts: tuple[str, ...], value: Json
) -> None:
    (result,) = of_type(events_of(FORMAT, [ACTION, answer]), ToolResult)
    assert (result.status, result.texts, result.value) == (status, texts, value)
    assert result.is_error == (status in (Status.ERROR, Status.DENIED))


ARGUMENTS: Final = [
    pytest.param({"tool_call": {"arguments": '{"a":1}'}}, ('{"a":1}', '{"a":1}'), id="flat"),
    pytest.param({"tool_call": {"function": {"arguments": "{"}}}, ("{", "{"), id="nested"),
    pytest.param({"tool_call": {"arguments": {"a": 1}}}, (None, {"a": 1}), id="value"),
    pytest.param(
        {"tool_call": None, "action": {"a": 1, "kind": "X"}}, (None, {"a": 1}), id="action"
    ),
    pytest.param({"tool_call": None}, (None, {}), id="nothing"),
]


@pytest.mark.parametrize(("members", "arguments"), ARGUMENTS)
def test_arguments_are_as_the_model_gave_them(
    members: Record, arguments: tuple[Json, Json]
) -> None:
    (call,) = of_type(events_of(FORMAT, [{**ACTION, **members}]), ToolCall)
    assert (call.arguments_text, call.arguments) == arguments


SPEAKERS: Final[list[tuple[Record, str | None]]] = [
    ({"source": "user"}, None),
    ({"source": "user", "sender": "user"}, None),
    ({"source": "user", "sender": "planner"}, "planner"),
    ({"source": "environment"}, "environment"),
    ({}, "unknown"),
]


@pytest.mark.parametrize(("members", "kind"), SPEAKERS)
def test_who_speaks(members: Record, kind: str | None) -> None:
    record: Record = {
        "kind": "MessageEvent",
        "llm_message": {"content": [{"text": "x"}]},
        **members,
    }
    (message,) = of_type(events_of(FORMAT, [record]), UserMessage)
    assert (message.texts, message.resets) == (("x",), kind is None)
    assert message.source.get("type") == kind


def test_what_a_conversation_says_of_itself() -> None:
    events = file_events(FORMAT, "events.jsonl")
    (start,) = of_type(events, SessionStart)
    assert (start.cwd, start.unique_id, start.unique_call_ids) == ("/home/ann/shop", True, False)
    assert [(m.texts, m.line) for m in of_type(events, AssistantMessage)] == [
        (("I build.",), 5),
        (("done?",), 21),
    ]
    assert [event.line for event in of_type(events, Resume)] == [16]
    assert [event.line for event in of_type(events, Compaction)] == [13]
    notes = [(p.kind, p.line) for p in of_type(events, Problem) if not p.skipped]
    assert notes == [("stray-result", 4), ("unfinished", 20)]


def test_calls_of_an_agent_behind_acp_are_noted() -> None:
    events = events_of(FORMAT, [{"kind": "ACPToolCallEvent", "tool_call_id": "c"}])
    assert [problem.kind for problem in of_type(events, Problem)] == ["acp-call"]


@pytest.mark.parametrize("below", ["", "events"])
def test_a_folder_may_be_named_itself_or_by_its_conversation(below: str) -> None:
    with open_log(str(DATA / "openhands" / "conversation" / below)) as log:
        events = list(read_log(log, FORMAT))
    (start,) = of_type(events, SessionStart)
    assert (start.session, start.unique_id) == ("conversation", False)
    assert [result.line for result in of_type(events, ToolResult)] == [4, 6, 9]
    (problem,) = [problem for problem in of_type(events, Problem) if problem.skipped]
    assert (problem.kind, problem.line) == ("not-json", 10)
    assert problem.message.startswith("event-100002-00000000.json is not valid JSON")


def test_a_folder_without_events_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "events").write_text("")
    with open_log(str(tmp_path)) as log, pytest.raises(SourceError):
        list(read_log(log, FORMAT))


def test_an_event_file_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "event-00000-a.json").mkdir()
    (tmp_path / "event-00001-a.json").write_text("[]")
    with open_log(str(tmp_path)) as log:
        problems = of_type(read_log(log, FORMAT), Problem)
    assert [problem.message for problem in problems if problem.skipped] == [
        "event-00000-a.json: Is a directory",
        "event-00001-a.json is no JSON object",
    ]


def test_a_search_takes_a_conversation_as_one_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "FORMATS", (FORMAT,))
    folder = DATA / "openhands"
    found = discover([str(folder)], is_log_folder=is_log_folder)
    assert [Path(log).name for log in found] == [
        "conversation",
        "events.jsonl",
        "expected.jsonl",
        "list.json",
    ]
    assert not is_log_folder(str(folder / "nowhere"))
    assert not is_log_folder(str(folder / "list.json"))
