"""A config file changed in place: only the values that differ are touched, comments stay.

The result is given as a unified diff, so that people see what they apply.
"""

import difflib
from collections.abc import Iterator, Mapping
from typing import Final

import yaml

from repeat_reminder.config import POLICIES
from repeat_reminder.config.table import policy_of
from repeat_reminder.errors import ConfigError
from repeat_reminder.events import Json
from repeat_reminder.render.tune.config_text import cordis_row
from repeat_reminder.tune.edits import Place, edits_of, plain_of, value_of

NEW_FILE: Final = "cordis.patch.yml"
"""What is written where there is no file yet."""
_LABELS: Final = ("name", "package", "plugin", "id")
_NESTED: Final = ("insert", "config")


def patch(policy: str, config: Mapping[str, Json], path: str | None, text: str | None) -> str:
    """Return a unified diff that makes a config file say this config.

    Args:
        policy: whose config it is.
        config: every key.
        path: the file; None for a new one.
        text: its content; None for a new one.

    Raises:
        ConfigError: the file is no YAML with a place for the config.
    """
    if path is None or text is None:
        after = "\n".join(cordis_row(policy, config)) + "\n"
        return _diff("", after, "/dev/null", NEW_FILE)
    return _diff(text, patched(policy, config, path, text), path, path)


def _diff(before: str, after: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), old, new)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """Split at LF alone, as every tool that applies a diff does."""
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


# ---------------------------------------------------------------- the file


def patched(policy: str, config: Mapping[str, Json], path: str, text: str) -> str:
    """Return the content of a YAML file that says this config, all else as it was.

    Raises:
        ConfigError: as in `patch`.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        root = None
    place = None if root is None else _place(root, policy)
    if place is None:
        message = f"there is no place in it for a config of the {policy}"
        hint = "--emit patch edits a YAML file with a row of the plugin; --emit yaml prints one"
        raise ConfigError(message, path=path, hint=hint)
    edits = sorted(edits_of(place, config, text), key=lambda edit: edit.start)
    after = text
    for edit in reversed(edits):
        after = after[: edit.start] + edit.text + after[edit.end :]
    if not _says(after, policy, config):
        hint = "--emit yaml prints the row to paste"
        raise ConfigError("it is written in a way that cannot be edited", path=path, hint=hint)
    return after


def _says(text: str, policy: str, config: Mapping[str, Json]) -> bool:
    """Tell whether a file says a config: anchors and the like can spoil an edit."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        place = None if root is None else _place(root, policy)
        said = None if place is None or place.config is None else plain_of(place.config)
    except yaml.YAMLError:
        return False
    return isinstance(said, dict) and all(said.get(key) == config[key] for key in config)


def _place(root: yaml.Node, policy: str) -> Place | None:
    """Find the policy's row, at any depth; else a bare block."""
    for row in _rows(root, set()):
        if _is_of(row, policy):
            return Place(row, value_of(row, "config"))
    if not isinstance(root, yaml.MappingNode):
        return None
    keys = {key.value for key, _ in root.value}
    if policy in keys:
        return Place(root, value_of(root, policy))
    if "config" in keys:
        return Place(root, value_of(root, "config"))
    return Place(root, root) if keys & set(POLICIES[policy].keys) else None


def _rows(node: yaml.Node, seen: set[int]) -> Iterator[yaml.MappingNode]:
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _rows(item, seen)
    elif isinstance(node, yaml.MappingNode):
        yield node
        for key in _NESTED:
            nested = value_of(node, key)
            if nested is not None:
                yield from _rows(nested, seen)


def _is_of(row: yaml.MappingNode, policy: str) -> bool:
    for label in _LABELS:
        node = value_of(row, label)
        owner = policy_of(node.value) if isinstance(node, yaml.ScalarNode) else None
        if owner is not None:
            return owner.name == policy
    return False
