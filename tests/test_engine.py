"""The engine: what is held, and that guards never change what is there without them."""

from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.engine import Replay, replay
from repeat_reminder.events import (
    Action,
    Agent,
    Intervention,
    Item,
    Json,
    SessionId,
    Settlement,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.formats.model import Record
from repeat_reminder.policies.answers import ANSWERS, Answer
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from tests.notation import assistant, call, events_of, result, user

AGENTS = ("main", "sub")
CALLS = st.tuples(st.just("call"), st.sampled_from(AGENTS), st.sampled_from("XY"))
RESULTS = st.tuples(
    st.just("result"), st.integers(0, 30), st.sampled_from(["ok", "ok", "skipped", "denied"])
)
ASIDES = st.tuples(
    st.sampled_from(["assistant", "user", "plugin", "injected", "compaction", "resume", "end"]),
    st.sampled_from(AGENTS),
    st.none(),
)
STREAMS = st.lists(st.one_of(CALLS, CALLS, RESULTS, RESULTS, ASIDES), max_size=40)


def spell(stream: list[tuple[str, str | int, str | None]]) -> list[Record]:
    """Write a random stream as canonical records."""
    records: list[Record] = []
    for kind, which, what in stream:
        agent = str(which)
        match kind:
            case "call":
                records.append(call(str(what), f"k{len(records)}", agent=agent))
            case "result":
                records.append(result(f"k{which}", status=what))
            case "assistant":
                records.append(assistant(agent=agent))
            case "user" | "plugin":
                records.append(user(agent=agent, kind=kind))
            case "injected":
                source: Record = {"kind": "plugin", "plugin": "p"}
                records.append({"type": "injected_message", "agent": agent, "source": source})
            case "end":
                records.append({"type": "agent", "id": agent, "state": "end"})
            case _:
                records.append({"type": kind, "agent": agent})
    return records


def without_guards(items: list[Item]) -> list[Item]:
    return [item for item in items if not isinstance(item, Intervention | Settlement)]


@given(STREAMS)
def test_guards_only_ever_add(stream: list[tuple[str, str | int, str | None]]) -> None:
    records = spell(stream)
    guarded = list(replay(events_of(records), Reminder(ReminderConfig(thresholds=(2, 3)))))
    assert without_guards(guarded) == list(replay(events_of(records), []))


@given(STREAMS)
def test_every_intervention_lands_behind_its_call_and_once(
    stream: list[tuple[str, str | int, str | None]],
) -> None:
    items = list(replay(events_of(spell(stream)), Reminder(ReminderConfig(thresholds=(2, 3)))))
    said = [item for item in items if isinstance(item, Intervention)]
    counted = [item for item in items if isinstance(item, Settlement) and item.count in {2, 3}]
    assert sorted((s.call.line or 0, s.count) for s in said) == sorted(
        (c.result.call.line or 0, c.count or 0) for c in counted
    )
    for one in said:
        assert one.result is not None
        assert one.inject_after is not None
        assert (one.inject_after.line or 0) >= (one.result.line or 0)
        assert items.index(one) > items.index(one.call)


def breaker(answer: Answer = "unattended") -> Breaker:
    """Make one that stops every second call."""
    settings: Json = {"limits": {"exact": 2}, "warnAt": 1, "failWarnAt": 1}
    return Breaker(BreakerConfig.from_mapping(settings), answer)


@given(STREAMS, st.sampled_from(ANSWERS))
def test_gates_only_ever_add(
    stream: list[tuple[str, str | int, str | None]], answer: Answer
) -> None:
    records = spell(stream)
    guarded = list(replay(events_of(records), breaker(answer)))
    assert without_guards(guarded) == list(replay(events_of(records), []))


@given(STREAMS, st.sampled_from(ANSWERS))
def test_a_gate_stands_before_its_call_and_knows_how_that_ended(
    stream: list[tuple[str, str | int, str | None]], answer: Answer
) -> None:
    items = list(replay(events_of(spell(stream)), breaker(answer)))
    results = {id(item.call): item for item in items if isinstance(item, ToolResult)}
    for at, gate in enumerate(items):
        if isinstance(gate, Intervention) and gate.action in (Action.ASK, Action.DENY):
            assert items[at + 1] is gate.call
            result = results.get(id(gate.call))
            # What was held is told when the step ends: a later result comes too late for it.
            assert gate.result is (None if result is not None and result.late else result)
            if gate.result is not None:
                assert gate.result.status not in (Status.SKIPPED, Status.DENIED)


def test_what_a_gate_holds_is_told_when_its_call_settles() -> None:
    engine = Replay([breaker()])
    log = [call("X", "a"), result("a"), call("X", "b"), call("Y", "c", agent="sub"), result("b")]
    told = [[type(item) for item in engine.feed(event)] for event in events_of(log)]
    first = told.index([ToolCall])
    assert told[first + 3 :][:3] == [
        [Intervention],  # the first call's advice
        [],  # the other agent goes on while the gate is held
        [Intervention, ToolCall, ToolCall, ToolResult],
    ]


def test_a_live_guard_needs_no_log() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2,)))
    events = list(events_of([call("X", "a"), result("a"), call("X", "b"), result("b")]))
    settled = [event for event in events if isinstance(event, ToolResult)]
    assert [guard.on_result(event).run for event in settled] == [1, 2]
    guard.on_user_message(Agent(SessionId("s"), "main"))
    assert guard.on_result(settled[0]).run == 1
