"""Lists of messages: requests that grow, results, calls without ids, what is said."""

from typing import Any, Final

import pytest

from repeat_reminder.events import (
    AssistantMessage,
    Json,
    Problem,
    SessionStart,
    Status,
    ToolResult,
    Usage,
)
from repeat_reminder.formats import anthropic, openai_chat, openai_responses
from repeat_reminder.formats.model import Origin, Record
from tests.readers import events_of, of_type


def chat(*messages: Json, **rest: Json) -> Record:
    return {"messages": [*messages], **rest}


GO: Final[Json] = {"role": "user", "content": "go"}
SAID: Final[Json] = {"role": "assistant", "content": "hello"}
MORE: Final[Json] = {"role": "user", "content": "more"}

GROWING: Final[list[Any]] = [
    pytest.param([chat(GO), chat(GO, SAID, MORE)], ["line2"], id="goes-on"),
    pytest.param([chat(GO), chat(MORE), chat(GO, SAID)], ["line2", "line3"], id="between-others"),
    pytest.param([chat(GO), chat(GO)], ["line1", "line2"], id="equal"),
    pytest.param([chat(GO), chat(GO, MORE)], ["line1", "line2"], id="without-an-answer"),
    pytest.param([chat(GO, SAID), chat(GO, SAID, SAID)], ["line1", "line2"], id="no-request"),
    pytest.param([chat(GO), chat(MORE, SAID)], ["line1", "line2"], id="another-history"),
    pytest.param([chat(), chat(GO)], ["line1", "line2"], id="an-empty-one"),
    pytest.param(
        [chat(GO), *[chat(MORE)] * 16, chat(GO, SAID)],
        [f"line{line}" for line in range(1, 19)],
        id="too-long-ago",
    ),
    pytest.param(
        [chat(GO), *[chat(MORE)] * 15, chat(GO, SAID)],
        [f"line{line}" for line in range(2, 18)],
        id="just-in-time",
    ),
]


@pytest.mark.parametrize(("records", "sessions"), GROWING)
def test_the_last_of_growing_requests_is_the_session(
    records: list[Record], sessions: list[str]
) -> None:
    events = events_of(openai_chat.FORMAT, records)
    assert [start.session for start in of_type(events, SessionStart)] == sessions
    notes = [problem for problem in of_type(events, Problem) if problem.kind == "growing"]
    assert len(notes) == len(records) - len(sessions)


def test_sessions_in_lines_are_told_before_the_log_ends() -> None:
    reader = openai_chat.FORMAT.reader(Origin(path="log.jsonl", name="log"))
    told = [len(list(reader.record(line, chat(GO)))) for line in range(1, 20)]
    assert [line for line, events in enumerate(told, 1) if events] == [17, 18, 19]


ENDINGS: Final[list[Any]] = [
    pytest.param({"role": "tool", "content": "x"}, Status.OK, ("x",), id="text"),
    pytest.param(
        {"role": "tool", "content": [{"type": "text", "text": "x"}]}, Status.OK, ("x",), id="blocks"
    ),
    pytest.param({"role": "tool", "content": {"a": 1}}, Status.OK, ('{"a":1}',), id="object"),
    pytest.param({"role": "tool", "content": None}, Status.OK, (), id="nothing"),
    pytest.param(
        {"role": "tool", "content": "x", "status": "error"}, Status.ERROR, ("x",), id="status"
    ),
    pytest.param(
        {"role": "tool", "content": "x", "is_error": True}, Status.ERROR, ("x",), id="flag"
    ),
]


@pytest.mark.parametrize(("answer", "status", "texts"), ENDINGS)
def test_chat_results(answer: Record, status: Status, texts: tuple[str, ...]) -> None:
    call: Json = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    record = chat(GO, {"role": "assistant", "tool_calls": [call]}, {**answer, "tool_call_id": "a"})
    (result,) = of_type(events_of(openai_chat.FORMAT, [record]), ToolResult)
    assert (result.status, result.texts) == (status, texts)
    assert result.is_error == (status is Status.ERROR)


def test_calls_without_ids_are_answered_by_name_or_in_order() -> None:
    calls: list[Json] = [{"function": {"name": name, "arguments": "{}"}} for name in "fgf"]
    answers: list[Json] = [
        {"role": "tool", "name": "g", "content": "1"},
        {"role": "tool", "content": "2"},
        {"role": "tool", "name": "other", "content": "3"},
        {"role": "tool", "content": "4"},
    ]
    events = events_of(
        openai_chat.FORMAT, [chat({"role": "assistant", "tool_calls": calls}, *answers)]
    )
    results = of_type(events, ToolResult)
    assert [(r.call.name, r.call.index, r.texts) for r in results] == [
        ("f", 1, ("2",)),
        ("g", 2, ("1",)),
        ("f", 3, ("4",)),
    ]


def test_what_a_model_says_beside_its_calls() -> None:
    message: Json = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "now"},
            {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
        "timestamp": "2026-02-03T10:00:00Z",
    }
    (said,) = of_type(events_of(anthropic.FORMAT, [chat(message)]), AssistantMessage)
    assert (said.texts, said.usage, said.time) == (("now",), Usage(input=3, output=2), 1770112800.0)


def test_a_message_of_calls_alone_says_nothing() -> None:
    call: Json = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    events = events_of(openai_chat.FORMAT, [chat({"role": "assistant", "tool_calls": [call]})])
    assert of_type(events, AssistantMessage) == []


def test_ids_of_message_lists_are_no_identity() -> None:
    for form in (openai_chat.FORMAT, anthropic.FORMAT, openai_responses.FORMAT):
        record: Record = {"messages": [GO], "input": [GO], "id": "x"}
        (start,) = of_type(events_of(form, [record]), SessionStart)
        assert (start.session, start.unique_id, start.unique_call_ids) == ("x", False, False)
