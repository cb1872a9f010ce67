"""Reading JSON text: what is accepted, what is said about the rest, and how deep it goes."""

import json
import math
import pickle

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from repeat_reminder.events import Json
from repeat_reminder.jsontext import (
    MAX_DEPTH,
    NotJson,
    TooDeep,
    loads,
    loads_exact,
    nodes,
)
from repeat_reminder.jsontext.reader import read

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
WORDS = r"""{ } [ ] , : " "a" \ \u00e9 \ud800 \x 0 - 1 .5 e5 E+ 01 true null NaN Infinity é ' /**/
 {"a": {"b":1 [1 ]] }}"""
BLANKS = ["\n", " ", "\x00", "\x0b", "\x7f", "\xa0", "\u2028", "\ufeff"]
SCRAPS = st.lists(st.sampled_from(WORDS.split() + BLANKS), max_size=12).map("".join)


# ---------------------------------------------------------------- reading

VALUES_OF_TEXTS = [
    ("null", None),
    (" \t\n\r true \t\n\r ", True),
    ("false", False),
    ("0", 0),
    ("-7", -7),
    ("1.0", 1.0),
    ("1E2", 100.0),
    ("10e-1", 1.0),
    ("9223372036854775808", 2**63),
    ("18446744073709551615", 2**64 - 1),
    ("18446744073709551616", 2.0**64),
    ("-9223372036854775808", -(2**63)),
    ("-9223372036854775809", -(2.0**63)),
    ("9" * 5000, math.inf),
    ("1e400", math.inf),
    ("-1e400", -math.inf),
    ("1e-400", 0.0),
    ('""', ""),
    ('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9"', '"\\/\b\f\n\r\té'),
    ('"\x7f\u2028\ufeff"', "\x7f\u2028\ufeff"),
    ('"\\ud83d\\ude00"', "😀"),
    ('"\\ud800"', "\ud800"),
    ('"\ud800"', "\ud800"),
    ('"\\ude00\\ud83d"', "\ude00\ud83d"),
    ('"\ud83d\\ude00 \\ud800\ude00"', "😀 \U00010200"),
    ("[]", []),
    ("{ }", {}),
    ("[ ]", []),
    ('[1,[],{"a":{}} , "x"]', [1, [], {"a": {}}, "x"]),
    ('{"a":1,"b":{"\\ud800":[2]}}', {"a": 1, "b": {"\ud800": [2]}}),
    ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
    ('{"__proto__":1,"":2}', {"__proto__": 1, "": 2}),
]


@pytest.mark.parametrize(
    ("text", "value"), VALUES_OF_TEXTS, ids=[ascii(text)[:40] for text, _ in VALUES_OF_TEXTS]
)
def test_a_text_has_one_value_for_both_readers(text: str, value: Json) -> None:
    assert repr(loads(text)) == repr(value)
    assert repr(read(text)) == repr(value)
    assert repr(loads_exact(text)) == repr(value)
    if "\ud800" not in text and "\ud83d" not in text:
        assert repr(loads(text.encode())) == repr(value)


@pytest.mark.parametrize(
    "text", ["-0", "[-0]", '{"a":-0}', '{"a": [1,-0 ]}', "-0.0", "-0e5", "-1e-400"]
)
@pytest.mark.parametrize("as_bytes", [True, False], ids=["bytes", "str"])
def test_exact_reading_keeps_the_sign_of_zero(text: str, as_bytes: bool) -> None:  # noqa: FBT001  # a table column
    value = loads_exact(text.encode() if as_bytes else text)
    zeros = [node for node in nodes(value) if isinstance(node, float)]
    assert [math.copysign(1, zero) for zero in zeros] == [-1]


@pytest.mark.parametrize("text", ['"-0"', '["x-0 "]', "-0.5", '"2024-01-05"', "[1, -1, 0]"])
def test_exact_reading_leaves_other_texts_alone(text: str) -> None:
    assert repr(loads_exact(text)) == repr(loads(text)) == repr(loads_exact(text.encode()))


REFUSED = [
    ("", "expected a value, found the end of the text", 1),
    ("  ", "expected a value, found the end of the text", 3),
    ("abc", "expected a value, found 'abc'", 1),
    ("NaN", "expected a value, found 'NaN'", 1),
    ('{"a":-Infinity}', "expected a value, found '-'", 6),
    ("[truer]", "expected a value, found 'truer'", 2),
    ("'a'", 'expected a value, found "\'"', 1),
    ("\x1b[0m", "expected a value, found '\\x1b'", 1),
    ("\u202e{}", "expected a value, found '\\u202e'", 1),
    ("\ufeff{}", "expected a value, found a byte order mark", 1),
    ("\xa0{}", "expected a value, found '\\xa0'", 1),
    ("[1,]", "expected a value, found ']'", 4),
    ("[1 2]", "expected ',' or ']', found '2'", 4),
    ("[1", "expected ',' or ']', found the end of the text", 3),
    ("[01]", "expected ',' or ']', found '1'", 3),
    ("[1.]", "expected ',' or ']', found '.'", 3),
    ("[1e]", "expected ',' or ']', found 'e'", 3),
    ("+1", "expected a value, found '+'", 1),
    ("{", "expected a key in double quotes, found the end of the text", 2),
    ("{a:1}", "expected a key in double quotes, found 'a'", 2),
    ('{"a":1,}', "expected a key in double quotes, found '}'", 8),
    ('{"a" 1}', "expected ':' after the key, found '1'", 6),
    ('{"a":}', "expected a value, found '}'", 6),
    ('{"a":1]', "expected ',' or '}', found ']'", 7),
    ('{"a":1', "expected ',' or '}', found the end of the text", 7),
    ('{"a":1}x', "expected the end of the text, found 'x'", 8),
    ("1\x00", "expected the end of the text, found '\\x00'", 2),
    ('"abc', "a string is not closed before the text ends", 5),
    ('"a\\', "unknown escape in a string", 3),
    ('"a\\x41"', "unknown escape in a string", 3),
    ('"\\u12G4"', "unknown escape in a string", 2),
    ('"a\nb"', "control character U+000A in a string must be escaped", 3),
    ('"\x1f"', "control character U+001F in a string must be escaped", 2),
    ('"\\n\x1f"', "control character U+001F in a string must be escaped", 4),
    ('{"é\t":1}', "control character U+0009 in a string must be escaped", 4),
]


@pytest.mark.parametrize(
    ("text", "reason", "column"), REFUSED, ids=[ascii(text) for text, _, _ in REFUSED]
)
def test_what_is_not_json_is_told_with_its_place(text: str, reason: str, column: int) -> None:
    with pytest.raises(NotJson) as fault:
        loads(text)
    assert (fault.value.reason, fault.value.column) == (reason, column)
    assert str(fault.value) == f"{reason} (column {column})"


@pytest.mark.parametrize(
    ("data", "reason", "column"),
    [
        (b'{"a":"\xff"}', "not UTF-8: unexpected byte 0xff", 7),
        (b'"\xed\xa0\x80"', "not UTF-8: unexpected byte 0xed", 2),
        (b'"\xc3', "not UTF-8: unexpected byte 0xc3", 2),
        ('["é😀",x]'.encode(), "expected a value, found 'x'", 11),
        (b"\xef\xbb\xbf{}", "expected a value, found a byte order mark", 1),
        (b"{", "expected a key in double quotes, found the end of the text", 2),
    ],
    ids=["stray byte", "encoded surrogate", "torn character", "columns are bytes", "BOM", "ASCII"],
)
def test_faults_in_bytes_are_placed_in_bytes(data: bytes, reason: str, column: int) -> None:
    with pytest.raises(NotJson) as fault:
        loads(data)
    assert (fault.value.reason, fault.value.column) == (reason, column)


def test_a_fault_survives_the_way_between_processes() -> None:
    for fault in (NotJson("no", 3), TooDeep.than(5)):
        copy = pickle.loads(pickle.dumps(fault))  # noqa: S301  # our own bytes
        assert (type(copy), copy.reason, copy.column) == (type(fault), fault.reason, fault.column)


@given(SCRAPS)
@example('{"a":1}')
@unhurried
def test_both_readers_accept_what_the_standard_reader_accepts(text: str) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        expected = json.loads(text, parse_constant=refuse)
    except ValueError:
        with pytest.raises(NotJson):
            loads(text)
        with pytest.raises(NotJson):
            read(text)
    else:
        assert loads(text) == read(text) == expected


@given(VALUES, st.sampled_from([None, 0, 2]))
@unhurried
def test_both_readers_read_what_the_standard_writer_writes(value: Json, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert repr(loads(text)) == repr(read(text))
    assert json.dumps(loads(text)) == json.dumps(json.loads(text, parse_int=_double_beyond_64_bits))


def _double_beyond_64_bits(digits: str) -> float:
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(number)


# ---------------------------------------------------------------- depth


def nested(levels: int, opening: str = "[", closing: str = "]", inner: str = "") -> str:
    return opening * levels + inner + closing * levels


@pytest.mark.parametrize(
    "shape", [("[", "]", ""), ('{"a":', "}", "1"), ('[{"a":', "}]", "[]")], ids=["[", "{", "mixed"]
)
def test_depth_is_counted_in_levels(shape: tuple[str, str, str]) -> None:
    opening, closing, inner = shape
    levels = opening.count("[") + opening.count("{")
    depth = MAX_DEPTH // levels - (inner == "[]")
    loads(nested(depth, opening, closing, inner))
    with pytest.raises(TooDeep) as fault:
        loads(nested(depth + 1, opening, closing, inner))
    assert fault.value.reason == "nested deeper than 5,000 levels"
    assert len(opening) * depth < fault.value.column <= len(opening) * (depth + 1) + 1


def test_the_limit_can_be_moved() -> None:
    text = nested(MAX_DEPTH + 10)
    assert len(list(nodes(loads(text, max_depth=MAX_DEPTH + 10)))) == MAX_DEPTH + 10
    assert len(list(nodes(loads_exact(text.encode(), max_depth=MAX_DEPTH + 10)))) == MAX_DEPTH + 10


@pytest.mark.parametrize("levels", [6_000, 100_000])
def test_hostile_depth_is_no_crash(levels: int) -> None:
    with pytest.raises(TooDeep) as deep:
        loads(nested(levels, "[1,", ",2]", '{"a":[3]}').encode())
    assert deep.value.column == 3 * MAX_DEPTH + 1
    with pytest.raises(NotJson) as broken:
        loads('{"a":' * levels)
    assert type(broken.value) is NotJson
    assert broken.value.column == 5 * levels + 1


def test_a_deep_value_that_was_replaced_does_not_count() -> None:
    assert loads(f'{{"a":{nested(6000)},"b":2,"a":1}}') == {"a": 1, "b": 2}
