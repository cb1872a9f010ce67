"""What the checks of every policy's configuration share: places, wording, common types."""

from collections.abc import Callable
from typing import TypeAlias

from repeat_reminder.errors import ConfigError
from repeat_reminder.events import Json

LineOf: TypeAlias = Callable[[str], int | None]
"""Finds the line of a key, or of a list item, which is written ``key[position]``."""

_SHOWN = 60


class Fault:
    """Makes the error for a key, with its place in the file."""

    def __init__(self, path: str | None = None, line_of: LineOf | None = None) -> None:
        """Remember where the keys are from."""
        self._path = path
        self._line_of = line_of or _nowhere

    def __call__(self, key: str, message: str, hint: str | None = None) -> ConfigError:
        """Return the error; the line of an item is its own, or that of its list."""
        line = self._line_of(key) or self._line_of(key.partition("[")[0])
        return ConfigError(f"{key}: {message}", path=self._path, line=line, hint=hint)


def text_list(key: str, value: Json, fault: Fault) -> tuple[str, ...]:
    """Return a list of strings as a tuple.

    Raises:
        ConfigError: it is no list, or an item is no string.
    """
    if not isinstance(value, list):
        hint = f"write {key}: [{shown(value)}]" if isinstance(value, str) else None
        raise fault(key, f"expected a list of strings, found {shown(value)}", hint)
    for position, item in enumerate(value):
        if not isinstance(item, str):
            quotable = item is None or isinstance(item, bool | int | float)
            hint = f'put it in quotes: "{shown(item)}"' if quotable else None
            found = f"expected a string, found {shown(item)}"
            raise fault(f"{key}[{position}]", found, hint)
    return tuple(item for item in value if isinstance(item, str))


def no_lone_text(key: str, value: object, fault: Fault) -> None:
    """Refuse a text where a sequence is meant: its letters would be taken for the items.

    Raises:
        ConfigError: it is a text.
    """
    if isinstance(value, str):
        raise fault(key, f"expected a sequence, found {shown(value)}", f"write ({shown(value)},)")


def whole(number: float) -> int | None:
    """Return a number as the integer that JavaScript takes it for: a double without a fraction."""
    try:
        double = float(number)
    except OverflowError:
        return None
    return int(double) if double.is_integer() else None


def shown(value: Json) -> str:
    """Describe a value in a message: one line, short, scalars as JSON writes them."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'"{_cut(value)}"'
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case dict():
            return "a mapping"
        case _:
            return _cut(repr(value))


def _cut(text: str) -> str:
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _nowhere(_key: str) -> None:
    """Know no lines."""
