"""The reminder's configuration: keys, defaults and checks of the plugin, in its order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from repeat_reminder.events import Json
from repeat_reminder.policies.checks import Fault, LineOf, no_lone_text, shown, text_list, whole

_LOWEST = 2
"""The smallest run that is a repetition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderConfig:
    """Settings of the reminder. Defaults and rules are those of dsh-repeat-tool-reminder.

    Raises:
        ConfigError: a value breaks a rule. Nothing falls back to a default silently.
    """

    thresholds: tuple[int, ...] = (3, 5, 8)
    """Run lengths that speak; kept ascending. The smallest is gentle, all others are detailed."""
    include: tuple[str, ...] = ()
    """Patterns of the tools to track; empty for every tool."""
    exclude: tuple[str, ...] = ()
    """Patterns of the tools not to track; wins over `include`."""
    arguments_preview_chars: int = 500
    """UTF-16 units of the arguments that a detailed reminder quotes."""
    ignore_args: tuple[str, ...] = ()
    """Arguments not compared, ``name`` or ``tool:name``. Our own: the plugin has no such key."""

    def __post_init__(self) -> None:
        """Check the values, and put the thresholds in order."""
        fault = Fault()
        for key in ("thresholds", "include", "exclude", "ignore_args"):
            no_lone_text(key, getattr(self, key), fault)
        object.__setattr__(self, "thresholds", _ascending(self.thresholds, fault))
        chars = _preview_chars(self.arguments_preview_chars, fault)
        object.__setattr__(self, "arguments_preview_chars", chars)

    @classmethod
    def from_mapping(
        cls, mapping: Json, *, path: str | None = None, line_of: LineOf | None = None
    ) -> Self:
        """Read the ``config`` of a plugin row, keys spelled as DSH spells them.

        A missing or null key takes its default, and so do all if the mapping is null. Unknown keys
        change nothing here, as in the plugin; `repeat_reminder.config` is what reports them.

        Args:
            mapping: the parsed block.
            path: the file it is from, as the user named it.
            line_of: where its keys stand in that file.

        Raises:
            ConfigError: a value breaks a rule. All types are checked before any value.
        """
        fault = Fault(path, line_of)
        if mapping is None:
            return cls()
        if not isinstance(mapping, dict):
            raise fault("config", f"expected a mapping of keys to values, found {shown(mapping)}")
        given = {**_DEFAULTS, **{k: v for k, v in mapping.items() if v is not None}}
        thresholds = _numbers("thresholds", given["thresholds"], fault)
        include = text_list("include", given["include"], fault)
        exclude = text_list("exclude", given["exclude"], fault)
        chars = _number(_PREVIEW, given[_PREVIEW], fault)
        ignored = text_list("ignoreArgs", given["ignoreArgs"], fault)
        return cls(
            thresholds=_ascending(thresholds, fault),
            include=include,
            exclude=exclude,
            arguments_preview_chars=_preview_chars(chars, fault),
            ignore_args=ignored,
        )

    def record(self) -> dict[str, Json]:
        """Return every key of the plugin with its value; ``ignoreArgs`` only if it is in use.

        All are stated because a cordis patch replaces the whole ``config`` of a row.
        """
        record: dict[str, Json] = {
            "thresholds": list(self.thresholds),
            "include": list(self.include),
            "exclude": list(self.exclude),
            _PREVIEW: self.arguments_preview_chars,
        }
        return record | ({"ignoreArgs": list(self.ignore_args)} if self.ignore_args else {})


_PREVIEW = "argumentsPreviewChars"
_DEFAULTS: dict[str, Json] = {
    "thresholds": [3, 5, 8],
    "include": [],
    "exclude": [],
    _PREVIEW: 500,
    "ignoreArgs": [],
}


# ---------------------------------------------------------------- types


def _numbers(key: str, value: Json, fault: Fault) -> list[float | None]:
    """Return a list of numbers. A null in it passes: it is a wrong value, not a wrong type."""
    if not isinstance(value, list):
        found = shown(value)
        digits = isinstance(value, int | str) and not isinstance(value, bool)
        hint = f"write {key}: [{found.strip(_QUOTE)}]" if digits else None
        raise fault(key, f"expected a list of integers, found {found}", hint)
    return [
        None if item is None else _number(f"{key}[{position}]", item, fault)
        for position, item in enumerate(value)
    ]


def _number(key: str, value: Json, fault: Fault) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        quoted = isinstance(value, str) and value.strip().isdecimal()
        hint = "write it without quotes" if quoted else None
        raise fault(key, f"expected an integer, found {shown(value)}", hint)
    return value


_QUOTE = '"'


# ---------------------------------------------------------------- values


def _ascending(values: Sequence[float | None], fault: Fault) -> tuple[int, ...]:
    """Check the thresholds as ``validateThresholds`` of the plugin does, and sort them."""
    if not values:
        raise fault("thresholds", "must not be empty", "leave the key out for 3, 5, 8")
    integers: list[int] = []
    for position, value in enumerate(values):
        integer = None if value is None else whole(value)
        if integer is None or integer < _LOWEST:
            rule = f"every threshold is an integer >= {_LOWEST}"
            raise fault(f"thresholds[{position}]", f"invalid threshold {shown(value)}: {rule}")
        integers.append(integer)
    for position, integer in enumerate(integers):
        if integer in integers[:position]:
            raise fault(f"thresholds[{position}]", f"duplicates are not allowed: {integer} repeats")
    return tuple(sorted(integers))


def _preview_chars(value: float, fault: Fault) -> int:
    integer = whole(value)
    if integer is None or integer < 1:
        raise fault(_PREVIEW, f"{shown(value)} is not allowed: it must be an integer >= 1")
    return integer
