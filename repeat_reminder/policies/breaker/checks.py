"""Reading one config block: each check returns the value or raises the error for its key."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from repeat_reminder.events import Json
from repeat_reminder.policies.checks import Fault, LineOf, shown, text_list, whole

Word = TypeVar("Word", bound=StrEnum)

_ADVICE_AND_GATE = "use warnAt for the advice and limits for the gate"
_FROM_THE_NAME = "nothing replaces it: what a call carries is found from the tool name"
REMOVED_KEYS: Mapping[str, str] = {
    "denyAfter": "use limits.exact",
    "warnAfter": _ADVICE_AND_GATE,
    "registerAdvisory": _ADVICE_AND_GATE,
    "maxSamePath": "nothing replaces it: the exact measure tells positions in a file apart",
    "readTools": _FROM_THE_NAME,
    "matchReadBySubstring": _FROM_THE_NAME,
}
"""Keys that 0.2.0 took away, and what to do instead. Ignoring them would lose their tuning."""

_LOWEST_LIMIT = 2
"""A lower one would stop the first call."""


class Block:
    """A config block: an object without removed keys. Every method reads one key of it."""

    def __init__(self, given: Json, path: str | None, line_of: LineOf | None) -> None:
        """Take the block.

        Raises:
            ConfigError: it is no object, or holds a removed key.
        """
        self._fault = Fault(path, line_of and (lambda key: line_of(key) or line_of(_table_of(key))))
        if not isinstance(given, dict):
            raise self._fault("config", f"expected an object of settings, found {shown(given)}")
        self._given = given
        for key in given:
            if key in REMOVED_KEYS:
                raise self._fault(key, f"this key is gone since 0.2.0: {REMOVED_KEYS[key]}")

    def table(self, key: str) -> dict[str, Json]:
        """Return an object, empty where the key is missing."""
        value = self._given.get(key, {})
        if not isinstance(value, dict):
            raise self._fault(key, f"expected an object, found {shown(value)}")
        return value

    def name_lists(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return an object of lists of strings; a null list is empty, as in the plugin."""
        return {
            name: () if value is None else text_list(f"{key}.{name}", value, self._fault)
            for name, value in self.table(key).items()
        }

    def names(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return a list of strings."""
        return text_list(key, self._given[key], self._fault) if key in self._given else default

    def integer(self, key: str, default: int, *, least: int) -> int:
        """Return an integer that is large enough."""
        value = self._given.get(key, default)
        number = _number(value)
        integer = None if number is None else whole(number)
        if integer is None or integer < least:
            raise self._fault(key, f"expected an integer >= {least}, found {shown(value)}")
        return integer

    def choice(self, key: str, default: Word) -> Word:
        """Return one of the words that the default is one of."""
        words = list(type(default))
        value = self._given.get(key, default)
        if value not in words:
            raise self._fault(key, f"expected {' or '.join(words)}, found {shown(value)}")
        return type(default)(value)

    def local_hosts(self, default: Word) -> Word:
        """Return the choice for local hosts; asking is no longer a part of it."""
        if self._given.get("localHosts") == "ask":
            moved = "asking is now set by onLimit: ask, for every measure"
            words = " or ".join(type(default))
            raise self._fault("localHosts", f"{moved}; localHosts takes {words}")
        return self.choice("localHosts", default)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a boolean."""
        value = self._given.get(key, default)
        if not isinstance(value, bool):
            raise self._fault(key, f"expected true or false, found {shown(value)}")
        return value

    def stage(self, key: str, default: int | None) -> int | None:
        """Return the count a stage speaks at; null, 0 and negative numbers turn it off."""
        value = self._given.get(key, default)
        number = _number(value)
        if value is None or (number is not None and number <= 0):
            return None
        integer = None if number is None else whole(number)
        if integer is None:
            rule = "expected a positive integer, or null, 0 or a negative number for off"
            raise self._fault(key, f"{rule}, found {shown(value)}")
        return integer

    def limit(self, key: str, default: float | None) -> float | None:
        """Return a limit of its own; null is none."""
        return self._limit(key, self._given.get(key, default))

    def limits(self, key: str, defaults: Mapping[str, float | None]) -> dict[str, float | None]:
        """Return a table of limits, laid over its defaults."""
        table: dict[str, Json] = {**defaults, **self.table(key)}
        return {name: self._limit(f"{key}.{name}", value) for name, value in table.items()}

    def _limit(self, key: str, value: Json) -> float | None:
        """Check one limit. Fractions count: 2.5 stops the third call."""
        if value is None:
            return None
        number = _number(value)
        if number is None or number < _LOWEST_LIMIT:
            rule = f"expected a number >= {_LOWEST_LIMIT}, or null for none"
            raise self._fault(key, f"{rule}, found {shown(value)}")
        integer = whole(number)
        return number if integer is None else integer


def _number(value: Json) -> float | None:
    """Return a finite number; None for anything else, also for true and false."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _table_of(key: str) -> str:
    """Return the key whose object holds this one: ``limits`` for ``limits.exact``."""
    return key.partition(".")[0]
