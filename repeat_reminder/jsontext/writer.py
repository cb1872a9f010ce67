"""The complete JSON writer: prints what ``JSON.stringify`` prints, without recursion."""

from __future__ import annotations

import math
import re
import sys
from typing import TYPE_CHECKING, TypeAlias

import orjson

from repeat_reminder.jsontext.limits import EXACT, TooDeep
from repeat_reminder.jsontext.scanner import join_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from repeat_reminder.events import Json

    Members: TypeAlias = Callable[[dict[str, Json]], Iterable[tuple[str, Json]]]

# Number::toString has no exponent while the point is within or near the digits.
_POINT_MAX = 21
_POINT_MIN = -6

_LONE = re.compile("([\ud800-\udfff])")


def write(value: Json, members: Members = dict.items, max_depth: int = sys.maxsize) -> str:
    """Print a value without blanks; lone surrogates are escaped, so any encoding of it works.

    Args:
        value: what to print.
        members: chooses and orders what is printed of an object.
        max_depth: how many objects and arrays may be inside one another.

    Raises:
        TooDeep: there are more.
    """
    parts: list[str] = []
    levels: list[Iterator[tuple[str, Json]]] = [iter([("", value)])]
    closing = [""]
    while levels:
        for lead, child in levels[-1]:
            parts.append(lead)
            if not isinstance(child, list | dict):
                parts.append(_scalar(child))
                continue
            if len(levels) > max_depth:
                raise TooDeep.than(max_depth)
            parts.append("{" if isinstance(child, dict) else "[")
            closing.append("}" if isinstance(child, dict) else "]")
            levels.append(_inside(child, members))
            break
        else:
            levels.pop()
            parts.append(closing.pop())
    return "".join(parts)


def _inside(
    container: list[Json] | dict[str, Json], members: Members
) -> Iterator[tuple[str, Json]]:
    """Yield what a container holds, each with the text before it."""
    comma = ""
    if isinstance(container, dict):
        for key, child in members(container):
            yield f"{comma}{quote(key)}:", child
            comma = ","
    else:
        for child in container:
            yield comma, child
            comma = ","


def _scalar(value: str | float | None) -> str:
    match value:
        case str():
            return quote(value)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return number_text(value)


def quote(text: str) -> str:
    """Print a string in quotes: everything raw but quote, backslash, controls, lone surrogates."""
    try:
        return orjson.dumps(text).decode()
    except orjson.JSONEncodeError:
        # The only texts orjson refuses are those with surrogates; halves side by side are no fault.
        pieces = _LONE.split(join_pairs(text))
    pieces[::2] = [orjson.dumps(piece).decode()[1:-1] for piece in pieces[::2]]
    pieces[1::2] = [f"\\u{ord(half):04x}" for half in pieces[1::2]]
    return f'"{"".join(pieces)}"'


def number_text(number: float) -> str:
    """Print a number as ECMAScript's Number::toString does, an infinite one as ``null``.

    Python and JavaScript agree on the digits (the shortest that read back); the layout differs.
    """
    if isinstance(number, int) and abs(number) <= EXACT:
        return str(number)
    try:
        double = float(number)
    except OverflowError:
        return "null"
    if not math.isfinite(double):
        return "null"
    text = repr(double)
    if "e" in text:
        return _lay_out(text)
    return text.removesuffix(".0") if double else "0"


def _lay_out(text: str) -> str:
    """Turn Python's exponent form, which starts at 1e16 and 1e-5, into JavaScript's layout."""
    mantissa, _, power = text.removeprefix("-").partition("e")
    sign = "-" if text.startswith("-") else ""
    digits = mantissa.replace(".", "")
    point = int(power) + 1  # the value is 0.<digits> times ten to this power
    if 0 < point <= _POINT_MAX:  # at most 17 digits, so from 1e16 on there is no fraction
        return f"{sign}{digits:0<{point}}"
    if _POINT_MIN < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{mantissa}e{point - 1:+d}"
