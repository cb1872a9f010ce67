"""Records lost, doubled, moved and cut off: what a reader says stays sound."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Agent,
    Event,
    SessionEnd,
    SessionStart,
    StepEnd,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.model import Format, Record
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from tests.readers import events_of
from tests.test_reader_hostile import RECORDS
from tests.test_readers import READERS


@st.composite
def disordered(draw: st.DrawFn, records: list[Record]) -> list[Record]:
    """Take a stretch of records; move, double and drop some."""
    first = draw(st.integers(0, len(records) - 1))
    log = [*records[first : first + draw(st.integers(1, 40))]]
    for _ in range(draw(st.integers(0, 8))):
        here, there = draw(st.integers(0, len(log) - 1)), draw(st.integers(0, len(log) - 1))
        match draw(st.sampled_from(["move", "double", "drop"])):
            case "move":
                log.insert(there, log.pop(here))
            case "double":
                log.insert(there, log[here])
            case _ if len(log) > 1:
                del log[here]
    return log


def check_soundness(events: Iterable[Event]) -> None:
    """See that sessions begin and end, calls are numbered, and each result follows its call."""
    sessions: Counter[str] = Counter()
    calls: Counter[Agent] = Counter()
    waiting: set[tuple[Agent, int]] = set()
    for event in events:
        match event:
            case SessionStart(session=session):
                sessions[session] += 1
                calls = Counter({a: n for a, n in calls.items() if a.session != session})
            case SessionEnd(session=session):
                sessions[session] -= 1
                waiting = {each for each in waiting if each[0].session != session}
            case ToolCall(agent=agent, index=index):
                calls[agent] += 1
                assert index == calls[agent]
                waiting.add((agent, index))
            case ToolResult(call=call):
                waiting.remove((call.agent, call.index))
            case UserMessage(agent=agent) | StepEnd(agent=agent):
                assert sessions[agent.session] == 1
            case _:
                pass
    assert not any(sessions.values())


@pytest.mark.parametrize("form", READERS, ids=[form.name for form in READERS])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_disordered_logs_are_read(form: Format, data: st.DataObject) -> None:
    events = events_of(form, data.draw(disordered(RECORDS[form.name])))
    check_soundness(events)
    list(replay(events, Reminder(ReminderConfig(thresholds=(2, 3)))))


STREAMED: Final = [
    form for form in READERS if form.name in {"acp-wire", "copilot-cli", "pi", "qwen"}
]


@pytest.mark.parametrize("form", STREAMED, ids=[form.name for form in STREAMED])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_log_cut_off_tells_what_stands_before(form: Format, data: st.DataObject) -> None:
    """Calls that are told of the beginning are those told of the whole, in their order."""
    records = RECORDS[form.name]
    cut = data.draw(st.integers(1, len(records)))
    whole = [
        (call.agent, call.id) for call in events_of(form, records) if isinstance(call, ToolCall)
    ]
    part = [(c.agent, c.id) for c in events_of(form, records[:cut]) if isinstance(c, ToolCall)]
    for agent in {agent for agent, _ in part}:
        mine = [call_id for of, call_id in part if of == agent]
        assert mine == [call_id for of, call_id in whole if of == agent][: len(mine)]
