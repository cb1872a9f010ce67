"""Whole breaker configurations to compare, from what the user types."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

from repeat_reminder.errors import ConfigError, UsageError
from repeat_reminder.events import Json
from repeat_reminder.policies.breaker import KEYS, BreakerConfig

SWEPT: Final = ("window", "onLimit", "warnAt", "summarizeAt", "failWarnAt", "failLimit")
"""Keys with a value each; limits are ``limits.NAME``. All others say what a call carries, which is
worked out once."""
_LIMITS: Final = "limits."
_OFF: Final = frozenset({"off", "null", "none"})

DEFAULT_SWEEP: Final[Mapping[str, tuple[Json, ...]]] = {
    "window": (8, 12, 24, 32),
    "warnAt": (4, 5, 6, 9),
    "summarizeAt": (8, 14),
    "limits.exact": (8, 10, 16, 20),
    "limits.host": (10, 12, 20, 24),
    "failWarnAt": (2, 4),
    "failLimit": (3, 4, 8, None),
}
"""What is varied, one key at a time, if the user names nothing."""

Changes = dict[str, Json]


def configurations(
    now: BreakerConfig, tried: Sequence[str], sweeps: Sequence[str]
) -> list[tuple[BreakerConfig, Changes, bool]]:
    """Return the configurations to replay, the current one first.

    Args:
        now: the current one.
        tried: ``KEY=VALUE,KEY=VALUE`` for each further configuration.
        sweeps: ``KEY=VALUE,VALUE`` for each key; all combinations are replayed.

    Returns:
        Each with what it changes, and whether the user named it.

    Raises:
        UsageError: a key cannot be varied, or a value breaks a rule of the breaker.
    """
    named = [_read_changes(text) for text in tried]
    grid = [_read_values(text) for text in sweeps]
    if grid:
        keys = [key for key, _ in grid]
        others: Iterable[Changes] = (
            dict(zip(keys, values, strict=True)) for values in product(*(v for _, v in grid))
        )
    else:
        others = ({key: value} for key, values in DEFAULT_SWEEP.items() for value in values)
    found: dict[str, tuple[BreakerConfig, Changes, bool]] = {repr(now): (now, {}, False)}
    for changes, is_named in [*((one, True) for one in named), *((one, False) for one in others)]:
        config = changed(now, changes)
        found.setdefault(repr(config), (config, _real(now, changes), is_named))
    return list(found.values())


def changed(now: BreakerConfig, changes: Changes) -> BreakerConfig:
    """Return a config with other values.

    Raises:
        UsageError: a value breaks a rule of the breaker.
    """
    record = now.record()
    limits = record["limits"]
    limits = dict(limits) if isinstance(limits, dict) else {}
    for key, value in changes.items():
        if key.startswith(_LIMITS):
            limits[key.removeprefix(_LIMITS)] = value
        else:
            record[key] = value
    try:
        return BreakerConfig.from_mapping({**record, "limits": limits})
    except ConfigError as error:
        raise UsageError(error.message, path="--sweep", hint=error.hint) from None


def _real(now: BreakerConfig, changes: Changes) -> Changes:
    """Leave out what is so now."""
    record = now.record()
    limits = record["limits"]
    flat = (
        {f"{_LIMITS}{key}": one for key, one in limits.items()} if isinstance(limits, dict) else {}
    )
    before = {**record, **flat}
    return {key: value for key, value in changes.items() if before.get(key, _Missing) != value}


class _Missing:
    """Stands for a key that is not there."""


def _read_values(text: str) -> tuple[str, tuple[Json, ...]]:
    key, equals, values = text.partition("=")
    key = _key(key, text)
    if not equals or not values:
        raise UsageError(f"{text!r} has no values", path="--sweep", hint=f"--sweep {key}=8,12")
    return key, tuple(_value(value) for value in values.split(","))


def _read_changes(text: str) -> Changes:
    changes: Changes = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals:
            hint = "for the breaker: --try window=24,warnAt=5"
            raise UsageError(f"{part!r} is not KEY=VALUE", path="--try", hint=hint)
        changes[_key(key, text)] = _value(value)
    return changes


def _key(key: str, text: str) -> str:
    key = key.strip()
    if key in SWEPT or (key.startswith(_LIMITS) and key != _LIMITS):
        return key
    keys = f"{', '.join(SWEPT)}, limits.NAME"
    if key in KEYS:
        message = f"{key} says what a call carries, which is worked out once"
        raise UsageError(message, path=text, hint=f"set it with --config; varied can be {keys}")
    raise UsageError(f"{key!r} is no key of the breaker", path=text, hint=f"the keys are {keys}")


def _value(text: str) -> Json:
    text = text.strip()
    if text.casefold() in _OFF:
        return None
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
