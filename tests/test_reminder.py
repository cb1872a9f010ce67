"""The reminder: what counts, when it speaks, what it says. Rows of the decision table by number."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from repeat_reminder.canonical import canonical, canonical_of
from repeat_reminder.events import (
    Action,
    Agent,
    CallId,
    Intervention,
    Json,
    SessionId,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.policies import UNTRACKED, Guard, Verdict
from repeat_reminder.policies.chains import Chains
from repeat_reminder.policies.identity import IgnoredArguments
from repeat_reminder.policies.patterns import Scope
from repeat_reminder.policies.reminder import GENTLE, PLUGIN, Reminder, ReminderConfig, detailed

CASES = json.loads((Path(__file__).parent / "data" / "canonical.json").read_text(encoding="utf-8"))
MAIN = Agent(SessionId("s"), "main")
CHILD = Agent(SessionId("s"), "child")
OTHER = Agent(SessionId("t"), "main")
NUMBERS = count(1)


def call(
    name: str = "bash", text: str | None = "{}", value: Json = None, agent: Agent = MAIN
) -> ToolCall:
    number = next(NUMBERS)
    return ToolCall(
        agent=agent,
        id=CallId(f"c{number}"),
        index=number,
        line=number,
        name=name,
        arguments_text=text,
        arguments=value,
    )


def settle(guard: Guard, settled: ToolCall, status: Status = Status.OK) -> tuple[Intervention, ...]:
    return verdict(guard, settled, status).interventions


def verdict(guard: Guard, settled: ToolCall, status: Status = Status.OK) -> Verdict:
    line = settled.line
    return guard.on_result(ToolResult(call=settled, line=line, settled_line=line, status=status))


def heard(calls: str, **config: Json) -> str:
    """Play calls and say at which of them a reminder comes.

    A word is ``name`` or ``name{arguments}``; ``child:`` and ``other:`` are other agents;
    ``USER``, ``GONE`` and ``END`` happen to the main agent and its session.
    """
    guard = Reminder(ReminderConfig.from_mapping(dict(config)))
    said: list[str] = []
    for number, word in enumerate(calls.split(), 1):
        match word.rpartition(":")[::2] if "{" not in word else ("", word):
            case "", "USER":
                guard.on_user_message(MAIN)
            case "", "GONE":
                guard.on_agent_gone(MAIN)
            case "", "END":
                guard.on_session_end(MAIN.session)
            case who, what:
                agent = {"": MAIN, "child": CHILD, "other": OTHER}[who]
                name, brace, rest = what.partition("{")
                made = call(name, brace + rest, agent=agent)
                said += [f"{number}={i.count}:{i.tier}" for i in settle(guard, made)]
    return " ".join(said)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param("X X", "", id="1 two are no reason"),
        pytest.param("X X X", "3=3:gentle", id="2 the third is"),
        pytest.param("X " * 12, "3=3:gentle 5=5:detailed 8=8:detailed", id="3 then silence"),
        pytest.param("X X Y X", "", id="4 another call starts over"),
        pytest.param("X X X Y X X X", "3=3:gentle 7=3:gentle", id="5 a new run speaks again"),
        pytest.param("X Y " * 20, "", id="6 taking turns is no run"),
        pytest.param(
            'X{"a":{"c":1,"d":2},"b":3} X{"b":3,"a":{"d":2,"c":1}} X{"b":3,"a":{"c":1,"d":2}}',
            "3=3:gentle",
            id="7 key order is no difference",
        ),
        pytest.param(
            'X{"n":1.0} X{"n":1} X{"n":1e0}', "3=3:gentle", id="8 nor is a number's spelling"
        ),
        pytest.param(
            'X{"a":"5"} X{"a":5} X{"a":"5"} X{"a":null} X X{"a":null}', "", id="9 types are"
        ),
        pytest.param("X{no X{no X{no", "3=3:gentle", id="11 what is not JSON is compared as text"),
        pytest.param("X X{} X", "3=3:gentle", id="12 no arguments are empty arguments"),
        pytest.param("X x X Y X", "", id="13 case counts in a name"),
        pytest.param("X todo_write X todo_write X", "", id="14 todo_write is tracked"),
        pytest.param("X X USER X X X", "6=3:gentle", id="22 a human message starts over"),
        pytest.param("X X GONE X X", "", id="27 so does a resume"),
        pytest.param("X X END X X", "", id="so does the end of the session"),
        pytest.param("X X child:X X", "4=3:gentle", id="28 agents never share a chain"),
        pytest.param("X X other:X X", "4=3:gentle", id="nor do sessions"),
        pytest.param("child:X child:X USER child:X", "4=3:gentle", id="29 a reset is one agent's"),
        pytest.param("child:X child:X END child:X", "", id="a session ends for all its agents"),
        pytest.param("other:X other:X END other:X", "4=3:gentle", id="and for no other session"),
        pytest.param("X X X X X", "3=3:gentle 5=5:detailed", id="30 five in one step"),
        pytest.param("USER GONE END X X X", "6=3:gentle", id="nothing to forget is no error"),
    ],
)
def test_default_config(calls: str, expected: str) -> None:
    assert heard(calls) == expected


@pytest.mark.parametrize(
    ("config", "calls", "expected"),
    [
        pytest.param(
            {"exclude": ["todo_write"]},
            "X todo_write X todo_write X",
            "5=3:gentle",
            id="15 an excluded call is transparent",
        ),
        pytest.param(
            {"exclude": ["todo_write"]}, "X X write_todos X", "", id="16 no partial match"
        ),
        pytest.param(
            {"include": ["mcp_*"]}, "mcp_a Z mcp_a Z mcp_a", "5=3:gentle", id="17 include only"
        ),
        pytest.param(
            {"include": ["X"], "exclude": ["X"]}, "X X X", "", id="18 exclude wins over include"
        ),
        pytest.param(
            {"thresholds": [2]}, "X X Y Y", "2=2:gentle 4=2:gentle", id="32 two runs of two"
        ),
        pytest.param(
            {"thresholds": [8, 3, 5]},
            "X " * 12,
            "3=3:gentle 5=5:detailed 8=8:detailed",
            id="41 thresholds in any order",
        ),
        pytest.param(
            {"thresholds": [4, 6]},
            "X " * 9,
            "4=4:gentle 6=6:detailed",
            id="42 the lowest is gentle",
        ),
        pytest.param({"thresholds": [2]}, "X " * 6, "2=2:gentle", id="43 one threshold, one time"),
        pytest.param({"thresholds": [40]}, "X " * 39, "", id="44 a threshold no run reaches"),
        pytest.param(
            {"ignoreArgs": ["why"]},
            'X{"a":1,"why":"x"} X{"a":1} X{"why":{"b":2},"a":1}',
            "3=3:gentle",
            id="an ignored argument is no difference",
        ),
        pytest.param(
            {"ignoreArgs": ["why"]},
            'X{"a":{"why":1}} X{"a":{"why":2}} X{"a":{"why":1}}',
            "",
            id="below the top level it is",
        ),
        pytest.param(
            {"ignoreArgs": ["X:why"], "thresholds": [2]},
            'X{"why":1} X{"why":2} Y{"why":1} Y{"why":2}',
            "2=2:gentle",
            id="it can be one tool's",
        ),
        pytest.param(
            {"ignoreArgs": ["mcp_*:why"], "thresholds": [2]},
            'mcp_a{"why":1} mcp_a{"why":2}',
            "2=2:gentle",
            id="or a family's",
        ),
        pytest.param(
            {"ignoreArgs": ["why"], "thresholds": [2]},
            "X[1] X[2] Xwhy Xno",
            "",
            id="arguments that are no object stay whole",
        ),
    ],
)
def test_with_a_config(config: dict[str, Json], calls: str, expected: str) -> None:
    assert heard(calls, **config) == expected


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.SKIPPED])
def test_19_20_whatever_settles_counts(status: Status) -> None:
    guard = Reminder()
    said = [settle(guard, call(), status) for _ in range(3)]
    assert [len(interventions) for interventions in said] == [0, 0, 1]


def test_a_call_lets_itself_run_and_a_skipped_one_leaves_no_trace() -> None:
    guard = Reminder()
    settle(guard, call())
    settle(guard, call())
    skipped = call("other")
    assert guard.on_call(skipped) == ()
    guard.on_skipped(skipped)
    assert len(settle(guard, call())) == 1


@pytest.mark.parametrize("row", CASES["tiers"], ids=lambda row: str(row["config"]["thresholds"]))
def test_recorded_tiers_of_the_plugin(row: dict[str, Any]) -> None:
    guard = Reminder(ReminderConfig.from_mapping(row["config"]))
    said = [
        {"call": n, "count": i.count, "tier": i.tier, "summary": i.source["summary"]}
        for n in range(1, row["identical_calls"] + 1)
        for i in settle(guard, call("grep"))
    ]
    assert said == row["reminders"]


@pytest.mark.parametrize("row", CASES["texts"], ids=lambda row: f"count {row['count']}")
def test_recorded_texts_of_the_plugin(row: dict[str, Any]) -> None:
    guard = Reminder(ReminderConfig(thresholds=tuple(row["thresholds"])))
    said = [
        i.text
        for _ in range(row["count"])
        for i in settle(guard, call(row["tool"], row["arguments_text"]))
    ]
    assert said[-1] == row["text"]


# ---------------------------------------------------------------- what a reminder holds


def test_what_a_reminder_tells() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2, 3)))
    first, second, third = (call(text='{"b":1,"a":2}') for _ in range(3))
    assert verdict(guard, first) == Verdict(tracked=True, run=1)
    [gentle] = settle(guard, second)
    [loud] = settle(guard, third)
    assert gentle == Intervention(
        policy="reminder",
        action=Action.REMIND,
        call=second,
        text=GENTLE,
        source={
            "kind": "plugin",
            "plugin": PLUGIN,
            "form": "notice",
            "summary": "bash \N{MULTIPLICATION SIGN} 2",
        },
        count=2,
        tier=gentle.tier,
        threshold=2,
        run_first=first,
        arguments_preview='{"a":2,"b":1}',
    )
    assert loud.text == detailed("bash", 3, '{"a":2,"b":1}')
    assert (loud.threshold, loud.run_first) == (3, first)


def test_45_a_long_argument_is_cut_and_the_key_is_not() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2, 3), arguments_preview_chars=500))
    text = json.dumps("x" * 898)  # 900 units
    said = [i for _ in range(3) for i in settle(guard, call(text=text))]
    assert [i.arguments_omitted for i in said] == [400, 400]
    assert said[1].arguments_preview == '"' + "x" * 499 + "… (+400 more chars)"
    assert f"- arguments: {said[1].arguments_preview}\n" in said[1].text
    assert "x" not in said[0].text.split()  # the gentle text quotes nothing


def test_46_a_difference_behind_the_cut_is_a_difference() -> None:
    texts = [json.dumps("x" * 600 + end) for end in "ababab"]
    assert not any(settle(Reminder(ReminderConfig(thresholds=(2,))), call(text=t)) for t in texts)


def test_the_text_quotes_ignored_arguments_too() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2,), ignore_args=("why",)))
    settle(guard, call(text='{"a":1,"why":"x"}'))
    [said] = settle(guard, call(text='{"why":"y","a":1}'))
    assert said.arguments_preview == '{"a":1,"why":"y"}'


@pytest.mark.parametrize("size", [10, 5_000], ids=["short", "long"])
def test_the_first_call_of_a_run_is_known_whatever_is_kept_of_it(size: int) -> None:
    guard = Reminder(ReminderConfig(thresholds=(3,)))
    calls = [call(text=json.dumps({"x": "y" * size, "n": n})) for n in (0, 1, 1, 1)]
    said = [i for c in calls for i in settle(guard, c)]
    assert [(i.run_first.id, i.run_first.line) for i in said if i.run_first] == [
        (calls[1].id, calls[1].line)
    ]


def test_the_record_states_every_key_of_the_plugin() -> None:
    guard = Reminder(ReminderConfig(thresholds=(5, 3), exclude=("a",)))
    assert guard.name == "reminder"
    assert list(guard.config_record().items()) == [
        ("thresholds", [3, 5]),
        ("include", []),
        ("exclude", ["a"]),
        ("argumentsPreviewChars", 500),
    ]
    assert Reminder(ReminderConfig(ignore_args=("b",))).config_record()["ignoreArgs"] == ["b"]


# ---------------------------------------------------------------- arguments that are too deep

DEEP_TEXT = "[" * 6_000 + "]" * 6_000


def deep_value(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "deep",
    [
        pytest.param(call(text=DEEP_TEXT), id="same tool"),
        pytest.param(call("other", text=DEEP_TEXT), id="another tool"),
        pytest.param(call("other", text=None, value=deep_value(6_000)), id="a parsed value"),
    ],
)
def test_too_deep_is_transparent(deep: ToolCall) -> None:
    guard = Reminder()
    assert verdict(guard, deep) == UNTRACKED
    settle(guard, call())
    settle(guard, call())
    assert verdict(guard, deep) == UNTRACKED
    assert len(settle(guard, call())) == 1


def test_too_deep_is_transparent_even_where_the_depth_is_ignored() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2,), ignore_args=("why",)))
    for _ in range(3):
        assert verdict(guard, call(text=None, value={"why": deep_value(6_000)})) == UNTRACKED


def test_deep_but_not_too_deep_counts() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2,)))
    settle(guard, call(text="[" * 5_000 + "]" * 5_000))
    assert len(settle(guard, call(text=None, value=deep_value(4_999)))) == 0
    assert len(settle(guard, call(text="[" * 4_999 + "1" + "]" * 4_999))) == 1


# ---------------------------------------------------------------- lazy is eager

LONG = "z" * 2_000
VALUES: list[Json] = [
    {},
    {"a": 1, "b": "x"},
    {"b": "x", "a": 1},
    {"a": True, "b": "x"},
    {"a": 1},
    {"a": 1, "w": LONG},
    {"w": 2, "a": 1},
    {"c": LONG, "d": [1, {"e": LONG}]},
    {"d": [1, {"e": LONG}], "c": LONG},
    {"d": [1, {"e": LONG + "!"}], "c": LONG},
    [list(range(100))],
    [[*range(99), 99.0]],
    {str(n): n for n in range(80)},
    "{",
    None,
    deep_value(5_001),
]
TEXTS = [
    *(json.dumps(v) for v in VALUES[:-1]),
    '{"b":"x","a":1.0}',
    '{"b":"\\u0078","a":1e0}',
    "{",
    "",
    DEEP_TEXT,
    '{"c":"' + "{[" * 3_000 + '"}',
    ' {"c":"' + "{[" * 3_000 + '"}',
]
ARGUMENTS = st.one_of(
    st.sampled_from(TEXTS).map(lambda text: (text, None)),
    st.sampled_from(VALUES).map(lambda value: (None, value)),
)
AGENTS = st.sampled_from([MAIN, CHILD, OTHER])
STEP = st.one_of(
    st.tuples(AGENTS, st.sampled_from(["a", "b", "untracked"]), ARGUMENTS),
    st.tuples(AGENTS, st.sampled_from(["drop", "drop session"]), st.just((None, None))),
)


def eager(steps: list[Any], ignored: frozenset[str]) -> Iterator[tuple[int | None, str | None]]:
    """Count as the plugin does: make the whole key of every call, and compare the keys."""
    chains: dict[Agent, tuple[tuple[str, str], int, str]] = {}
    for (agent, name, _), made in steps:
        if name == "drop":
            chains.pop(agent, None)
        elif name == "drop session":
            chains = {a: chain for a, chain in chains.items() if a.session != agent.session}
        elif name == "untracked":
            yield None, None
        else:
            try:
                text = canonical_of(made.arguments_text, made.arguments)
            except TooDeep:
                yield None, None
                continue
            if text.startswith("{"):
                text = canonical({k: v for k, v in json.loads(text).items() if k not in ignored})
            key, length, first = chains.get(agent, (None, 0, ""))
            length, first = (length + 1, first) if key == (name, text) else (1, made.id)
            chains[agent] = (name, text), length, first
            yield length, first


def lazy(steps: list[Any], ignored: frozenset[str]) -> Iterator[tuple[int | None, str | None]]:
    chains = Chains(Scope((), ("untracked",)), IgnoredArguments(tuple(ignored)))
    for (agent, name, _), made in steps:
        if name == "drop":
            chains.drop(agent)
        elif name == "drop session":
            chains.drop_session(agent.session)
        else:
            try:
                run = chains.count(made)
            except TooDeep:
                run = None
            yield (run.count, run.first.id) if run else (None, None)


@given(st.lists(STEP, max_size=40), st.sampled_from([frozenset(), frozenset("wc")]))
@example([(MAIN, "a", ("", None)), (MAIN, "a", (None, {})), (MAIN, "a", ("{}", None))], frozenset())
def test_lazy_counts_like_eager(steps: list[Any], ignored: frozenset[str]) -> None:
    made = [
        (step, call(step[1], text, value, step[0])) for step in steps for text, value in [step[2]]
    ]
    assert list(lazy(made, ignored)) == list(eager(made, ignored))


def kept(chains: Chains) -> int:
    """Characters of arguments that are in memory."""
    runs = [run for agents in chains._runs.values() for run in agents.values()]  # noqa: SLF001 - memory shows nowhere else
    return sum(
        len(run.first.arguments_text or "") + len(str(run.first.arguments or "")) for run in runs
    ) + sum(len(run.identity or "") for run in runs)


@pytest.mark.parametrize("parsed", [False, True], ids=["text", "value"])
@pytest.mark.parametrize("calls", [1, 2, 3], ids="{} calls each".format)
def test_long_arguments_of_many_agents_are_not_kept(calls: int, *, parsed: bool) -> None:
    chains = Chains(Scope(), IgnoredArguments())
    for n in range(150):
        value: Json = {"x": "y" * 20_000, "n": n // 50 % calls}
        agent = Agent(SessionId("s"), f"a{n % 50}")
        chains.count(call("write", None if parsed else json.dumps(value), value, agent))
    assert kept(chains) < 50 * 1_024 + 21_000


def test_a_call_to_another_tool_is_not_canonicalised(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Json] = []

    def spy(value: Json) -> str:
        seen.append(value)
        return canonical(value)

    monkeypatch.setattr("repeat_reminder.policies.identity.canonical", spy)
    chains = Chains(Scope(), IgnoredArguments())
    for name, text in [("a", "{}"), ("b", json.dumps(LONG)), ("a", json.dumps(LONG)), ("b", "1")]:
        chains.count(call(name, text))
        chains.count(call(name, text))
    assert seen == []
    chains.count(call("b", "2"))
    assert sorted(map(str, seen)) == ["1", "2"]


def test_the_preview_counts_utf16_units() -> None:
    guard = Reminder(ReminderConfig(thresholds=(2,), arguments_preview_chars=6))
    text = json.dumps("\U0001f600\U0001f600\U0001f600")
    settle(guard, call(text=text))
    [said] = settle(guard, call(text=text))
    assert said.arguments_preview == '"\U0001f600\U0001f600\ud83d… (+2 more chars)'
    assert said.arguments_omitted == 2
