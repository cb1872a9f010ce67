"""Two calls are the same by what their arguments print: a glance never says otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.canonical import canonical, canonical_text
from repeat_reminder.events import Json
from repeat_reminder.policies.identity import alike, differ

HALVES = "\ud83d\ude00"
SCALARS = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        1.0,
        -0.0,
        2**53,
        2**53 + 1,
        1e400,
        "",
        "1",
        "é",
        HALVES,
        "\U0001f600",
    ]
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=1))
OBJECTS = st.dictionaries(
    st.sampled_from(["a", "b", "10", "__proto__", "é", HALVES, "\U0001f600"]), VALUES, max_size=3
)


@given(OBJECTS, OBJECTS)
def test_a_glance_is_right_or_says_nothing(one: Json, other: Json) -> None:
    assert alike(one, other) in (None, canonical(one) == canonical(other))


@pytest.mark.parametrize(
    ("one", "other", "proved"),
    [
        pytest.param({"a": 1, "b": "x"}, {"b": "x", "a": 1}, True, id="order is nothing"),
        pytest.param({"a": "x"}, {"a": "y"}, False, id="another string"),
        pytest.param({"a": "x"}, {}, False, id="a string that is not there"),
        pytest.param({"a": "x"}, {"a": None}, False, id="no string"),
        pytest.param({"a": 1}, {"a": 1.0}, None, id="numbers of two types are printed"),
        pytest.param({"a": True}, {"a": 1}, None, id="true is no 1"),
        pytest.param({"a": [1]}, {"a": [True]}, None, id="what holds something is printed"),
        pytest.param({"a": None}, {"b": None}, None, id="null is not the same as nothing"),
        pytest.param({"__proto__": "x"}, {}, None, id="a member that is not printed"),
        pytest.param({"a": HALVES}, {"a": "\U0001f600"}, None, id="halves of a character"),
        pytest.param("x", "y", None, id="no objects"),
    ],
)
def test_what_a_glance_proves(one: Json, other: Json, *, proved: bool | None) -> None:
    assert alike(one, other) is proved


# ---------------------------------------------------------------- from the spelling


def spelled(text: str, escaped: list[bool]) -> str:
    """Spell a string with some of its characters as escapes."""
    shown = [
        (r"\/" if char == "/" else rf"\u{ord(char):04x}") if escape else char
        for char, escape in zip(text, [*escaped, *[False] * len(text)], strict=False)
    ]
    return f'"{"".join(shown)}"'


FLAGS = st.lists(st.booleans(), max_size=3)
STRINGS = st.builds(spelled, st.sampled_from(["x", "y", "/a", "é", "a", ""]), FLAGS)
KEYS = st.builds(spelled, st.sampled_from(["a", "b", "/a", "__proto__"]), FLAGS)
MEMBERS = st.builds(
    "{}:{}".format,
    KEYS,
    STRINGS | st.sampled_from(["1", "1.0", "true", "[]", '{"a":"x"}', '["x"]']),
)
TEXTS = (
    st.builds("{{{}}}".format, st.lists(MEMBERS, max_size=3).map(",".join))
    | STRINGS
    | st.sampled_from(
        ["", "{}", "x", r'"x\n"', '{"a":"x"', '{ "a" : "x" }', '{"a":"x"}x', "[]", '{"a": "x"}']
    )
)


@given(TEXTS, TEXTS)
def test_the_spelling_proves_no_difference_that_there_is_not(one: str, other: str) -> None:
    for proved in (differ(one, other), differ(one.encode(), other.encode())):
        assert not proved or canonical_text(one) != canonical_text(other)


@pytest.mark.parametrize(
    ("one", "other", "proved"),
    [
        pytest.param('{"a":"x","b":1}', '{"a":"y","b":1}', True, id="another first member"),
        pytest.param('{"a":"x"}', '{"b":"\\n","a":"y"}', True, id="escapes that are no letters"),
        pytest.param('{"a":"x","b":1}', '{"a":"x","b":2}', False, id="another second member"),
        pytest.param(r'{"a":"x \"q\""}', r'{"a":"y \"q\""}', True, id="an escape in the member"),
        pytest.param(r'{"a":"x \"q\""}', r'{"a":"x \"r\""}', False, id="alike up to a quote"),
        pytest.param('{"a":"x"}', r'{"a":"\u0078"}', False, id="a letter as an escape"),
        pytest.param('{"a":"/x"}', r'{"a":"\/x"}', False, id="a slash as an escape"),
        pytest.param('{"a":"y","a":"x"}', '{"a":"x"}', False, id="a key twice"),
        pytest.param(r'{"a":"y","\u0061":"x"}', '{"a":"x"}', False, id="a key twice, escaped"),
        pytest.param('{"__proto__":"x"}', "{}", False, id="a member that is not printed"),
        pytest.param('{"a":"é"}', '{"a":"e"}', False, id="beyond ASCII"),
        pytest.param('{"a":1}', '{"a":2}', False, id="no string"),
        pytest.param("x", "y", False, id="no objects"),
    ],
)
def test_what_the_spelling_proves(one: str, other: str, *, proved: bool) -> None:
    assert differ(one, other) is differ(one.encode(), other.encode()) is proved


def test_strings_that_are_json_for_certain_differ_by_their_spelling() -> None:
    assert differ(b'"x\\n"', b'"y\\n"')
    assert not differ(b'"x"', b'"x"')
    assert not differ(b'"x"', b'"\\u0078"')
    assert not differ(b'"/"', b'"\\/"')
    assert not differ('"x', '"y"')
