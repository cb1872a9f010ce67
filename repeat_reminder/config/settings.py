"""``[tool.repeat-reminder]`` of a project: settings of the program beside those of the policies."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from repeat_reminder.config.blocks import Block, split_block
from repeat_reminder.config.choices import policies_named, texts
from repeat_reminder.config.documents import ConfigText, parse
from repeat_reminder.config.keys import check_keys
from repeat_reminder.config.layers import block_layer
from repeat_reminder.config.table import POLICIES, REMINDER, SETTINGS
from repeat_reminder.config.tree import Table, lines_in, plain
from repeat_reminder.errors import ConfigError
from repeat_reminder.policies.checks import Fault, shown

_FILE = "pyproject.toml"
_SECTION = "repeat-reminder"
_OURS = rb"tool[\"']?[ \t]*(?:\.[ \t]*[\"']?repeat-reminder|[]=])"
"""What a file with our table has in it, however that is written: a header, a dotted key, a value
of ``tool``. To name the package among what a project needs is not enough.
"""


class Settings(Struct, frozen=True, kw_only=True):
    """What a project says about the program itself; paths are relative to the project's folder."""

    policy: tuple[str, ...] = ()
    """Policies to mount, in order; empty for the default."""
    fixtures: tuple[str, ...] = ()
    """Where the scenarios are; empty for the default."""
    snapshots: str | None = None
    """Where their snapshots are; None for the default."""


class Project(Struct, frozen=True, kw_only=True):
    """A ``pyproject.toml`` that speaks to us."""

    path: str
    settings: Settings
    blocks: tuple[Block, ...]
    """Settings of policies. What stands in the table itself is the reminder's."""

    @property
    def folder(self) -> Path:
        """What its paths are relative to."""
        return Path(self.path).parent


def find_project(start: str | Path = ".") -> Project | None:
    """Find the nearest ``pyproject.toml`` with our table, in a folder or above it.

    Raises:
        ConfigError: the table breaks a rule, or the file is not TOML, or stands right there and
            cannot be read.
    """
    folder = Path(start)
    for place in (folder, *_above(folder)):
        try:
            text = ConfigText.of(place / _FILE)
        except ConfigError:  # there is none; or it is above and not for our eyes
            if place is folder and (folder / _FILE).is_file():
                raise
            continue
        project = _read(text)
        if project is not None:
            return project
    return None


def _above(folder: Path) -> Sequence[Path]:
    """Return the folders above; none of one that was deleted while we stand in it."""
    try:
        return folder.resolve().parents
    except OSError:
        return ()


def read_project(path: str | Path) -> Project | None:
    """Read a ``pyproject.toml``; None if it has nothing for us.

    Raises:
        ConfigError: as in `find_project`, or the file cannot be read.
    """
    return _read(ConfigText.of(path))


def _read(text: ConfigText) -> Project | None:
    # Most are none of our business, broken ones too, and a whole file takes its time to parse.
    if _SECTION.encode() not in text.data or not re.search(_OURS, text.data):
        return None
    root = parse(text)
    tool = root.get("tool") if isinstance(root, Table) else None
    table = tool.get(_SECTION) if isinstance(tool, Table) else None
    if table is None or isinstance(table, Table):
        return None if table is None else _project(text.path, table)
    line = lines_in(tool).get(_SECTION) if isinstance(tool, Table) else None
    message = f"tool.{_SECTION}: expected a table, found {shown(plain(table, path=text.path))}"
    raise ConfigError(message, path=text.path, line=line)


def _project(path: str, table: Table) -> Project:
    blocks = []
    for block in split_block(table.without(SETTINGS)):
        if block.policy is None and isinstance(block.values, Table):
            check_keys(block.values, REMINDER, path, also=(*SETTINGS, *POLICIES))
        policy = block.policy or REMINDER
        block_layer(block, policy, path)  # a fault is one whatever is mounted
        blocks.append(replace(block, policy=policy))
    settings = table.without(set(table).difference(SETTINGS))
    return Project(path=path, settings=_settings(settings, path), blocks=tuple(blocks))


def _settings(table: Table, path: str) -> Settings:
    fault = Fault(path, lines_in(table).get)
    values = plain(table, path=path)
    given = values if isinstance(values, dict) else {}
    snapshots = given.get("snapshots")
    if snapshots is not None and not isinstance(snapshots, str):
        raise fault("snapshots", f"expected a folder, found {shown(snapshots)}")
    return Settings(
        policy=policies_named(given, fault),
        fixtures=texts("fixtures", given, fault),
        snapshots=snapshots,
    )
