"""Where two calls' arguments differ, as paths: ``$.timeout``, ``$.edits[2]["a key"]``."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from repeat_reminder.canonical import key_position, utf16_length
from repeat_reminder.events import Json, ToolCall
from repeat_reminder.jsontext import dumps, loads
from repeat_reminder.policies.identity import IgnoredArguments, compared

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class _Absent(Enum):
    """Stands for a member or an item that only one side has."""

    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
_Side: TypeAlias = "Json | _Absent"
_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""The last key, and the path before it: most paths are never printed, so none is spelled early."""
_Pair: TypeAlias = "tuple[_Path, _Side, _Side]"


class Difference(NamedTuple):
    """One place where two calls differ."""

    path: str | None
    """The place in the arguments; None if the calls are of different tools."""
    before: str | None
    """What stands there in the earlier call, as JSON; None if nothing does."""
    after: str | None
    """The same of the later call."""
    offset: int | None = None
    """Of two strings: how many UTF-16 units they begin alike with."""


def first_difference(before: ToolCall, after: ToolCall, ignored: IgnoredArguments) -> Difference:
    """Say what makes two different calls different: the tool, or the first place in the arguments.

    Args:
        before: the earlier call.
        after: the later one, of another identity.
        ignored: what is not compared.

    Raises:
        TooDeep: arguments are nested too deep to count.
    """
    if before.name != after.name:
        return Difference(None, _text(before.name), _text(after.name))
    sides = (loads(compared(call, ignored)) for call in (before, after))
    return next(differences(*sides))


def differences(before: Json, after: Json) -> Iterator[Difference]:
    """Yield every place where two values differ, in the order of their canonical text.

    Args:
        before: a value as `loads` reads a canonical text, its members in canonical order.
        after: another.
    """
    todo: list[_Pair] = [(None, before, after)]
    while todo:
        path, one, other = todo.pop()
        match one, other:
            case dict(), dict():
                todo += reversed(list(_members(path, one, other)))
            case list(), list():
                todo += reversed(list(_items(path, one, other)))
            case _ if type(one) is not type(other) or one != other:
                yield Difference(_spelled(path), _text(one), _text(other), _offset(one, other))
            case _:
                pass


def _members(path: _Path, one: dict[str, Json], other: dict[str, Json]) -> Iterator[_Pair]:
    for key in sorted(one.keys() | other.keys(), key=key_position):
        yield (path, key), one.get(key, ABSENT), other.get(key, ABSENT)


def _items(path: _Path, one: list[Json], other: list[Json]) -> Iterator[_Pair]:
    for at in range(max(len(one), len(other))):
        mine = one[at] if at < len(one) else ABSENT
        theirs = other[at] if at < len(other) else ABSENT
        yield (path, at), mine, theirs


def _text(side: _Side) -> str | None:
    return None if isinstance(side, _Absent) else dumps(side).decode()


def _offset(one: _Side, other: _Side) -> int | None:
    if not (isinstance(one, str) and isinstance(other, str)):
        return None
    pairs = enumerate(zip(one, other, strict=False))
    at = next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))
    return utf16_length(one[:at])


def _spelled(path: _Path) -> str:
    keys: list[str] = []
    while path is not None:
        path, key = path
        if isinstance(key, int):
            keys.append(f"[{key}]")
        else:
            keys.append(f".{key}" if _NAME.match(key) else f"[{dumps(key).decode()}]")
    return "$" + "".join(reversed(keys))
