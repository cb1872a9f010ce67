"""A log converted to the canonical log replays as it did, call by call."""

import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repeat_reminder.convert import canonical_lines
from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Action,
    Agent,
    AgentStart,
    AssistantMessage,
    Event,
    InjectedMessage,
    Intervention,
    Item,
    Json,
    Resume,
    SessionId,
    SessionStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.model import Record
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.render.acp import acp_lines
from tests import dsh_notation, notation
from tests.conversions import (
    LOGS,
    complaints,
    converted,
    events_of,
    name_of,
    read_back,
    replayed,
    told,
)

ALL: Final = [pytest.param(path, id=name_of(path)) for path in LOGS]


def transcript(items: list[Item]) -> list[str]:
    """Give the ACP lines, but for the format that the log had."""
    lines = [json.loads(line) for line in acp_lines(items, [])]
    for line in lines:
        meta = line["params"]["update"].get("_meta", {})
        meta.get("repeat-reminder/transcript", {}).pop("format", None)
    return [json.dumps(line) for line in lines]


def sessions_overlap(events: list[Event]) -> bool:
    """Tell whether a session begins before the one before it has ended."""
    kinds = [type(e).__name__ for e in events if type(e).__name__ in ("SessionStart", "SessionEnd")]
    return kinds != ["SessionStart", "SessionEnd"] * (len(kinds) // 2)


@pytest.mark.parametrize("path", ALL)
def test_a_converted_log_counts_and_reminds_alike(path: Path) -> None:
    events = events_of(path)
    again = converted(events)
    assert told(replayed(again)) == told(replayed(events))
    assert complaints(again) == []


@pytest.mark.parametrize("path", ALL)
def test_a_converted_log_has_the_same_transcript(path: Path) -> None:
    events = events_of(path)
    before, after = transcript(replayed(events)), transcript(replayed(converted(events)))
    if sessions_overlap(events):  # a canonical log tells one after the other
        before, after = ([json.dumps(len(line)) for line in lines] for lines in (before, after))
        assert sorted(after) == sorted(before)
    else:
        assert after == before


@pytest.mark.parametrize("path", ALL)
def test_a_conversion_is_converted_to_itself(path: Path) -> None:
    once, twice = written(events_of(path)), written(converted(events_of(path)))
    for record in (*once, *twice):  # what a canonical log says for people alone
        record.pop("harness", None)
        record.pop("meta", None)
    assert once == twice


def breakers(events: list[Event]) -> list[tuple[str, str, int, Action]]:
    limits = {"exact": 3, "cmd": 3, "net": 3, "sink": 3, "host": 3}
    guard = Breaker(
        BreakerConfig(warn_at=1, summarize_at=2, fail_warn_at=1, fail_limit=2, limits=limits)
    )
    return [
        (item.call.agent.session, item.call.agent.id, item.call.index, item.action)
        for item in replay(events, guard)
        if isinstance(item, Intervention)
    ]


@pytest.mark.parametrize("path", ALL)
def test_the_other_policy_acts_alike_too(path: Path) -> None:
    events = events_of(path)
    assert sorted(breakers(converted(events))) == sorted(breakers(events))


# ---------------------------------------------------------------- any canonical log


def _strip(**fields: Json) -> Record:
    return {key: value for key, value in fields.items() if value is not None}


AGENTS = st.sampled_from([None, None, "sub"])
STEPS = st.sampled_from(
    [{}, {}, {}, {"step": 1}, {"step": 2}, {"turn": 1, "step": 1}, {"turn": 1, "step": 2}]
)
CALLS = st.builds(
    lambda step, **fields: _strip(type="tool_call", **fields) | step,
    STEPS,
    name=st.sampled_from("XY"),
    id=st.sampled_from([*"1234", None]),
    agent=AGENTS,
    arguments=st.sampled_from([1, 1, 2]),
    nested=st.sampled_from([None, None, None, True]),
)
RESULTS = st.builds(
    lambda **fields: _strip(type="tool_result", content="done", **fields),
    call_id=st.sampled_from("1234"),
    agent=AGENTS,
    status=st.sampled_from([None, None, "skipped", "error"]),
)
OTHERS = st.one_of(
    st.builds(
        lambda kind, **fields: _strip(type="user_message", source={"kind": kind}, **fields),
        st.sampled_from(["user", "plugin"]),
        agent=AGENTS,
        content=st.sampled_from(["hm", "hm", None]),
    ),
    st.builds(lambda agent: _strip(type="user_message", agent=agent) | {"content": []}, AGENTS),
    st.builds(
        lambda step, **fields: _strip(type="assistant_message", content="so", **fields) | step,
        STEPS,
        agent=AGENTS,
    ),
    st.builds(
        lambda kind, **fields: _strip(type=kind, **fields),
        st.sampled_from(["compaction", "resume", "step_end"]),
        agent=AGENTS,
    ),
    st.builds(
        lambda agent: _strip(type="injected_message", agent=agent, source={"kind": "plugin"}),
        AGENTS,
    ),
    st.builds(
        lambda state: _strip(type="agent", id="sub", state=state), st.sampled_from(["start", "end"])
    ),
    st.just(_strip(type="session", id="another")),
)
RECORDS = st.lists(CALLS | CALLS | RESULTS | RESULTS | OTHERS, min_size=1, max_size=30)


@settings(max_examples=400, deadline=None)
@given(RECORDS)
def test_any_canonical_log_tells_the_same_story(records: list[Record]) -> None:
    events = list(notation.events_of(records))
    again = converted(events)
    assert told(replayed(again)) == told(replayed(events))
    assert transcript(replayed(again)) == transcript(replayed(events))
    assert complaints(again) == []


# ---------------------------------------------------------------- what has to be said outright


def written(events: list[Event]) -> list[Record]:
    return [json.loads(line) for line in canonical_lines(events)]


def shape(events: list[Event]) -> list[str]:
    """Spell the records in order: type, and the id of its call."""
    names = (r.get("id") or r.get("call_id") or r.get("agent") or "" for r in written(events)[1:])
    return [
        f"{r['type']} {name}".strip() for r, name in zip(written(events)[1:], names, strict=True)
    ]


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        ("abc", "abc"),
        ("bca", "bca"),
        ("cba", "bca"),
        ("acb", "acb"),
        ("ba", "ba"),
        ("cb", "cb"),
        ("bc", "bc"),
    ],
)
def test_the_result_that_others_waited_for_stands_last(answered: str, expected: str) -> None:
    records = [notation.call("X", name) for name in "abc"]
    records += [notation.result(name) for name in answered]
    events = list(notation.events_of(records))
    assert shape(events)[3:] == [f"tool_result {name}" for name in expected]
    assert told(replayed(converted(events))) == told(replayed(events))


def test_every_call_names_its_step() -> None:
    records = [*notation.session("X X"), notation.call("X", "z", turn=7, step=3)]
    calls = [r for r in written(list(notation.events_of(records))) if r["type"] == "tool_call"]
    assert [(r.get("turn"), r["step"]) for r in calls] == [(None, 1), (None, 2), (7, 3)]


def test_a_step_end_is_written_only_where_the_next_record_does_not_show_it() -> None:
    events = list(notation.events_of(notation.session("X X u X . p X")))
    kinds = [str(record["type"]) for record in written(events)]
    assert kinds.count("step_end") == 1
    assert kinds[kinds.index("step_end") + 1] == "user_message"


def test_an_id_that_comes_again_is_made_different() -> None:
    log = dsh_notation.Log().turn("go")
    for _ in range(3):
        log.calls = 0
        log.run("X").done().step()
    events = list(dsh_notation.events(log))
    assert [word for word in shape(events) if "tool" in word] == [
        "tool_call c1", "tool_result c1",
        "tool_call c1#2", "tool_result c1#2",
        "tool_call c1#3", "tool_result c1#3",
    ]  # fmt: skip
    assert told(replayed(converted(events))) == told(replayed(events))


def test_calls_of_a_program_settle_before_it() -> None:
    log = dsh_notation.Log().turn("go").call("run")
    starts = [log.sub(number, "X") for number in (1, 2)]
    for start in starts:
        log.add(start, dsh_notation.answer(start))
    log.result().done().step().steps("X", "X")
    events = list(dsh_notation.events(log))
    assert [r["id"] for r in written(events) if r.get("nested")] == ["c1:code:1", "c1:code:2"]
    found = told(replayed(converted(events)))
    assert found == told(replayed(events))
    assert [entry[:3] for entry in found["s-1"]["s-1"].settled] == [
        ("X", 2, 1), ("X", 3, 2), ("run", 1, 1), ("X", 4, 1), ("X", 5, 2),
    ]  # fmt: skip


def test_a_message_that_waited_stands_where_it_was_queued() -> None:
    log = dsh_notation.Log().turn("go").steps("X").call("X")
    log.queue("wait", target=dsh_notation.STEP).result().done().step().run("X").done()
    events = list(dsh_notation.events(log))
    assert shape(events)[-5:] == [
        "tool_call c2", "user_message s-1", "tool_result c2", "tool_call c3", "tool_result c3",
    ]  # fmt: skip
    assert transcript(replayed(converted(events))) == transcript(replayed(events))


def test_a_request_that_says_nothing_more_still_carries_a_reminder() -> None:
    log = dsh_notation.Log().turn("go").steps("X", "X")
    events = list(dsh_notation.events(log))
    assert shape(events)[-1] == "assistant_message s-1"
    (reminder,) = told(replayed(converted(events)))["s-1"]["s-1"].reminders
    assert reminder == ("X", 2, 2, 2, True)


def test_a_prompt_that_nobody_read_resets_and_delivers_nothing() -> None:
    log = dsh_notation.Log().turn("go").steps("X").run("X").done().end().queue("more")
    log.add(dsh_notation.event("turn/start", {"turn": 2}))
    log.claim(dsh_notation.TURN, 1)
    log.end("blocked")
    events = list(dsh_notation.events(log))
    assert [r["content"] for r in written(events) if r["type"] == "user_message"] == ["go", []]
    assert told(replayed(converted(events))) == told(replayed(events))
    (reminder,) = told(replayed(converted(events)))["s-1"]["s-1"].reminders
    assert reminder == ("X", 2, 2, 2, False)


def test_a_log_without_results_stays_one() -> None:
    events = list(notation.events_of([notation.call("X"), notation.call("X")]))
    assert written(events)[0]["results"] is False
    assert shape(events) == ["tool_call c1", "tool_call c2"]


def test_a_log_whose_results_are_all_missing_is_no_log_without_results() -> None:
    records: list[Record] = [
        {"type": "session", "results": True},
        notation.call("X", "a"),
        notation.call("X", "b"),
    ]
    events = list(notation.events_of(records))
    assert told(replayed(converted(events)))["s"]["main"].settled == []


def start(session: str) -> SessionStart:
    return SessionStart(session=SessionId(session), line=None, format="x", path="x")


def test_sessions_side_by_side_are_written_one_after_the_other() -> None:
    one, two = Agent(SessionId("one"), "main"), Agent(SessionId("two"), "main")

    def said(agent: Agent, text: str) -> UserMessage:
        return UserMessage(
            agent=agent, line=None, texts=(text,), source={"kind": "user"}, resets=True
        )

    events: list[Event] = [
        start("one"), said(one, "1"), start("two"), said(two, "2"), said(one, "3"),
    ]  # fmt: skip
    found = [record.get("id") or record["content"] for record in written(events)]
    assert found == ["one", "1", "3", "two", "2"]


@pytest.mark.parametrize(
    ("source", "resets", "expected"),
    [
        ({"kind": "user"}, True, None),
        ({"kind": "user", "from": "me"}, True, {"kind": "user", "from": "me"}),
        ({"kind": "goal"}, False, {"kind": "goal"}),
        ({"kind": "goal"}, True, None),
        ({"kind": "user"}, False, {"kind": "not-human"}),
        ({}, False, {"kind": "unknown"}),
        ({"kind": 5}, False, {"kind": "unknown"}),
    ],
    ids=["human", "human with more", "other", "resets all the same", "does not", "none", "odd"],
)
def test_the_source_says_whether_a_message_resets(
    source: dict[str, Json],
    resets: bool,  # noqa: FBT001 - a column of the table
    expected: Json,
) -> None:
    agent = Agent(SessionId("s"), "main")
    message = UserMessage(agent=agent, line=1, texts=("hm",), source=source, resets=resets)
    record = written([start("s"), message])[-1]
    assert record.get("source") == expected
    again = [e for e in converted([start("s"), message]) if isinstance(e, UserMessage)]
    assert [e.resets for e in again] == [resets]


def test_everything_a_record_can_say_is_said() -> None:
    records: list[Record] = [
        {
            "type": "session", "id": "s", "cwd": "/w", "labels": {"outcome": "ok"},
            "parent_session": "p", "results": True,
        },
        {"type": "agent", "id": "sub", "parent": "main", "name": "helper"},
        {"type": "user_message", "content": [{"type": "text", "text": t} for t in "ab"], "ts": 5},
        {"type": "assistant_message", "content": "so", "usage": {"input": 3, "output": 4}},
        {"type": "tool_call", "id": "1", "name": "X", "arguments_text": "{oops", "step": 1},
        {
            "type": "tool_result", "call_id": "1", "status": "error", "content": "bad",
            "value": {"exitCode": 2}, "error": {"name": "E", "code": "C", "message": "m"},
            "ts": 1_800_000_000_123,
        },
        {
            "type": "injected_message", "content": "slow", "source": {"kind": "plugin"},
            "after_call_id": "1",
        },
        {"type": "compaction"},
        {"type": "resume", "agent": "sub"},
        {"type": "agent", "id": "sub", "state": "end"},
    ]  # fmt: skip
    events = list(notation.events_of(records))
    again = converted(events)
    assert [type(event) for event in again] == [type(event) for event in events]
    for one, other in zip(events, again, strict=True):
        assert {name: getattr(other, name) for name in kept(one)} == {
            name: getattr(one, name) for name in kept(one)
        }


KEPT: Final[dict[type, tuple[str, ...]]] = {
    SessionStart: ("session", "cwd", "labels", "parent", "records_results"),
    AgentStart: ("agent", "parent", "name"),
    ToolCall: ("id", "name", "arguments_text", "arguments", "step", "time"),
    ToolResult: ("status", "texts", "value", "is_error", "failure", "time"),
    AssistantMessage: ("texts", "usage", "time"),
    UserMessage: ("agent", "texts", "source", "time"),
    InjectedMessage: ("agent", "texts", "source", "time"),
    Resume: ("session", "agent"),
}
"""What a conversion keeps of an event, beside its place in the story."""


def kept(event: Event) -> tuple[str, ...]:
    return KEPT.get(type(event), ())


def test_hostile_text_is_kept_as_it_is() -> None:
    text = "\x1b[31m \u202e \ud800 \u2028 [bold]"
    records = [notation.user(text), notation.call(text, text, arguments_text=text)]
    events = list(notation.events_of(records))
    lines = list(canonical_lines(events))
    assert all(line.count(b"\n") == 1 for line in lines)
    again = [e for e in converted(events) if isinstance(e, ToolCall)]
    assert [(e.name, e.id, e.arguments_text) for e in again] == [(text, text, text)]


@pytest.mark.parametrize("number", ["1e400", "-0", "12345678901234567890", "1.0", "0.1"])
def test_numbers_keep_their_canonical_form(number: str) -> None:
    line = b'{"type":"tool_call","name":"X","arguments":{"n":%s}}\n' % number.encode()
    events = read_back(line * 2)
    assert told(replayed(converted(events))) == told(replayed(events))
    assert "reminders=[('X', 2, 2" in str(told(replayed(converted(events))))
