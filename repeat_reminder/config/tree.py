"""A parsed file: plain values, and for every key and item the line it stands on."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Self, TypeAlias

from msgspec import Struct

from repeat_reminder.errors import ConfigError
from repeat_reminder.events import Json

_MOST = 10_000
"""Values in one block; YAML aliases can make a short file as large as they like."""


class Odd(Struct, frozen=True):
    """A value no policy could make sense of. It is an error only where one would read it."""

    why: str
    hint: str


class Table(dict[str, "Value"]):
    """A mapping that knows the lines of its keys, as far as the syntax tells them."""

    __slots__ = ("lines",)

    def __init__(
        self, items: "Mapping[str, Value] | None" = None, lines: Mapping[str, int] | None = None
    ) -> None:
        """Take the items and the lines."""
        super().__init__(items or {})
        self.lines = dict(lines or {})

    def without(self, keys: Iterable[str]) -> Self:
        """Return the table without some of its keys."""
        left = set(self).difference(keys)
        return type(self)({key: self[key] for key in self if key in left}, self.lines)


class Items(list["Value"]):
    """A list that knows the lines of its items, as far as the syntax tells them."""

    __slots__ = ("lines",)

    def __init__(self, items: "Iterable[Value]" = (), lines: Iterable[int | None] = ()) -> None:
        """Take the items and the lines."""
        super().__init__(items)
        self.lines = list(lines) or [None] * len(self)


Value: TypeAlias = "bool | int | float | str | Table | Items | Odd | None"


def plain(block: Value, *, path: str, line: int | None = None) -> Json:
    """Return a block as a policy reads it: without lines, and with nothing odd in it.

    Args:
        block: what was parsed.
        path: the file it is from.
        line: where it starts.

    Raises:
        ConfigError: something in it has no meaning, or it is too large to be meant.
    """
    for number, (name, at, value) in enumerate(_walk(block), 1):
        if isinstance(value, Odd):
            raise ConfigError(f"{name}: {value.why}", path=path, line=at or line, hint=value.hint)
        if number >= _MOST:
            message = "the block is too large for a policy's config"
            raise ConfigError(message, path=path, line=line)
    try:
        return _plain(block)
    except RecursionError:
        raise ConfigError("nested too deep for a config", path=path, line=line) from None


def lines_in(block: Value) -> dict[str, int]:
    """Return the lines of keys and items by their names in messages: ``a``, ``a[0]``, ``a.b``."""
    return {name: line for name, line, _ in _walk(block) if line is not None}


def _walk(block: Value) -> Iterator[tuple[str, int | None, Value]]:
    """Yield every value with its name in messages and its line, the outer ones first."""
    todo: list[tuple[str, int | None, Value]] = [("config", None, block)]
    for name, line, value in todo:
        yield name, line, value
        if len(todo) > _MOST:
            continue
        if isinstance(value, Table):
            prefix = "" if value is block else f"{name}."
            todo += [(prefix + key, value.lines.get(key), item) for key, item in value.items()]
        elif isinstance(value, Items):
            todo += [
                (f"{name}[{position}]", at, item)
                for position, (at, item) in enumerate(zip(value.lines, value, strict=True))
            ]


def _plain(value: Value) -> Json:
    match value:
        case Table():
            return {key: _plain(item) for key, item in value.items()}
        case Items():
            return [_plain(item) for item in value]
        case _:
            return None if isinstance(value, Odd) else value  # an odd value was told before


def tree_of(value: object) -> Value:
    """Turn parsed values into a tree; what JSON cannot say (dates) is odd."""
    match value:
        case Table():
            return value
        case dict():
            return Table({str(key): tree_of(item) for key, item in value.items()})
        case list():
            return Items([tree_of(item) for item in value])
        case None | bool() | int() | float() | str():
            return value
        case _:
            kind = type(value).__name__
            return Odd(f"a {kind} has no meaning here", f'for the text, write "{value}"')


def only_once(keys: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Keep the keys that stand in one place: of others nobody knows which line is meant."""
    seen: dict[str, list[int]] = {}
    for key, line in keys:
        seen.setdefault(key, []).append(line)
    return {key: lines[0] for key, lines in seen.items() if len(lines) == 1}
