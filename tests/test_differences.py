"""Where two calls differ, as a path: the first place in canonical order, and every other one."""

from typing import Any

import pytest

from repeat_reminder.canonical import canonical
from repeat_reminder.events import Agent, CallId, Json, SessionId, ToolCall
from repeat_reminder.explain import Difference, differences, first_difference
from repeat_reminder.jsontext import loads
from repeat_reminder.policies.identity import IgnoredArguments

NOTHING = IgnoredArguments()
Expected = tuple[str, str | None, str | None, int | None]


def call(name: str, *, text: str | None = None, value: Json = None) -> ToolCall:
    return ToolCall(
        agent=Agent(SessionId("s"), "main"),
        id=CallId("c"),
        index=1,
        line=1,
        name=name,
        arguments_text=text,
        arguments=value,
    )


DEEP = "x" * 600
ROWS: list[Any] = [
    pytest.param({"timeout": 60}, {"timeout": 30}, ("$.timeout", "60", "30", None), id="a-number"),
    pytest.param(
        {"a": {"b": {"c": 1, "d": 2}}},
        {"a": {"b": {"c": 1, "d": 3}}},
        ("$.a.b.d", "2", "3", None),
        id="nested-objects",
    ),
    pytest.param([1, [2, 3]], [1, [2, 4]], ("$[1][1]", "3", "4", None), id="nested-arrays"),
    pytest.param(
        {"edits": [{"old": "a"}, {"old": "b"}]},
        {"edits": [{"old": "a"}, {"old": "c"}]},
        ("$.edits[1].old", '"b"', '"c"', 0),
        id="objects-in-an-array",
    ),
    pytest.param([1], [1, None], ("$[1]", None, "null", None), id="an-item-more"),
    pytest.param([1, 2], [1], ("$[1]", "2", None, None), id="an-item-less"),
    pytest.param({"a": None}, {}, ("$.a", "null", None, None), id="null-is-not-absent"),
    pytest.param({}, {"a": {"b": 1}}, ("$.a", None, '{"b":1}', None), id="a-key-more"),
    pytest.param(
        {"a": 1, "c": 1}, {"a": 1, "b": 1}, ("$.b", None, "1", None), id="the-earlier-missing-key"
    ),
    pytest.param(
        {"b": 1, "10": 1, "9": 1}, {"b": 2, "10": 2, "9": 2}, ('$["9"]', "1", "2", None),
        id="array-indexes-come-first-and-by-number",
    ),
    pytest.param(
        {"\ue000": 1, "\U0001f642": 1},
        {"\ue000": 2, "\U0001f642": 2},
        ('$["\U0001f642"]', "1", "2", None),
        id="keys-in-the-order-of-utf-16",
    ),
    pytest.param(
        {"a key": {'"': 1}}, {"a key": {'"': 2}}, ('$["a key"]["\\""]', "1", "2", None),
        id="keys-that-are-no-names-are-quoted",
    ),
    pytest.param({"a": 1}, {"a": "1"}, ("$.a", "1", '"1"', None), id="a-number-against-its-text"),
    pytest.param({"a": 1}, {"a": True}, ("$.a", "1", "true", None), id="one-against-true"),
    pytest.param({"a": [1]}, {"a": {"0": 1}}, ("$.a", "[1]", '{"0":1}', None), id="other-kinds"),
    pytest.param(
        {"s": DEEP + "a"}, {"s": DEEP + "b"}, ("$.s", f'"{DEEP}a"', f'"{DEEP}b"', 600),
        id="strings-that-part-far-in",
    ),
    pytest.param(
        {"s": "\U0001f642a"}, {"s": "\U0001f642b"}, ("$.s", '"\U0001f642a"', '"\U0001f642b"', 2),
        id="the-offset-counts-utf-16-units",
    ),
    pytest.param({"s": "ab"}, {"s": "abc"}, ("$.s", '"ab"', '"abc"', 2), id="one-begins-the-other"),
    pytest.param(1.5, 2, ("$", "1.5", "2", None), id="arguments-that-are-no-object"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), ROWS)
def test_first_difference(before: Json, after: Json, expected: Expected) -> None:
    found = first_difference(call("x", value=before), call("x", value=after), NOTHING)
    assert found == Difference(*expected)


TEXTS: list[Any] = [
    pytest.param("not json {", "not json [", ("$", '"not json {"', '"not json ["', 9), id="broken"),
    pytest.param("not json", '{"a":1}', ("$", '"not json"', '{"a":1}', None), id="one-is-broken"),
    pytest.param("", '{"a":1}', ("$.a", None, "1", None), id="empty-text-is-an-empty-object"),
    pytest.param('{"a":1.0,"b":1}', '{"b":2,"a":1}', ("$.b", "1", "2", None), id="spelling"),
    pytest.param('"\\ud800a"', '"\\ud800b"', ("$", '"\\ud800a"', '"\\ud800b"', 1), id="surrogate"),
    pytest.param(
        '{"__proto__":1,"k":1}', '{"__proto__":2,"k":2}', ("$.k", "1", "2", None), id="prototype"
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), TEXTS)
def test_texts_as_the_model_sent_them(before: str, after: str, expected: Expected) -> None:
    found = first_difference(call("x", text=before), call("x", text=after), NOTHING)
    assert found == Difference(*expected)


def test_another_tool_differs_whatever_the_arguments() -> None:
    found = first_difference(call("bash", value={"a": 1}), call("Bash", value={"a": 1}), NOTHING)
    assert found == Difference(None, '"bash"', '"Bash"')


def test_ignored_arguments_never_differ() -> None:
    ignored = IgnoredArguments(("timeout",))
    before: Json = {"timeout": 60, "path": "a"}
    after: Json = {"timeout": 30, "path": "b"}
    found = first_difference(call("x", value=before), call("x", value=after), ignored)
    assert found.path == "$.path"


EVERY: list[Any] = [
    pytest.param({"a": 1, "b": 2}, {"a": 1, "b": 2}, [], id="nothing"),
    pytest.param({"a": 1, "b": [2, 3]}, {"a": 2, "b": [3, 3, 4]}, ["$.a", "$.b[0]", "$.b[2]"],
                 id="in-order"),
    pytest.param({"a": {"x": 1}, "b": 1}, {"b": 2}, ["$.a", "$.b"], id="a-missing-object-is-one"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "paths"), EVERY)
def test_every_difference(before: Json, after: Json, paths: list[str]) -> None:
    sides = (loads(canonical(side)) for side in (before, after))
    assert [found.path for found in differences(*sides)] == paths


def test_depth_is_no_recursion() -> None:
    deep = "[" * 4_000 + "{}" + "]" * 4_000
    found = first_difference(
        call("x", text=deep.replace("{}", "1")), call("x", text=deep.replace("{}", "2")), NOTHING
    )
    assert found.path == "$" + "[0]" * 4_000
