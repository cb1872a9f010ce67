"""TOML with the line of every key that is written plainly under its table's header."""

import re
import tomllib

from repeat_reminder.config.tree import Table, Value, only_once, tree_of
from repeat_reminder.errors import ConfigError

_TOML_HEADER = re.compile(r"\s*\[\s*([\w.\"' -]+?)\s*\]\s*(?:#.*)?\Z")
_TOML_END = " (at end of document)"
_TOML_KEY = re.compile(r"\s*([\"']?)([\w-]+)\1\s*=")


def parse_toml(path: str, source: str) -> Value:
    """Read one TOML document.

    Raises:
        ConfigError: it breaks the rules of TOML.
    """
    try:
        root = tree_of(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        message, line = str(error), None
        if place := re.search(r" \(at line (\d+), (column \d+)\)\Z", message):
            message, line = f"{message[: place.start()]} at {place[2]}", int(place[1])
        else:
            message = f"{message.removesuffix(_TOML_END)} at the end of the file"
            line = source.rstrip().count("\n") + 1
        message = f"not valid TOML: {message[0].lower()}{message[1:]}"
        raise ConfigError(message, path=path, line=line) from None
    except ValueError as error:  # an integer of thousands of digits
        raise ConfigError(f"not valid TOML: {error}", path=path) from None
    for header, lines in _toml_lines(source).items():
        table: Value = root
        for part in header:
            table = table.get(part) if isinstance(table, Table) else None
        if isinstance(table, Table):
            table.lines.update({key: line for key, line in lines.items() if key in table})
    return root


def _toml_lines(source: str) -> dict[tuple[str, ...], dict[str, int]]:
    """Find the lines of keys by their table's header."""
    found: dict[tuple[str, ...], list[tuple[str, int]]] = {(): []}
    keys = found[()]
    for number, line in enumerate(source.split("\n"), 1):
        if header := _TOML_HEADER.match(line):
            parts = (part.strip(" \"'") for part in header[1].split("."))
            keys = found.setdefault(tuple(parts), [])
        elif key := _TOML_KEY.match(line):
            keys.append((key[2], number))
    return {header: only_once(keys) for header, keys in found.items()}
