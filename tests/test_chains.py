"""Two calls are the same by what their arguments print: a glance never says otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.canonical import canonical
from repeat_reminder.events import Json
from repeat_reminder.policies.identity import alike

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
