"""Patience: an ended step that lacks results settles as one, at the place of its first call."""

from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Event,
    SessionId,
    SessionStart,
    Settlement,
    StepEnd,
    ToolCall,
    ToolResult,
)
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.policies.reminder import Reminder, ReminderConfig

MAIN: Final = "main"
START: Final = SessionStart(session=SessionId("s"), line=1, format="x", path="x")

Act = tuple[str, int, int]
"""``call``, ``result`` or ``human``; the step of a call; the number of the call."""
Row = tuple[int, int, int | None]
"""A settled call: its number, its run, the line its step lands behind."""


def told(acts: list[Act], *, patience: int, ids_repeat: bool = False) -> Iterator[list[Event]]:
    """Give the events of every act, and at last those of the end."""
    session = Session(START, patience=patience, ids_repeat=ids_repeat)
    for line, (act, step, number) in enumerate(acts, 1):
        match act:
            case "call":
                events = session.call(
                    MAIN, "t", line, call_id=str(number), value=number % 2, key=step
                )
            case "result":
                events = session.result(str(number), Answer(line=line), line)
            case _:
                events = session.user(MAIN, line, ("go",), resets=True)
        yield list(events)
    yield list(session.end(len(acts)))


def settled(events: Iterator[list[Event]]) -> list[Row]:
    guard = Reminder(ReminderConfig())
    rows: list[Row] = []
    for item in replay((event for several in events for event in several), guard):
        if isinstance(item, Settlement):
            place = item.inject_after.line if item.inject_after else None
            rows.append((int(item.result.call.id), item.count or 0, place))
    return rows


def as_one(acts: list[Act]) -> list[Row]:
    """Say what the rule says, with the whole log at hand: step after step, each settled at once."""
    lines: dict[int, int] = {}
    for line, (act, _, number) in enumerate(acts, 1):
        if act == "result":
            lines.setdefault(number, line)
    rows: list[Row] = []
    run, newest, waiting = 0, -1, False
    numbers: list[int] = []

    def close() -> None:
        nonlocal run, newest
        answered = [number for number in numbers if number in lines]
        behind = max((lines[number] for number in answered), default=None)
        for number in answered:
            run = run + 1 if number % 2 == newest else 1
            newest = number % 2
            rows.append((number, run, behind))
        numbers.clear()

    open_step = 0
    for act, step, number in acts:
        if act == "human":
            waiting = True
        if act != "call":
            continue
        if step != open_step:
            close()
            newest, waiting, open_step = (-1 if waiting else newest), False, step
        numbers.append(number)
    close()
    return rows


@st.composite
def logs(draw: st.DrawFn) -> list[Act]:
    """Draw calls of consecutive steps, results anywhere behind their call, and human messages."""
    acts: list[Act] = []
    number = 0
    for step in range(1, draw(st.integers(1, 6)) + 1):
        for _ in range(draw(st.integers(1, 3))):
            number += 1
            acts.append(("call", step, number))
    for answered in draw(st.lists(st.integers(1, number), unique=True)):
        first = next(i for i, (act, _, n) in enumerate(acts) if (act, n) == ("call", answered))
        acts.insert(draw(st.integers(first + 1, len(acts))), ("result", 0, answered))
    for _ in range(draw(st.integers(0, 2))):
        acts.insert(draw(st.integers(1, len(acts))), ("human", 0, 0))
    return acts


@given(logs())
def test_steps_settle_as_one_whatever_the_order_of_results(acts: list[Act]) -> None:
    assert settled(told(acts, patience=1000)) == as_one(acts)


def test_what_waits_is_told_as_soon_as_the_results_have_come() -> None:
    acts: list[Act] = [
        *(("call", 1, 1), ("call", 2, 3), ("result", 0, 3), ("call", 3, 5), ("result", 0, 1)),
        ("result", 0, 5),
    ]
    events = list(told(acts, patience=64))
    assert [type(event) for event in events[1]] == []
    assert [type(event) for event in events[4]] == [
        *(ToolResult, StepEnd, ToolCall, ToolResult, StepEnd, ToolCall)
    ]
    first = next(event for event in events[4] if isinstance(event, ToolResult))
    assert (first.call.id, first.settled_line, first.late) == ("1", 5, False)


PATIENCES: Final = [0, 1, 3, 10]


@pytest.mark.parametrize("patience", PATIENCES)
def test_a_lost_result_holds_back_no_more_than_patience_allows(patience: int) -> None:
    acts: list[Act] = [("call", 1, 1)]
    for step in range(2, 20):
        acts += [("call", step, step), ("result", 0, step)]
    waiting = 0
    for (act, _, _), events in zip(acts, told(acts, patience=patience), strict=False):
        waiting += (2 if act == "call" else 1) - len(events)
        assert waiting <= patience + 2


def test_a_result_beyond_patience_is_late() -> None:
    acts: list[Act] = [("call", 1, 1)]
    for step in range(2, 9):
        acts += [("call", step, step), ("result", 0, step)]
    acts.append(("result", 0, 1))
    events = [event for several in told(acts, patience=4) for event in several]
    late = [event for event in events if isinstance(event, ToolResult) and event.late]
    assert [(event.call.id, event.line, event.settled_line) for event in late] == [("1", 16, 16)]


def test_every_step_that_lacks_results_is_given_up_by_itself() -> None:
    acts: list[Act] = [("call", step, step) for step in (1, 2, 3)]
    acts += [("human", 0, 0), ("result", 0, 2), ("result", 0, 1)]
    events = [event for several in told(acts, patience=4) for event in several]
    results = [event for event in events if isinstance(event, ToolResult)]
    assert [(result.call.id, result.late) for result in results] == [("2", False), ("1", True)]


def test_a_call_whose_id_is_given_again_is_not_waited_for() -> None:
    acts: list[Act] = [("call", 1, 1), ("call", 2, 1), ("result", 0, 1), ("call", 3, 3)]
    events = list(told(acts, patience=64, ids_repeat=True))
    assert StepEnd in map(type, events[1])


def test_a_step_given_up_ends_where_it_ended() -> None:
    acts: list[Act] = [
        ("call", 1, 1),
        ("call", 1, 3),
        ("result", 0, 3),
        ("call", 2, 5),
        ("result", 0, 5),
    ]
    events = [event for several in told(acts, patience=64) for event in several]
    lines = [event.settled_line for event in events if isinstance(event, ToolResult)]
    assert lines == [4, 5]
