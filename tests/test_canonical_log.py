"""The canonical log: when a call counts, where steps end, what is noted."""

from collections.abc import Iterator
from typing import Any

import pytest

from repeat_reminder.errors import FormatError
from repeat_reminder.events import (
    AgentEnd,
    Intervention,
    Problem,
    SessionStart,
    ToolCall,
    UserMessage,
)
from repeat_reminder.formats.canonical.reader import LOOKAHEAD
from repeat_reminder.formats.model import Record
from tests.notation import assistant, call, counts, events_of, items_of, placements, result, user


def problems(items: list[Any]) -> list[tuple[str, int | None]]:
    return [(item.kind, item.line) for item in items if isinstance(item, Problem)]


def test_results_out_of_order_settle_in_model_order() -> None:
    records: list[Record] = [
        {"type": "session", "schema": "repeat-reminder/session@1", "id": "s1"},
        call("read", "a", turn=1, step=1),
        call("read", "b", turn=1, step=1),
        result("b"),
        result("a"),
        assistant(),
    ]
    assert placements(items_of(records, thresholds=[2])) == [
        ("main", "read", 2, "gentle", 5, 5, True)
    ]


def test_a_steer_while_a_call_runs() -> None:
    records = [
        *(call("poll", "c1"), result("c1"), call("poll", "c2"), user(), result("c2")),
        *(call("poll", "c3"), result("c3")),
    ]
    items = items_of(records, thresholds=[2])
    assert placements(items) == [("main", "poll", 2, "gentle", 5, 5, True)]
    assert counts(items) == [1, 2, 1]


def test_a_late_result_settles_alone_where_it_stands() -> None:
    records = [
        *(call("X", "a"), result("a"), call("X", "slow"), assistant(), call("X", "b"), result("b")),
        *(result("slow"), assistant()),
    ]
    assert placements(items_of(records)) == [("main", "X", 3, "gentle", 7, 7, True)]


def test_held_results_settle_at_the_end_of_the_step() -> None:
    """The first call is never answered, so the second waits for the step to end."""
    records = [call("X", "lost"), call("X", "b"), result("b"), assistant(), user()]
    items = items_of(records, thresholds=[2])
    assert counts(items) == [1]
    settled = next(item for item in items if type(item).__name__ == "ToolResult")
    assert settled.settled_line == 4  # type: ignore[union-attr] # its class was looked at
    assert ("unfinished", 1) in problems(items)


def test_results_at_the_end_of_the_log_settle_at_its_last_line() -> None:
    items = items_of([call("X", "lost"), call("X", "b"), result("b")], thresholds=[2])
    settled = next(item for item in items if type(item).__name__ == "ToolResult")
    assert settled.settled_line == 3  # type: ignore[union-attr] # its class was looked at


A, B = [call("X", "a"), result("a")], [call("X", "b"), result("b")]
NEXT = [call("Y", "c"), result("c")]
NAMED = [call("X", "a", step=1), result("a"), call("X", "b", step=1), result("b")]
STEPS: list[Any] = [
    pytest.param([A[0], B[0], A[1], B[1]], 4, id="together"),
    pytest.param([*A, *B], 4, id="two-steps"),
    pytest.param([*NAMED, call("Y", "c", step=1), result("c")], 6, id="one-named-step"),
    pytest.param([A[0], B[0], A[1], B[1], {"type": "step_end"}, *NEXT], 4, id="step-end"),
    pytest.param(
        [call("X", "a", step=1), result("a"), call("X", "b", turn=1, step=1), result("b")],
        4,
        id="turn-is-part-of-the-name",
    ),
]


@pytest.mark.parametrize(("records", "line"), STEPS)
def test_a_reminder_lands_behind_the_last_result_of_its_step(
    records: list[dict[str, Any]], line: int
) -> None:
    said = [i for i in items_of(records, thresholds=[2]) if isinstance(i, Intervention)]
    assert [item.inject_after.line for item in said if item.inject_after] == [line]


def test_no_results_with_named_steps_land_behind_the_steps_last_call() -> None:
    records = [call("X", step=1), call("X", step=1), call("Y", step=1), call("Y", step=2)]
    assert placements(items_of(records, thresholds=[2])) == [
        ("main", "X", 2, "gentle", 2, 3, True),
        ("main", "Y", 2, "gentle", 4, 4, False),
    ]


def test_filled_ids_count_the_calls_without_one() -> None:
    records: list[Record] = [call("X"), call("X", "c2"), call("X") | {"agent": None}, call("X")]
    calls = [item for item in events_of(records) if isinstance(item, ToolCall)]
    assert [item.id for item in calls] == ["c1", "c2", "c2"]
    assert [item.index for item in calls] == [1, 2, 3]


def test_a_session_can_say_that_it_records_no_results() -> None:
    records: list[Record] = [{"type": "session", "results": False}, call("X"), call("X"), call("X")]
    reader_events = events_of(records)
    kinds = [type(next(reader_events)).__name__ for _ in range(3)]
    assert kinds == ["SessionStart", "ToolCall", "ToolResult"]


def test_a_log_without_results_is_known_after_the_lookahead() -> None:
    given = 0

    def endless() -> Iterator[Record]:
        nonlocal given
        while True:
            given += 1
            yield call("X")

    events = events_of(endless())
    assert isinstance(next(events), SessionStart)
    assert given == LOOKAHEAD


def test_two_sessions_share_nothing() -> None:
    half = [call("X", "a"), result("a"), call("X", "b"), result("b")]
    records: list[Record] = [
        {"type": "session", "id": "one"},
        *half,
        {"type": "session", "id": "two"},
        *half,
    ]
    assert counts(items_of(records)) == [1, 2, 1, 2]


def test_agent_end_drops_the_chain_and_what_is_queued() -> None:
    records: list[Record] = [
        *(call("X", "a", agent="sub"), result("a"), call("X", "b", agent="sub"), result("b")),
        {"type": "agent", "id": "sub", "state": "end"},
        *(call("X", "c", agent="sub"), result("c")),
    ]
    items = items_of(records, thresholds=[2])
    assert placements(items) == [("sub", "X", 2, "gentle", 4, 4, False)]
    assert counts(items) == [1, 2, 1]
    assert any(isinstance(item, AgentEnd) for item in items)


def test_a_resume_keeps_what_is_queued_and_drops_unanswered_calls() -> None:
    records: list[Record] = [
        *(call("X", "a"), result("a"), call("X", "b"), result("b"), call("X", "open")),
        {"type": "resume"},
        *(result("open"), call("X", "c"), result("c")),
    ]
    items = items_of(records, thresholds=[2])
    assert placements(items) == [("main", "X", 2, "gentle", 4, 4, True)]
    assert counts(items) == [1, 2, 1]
    assert ("stray-result", 7) in problems(items)


def test_a_result_without_agent_belongs_to_the_only_call_with_its_id() -> None:
    records = [
        *(call("X", "a", agent="one"), call("X", "a", agent="two"), result("a")),
        *(result("a", agent="two"), result("a", agent="one")),
    ]
    items = items_of(records)
    assert counts(items) == [1, 1]
    assert ("stray-result", 3) in problems(items)


def test_a_human_message_without_content_is_a_message_all_the_same() -> None:
    message = next(e for e in events_of([{"type": "user_message"}]) if isinstance(e, UserMessage))
    assert message.texts == ("",)
    assert message.resets


TOOL_CALL = {"type": "tool_call", "name": "X", "arguments": 1}
MALFORMED: list[Any] = [
    pytest.param({"type": "tool_call", "arguments": {}}, "name", id="no-name"),
    pytest.param(TOOL_CALL | {"name": 5}, "name", id="name-is-a-number"),
    pytest.param({"type": "tool_call", "name": "X"}, "arguments", id="no-arguments"),
    pytest.param(TOOL_CALL | {"arguments_text": "{}"}, "differ", id="two-arguments"),
    pytest.param(TOOL_CALL | {"step": "1"}, "step", id="step"),
    pytest.param(TOOL_CALL | {"agent": 5}, "agent", id="agent"),
    pytest.param({"type": "tool_result"}, "call_id", id="no-call-id"),
    pytest.param({"type": "tool_result", "call_id": "a", "status": "fine"}, "status", id="status"),
    pytest.param({"type": "user_message", "source": "user"}, "source", id="source"),
    pytest.param({"type": "injected_message"}, "source", id="injected-source"),
    pytest.param({"type": "agent"}, "id", id="agent-without-id"),
    pytest.param({"type": "agent", "id": "a", "state": "gone"}, "state", id="agent-state"),
]


@pytest.mark.parametrize(("record", "word"), MALFORMED)
def test_a_malformed_record_is_skipped_with_its_reason(record: dict[str, Any], word: str) -> None:
    items = list(events_of([record, call("X", "a"), result("a")]))
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert (problem.kind, problem.line, problem.skipped) == ("malformed", 1, True)
    assert word in problem.message


def test_an_unknown_type_is_skipped_and_counted() -> None:
    items = list(events_of([call("X", "a"), {"type": "banner"}, result("a")]))
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert (problem.kind, problem.line, problem.skipped) == ("unknown-type", 2, True)


def test_another_major_is_refused() -> None:
    with pytest.raises(FormatError, match="session@2"):
        list(events_of([{"type": "session", "schema": "repeat-reminder/session@2"}]))


def test_the_same_arguments_twice_are_no_contradiction() -> None:
    record: Record = {
        "type": "tool_call",
        "name": "X",
        "arguments": {"a": 1},
        "arguments_text": '{"a":1.0}',
    }
    assert not [i for i in events_of([record]) if isinstance(i, Problem) and i.kind == "malformed"]


def test_an_agent_without_a_name_is_an_agent_of_its_own() -> None:
    records = [call("X", agent=""), call("X"), call("X", agent="")]
    assert placements(items_of(records, thresholds=[2])) == [("", "X", 2, "gentle", 3, 3, False)]


def test_a_late_result_ends_a_step_whose_calls_are_answered() -> None:
    """So the human message that came inside that step takes effect before it."""
    records = [
        *(call("X", "i2"), call("X", "i4"), result("i4"), call("X", "i7"), user()),
        *(result("i7"), result("i2")),
    ]
    assert counts(items_of(records, thresholds=[2, 3])) == [1, 2, 1]


@pytest.mark.parametrize("said", [{}, {"step": 1}], ids=["without-step", "with-step"])
def test_what_the_model_says_amid_a_named_step_does_not_split_it(said: dict[str, Any]) -> None:
    records = [
        *(call("X", "a", step=1), assistant() | said, call("X", "b", step=1)),
        *(result("b"), result("a"), call("Z", "c", step=2), result("c")),
    ]
    assert placements(items_of(records, thresholds=[2])) == [("main", "X", 2, "gentle", 5, 5, True)]


def test_a_message_behind_the_last_result_carries_what_is_queued() -> None:
    """Also where that result is held back: the reminder is delivered, for the story goes on."""
    records = [
        *(call("X", "a"), result("a"), call("X", "lost"), call("X", "b"), result("b"), user()),
    ]
    assert placements(items_of(records, thresholds=[2])) == [("main", "X", 2, "gentle", 6, 5, True)]
