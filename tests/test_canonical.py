"""When two calls are the same call: the canonical form, what DSH refuses, and the preview."""

import json
import math
from pathlib import Path

import pytest

from repeat_reminder.canonical import (
    canonical,
    canonical_of,
    canonical_text,
    parse_arguments,
    preview,
    refused,
    utf16_length,
)
from repeat_reminder.events import Json
from repeat_reminder.jsontext import MAX_DEPTH, TooDeep, loads_exact
from repeat_reminder.jsontext.reader import read

CASES = json.loads((Path(__file__).parent / "data" / "canonical.json").read_text(encoding="utf-8"))


def numbered(section: str, key: str) -> list[str]:
    return [f"{index} {case[key]!a}" for index, case in enumerate(CASES[section])]


# ---------------------------------------------------------------- the published cases


@pytest.mark.parametrize("case", CASES["canonical"], ids=numbered("canonical", "arguments_text"))
def test_published_form(case: dict[str, Json]) -> None:
    text = case["arguments_text"]
    assert isinstance(text, str)
    assert canonical_text(text) == case["canonical"]
    assert canonical_of(text, None) == case["canonical"]
    assert canonical(parse_arguments(text)) == case["canonical"]
    assert refused(text, None) == case["dsh_transparent"]
    assert (parse_arguments(text) == text) == (case["parsed_as"] == "raw")


@pytest.mark.parametrize("pair", CASES["equal_pairs"], ids=numbered("equal_pairs", "a"))
def test_published_pair(pair: dict[str, Json]) -> None:
    first, second = (canonical_text(str(pair[side])) for side in "ab")
    assert (first == second) == pair["same_chain_key"]


@pytest.mark.parametrize("case", CASES["preview"], ids=numbered("preview", "shown"))
def test_published_preview(case: dict[str, Json]) -> None:
    text, cap, length = case["canonical"], case["argumentsPreviewChars"], case["length_utf16"]
    assert isinstance(text, str)
    assert isinstance(cap, int)
    assert isinstance(length, int)
    assert canonical(case["arguments"]) == text
    assert utf16_length(text) == length
    assert preview(text, cap) == (case["shown"], max(0, length - cap))


@pytest.mark.parametrize("case", CASES["depth"], ids=numbered("depth", "depth"))
def test_published_depth(case: dict[str, int]) -> None:
    text = '{"a":' * case["depth"] + "1" + "}" * case["depth"]
    if case["counts"]:
        assert canonical_text(text) == text
    else:
        with pytest.raises(TooDeep):
            canonical_text(text)


# ---------------------------------------------------------------- text to value


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "\n",
        "NaN",
        "-Infinity",
        "[1,]",
        "{,}",
        "01",
        "-",
        ".5",
        "5.",
        "+1",
        "0x1",
        "{'a':1}",
        "\ufeff1",
        "\xa01",
        "\x0b1",
        "1\u2028",
        "{} {}",
        '"a\tb"',
        '"\\x41"',
        "undefined",
        "tru",
        '{"a":1} // x',
        '{"a":"\ud800',
        "[" * 100_000,
    ],
    ids=lambda text: ascii(text)[:30],
)
def test_broken_text_is_itself(text: str) -> None:
    assert parse_arguments(text) == text
    assert canonical_text(text) == canonical(text)
    assert not refused(text, None)


@pytest.mark.parametrize("blanks", ["", " ", "\t\n\r "], ids=ascii)
def test_blanks_around_and_between_do_not_count(blanks: str) -> None:
    tokens = ["{", '"b"', ":", "[", "1", ",", "2", "]", ",", '"a"', ":", "null", "}"]
    assert canonical_text(blanks + blanks.join(tokens) + blanks) == '{"a":null,"b":[1,2]}'


def test_a_text_goes_before_a_value() -> None:
    assert canonical_of('{"b":1,"a":2}', {"ignored": True}) == '{"a":2,"b":1}'
    assert canonical_of("", {"ignored": True}) == "{}"
    assert canonical_of(None, {"b": 1, "a": 2.0}) == '{"a":2,"b":1}'
    assert canonical_of(None, None) == "null"


@pytest.mark.parametrize("as_text", [True, False], ids=["text", "value"])
def test_depth_limit(as_text: bool) -> None:  # noqa: FBT001  # a table column
    def form(levels: int) -> str:
        text = "[" * levels + "]" * levels
        return canonical_of(text if as_text else None, read(text, max_depth=levels))

    assert form(MAX_DEPTH) == "[" * MAX_DEPTH + "]" * MAX_DEPTH
    with pytest.raises(TooDeep, match="deeper than 5,000 levels"):
        form(MAX_DEPTH + 1)


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize(
    "keys",
    [
        ["9", "10", "-1", "01", "b"],
        ["0", "7", "4294967294", "-0", "00", "1.0", "4294967295", "9007199254740992"],
        ["1", "1\n", "1a", "a1", "\u0661"],
        ["", " ", '"', "-n", "A", "_", "a", "a b", "a-b", "aa"],
        ["A", "z", "ß", "é"],
        ["\u2028", "\ud7ff", "\ud800", "\ud83d", "😀", "\U0010ffff", "\udfff", "\ue000", "\uffff"],
        ["a\ud800", "a\U00010000", "a\ud800\ue000", "a\ufffd"],
        ["constructor", "hasOwnProperty", "toJSON", "toString", "valueOf"],
    ],
    ids=["small indexes", "edges of indexes", "only like indexes", "ASCII", "not ASCII",
         "surrogates", "inside keys", "special"],
)  # fmt: skip
def test_key_order(keys: list[str]) -> None:
    for order in (sorted(keys), reversed(keys)):
        obj: dict[str, Json] = {key: keys.index(key) for key in order}
        assert [number for _, number in members(canonical(obj))] == list(range(len(keys)))
        assert [key for key, _ in members(canonical([{"x": obj}])[6:-2])] == keys


def members(text: str) -> list[tuple[str, int]]:
    """Read an object's members as they stand, with the standard library."""
    pairs: list[tuple[str, int]] = json.loads(text, object_pairs_hook=list)
    return pairs


@pytest.mark.parametrize(
    "value", ["1", "null", "[1,2]", '{"toJSON":1,"b":2}', "-0", '"\\ud800"', "1.0"]
)
def test_the_prototype_key_vanishes(value: str) -> None:
    assert canonical_text(f'{{"__proto__":{value},"a":1}}') == '{"a":1}'
    assert canonical_text(f'[{{"a":{{"\\u005f_proto__":{value}}}}}]') == '[{"a":{}}]'


# ---------------------------------------------------------------- what DSH refuses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-0", True),
        ("[[-0.000]]", True),
        ('{"a":{"b":[1,-0e7]}}', True),
        ("[-1e-324]", True),
        ("[-0." + "0" * 400 + "1]", True),
        ("[1e309]", True),
        ("[-1E+400]", True),
        ("[" + "9" * 310 + "]", True),
        ("[0." + "0" * 400 + "1e800]", True),
        ('{"__proto__":-0}', True),
        ('["\\ud800",-0]', True),
        ('{"a":-0,"a":0}', False),
        ("[0, 0.0, 0e9, -1, -0.5, 5e-324, -5e-324]", False),
        ("[1e308, 1.7976931348623157e308, 0e999]", False),
        ('["-0", "x:-0,", "1e999", "2024-01-05"]', False),
        ("[-0", False),
        ("-0x", False),
        ("", False),
        ("[" * 6000 + "-0" + "]" * 6000, False),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_refused_text(text: str, expected: bool) -> None:  # noqa: FBT001  # a table column
    assert refused(text, math.inf) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (loads_exact('{"a":[-0]}'), True),
        ({"a": {"b": -0.0}}, True),
        ([math.inf], True),
        ([-math.inf], True),
        ([0, 0.0, -1, 1e308, "-0", None, True, {}], False),
    ],
    ids=["exactly read", "-0.0", "inf", "-inf", "none of them"],
)
def test_refused_value(value: Json, expected: bool) -> None:  # noqa: FBT001  # a table column
    assert refused(None, value) == expected


# ---------------------------------------------------------------- preview


@pytest.mark.parametrize(
    ("text", "cap", "shown", "omitted"),
    [
        ("", 1, "", 0),
        ("abc", 3, "abc", 0),
        ("abc", 1, "a… (+2 more chars)", 2),
        ("é😀é", 4, "é😀é", 0),
        ("é😀é", 3, "é😀… (+1 more chars)", 1),
        ("é😀é", 2, "é\ud83d… (+2 more chars)", 2),
        ("😀" * 500, 999, "😀" * 499 + "\ud83d… (+1 more chars)", 1),
        ("\ud800\ud800", 1, "\ud800… (+1 more chars)", 1),
        ("a" * 10 + "😀", 4, "aaaa… (+8 more chars)", 8),
    ],
    ids=["empty", "fits", "cut", "astral fits", "behind a pair", "in a pair", "long", "lone",
         "ASCII head"],
)  # fmt: skip
def test_preview(text: str, cap: int, shown: str, omitted: int) -> None:
    assert preview(text, cap) == (shown, omitted)
