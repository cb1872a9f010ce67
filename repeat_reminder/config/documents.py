"""From the bytes of a config file to a tree: YAML, TOML or JSON, by suffix or by look."""

import re
from pathlib import Path
from typing import Self

from msgspec import Struct

from repeat_reminder.config.keys import suggestion
from repeat_reminder.config.tree import Value
from repeat_reminder.errors import ConfigError


class ConfigText(Struct, frozen=True, kw_only=True):
    """A config as it was found, not read yet."""

    path: str
    """The file, as the user gave it; ``-`` for standard input."""
    data: bytes

    @classmethod
    def of(cls, path: str | Path) -> Self:
        """Read a file.

        Raises:
            ConfigError: it cannot be read.
        """
        try:
            return cls(path=str(path), data=Path(path).read_bytes())
        except FileNotFoundError:
            raise ConfigError("no such file", path=str(path), hint=_sibling(path)) from None
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            raise ConfigError(message, path=str(path)) from None


def _sibling(path: str | Path) -> str | None:
    """Ask for a file beside it that is called almost the same."""
    folder = Path(path).parent
    try:
        names = [file.name for file in folder.iterdir()]
    except OSError:
        return None
    meant = suggestion(Path(path).name, names)
    return f"did you mean {folder / meant}?" if meant else None


# Most runs have no config to read, and each parser takes its time to import: none is before it is
# needed.
def parse(text: ConfigText) -> Value:
    """Read a config in whatever syntax it is.

    Raises:
        ConfigError: it is empty or huge, not UTF-8, or breaks the rules of its syntax.
    """
    if len(text.data) > _MOST:
        message = f"too large for a config: {len(text.data):,} bytes"
        raise ConfigError(message, path=text.path, hint="is this a log?")
    source = _decoded(text)
    if not re.search(_SIGNIFICANT, source):
        hint = "`config: {}` is a config that leaves everything at its default"
        raise ConfigError("the file is empty", path=text.path, hint=hint)
    try:
        match _syntax(text.path, source):
            case "toml":
                from repeat_reminder.config.toml_syntax import parse_toml  # noqa: PLC0415 - what the file needs

                return parse_toml(text.path, source)
            case "json":
                from repeat_reminder.config.json_syntax import parse_json  # noqa: PLC0415 - what the file needs

                return parse_json(text.path, source)
            case _:
                from repeat_reminder.config.yaml_syntax import parse_yaml  # noqa: PLC0415 - what the file needs

                return parse_yaml(text.path, source)
    except RecursionError:
        raise ConfigError("nested too deep for a config", path=text.path) from None


_MOST = 1_000_000
"""Bytes. The largest profiles have a tenth of that, and parsing YAML is slow."""

# The first line that is neither blank nor a comment; a YAML file may start with a mark.
_SIGNIFICANT = r"(?m)^[ \t]*(?!---)([^\s#].*)$"
_TOML_LINE = r"\[\[?[\w.\" -]+\]\]?\s*(#.*)?\Z|[\w.\"-]+\s*="


def _decoded(text: ConfigText) -> str:
    try:
        return text.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.data.count(b"\n", 0, error.start) + 1
        utf16 = text.data[:2] in {b"\xff\xfe", b"\xfe\xff"}
        what = "UTF-16" if utf16 else f"not UTF-8: byte 0x{text.data[error.start]:02x}"
        hint = "save it as UTF-8"
        raise ConfigError(what, path=text.path, line=line, hint=hint) from None


def _syntax(path: str, source: str) -> str:
    suffix = Path(path).suffix.lower()
    if suffix in {".toml", ".json"}:
        return suffix[1:]
    first = re.search(_SIGNIFICANT, source)
    if suffix in {".yml", ".yaml"} or first is None:
        return "yaml"
    if re.match(_TOML_LINE, first[1]):
        return "toml"
    if first[1].startswith(("{", "[")):
        from repeat_reminder.config.json_syntax import is_json  # noqa: PLC0415 - what the file needs

        return "json" if is_json(source) else "yaml"
    return "yaml"
