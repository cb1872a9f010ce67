"""A slice of a log: which lines it keeps, and what it says of the rest."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from repeat_reminder.convert import Cut, Slice, sliced
from repeat_reminder.errors import UsageError
from repeat_reminder.events import (
    AgentStart,
    AssistantMessage,
    Event,
    Problem,
    SessionEnd,
    SessionStart,
    StepEnd,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.model import Record
from tests import notation
from tests.conversions import LOGS, complaints, converted, events_of, name_of

ALL: Final = [pytest.param(path, id=name_of(path)) for path in LOGS]

TALK: Final[list[Record]] = [
    {"type": "session", "id": "s"},  # 1
    notation.user("first"),
    notation.call("X", "a"),  # 3
    notation.result("a"),
    notation.assistant("between"),  # 5
    notation.call("X", "b"),
    notation.call("Y", "c"),  # 7
    notation.user("inside"),
    notation.result("c"),  # 9
    notation.result("b"),
    notation.user("behind"),  # 11
    notation.call("Y", "d"),
    notation.result("d"),  # 13
    notation.assistant("last"),
]


def spelled(events: Iterable[Event]) -> str:
    """Spell what was kept: calls by id, messages by their text."""
    words: list[str] = []
    for event in events:
        match event:
            case ToolCall():
                words.append(event.id)
            case UserMessage() | AssistantMessage():
                words += event.texts
            case _:
                pass
    return " ".join(words)


def cut_of(records: list[Record], text: str) -> tuple[list[Event], Cut]:
    cut = Cut()
    return list(sliced(notation.events_of(records), Slice.parse(text), cut)), cut


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:14", "first a between b c inside behind d last"),
        (":", None),
        ("2:2", "first"),
        ("3:4", "a"),
        ("4:4", "a"),
        ("4:6", "a between b c inside"),
        ("7:7", "b c inside"),
        ("8:8", ""),
        ("10:11", "b c inside behind"),
        ("11:12", "behind d"),
        ("12:", "d last"),
        (":3", "first a"),
    ],
)
def test_steps_are_kept_whole(text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(UsageError):
            Slice.parse(text)
        return
    events, cut = cut_of(TALK, text)
    assert spelled(events) == expected
    calls = [word for word in expected.split() if word in "abcd"]
    assert (cut.kept, cut.before + cut.after) == (len(calls), 4 - len(calls))
    kinds = [type(event) for event in events if not isinstance(event, Problem)]
    assert kinds[:1] == [SessionStart][: bool(expected)]
    assert kinds[-1:] == [SessionEnd][: bool(expected)]
    assert kinds.count(ToolResult) == kinds.count(ToolCall)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:1", "first a between"),
        ("2:2", "between b c inside"),
        ("3:4", "b c inside behind d last"),
        ("4:4", "behind d last"),
    ],
)
def test_a_log_without_lines_is_cut_by_calls(text: str, expected: str) -> None:
    events = [_without_lines(event) for event in notation.events_of(TALK)]
    cut = Cut()
    assert spelled(sliced(events, Slice.parse(text), cut)) == expected
    assert not cut.by_lines
    assert cut.end == 4


def _without_lines(event: Event) -> Event:
    match event:
        case Problem():
            return event
        case ToolResult():
            call = replace(event.call, line=None)
            return replace(event, line=None, settled_line=None, call=call)
        case _:
            return replace(event, line=None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12:40", (12, 40)),
        (":40", (1, 40)),
        ("12:", (12, None)),
        ("12:12", (12, 12)),
    ],
)
def test_a_slice_is_read(text: str, expected: tuple[int, int | None]) -> None:
    wanted = Slice.parse(text)
    assert (wanted.first, wanted.last) == expected
    assert Slice.parse(str(wanted)) == wanted


@pytest.mark.parametrize(
    "text", ["", ":", "12", "a:b", "5:4", "0:4", "-1:4", "1:2:3", "1.0:2", "٣:٤"]
)
def test_what_is_no_slice_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        Slice.parse(text)
    assert refused.value.hint == "--slice 120:180, --slice 120: or --slice :180"


@pytest.mark.parametrize(
    ("line", "context", "text"), [(30, 20, "10:50"), (5, 20, "1:25"), (5, 0, "5:5")]
)
def test_around_a_line(line: int, context: int, text: str) -> None:
    assert str(Slice.around(line, context)) == text


WHAT_IS_KEPT: Final = (
    "lines 6 to 10: 2 calls kept; 1 before and 1 after left out "
    "(asked for 7:8; steps are kept whole)"
)


def test_what_is_cut_is_told() -> None:
    _, cut = cut_of(TALK, "7:8")
    kept, run = cut.notes(Slice.parse("7:8"), "s.jsonl")
    assert (kept.severity, kept.line, kept.message) == (
        "note",
        None,
        WHAT_IS_KEPT,
    )
    assert (run.severity, run.line, run.message) == (
        "note",
        6,
        "the run of X began before the slice: it counts from 1 here",
    )


@pytest.mark.parametrize(
    ("records", "text", "lines"),
    [
        (notation.session("X X X"), "3:", [3]),
        (notation.session("X Y"), "3:", []),
        (notation.session("X u X"), "4:", []),
        (notation.session("X sub:X X"), "5:", [5]),
        (notation.session("X X"), "1:", []),
    ],
    ids=["goes on", "another call", "after a reset", "of another agent", "all kept"],
)
def test_a_run_that_lost_its_beginning_is_told(
    records: list[Record], text: str, lines: list[int]
) -> None:
    _, cut = cut_of(records, text)
    notes = list(cut.notes(Slice.parse(text), "s.jsonl"))[1:]
    assert [note.line for note in notes] == lines


def test_a_slice_of_nothing_is_refused() -> None:
    _, cut = cut_of(TALK, "900:1000")
    with pytest.raises(UsageError) as refused:
        cut.check(Slice.parse("900:1000"), "s.jsonl")
    assert str(refused.value) == "s.jsonl: nothing lies in lines 900:1000"
    assert refused.value.hint == "what happens in this log ends with line 14"


def test_an_agent_is_introduced_where_something_of_it_is_kept() -> None:
    records: list[Record] = [
        {"type": "agent", "id": "sub", "parent": "main"},
        {"type": "agent", "id": "other", "parent": "main"},
        *notation.session("X other:X sub:X"),
    ]
    events, _ = cut_of(records, "7:8")
    assert [e.agent.id for e in events if isinstance(e, AgentStart)] == ["sub"]


def test_steps_that_overlap_keep_their_order() -> None:
    records = [
        notation.call("X", "a"),
        notation.call("Y", "b", agent="sub"),
        notation.result("b", agent="sub"),
        notation.assistant(agent="sub"),
        notation.result("a"),
        notation.assistant(),
    ]
    events, _ = cut_of(records, "5:5")
    assert spelled(events) == "a"
    events, _ = cut_of(records, "4:6")
    assert spelled(events) == "a done done"


def test_a_late_result_goes_with_its_call() -> None:
    records = [
        notation.call("X", "a"),
        notation.assistant(),
        notation.call("Y", "b"),
        notation.result("b"),
        notation.result("a"),
    ]
    assert [e.call.id for e in cut_of(records, "3:")[0] if isinstance(e, ToolResult)] == ["b"]
    assert [e.call.id for e in cut_of(records, ":2")[0] if isinstance(e, ToolResult)] == ["a"]


def test_only_the_sessions_it_lies_in_are_kept() -> None:
    records: list[Record] = [
        {"type": "session", "id": "one"},
        *notation.session("X"),
        {"type": "session", "id": "two"},
        *notation.session("X"),
    ]
    events, _ = cut_of(records, "5:5")
    assert [e.session for e in events if isinstance(e, SessionStart | SessionEnd)] == ["two"] * 2


@pytest.mark.parametrize("path", ALL)
def test_any_slice_of_a_log_is_a_log(path: Path) -> None:
    whole = events_of(path)
    lines = [e.line for e in whole if isinstance(e, ToolCall) and e.line is not None]
    middle = lines[len(lines) // 2] if lines else 2
    for wanted in (Slice(middle, None), Slice(1, middle), Slice(middle, middle)):
        cut = Cut()
        events = list(sliced(whole, wanted, cut))
        assert cut.kept + cut.before + cut.after == sum(isinstance(e, ToolCall) for e in whole)
        assert complaints(converted(events)) == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["X", "Y", "u", "p", ".", "c", "r", "sub:X", "sub:."]), min_size=1),
    st.integers(1, 40),
    st.integers(0, 20),
)
def test_slices_side_by_side_hold_every_call(words: list[str], first: int, more: int) -> None:
    records = notation.session(" ".join(words))
    wanted = [Slice(1, first), Slice(first + 1, first + 1 + more), Slice(first + 2 + more, None)]
    found = [list(sliced(notation.events_of(records), one, Cut())) for one in wanted]
    calls = {e.id for events in found for e in events if isinstance(e, ToolCall)}
    assert calls == {record["id"] for record in records if record["type"] == "tool_call"}
    for events in found:
        steps = [type(e) for e in events if isinstance(e, ToolCall | StepEnd)]
        assert steps.count(ToolCall) == steps.count(StepEnd)
