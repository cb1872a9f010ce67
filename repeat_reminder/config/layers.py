"""One source of settings for one policy: a block of a file, a variable, an option."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from repeat_reminder.config.blocks import Block
from repeat_reminder.config.keys import check_keys, suggestion
from repeat_reminder.config.table import Policy
from repeat_reminder.config.tree import Table, lines_in, plain
from repeat_reminder.events import Json, Problem, Severity

PREFIX = "REPEAT_REMINDER_"
OTHER_VARIABLES = (f"{PREFIX}OUTPUT_FORMAT", f"{PREFIX}CACHE_DIR")
"""Variables that are read, but not here."""
COMMAND_LINE = "command line"

_NUMBER_KEYS = ("thresholds", "argumentsPreviewChars")
_LIST_KEYS = ("thresholds", "include", "exclude", "ignoreArgs")
KEYS = ("thresholds", "include", "exclude", "argumentsPreviewChars", "ignoreArgs")
"""Keys that have an option and a variable."""
_NUMBER = r"[-+]?[0-9]{1,300}(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?\Z"


class Layer(Struct, frozen=True, kw_only=True):
    """Settings from one place."""

    path: str
    """The file, the variable or the option, for messages."""
    values: Mapping[str, Json]
    lines: Mapping[str, int] = field(default_factory=dict)
    label: str | None = None
    """Where the values come from, if the path with the line does not say it."""

    def origin(self, key: str) -> str:
        """Say where a value comes from."""
        line = self.lines.get(key)
        return self.label or (f"{self.path}:{line}" if line else self.path)

    def check(self, policy: Policy) -> None:
        """Let the policy judge these values alone, so that a fault has its place.

        Raises:
            ConfigError: a value breaks a rule of the policy.
        """
        policy.read(dict(self.values), self.path, self.lines.get)


def block_layer(block: Block, policy: Policy, path: str) -> Layer:
    """Read a block of a file.

    Raises:
        ConfigError: a key is unknown, or a value breaks a rule.
    """
    lines = lines_in(block.values)
    if isinstance(block.values, Table):
        check_keys(block.values, policy, path)
    values = plain(block.values, path=path, line=block.values_line)
    if not isinstance(values, dict):
        policy.read(values, path, lambda _key: block.values_line)
        values = {}  # it was null, and the policy takes that for an empty block
    layer = Layer(path=path, values=values, lines=lines)
    layer.check(policy)
    return layer


def variable_layers(policy: Policy, environment: Mapping[str, str]) -> Iterator[Layer]:
    """Read what variables say, one layer each. An empty variable says nothing.

    Raises:
        ConfigError: a value breaks a rule.
    """
    for key in KEYS:
        text = environment.get(variable(key))
        if text and key in policy.keys:
            name = variable(key)
            yield _override(policy, key, text, name, name)


def option_layers(policy: Policy, command_line: Mapping[str, Json]) -> Iterator[Layer]:
    """Read what options say, one layer each; a text is read as a variable's would be.

    Raises:
        ConfigError: a value breaks a rule.
    """
    for key, value in command_line.items():
        if key in policy.keys:
            yield _override(policy, key, value, option(key), COMMAND_LINE)


def _override(policy: Policy, key: str, value: Json, path: str, label: str) -> Layer:
    if isinstance(value, str):
        value = _from_text(key, value)
    if key == "ignoreArgs" and isinstance(value, list):
        value = policy.ignore_args([item for item in value if isinstance(item, str)])
    layer = Layer(path=path, values={key: value}, label=label)
    layer.check(policy)
    return layer


def _from_text(key: str, text: str) -> Json:
    """Read ``3,5,8`` or ``bash, mcp_*``. What should be a number and is none stays a text."""
    if key not in _LIST_KEYS:
        return _number(text) if key in _NUMBER_KEYS else text
    parts = [part.strip() for part in text.strip().removeprefix("[").removesuffix("]").split(",")]
    if key in _NUMBER_KEYS:
        return [_number(part) for part in parts]
    return [part for part in parts if part]


def _number(text: str) -> Json:
    if not re.match(_NUMBER, text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def variable(key: str) -> str:
    """Return the environment variable of a key."""
    return PREFIX + _words(key, "_").upper()


def option(key: str) -> str:
    """Return the command-line option of a key."""
    return "--" + _words(key, "-")


def _words(key: str, between: str) -> str:
    return re.sub("(?=[A-Z])", between, key).lower()


def misspelt_variables(environment: Mapping[str, str]) -> Iterator[Problem]:
    """Note variables that look like ours and are not read."""
    words = [name.removeprefix(PREFIX) for name in (*map(variable, KEYS), *OTHER_VARIABLES)]
    for name in sorted(environment):
        word = name.removeprefix(PREFIX)
        if not name.startswith(PREFIX) or word in words:
            continue
        meant = suggestion(word, words)
        known = f"read are {PREFIX}… {', '.join(words)}; for the rest there are options"
        yield Problem(
            path=name,
            line=None,
            severity=Severity.NOTE,
            kind="unknown-variable",
            message="this variable is not read",
            hint=f"did you mean {PREFIX}{meant}?" if meant else known,
        )
