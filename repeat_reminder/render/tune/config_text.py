"""A policy's config as text to paste: a cordis row, a TOML table, a JSON object."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.jsontext import dumps

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_SPECIAL: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"})
"""Words that YAML 1.1 or 1.2 reads as something else."""
ROW_IDS: Final = {"reminder": "repeat-tool-reminder", "breaker": "repeat-tool-breaker"}
"""What a policy's row is called in a cordis file."""


def cordis_row(policy: str, config: Mapping[str, Json]) -> list[str]:
    """Return the row of a cordis file; it states every key, because a patch replaces them all."""
    return [
        f"- id: {ROW_IDS[policy]}",
        "  config:",
        *(f"    {line}" for line in yaml_block(config)),
    ]


def yaml_block(config: Mapping[str, Json]) -> Iterator[str]:
    """Yield a mapping as lines of YAML: lists in a line, mappings below their key."""
    for key, value in config.items():
        if isinstance(value, dict) and value:
            yield f"{yaml_flow(key)}:"
            yield from (f"  {line}" for line in yaml_block(value))
        else:
            yield f"{yaml_flow(key)}: {yaml_flow(value)}"


def yaml_flow(value: Json) -> str:
    """Return a value as YAML in one line."""
    match value:
        case list():
            return f"[{', '.join(map(yaml_flow, value))}]"
        case dict():
            return (
                "{" + ", ".join(f"{yaml_flow(k)}: {yaml_flow(v)}" for k, v in value.items()) + "}"
            )
        case str() if _PLAIN.match(value) and value.casefold() not in _SPECIAL:
            return value
        case _:
            return _json(value)


def toml_table(policy: str, config: Mapping[str, Json]) -> list[str]:
    """Return a table of ``pyproject.toml``; a null is left out, for TOML has none."""
    name = "" if policy == "reminder" else f".{policy}"
    return list(_toml(f"tool.repeat-reminder{name}", config))


def _toml(name: str, config: Mapping[str, Json]) -> Iterator[str]:
    yield f"[{name}]"
    for key, value in config.items():
        if value is not None and not isinstance(value, dict):
            yield f"{_toml_key(key)} = {_toml_value(value)}"
    for key, value in config.items():
        if isinstance(value, dict):
            yield ""
            yield from _toml(f"{name}.{_toml_key(key)}", value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _json(key)


def _toml_value(value: Json) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_toml_value, value))}]"
        case str():
            # TOML knows JSON's escapes, but for the slash that nobody has to write.
            return _json(value).replace("\x7f", r"\u007f")
        case _:
            return _json(value)


def _json(value: Json) -> str:
    return dumps(value).decode()
