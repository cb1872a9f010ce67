"""JSON with the line of every key that stands in one place of the file only."""

import json
import re

from repeat_reminder.config.tree import Table, Value, only_once, tree_of
from repeat_reminder.errors import ConfigError

_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')


def parse_json(path: str, source: str) -> Value:
    """Read one JSON text.

    Raises:
        ConfigError: it is not JSON, or an object has a key twice.
    """
    lines = only_once(
        (match[1], source.count("\n", 0, match.start()) + 1)
        for match in _JSON_STRING.finditer(source)
        if match[2]
    )

    def table(pairs: list[tuple[str, object]]) -> Table:
        items = {key: tree_of(value) for key, value in pairs}
        if len(items) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ConfigError(f"{twice}: the key is there twice", path=path)
        return Table(items, {key: lines[key] for key in items if key in lines})

    try:
        return tree_of(json.loads(source, object_pairs_hook=table, parse_constant=_not_json))
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg[0].lower()}{error.msg[1:]} at column {error.colno}"
        raise ConfigError(message, path=path, line=error.lineno) from None
    except ValueError as error:  # NaN, or an integer of thousands of digits
        raise ConfigError(f"not valid JSON: {error}", path=path) from None


def _not_json(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def is_json(source: str) -> bool:
    """Tell JSON from YAML in flow style, which may look the same at its start."""
    try:
        json.loads(source)
    except ValueError:
        return False
    return True
