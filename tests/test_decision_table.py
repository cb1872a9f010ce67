"""Every row of the reminder's decision table that a log can show, through the canonical reader."""

from typing import Any

import pytest

from repeat_reminder.events import Intervention, Problem
from tests.notation import (
    assistant,
    call,
    counts,
    items_of,
    placements,
    result,
    session,
    user,
)

GENTLE3 = (3, "gentle")
ROWS: list[Any] = [
    pytest.param("X X .", {}, [], id="1-two-are-silent"),
    pytest.param("X X X .", {}, [GENTLE3], id="2-third-speaks"),
    pytest.param(
        "X*12 .", {}, [GENTLE3, (5, "detailed"), (8, "detailed")], id="3-silence-after-the-last"
    ),
    pytest.param("X X Y X .", {}, [], id="4-another-call-breaks-the-run"),
    pytest.param("X X X Y X X X .", {}, [GENTLE3, GENTLE3], id="5-a-new-run-starts-over"),
    pytest.param("X Y X Y X Y X Y X Y X Y .", {}, [], id="6-alternation-is-silent"),
    pytest.param("X todo_write X todo_write X .", {}, [], id="14-todo_write-is-tracked"),
    pytest.param(
        "X todo_write X todo_write X .", {"exclude": ["todo_write"]}, [GENTLE3], id="15-excluded"
    ),
    pytest.param(
        "X write_todos X write_todos X .", {"exclude": ["todo_write"]}, [], id="16-whole-name"
    ),
    pytest.param("mcp_a Z mcp_a Z mcp_a .", {"include": ["mcp_*"]}, [GENTLE3], id="17-include"),
    pytest.param("X X X .", {"include": ["X"], "exclude": ["X"]}, [], id="18-exclude-wins"),
    pytest.param("X! X! X! .", {}, [GENTLE3], id="19-denied-calls-count"),
    pytest.param("X X u X X X .", {}, [GENTLE3], id="22-a-human-message-resets"),
    pytest.param("X X p X .", {}, [GENTLE3], id="23-a-plugin-message-does-not"),
    pytest.param("X X c X .", {}, [GENTLE3], id="26-compaction-does-not"),
    pytest.param("X X r X .", {}, [], id="27-resume-resets"),
    pytest.param("X X child:X X .", {}, [GENTLE3], id="28-agents-never-share"),
    pytest.param("X X child:u child:X X .", {}, [GENTLE3], id="29-a-childs-prompt-is-its-own"),
    pytest.param("X*12 .", {"thresholds": [8, 3, 5]}, [GENTLE3, (5, "detailed"), (8, "detailed")],
                 id="41-order-of-thresholds"),
    pytest.param("X*12 .", {"thresholds": [4, 6]}, [(4, "gentle"), (6, "detailed")], id="42-own"),
    pytest.param("X*6 .", {"thresholds": [2]}, [(2, "gentle")], id="43-one-threshold"),
    pytest.param("X*12 .", {"thresholds": [40]}, [], id="44-never-reached"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "config", "said"), ROWS)
def test_what_is_said(words: str, config: dict[str, list[Any]], said: list[object]) -> None:
    items = items_of(session(words), **config)
    assert [(count, tier) for _, _, count, tier, *_ in placements(items)] == said


@pytest.mark.parametrize("kind", ["goal", "coordinator", "schedule", "team-message", "model"])
def test_24_other_kinds_do_not_reset(kind: str) -> None:
    records = [*session("X X"), user(kind=kind), call("X", "z"), result("z"), assistant()]
    assert [p[2] for p in placements(items_of(records))] == [3]


SAME: list[Any] = [
    pytest.param(
        ['{"a":1,"b":{"c":1,"d":2}}', '{"b":{"d":2,"c":1},"a":1}'], True, id="7-key-order"
    ),
    pytest.param(['{"n":1.0}', '{"n":1}'], True, id="8-1.0-is-1"),
    pytest.param(['{"n":1e2}', '{"n":100}'], True, id="8-1e2-is-100"),
    pytest.param(['{"n":"5"}', '{"n":5}'], False, id="9-text-is-no-number"),
    pytest.param(['{"a":null}', "{}"], False, id="9-null-is-not-missing"),
    pytest.param(['{"a":[1,2]}', '{"a":[2,1]}'], False, id="9-array-order"),
    pytest.param(['{"a":"x y"}', '{"a":"x  y"}'], False, id="10-a-space-more"),
    pytest.param(["not json", "not json"], True, id="11-broken-text-is-compared"),
    pytest.param(["", "{}"], True, id="12-empty-text-is-an-empty-object"),
    pytest.param(
        [f'{{"a":"{"x" * 600}1"}}', f'{{"a":"{"x" * 600}2"}}'], False, id="46-beyond-the-preview"
    ),
]


@pytest.mark.parametrize(("texts", "same"), SAME)
def test_what_is_the_same_call(texts: list[str], same: bool) -> None:  # noqa: FBT001 - a table
    records = []
    for number, text in enumerate(texts):
        records += [call("X", f"k{number}", arguments_text=text), result(f"k{number}")]
    assert counts(items_of(records)) == [1, 2 if same else 1]


@pytest.mark.parametrize("other", ["x", "X2"])
def test_13_another_name_is_another_call(other: str) -> None:
    records = [call("X", "a"), result("a"), call(other, "b"), result("b")]
    assert counts(items_of(records)) == [1, 1]


def test_25_a_steer_lands_before_the_reminder_and_resets_behind_it() -> None:
    records = [
        *session("X X"),
        *(call("X", "z"), user("any news?"), result("z")),
        *(call("X", "y"), result("y"), assistant()),
    ]
    items = items_of(records)
    assert placements(items) == [("main", "X", 3, "gentle", 7, 7, True)]
    assert counts(items) == [1, 2, 3, 1]
    kinds = [type(item).__name__ for item in items]
    assert kinds.index("UserMessage") < kinds.index("Intervention")


def test_30_five_in_one_step_speak_after_the_fifth_result() -> None:
    ids = "abcde"
    records = [*(call("X", i) for i in ids), *(result(i) for i in ids), assistant()]
    assert placements(items_of(records)) == [
        ("main", "X", 3, "gentle", 8, 10, True),
        ("main", "X", 5, "detailed", 10, 10, True),
    ]


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_31_model_order_decides(order: str) -> None:
    calls = [call("X", "a"), call("Y", "b"), call("X", "c")]
    items = items_of([*calls, *(result(i) for i in order), assistant()], thresholds=[2])
    assert placements(items) == []
    assert counts(items) == [1, 1, 1]


def test_32_two_runs_in_one_step() -> None:
    calls = [call("X", "a"), call("X", "b"), call("Y", "c"), call("Y", "d")]
    items = items_of([*calls, *(result(i) for i in "abcd"), assistant()], thresholds=[2])
    assert placements(items) == [
        ("main", "X", 2, "gentle", 6, 8, True),
        ("main", "Y", 2, "gentle", 8, 8, True),
    ]


def test_33_aborted_while_running_counts() -> None:
    records = [*session("X X"), call("X", "z"), result("z", status="aborted"), user("next")]
    items = items_of(records)
    assert placements(items) == [("main", "X", 3, "gentle", 6, 6, True)]
    kinds = [type(item).__name__ for item in items]
    assert kinds.index("Intervention") < kinds.index("UserMessage")


def test_34_never_started_is_transparent() -> None:
    skipped = [call("Y", "z"), result("z", status="skipped")]
    records = [*session("X X"), *skipped, call("X", "w"), result("w")]
    assert counts(items_of(records)) == [1, 2, 3]


def test_36_pending_at_the_end() -> None:
    assert placements(items_of(session("X X X"))) == [("main", "X", 3, "gentle", 6, 6, False)]


def test_37_without_a_result_it_does_not_count() -> None:
    records = [*session("X X"), call("X", "lost"), assistant(), call("X", "z"), result("z")]
    assert counts(items_of(records)) == [1, 2, 3]


def test_38_no_results_at_all_count_at_the_call() -> None:
    items = items_of([call("X")] * 4)
    assert placements(items) == [("main", "X", 3, "gentle", 3, 3, True)]


def test_39_a_call_without_an_agent_is_ignored() -> None:
    orphan = [call("X", "n") | {"agent": None}, result("n")]
    assert counts(items_of([*session("X X"), *orphan, call("X", "z"), result("z")])) == [1, 2, 3]


def test_45_the_text_is_cut_and_the_key_is_not() -> None:
    text = f'{{"a":"{"x" * 892}"}}'
    records = []
    for number in range(5):
        records += [call("X", f"k{number}", arguments_text=text), result(f"k{number}")]
    said = [item for item in items_of(records) if isinstance(item, Intervention)]
    assert [item.arguments_omitted for item in said] == [400, 400]
    assert "… (+400 more chars)" in said[1].text


def test_48_copied_history_counts_once() -> None:
    copies = session("X X")
    items = items_of([*copies, *copies, call("X", "new"), result("new"), assistant()])
    assert counts(items) == [1, 2, 3]
    problems = [item.kind for item in items if isinstance(item, Problem)]
    assert problems == ["copy", "stray-result"] * 2
