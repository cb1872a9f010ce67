"""The identity of a call's arguments: what a JavaScript engine prints after sorting all keys.

It mirrors the reminder plugin (``sortJsonValue`` and ``canonicalize``) behind the agent loop's
``parseArguments``, quirks included.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import orjson

from repeat_reminder.jsontext import (
    MAX_DEPTH,
    NotJson,
    TooDeep,
    loads,
    loads_exact,
    nodes,
    prints_alike,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repeat_reminder.events import Json

_INDEX = r"(?:0|[1-9][0-9]{0,9})\Z"
_NEGATIVE = re.compile(r"-0(?<![^\[:,\s]-0)(?=[\]},\s.eE]|\Z)")
_TINY = re.compile(r"-[1-9][0-9.]*[eE]-")
"""What may be a negative zero."""
_INDEXES = 2**32 - 1
"""JavaScript's array indexes are the integers below this."""


def parse_arguments(text: str) -> Json:
    """Read a call's argument text: empty is ``{}``, what is not JSON is the text itself.

    Raises:
        TooDeep: it is JSON of more than `MAX_DEPTH` levels, where the guard itself would fail.
    """
    if not text:
        return {}
    try:
        return loads(text)
    except TooDeep:
        raise
    except NotJson:
        return text


def canonical(value: Json) -> str:
    """Print a value with sorted keys; equal texts mean equal arguments.

    Raises:
        TooDeep: the value has more than `MAX_DEPTH` levels.
    """
    if prints_alike(value, _plain_keys):
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        except orjson.JSONEncodeError:
            pass  # a lone surrogate, or deeper than orjson goes
    return write(value, _members, MAX_DEPTH)


def canonical_text(text: str) -> str:
    """Print the canonical form of a call's argument text.

    Raises:
        TooDeep: as in `parse_arguments`.
    """
    return canonical(parse_arguments(text))


def canonical_of(arguments_text: str | None, arguments: Json) -> str:
    """Print the canonical form of arguments as a `ToolCall` holds them: a text, or else a value.

    Raises:
        TooDeep: as in `canonical`.
    """
    return canonical(arguments) if arguments_text is None else canonical_text(arguments_text)


def _plain_keys(keys: Iterable[str]) -> bool:
    """Tell whether bytewise order is JavaScript's order, and no key vanishes."""
    for key in keys:  # noqa: SIM110  # all() with a generator takes twice the time
        if "/" < key < ":" or key == "__proto__" or not key.isascii():
            return False
    return True


def _members(obj: dict[str, Json]) -> Iterable[tuple[str, Json]]:
    """Order an object's members; ``__proto__`` sets the prototype there and is never printed."""
    return sorted((item for item in obj.items() if item[0] != "__proto__"), key=_position)


def _position(member: tuple[str, Json]) -> tuple[int, bytes]:
    return key_position(member[0])


def key_position(key: str) -> tuple[int, bytes]:
    """Return what keys are sorted by: array indexes first, by number, then by UTF-16 units."""
    if re.match(_INDEX, key) and int(key) < _INDEXES:
        return int(key), b""
    return _INDEXES, key.encode("utf-16-be", "surrogatepass")


def refused(arguments_text: str | None, arguments: Json) -> bool:
    """Tell whether DSH refuses a call before its guards run, as its ``isJsonValue`` does.

    It does if a ``-0`` or a number beyond the double range is anywhere in the arguments. Without
    a text the value must be from `loads_exact`, which keeps the sign of ``-0``. Arguments that are
    too deep are not refused; `canonical_of` reports them.
    """
    if arguments_text is not None:
        if not _may_be_refused(arguments_text):
            return False
        try:
            arguments = loads_exact(arguments_text)
        except NotJson:
            return False
    for node in nodes(arguments):
        if isinstance(node, float) and (math.isinf(node) or _is_negative_zero(node)):
            return True
    return False


def _may_be_refused(text: str) -> bool:
    """Look for the spelling of a ``-0``, and for what orjson does not read: infinite numbers."""
    if "-" in text:
        if "-0" in text and _NEGATIVE.search(text):
            return True
        if ("e-" in text or "E-" in text) and _TINY.search(text):
            return True
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return True
    return False


def _is_negative_zero(number: float) -> bool:
    return not number and math.copysign(1, number) < 0


# ---------------------------------------------------------------- preview


def preview(text: str, cap: int) -> tuple[str, int]:
    """Shorten a text to ``cap`` UTF-16 units and say how many are left out (0: all is shown).

    The marker comes on top of the cap. The cut may leave half a surrogate pair at its end.
    """
    omitted = utf16_length(text) - cap
    if omitted <= 0:
        return text, 0
    return f"{utf16_cut(text, cap)}… (+{omitted} more chars)", omitted


def utf16_length(text: str) -> int:
    """Count UTF-16 units, as JavaScript's ``length`` does."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_cut(text: str, units: int) -> str:
    """Return the first ``units`` UTF-16 units; half a pair at the end is a lone surrogate."""
    head = text[:units]  # a character has one unit or two
    if head.isascii():
        return head
    units16 = head.encode("utf-16-le", "surrogatepass")[: 2 * units]
    return units16.decode("utf-16-le", "surrogatepass")
