"""Printing: values come out as ``JSON.stringify`` spells them, whichever writer does it."""

import math
from collections.abc import Iterable
from decimal import Decimal

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repeat_reminder.events import Json
from repeat_reminder.jsontext import TooDeep, dumps, loads, prints_alike
from repeat_reminder.jsontext.reader import read
from repeat_reminder.jsontext.writer import number_text, write

# A busy machine is no fault of the code.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"))
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner)
)
PRINTED = [
    (None, "null"),
    ([True, False], "[true,false]"),
    ([], "[]"),
    ({}, "{}"),
    ({"b": [1, {"a": "x"}], "a": {}}, '{"b":[1,{"a":"x"}],"a":{}}'),
    ("/<>&'\x7f\x80\u2028\u2029é😀", '"/<>&\'\x7f\x80\u2028\u2029é😀"'),
    ('"\\\b\f\n\r\t', r'"\"\\\b\f\n\r\t"'),
    ("\x00\x0b\x1f", r'"\u0000\u000b\u001f"'),
    ("a\ud800b\udfffc\n", r'"a\ud800b\udfffc\n"'),
    ("\ud83d\ude00\ud83d", '"😀\\ud83d"'),
    ({"\udc00": "\ud800"}, r'{"\udc00":"\ud800"}'),
    (1.0, "1"),
    (-0.0, "0"),
    (0.5, "0.5"),
    (-1.5, "-1.5"),
    (1e-6, "0.000001"),
    (-1.25e-5, "-0.0000125"),
    (1e-7, "1e-7"),
    (-1.5e-10, "-1.5e-10"),
    (5e-324, "5e-324"),
    (123456789012345.6, "123456789012345.6"),
    (1e15, "1000000000000000"),
    (1e16, "10000000000000000"),
    (-1e20, "-100000000000000000000"),
    (123456789012345680000.0, "123456789012345680000"),
    (1e21, "1e+21"),
    (1.5e300, "1.5e+300"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (2**53, "9007199254740992"),
    (2**53 + 1, "9007199254740992"),
    (-(2**53) - 1, "-9007199254740992"),
    (2**64 - 1, "18446744073709552000"),
    (10**23, "1e+23"),
    (10**400, "null"),
    (math.inf, "null"),
    ([-math.inf, math.nan], "[null,null]"),
]


@pytest.mark.parametrize(
    ("value", "text"), PRINTED, ids=[ascii(value)[:40] for value, _ in PRINTED]
)
def test_values_are_printed_as_javascript_prints_them(value: Json, text: str) -> None:
    assert dumps(value) == text.encode()
    assert write(value) == text
    assert dumps([{"k": value}]) == b'[{"k":' + text.encode() + b"}]"


@given(VALUES)
@unhurried
def test_printing_and_reading_come_back(value: Json) -> None:
    text = dumps(value)
    assert dumps(loads(text)) == text
    assert dumps(read(text.decode())) == text
    assert write(value).encode() == text


@given(VALUES)
@unhurried
def test_orjson_is_trusted_only_where_it_agrees(value: Json) -> None:
    if prints_alike(value):
        try:
            text = orjson.dumps(value)
        except orjson.JSONEncodeError:
            return
        assert text == write(value).encode()


def test_a_caller_may_distrust_keys() -> None:
    def distrust_b(keys: Iterable[str]) -> bool:
        return "b" not in keys

    assert prints_alike([{"a": {"c": 1}}], distrust_b)
    assert not prints_alike([{"a": {"b": 1}}], distrust_b)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30))
@settings(unhurried, max_examples=500)
def test_numbers_follow_the_layout_rule(number: float) -> None:
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    assert isinstance(exponent, int)
    shown = "".join(map(str, digits))
    point = len(shown) + exponent
    if number == 0:
        expected = "0"
    elif len(shown) <= point <= 21:
        expected = shown + "0" * (point - len(shown))
    elif 0 < point <= 21:
        expected = f"{shown[:point]}.{shown[point:]}"
    elif -6 < point <= 0:
        expected = "0." + "0" * -point + shown
    else:
        fraction = f".{shown[1:]}" if shown[1:] else ""
        expected = f"{shown[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    assert number_text(number) == ("-" if sign and number else "") + expected


@pytest.mark.parametrize("levels", [200, 300, 50_000])
def test_depth_is_no_matter_in_printing(levels: int) -> None:
    value: Json = "\ud800"
    for _ in range(levels):
        value = [{"a": value}]
    assert dumps(value).decode() == '[{"a":' * levels + '"\\ud800"' + "}]" * levels


def test_printing_can_insist_on_a_depth() -> None:
    assert write([[[]]], max_depth=3) == "[[[]]]"
    with pytest.raises(TooDeep, match="deeper than 2 levels"):
        write([[{}]], max_depth=2)
