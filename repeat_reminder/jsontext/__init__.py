"""JSON text to value and back, as a JavaScript engine reads and prints it.

orjson does the work wherever it provably agrees with JavaScript; behind it stand a complete reader
and writer that are slower and know every corner.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING

import orjson

from repeat_reminder.jsontext.limits import EXACT, MAX_DEPTH, NotJson, TooDeep, nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from repeat_reminder.events import Json

__all__ = [
    "MAX_DEPTH",
    "NotJson",
    "TooDeep",
    "dumps",
    "loads",
    "loads_exact",
    "nodes",
    "prints_alike",
    "write",
]

# Between these orjson lays out a fraction as JavaScript does.
_FRACTION_MIN = 1e-3
_FRACTION_MAX = 1e15
_SELF_EVIDENT = frozenset((str, bool, type(None)))


def loads(data: bytes | str, *, max_depth: int = MAX_DEPTH) -> Json:
    """Read a JSON text as ``JSON.parse`` does.

    A number is an int if it is written as one and fits 64 bits, else a float, infinite beyond the
    double range. Lone surrogates stay in the text. A ``-0`` may lose its sign: see `loads_exact`.

    Args:
        data: the text; bytes must be UTF-8 without a byte order mark.
        max_depth: how many objects and arrays may be inside one another; at least 1,024, where
            the complete reader takes over.

    Raises:
        NotJson: the text is not JSON, or the bytes are not UTF-8.
        TooDeep: the value is deeper than ``max_depth``.
    """
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        return _read(data, max_depth)
    return value


def loads_exact(data: bytes | str, *, max_depth: int = MAX_DEPTH) -> Json:
    """Read as `loads` does, and keep the sign of every negative zero: ``-0`` becomes ``-0.0``."""
    # One character is found far faster than the pattern, or than two characters.
    if isinstance(data, str):
        suspect = "-" in data and _negative_zero().search(data) is not None
    else:
        suspect = b"-" in data and _negative_zero_bytes().search(data) is not None
    return _read(data, max_depth) if suspect else loads(data, max_depth=max_depth)


# orjson drops the sign of the literal -0 alone: -0.0, -0e5 and -1e-400 keep theirs.
# As a number it stands between blanks, brackets, colons, commas; elsewhere it is in a string. The
# pattern begins with its letters, for only those are searched for fast.
_NEGATIVE_ZERO = r"-0(?<![^\[:,\s]-0)(?![^\]},\s])"


@cache
def _negative_zero() -> re.Pattern[str]:
    return re.compile(_NEGATIVE_ZERO)


@cache
def _negative_zero_bytes() -> re.Pattern[bytes]:
    return re.compile(_NEGATIVE_ZERO.encode())


def _read(data: bytes | str, max_depth: int) -> Json:
    """Read with the complete reader, faults placed in the units of the data."""
    # Few runs meet a text that needs it, and its patterns take their time to compile.
    from repeat_reminder.jsontext.reader import read  # noqa: PLC0415

    if isinstance(data, str):
        return read(data, max_depth)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: unexpected byte 0x{data[error.start]:02x}"
        raise NotJson(reason, error.start + 1) from None
    try:
        return read(text, max_depth)
    except NotJson as error:
        column = len(text[: error.column - 1].encode()) + 1
        raise type(error)(error.reason, column) from None


def dumps(value: Json) -> bytes:
    """Print a value without blanks, keys in their order, as ``JSON.stringify`` does, in UTF-8.

    Lone surrogates become escapes, numbers have JavaScript's spelling, infinite ones are ``null``.
    """
    if prints_alike(value):
        try:
            return orjson.dumps(value)
        except orjson.JSONEncodeError:
            pass  # a lone surrogate, or deeper than orjson goes
    return write(value).encode()


def write(
    value: Json,
    members: Callable[[dict[str, Json]], Iterable[tuple[str, Json]]] = dict.items,
    max_depth: int = sys.maxsize,
) -> str:
    """Print a value without blanks with the complete writer, which knows every corner.

    Args:
        value: what to print.
        members: chooses and orders what is printed of an object.
        max_depth: how many objects and arrays may be inside one another.

    Raises:
        TooDeep: there are more.
    """
    from repeat_reminder.jsontext.writer import write as complete  # noqa: PLC0415 - as in `_read`

    return complete(value, members, max_depth)


def prints_alike(
    value: Json, plain_keys: Callable[[Iterable[str]], bool] = lambda _keys: True
) -> bool:
    """Tell whether orjson prints a value as JavaScript does, if it prints it at all.

    Sure of a yes only: a no costs time, nothing else.

    Args:
        value: what is to be printed.
        plain_keys: says of one object's keys whether they are in order with orjson.
    """
    todo = [value]
    for node in todo:
        if type(node) in _SELF_EVIDENT:
            continue
        if isinstance(node, dict):
            if not plain_keys(node):
                return False
            todo += node.values()
        elif isinstance(node, list):
            todo += node
        elif isinstance(node, int):
            if not -EXACT <= node <= EXACT:
                return False
        elif not isinstance(node, float) or not _is_plain(node):
            return False
    return True


def _is_plain(number: float) -> bool:
    """Tell whether orjson spells a double as JavaScript does; it writes ``1.0`` and ``1e16``."""
    return not number.is_integer() and _FRACTION_MIN < abs(number) < _FRACTION_MAX
