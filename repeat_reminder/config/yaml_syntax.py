"""YAML, read for what a DSH profile means by it.

The harness reads YAML 1.2, most Python tools read 1.1. A scalar on which they differ is refused
where a policy would read it; in other rows it is nobody's business, like tags such as ``!!js``.
"""

import re
from collections.abc import Iterator

import yaml
from yaml.reader import ReaderError

from repeat_reminder.config.tree import Items, Odd, Table, Value
from repeat_reminder.errors import ConfigError

_TAG = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_EXPONENT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+\Z")
_FLOAT_WORDS = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}
_TOKEN = re.compile(r"[^\s,\]}]*")


def parse_yaml(path: str, source: str) -> Value:
    """Read one YAML document.

    Raises:
        ConfigError: it breaks the rules of YAML, or a mapping has a key twice.
    """
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _fault(path, source, error) from None
    except ReaderError as error:
        message = f"not valid YAML: {error.reason}: U+{ord(source[error.position]):04X}"
        line = source.count("\n", 0, error.position) + 1
        raise ConfigError(message, path=path, line=line) from None
    return None if root is None else _Reader(path).value(root)


class _Reader:
    """Turns nodes into a tree. Aliases share what they stand for."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._done: dict[int, Value] = {}
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Value:
        """Return what a node stands for."""
        if id(node) in self._open:
            raise self._error(node, "an alias stands for something it is part of")
        if id(node) not in self._done:
            self._open.add(id(node))
            self._done[id(node)] = self._make(node)
            self._open.remove(id(node))
        return self._done[id(node)]

    def _make(self, node: yaml.Node) -> Value:
        match node:
            case yaml.MappingNode(tag=tag) if tag == _TAG + "map":
                return self._table(node)
            case yaml.SequenceNode(tag=tag) if tag == _TAG + "seq":
                lines = [_line(item) for item in node.value]
                return Items([self.value(item) for item in node.value], lines)
            case yaml.ScalarNode():
                return _scalar(node)
            case _:
                return _tagged(node)

    def _table(self, node: yaml.MappingNode) -> Table:
        own: dict[str, Value] = {}
        lines: dict[str, int] = {}
        merged = Table()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, "a key must be a text")
            if key.tag == _TAG + "merge":
                for base in self._bases(value):
                    merged = Table({**base, **merged}, {**base.lines, **merged.lines})
                continue
            if key.value in own:
                message = f"{key.value}: the key is there twice, first in line {lines[key.value]}"
                raise self._error(key, message, "keep one of them")
            own[key.value], lines[key.value] = self.value(value), _line(key)
        return Table({**merged, **own}, {**merged.lines, **lines})

    def _bases(self, node: yaml.Node) -> Iterator[Table]:
        """Yield what ``<<`` takes in; the first has the last word."""
        value = self.value(node)
        for base in value if isinstance(value, Items) else [value]:
            if not isinstance(base, Table):
                raise self._error(node, "<< takes a mapping, or a list of mappings")
            yield base

    def _error(self, node: yaml.Node, message: str, hint: str | None = None) -> ConfigError:
        return ConfigError(message, path=self._path, line=_line(node), hint=hint)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _scalar(node: yaml.ScalarNode) -> Value:
    """Read a scalar as YAML 1.1 and 1.2 both do, else say what to write instead."""
    text = str(node.value)
    value: Value
    match node.tag.removeprefix(_TAG):
        case "str" if node.style is None and _EXPONENT.match(text):
            value = float(text)  # a number for the harness, a text in YAML 1.1
        case "str" | "value":
            value = text
        case "null":
            value = None
        case "bool" if text.lower() in {"true", "false"}:
            value = text.lower() == "true"
        case "int" if _INT.match(text) or _HEX.match(text):
            value = _integer(text)
        case "float" if _FLOAT.match(text):
            value = float(text)
        case "float" if text.lower() in _FLOAT_WORDS:
            value = float(_FLOAT_WORDS[text.lower()])
        case "bool" | "int" | "float" | "timestamp" as kind:
            value = Odd(
                f"{text} is a {_KINDS[kind]} in YAML 1.1 and may be none in YAML 1.2",
                f"for the text, put it in quotes: '{text}'; else write {_PLAINLY[kind]}",
            )
        case _:
            value = _tagged(node)
    return value


_KINDS = {"bool": "boolean", "int": "number", "float": "number", "timestamp": "date"}
_PLAINLY = {
    "bool": "true or false",
    "int": "a plain decimal number",
    "float": "a plain decimal number",
    "timestamp": "no date",
}


def _integer(text: str) -> int | float:
    try:
        return int(text, 16 if "x" in text else 10)
    except ValueError:  # thousands of digits: beyond the double range, as in JavaScript
        return float(text)


def _tagged(node: yaml.Node) -> Odd:
    tag = "!!" + node.tag.removeprefix(_TAG) if node.tag.startswith(_TAG) else node.tag
    return Odd(f"the tag {tag} has no meaning here", "write the value itself")


# ---------------------------------------------------------------- faults


def _fault(path: str, source: str, error: yaml.MarkedYAMLError) -> ConfigError:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else None
    reason = f"{error.context or ''} {error.problem or ''}".strip()
    if "alias" in reason:
        return _alias_fault(path, source, error)
    message = f"not valid YAML: {(error.problem or reason).removeprefix('but ')}"
    return ConfigError(message, path=path, line=line, hint=_hint(reason, error.context_mark, line))


def _hint(reason: str, context: yaml.Mark | None, line: int | None) -> str | None:
    if r"character '\t' that cannot start any token" in reason:
        return "indent with spaces"
    if "that cannot start any token" in reason:
        return "put the text in quotes"
    if "another document" in reason:
        return "give one document only"
    begun = context.line + 1 if context else line
    return None if begun == line else f"what is open there began in line {begun}"


def _alias_fault(path: str, source: str, error: yaml.MarkedYAMLError) -> ConfigError:
    """Explain the trap of a pattern that starts with a star."""
    # A bad alias starts at the context, an undefined one at the problem.
    mark = error.context_mark or error.problem_mark
    token = _TOKEN.match(source, mark.index) if mark else None
    pattern = token[0] if token and token[0] else "*"
    return ConfigError(
        f"{pattern} is not valid YAML: a leading * makes it an alias",
        path=path,
        line=mark.line + 1 if mark else None,
        hint=f"put the pattern in quotes: '{pattern}'",
    )
