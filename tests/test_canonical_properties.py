"""Properties of the canonical form, over texts of every spelling.

They are judged by a second implementation that shares no code with the first.
"""

import json
import math
from collections.abc import Callable
from decimal import Decimal
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repeat_reminder.canonical import (
    canonical,
    canonical_text,
    refused,
    utf16_cut,
    utf16_length,
)
from repeat_reminder.events import Json
from repeat_reminder.jsontext import loads_exact
from repeat_reminder.jsontext.reader import read

# A busy machine is no fault of the code.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

SPELLED_NUMBERS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)
UNITS = (
    st.characters(exclude_characters='"\\', min_codepoint=32)
    | st.sampled_from(["\\n", "\\/", '\\"', "\\\\", "\\u0041", "\\u00E9", "\\ud800", "\\uDE00"])
    | st.sampled_from("\u2028\x7f😀\ue000")
)  # fmt: skip
SPELLED_STRINGS = st.lists(UNITS, max_size=4).map(lambda units: f'"{"".join(units)}"')
SPELLED_KEYS = SPELLED_STRINGS | st.sampled_from(
    ['"a"', '"b"', '"10"', '"9"', '"01"', '"__proto__"', '"4294967295"', '"\\u0061"', '"-n"']
)
BLANKS = st.sampled_from(["", "", " ", "\n\t", "\r"])


def container(ends: str, items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    spaced = st.tuples(BLANKS, items, BLANKS).map("".join)
    return st.lists(spaced, max_size=4).map(lambda texts: ends[0] + ",".join(texts) + ends[1])


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(SPELLED_KEYS, BLANKS, st.just(":"), BLANKS, values).map("".join)
    return container("{}", member)


PLAIN = st.sampled_from(["null", "true", "false", "0", "-0", "1.0"])
SPELLINGS = st.recursive(
    PLAIN | SPELLED_NUMBERS | SPELLED_STRINGS,
    lambda inner: container("[]", inner) | objects(inner),
)


def reference(text: str) -> str:
    """Canonical form by the standard library's reader and a plain recursive printer."""
    return _printed(json.loads(text, parse_int=float, parse_float=float, object_pairs_hook=_object))


def _joined(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _object(pairs: list[tuple[str, Json]]) -> Json:
    return {_joined(key): value for key, value in pairs}


def _printed(value: Json) -> str:
    match value:
        case dict():
            names = [str(index) for index in sorted(int(key) for key in value if _is_index(key))]
            names += sorted((k for k in value if not _is_index(k) and k != "__proto__"), key=_units)
            return (
                "{" + ",".join(f"{_printed(name)}:{_printed(value[name])}" for name in names) + "}"
            )
        case list():
            return "[" + ",".join(map(_printed, value)) + "]"
        case str():
            return "".join(['"', *map(_printed_character, _joined(value)), '"'])
        case float() if math.isinf(value):
            return "null"
        case float():
            return _printed_number(value)
        case _:
            return json.dumps(value)


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1


def _units(key: str) -> list[int]:
    return list(memoryview(key.encode("utf-16-le", "surrogatepass")).cast("H"))


def _printed_character(char: str) -> str:
    return (
        json.dumps(char)[1:-1]
        if char < " " or char in '"\\' or "\ud800" <= char <= "\udfff"
        else char
    )


def _printed_number(number: float) -> str:
    exact = Decimal(repr(number)).normalize()
    if number == 0:
        return "0"
    if 1e-6 <= abs(number) < 1e21:
        return f"{exact:f}"
    mantissa, _, exponent = f"{exact:e}".partition("e")
    return f"{mantissa}e{int(exponent):+d}"


@given(SPELLINGS)
@settings(unhurried, max_examples=400)
def test_any_spelling_has_the_form_of_a_second_implementation(text: str) -> None:
    assert canonical_text(text) == reference(text)


@given(SPELLINGS)
@unhurried
def test_the_form_is_its_own_form(text: str) -> None:
    form = canonical_text(text)
    assert canonical_text(form) == form
    assert form.encode().decode() == form


@given(SPELLINGS, st.randoms(use_true_random=False))
@unhurried
def test_the_order_of_keys_does_not_count(text: str, random: Random) -> None:
    value = read(text)
    assert canonical(shuffled(value, random.shuffle)) == canonical_text(text)


def shuffled(value: Json, shuffle: Callable[[list[tuple[str, Json]]], None]) -> Json:
    if isinstance(value, list):
        return [shuffled(item, shuffle) for item in value]
    if not isinstance(value, dict):
        return value
    items = [(key, shuffled(item, shuffle)) for key, item in value.items()]
    shuffle(items)
    return dict(items)


@given(SPELLINGS)
@unhurried
def test_refused_by_text_and_by_value_agree(text: str) -> None:
    assert refused(text, None) == refused(None, loads_exact(text)) == refused(None, read(text))


@given(SPELLINGS, st.integers(0, 30), st.sampled_from(["", ",", "}", "\\", "\x00", "x"]))
@unhurried
def test_a_text_is_its_value_or_itself(text: str, cut: int, scrap: str) -> None:
    broken = text[:cut] + scrap + text[cut + 1 :]
    try:
        expected = reference(broken)
    except ValueError:
        expected = _printed(broken)
    if broken:
        assert canonical_text(broken) == expected


@given(st.text(st.characters()), st.integers(0, 20))
@unhurried
def test_a_cut_has_the_units_asked_for(text: str, units: int) -> None:
    head = utf16_cut(text, units)
    assert utf16_length(head) == min(units, utf16_length(text))
    whole, part = (value.encode("utf-16-le", "surrogatepass") for value in (text, head))
    assert whole.startswith(part)
