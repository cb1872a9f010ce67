"""Edits of a YAML text that change values and leave everything else, comments first of all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import yaml

from repeat_reminder.events import Json
from repeat_reminder.render.tune.config_text import yaml_flow

_STEP: Final = 2
"""Blanks that a block stands in."""


class Edit(NamedTuple):
    """Replace a part of the text."""

    start: int
    end: int
    text: str


class Place(NamedTuple):
    """Where a config is, or belongs."""

    row: yaml.MappingNode
    """What holds it, or the settings themselves."""
    config: yaml.Node | None
    """The settings; None if the row has none yet."""


def value_of(row: yaml.MappingNode, key: str) -> yaml.Node | None:
    """Return what a key of a mapping stands for; None without the key."""
    for name, node in row.value:
        if isinstance(name, yaml.ScalarNode) and name.value == key:
            value: yaml.Node = node
            return value
    return None


@dataclass(frozen=True, slots=True)
class _File:
    text: str

    @property
    def end(self) -> str:
        """The line end the file uses."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def line_end(self, at: int) -> int:
        """Return where the line of a position ends, before its line end."""
        found = self.text.find("\n", at)
        found = len(self.text) if found < 0 else found
        return found - 1 if self.text[found - 1 : found] == "\r" else found


def edits_of(place: Place, config: Mapping[str, Json], text: str) -> Iterator[Edit]:
    """Yield the edits that make a file say a config.

    Args:
        place: where the config is, or belongs.
        config: every key.
        text: the whole file.
    """
    file = _File(text)
    block = place.config
    if isinstance(block, yaml.MappingNode) and block.value and not block.flow_style:
        yield from _in_block(block, config, file)
    elif isinstance(block, yaml.MappingNode) and block.value:
        yield from _in_flow(block, config)
    elif block is None:
        column = _column(place.row)
        lines = [f"{' ' * column}config:", *_block(config, column + _STEP)]
        yield _appended(_last(place.row), lines, file)
    else:  # `config:` with nothing, null or {} behind it
        column = _column(place.row)
        text = file.end + file.end.join(_block(config, column + _STEP))
        start = _before_blanks(file.text, block.start_mark.index)
        yield Edit(start, max(start, block.end_mark.index), text)


def _in_block(block: yaml.MappingNode, config: Mapping[str, Json], file: _File) -> Iterator[Edit]:
    missing: list[str] = []
    for key, value in config.items():
        node = value_of(block, key)
        if node is None:
            missing += _block({key: value}, _column(block))
        else:
            yield from _replaced(node, value, file)
    if missing:
        yield _appended(_last(block), missing, file)


def _in_flow(block: yaml.MappingNode, config: Mapping[str, Json]) -> Iterator[Edit]:
    missing: list[str] = []
    for key, value in config.items():
        node = value_of(block, key)
        if node is None:
            missing.append(f"{yaml_flow(key)}: {yaml_flow(value)}")
        elif plain_of(node) != value:
            yield Edit(node.start_mark.index, node.end_mark.index, yaml_flow(value))
    if missing:
        at = block.value[-1][1].end_mark.index
        yield Edit(at, at, "".join(f", {one}" for one in missing))


def _replaced(node: yaml.Node, value: Json, file: _File) -> Iterator[Edit]:
    if plain_of(node) == value:
        return
    if isinstance(node, yaml.MappingNode) and isinstance(value, dict) and node.value:
        yield from _in_flow(node, value) if node.flow_style else _in_block(node, value, file)
    elif isinstance(node, yaml.SequenceNode) and not node.flow_style and isinstance(value, list):
        yield from _in_list(node, value, file)
    else:
        start, end = node.start_mark.index, node.end_mark.index
        blank = "" if start > 0 and file.text[start - 1] in " \t" else " "
        yield Edit(start, end, blank + yaml_flow(value))


def _in_list(node: yaml.SequenceNode, value: Sequence[Json], file: _File) -> Iterator[Edit]:
    """Change a list that has a line for each item, so that the items' comments stay."""
    items: list[yaml.Node] = node.value
    if not value:
        start = _before_blanks(file.text, node.start_mark.index)
        last = items[-1].end_mark.index
        yield Edit(start, last, " []")
        return
    for item, new in zip(items, value, strict=False):
        if plain_of(item) != new:
            yield Edit(item.start_mark.index, item.end_mark.index, yaml_flow(new))
    dash = " " * node.start_mark.column + "- "
    if len(value) > len(items):
        lines = [dash + yaml_flow(new) for new in value[len(items) :]]
        yield _appended(items[-1], lines, file)
    for item in items[len(value) :]:
        start = file.text.rfind("\n", 0, item.start_mark.index) + 1
        end = file.line_end(item.end_mark.index)
        rest = file.text[item.end_mark.index : end].strip()
        if rest.startswith("#"):  # what was said about it may be worth keeping
            yield Edit(start, end, " " * node.start_mark.column + rest)
        else:
            yield Edit(start, min(len(file.text), end + len(file.end)), "")


def _block(config: Mapping[str, Json], column: int) -> list[str]:
    return [f"{' ' * column}{yaml_flow(key)}: {yaml_flow(value)}" for key, value in config.items()]


def _appended(last: yaml.Node, lines: Sequence[str], file: _File) -> Edit:
    """Add lines behind the line that a node ends on."""
    at = file.line_end(_content_end(last, file.text))
    return Edit(at, at, "".join(file.end + line for line in lines))


def _content_end(node: yaml.Node, text: str) -> int:
    """Return where a node really ends: a block collection claims the blanks behind it too."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = int(node.end_mark.index)
    return min(end, len(text))


def _last(block: yaml.MappingNode) -> yaml.Node:
    node: yaml.Node = block.value[-1][1]
    return node


def _column(block: yaml.MappingNode) -> int:
    """Return where the keys of a block stand; a row's may follow the dash of its list."""
    return int(block.value[0][0].start_mark.column)


def _before_blanks(text: str, at: int) -> int:
    """Return the end of what stands before a position, on its line or above."""
    return len(text[:at].rstrip())


def plain_of(node: yaml.Node) -> object:
    """Return what a node says, as far as that can be compared with a config."""
    match node:
        case yaml.SequenceNode():
            return [plain_of(item) for item in node.value]
        case yaml.MappingNode():
            return {str(key.value): plain_of(item) for key, item in node.value}
        case _:
            loaded: object = yaml.safe_load(yaml.serialize(node))
            return loaded
