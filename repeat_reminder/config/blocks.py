"""Where in a file the policies' settings are: rows of a cordis file, one row, a bare block."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from repeat_reminder.config.keys import suggestion
from repeat_reminder.config.table import CHOICES, POLICIES, SETTINGS, Policy, policy_of
from repeat_reminder.config.tree import Items, Table, Value
from repeat_reminder.errors import ConfigError

_NAMES = ("name", "package", "plugin", "id")
"""Where a row says whose it is. What is loaded counts more than what the row is called."""
_NESTED = ("insert", "config")
"""Where a row may hold others: a patch its insertions, a group its members."""


class Block(Struct, frozen=True, kw_only=True):
    """Settings found in a file, and the policy they are for."""

    policy: Policy | None
    """None if the block does not say."""
    values: Value
    line: int | None = None
    """Where the block starts."""
    values_line: int | None = None
    """Where its settings start."""
    disabled: bool = False


def find_blocks(root: Value, path: str) -> list[Block]:
    """Return every block of settings in a file.

    Raises:
        ConfigError: the file is of no known shape, or a row has settings beside its ``config``.
    """
    match root:
        case Items():
            return list(_rows(root, path, set()))
        case Table() if "tool" in root:
            tool = root["tool"]
            block = tool.get("repeat-reminder") if isinstance(tool, Table) else None
            if not isinstance(block, Table):
                raise ConfigError("there is no table [tool.repeat-reminder]", path=path)
            return split_block(block.without(SETTINGS))
        case Table() if any(key in root for key in (*_NAMES, "insert")):
            return list(_rows(Items([root]), path, set()))
        case Table() if "config" in root:
            _no_strays(root, path)
            line = root.lines.get("config")
            return [Block(policy=None, values=root["config"], line=line, values_line=line)]
        case Table():
            rest = root.without(CHOICES)
            return split_block(rest) if rest or not root else []
        case None:
            return [Block(policy=None, values=None)]
        case _:
            hint = "a config is a mapping such as `thresholds: [3, 5, 8]`, or a list of rows"
            raise ConfigError("this is no config, but a single value", path=path, hint=hint)


def split_block(table: Table) -> list[Block]:
    """Take out what stands under a policy's name; the rest is a block that names none."""
    named = {key: policy for key in table if (policy := policy_of(key))}
    blocks = [
        Block(policy=policy, values=table[key], line=line, values_line=line)
        for key, policy in named.items()
        for line in [table.lines.get(key)]
    ]
    rest = table.without(named)
    if named and not rest:
        return blocks
    line = min((rest.lines[key] for key in rest if key in rest.lines), default=None)
    return [*blocks, Block(policy=None, values=rest, line=line)]


def _rows(items: Items, path: str, seen: set[int]) -> Iterator[Block]:
    """Yield the blocks of all rows that are a policy's, at any depth; aliased lists once."""
    seen.add(id(items))
    for row, line in zip(items, items.lines, strict=True):
        if not isinstance(row, Table):
            continue
        policy = _owner(row)
        if policy is not None:
            _no_strays(row, path)
            yield Block(
                policy=policy,
                values=row.get("config", Table()),
                line=line or min(row.lines.values(), default=None),
                values_line=row.lines.get("config"),
                disabled=row.get("disabled") is True,
            )
            continue
        for key in _NESTED:
            nested = row.get(key)
            if key == "insert" and isinstance(nested, Table):
                nested = Items([nested], [row.lines.get(key)])
            if isinstance(nested, Items) and id(nested) not in seen:
                yield from _rows(nested, path, seen)


def _owner(row: Table) -> Policy | None:
    labels = (row.get(key) for key in _NAMES)
    return next((p for label in labels if isinstance(label, str) and (p := policy_of(label))), None)


def _no_strays(row: Table, path: str) -> None:
    """Refuse settings that DSH would not find, because they are not under ``config``."""
    ours = {key for policy in POLICIES.values() for key in policy.keys}
    for key in row:
        line = row.lines.get(key)
        if key in ours:
            message = f"{key}: it stands beside `config`, where it has no effect"
            raise ConfigError(message, path=path, line=line, hint="move it under `config:`")
        if "config" not in row and suggestion(key, ["config"]):
            hint = "did you mean config?"
            raise ConfigError(f"{key}: unknown key of a row", path=path, line=line, hint=hint)


def choose(blocks: Sequence[Block], mounted: Sequence[Policy], path: str) -> dict[str, Block]:
    """Return the block of each mounted policy that has one.

    Raises:
        ConfigError: a policy has two, or nobody can tell which policy a block is for.
    """
    given: dict[str, list[Block]] = {policy.name: [] for policy in mounted}
    for block in blocks:
        if block.policy and block.policy.name in given:
            given[block.policy.name].append(block)
    for block in blocks:
        if block.policy is None and mounted:
            free = [policy for policy in mounted if not given[policy.name]]
            given[_meant(block, free or mounted, path).name].append(block)
    chosen: dict[str, Block] = {}
    for name, own in given.items():
        active = [block for block in own if not block.disabled] or own
        if len(active) > 1:
            raise _two(name, active, path)
        if active:
            chosen[name] = active[0]
    return chosen


def owner_of(block: Block, policies: Collection[Policy]) -> Policy | None:
    """Return whose a block is: the policy it names, or the only one whose keys it has."""
    if block.policy is not None:
        return block.policy
    keys = set(block.values if isinstance(block.values, Table) else ())
    shared = {key for key in keys if all(key in policy.keys for policy in policies)}
    owners = [policy for policy in policies if (keys - shared) & set(policy.keys)]
    return owners[0] if len(owners) == 1 else None


def _meant(block: Block, mounted: Sequence[Policy], path: str) -> Policy:
    """Tell whose an unnamed block is: the only policy's, or the one's whose keys it has."""
    owner = mounted[0] if len(mounted) == 1 else owner_of(block, mounted)
    if owner is not None:
        return owner
    names = " and ".join(policy.name for policy in mounted)
    message = f"the block does not say which policy it is for, and {names} are mounted"
    hint = f"put the settings of each under its name, `{mounted[0].name}:`"
    raise ConfigError(message, path=path, line=block.line, hint=hint)


def _two(name: str, blocks: Sequence[Block], path: str) -> ConfigError:
    lines = sorted(block.line for block in blocks if block.line)
    message = f"there are {len(blocks)} blocks for the {name}"
    if len(lines) == len(blocks):
        message += f", in lines {' and '.join(map(str, lines))}"
    hint = "keep one of them, or give only that row as the config"
    return ConfigError(message, path=path, line=max(lines, default=None), hint=hint)


def nothing_for(mounted: Sequence[Policy], blocks: Sequence[Block], path: str) -> ConfigError:
    """Return the error of a file that has blocks, but none for a mounted policy."""
    names = " or the ".join(policy.name for policy in mounted)
    other = next((block.policy.name for block in blocks if block.policy), None)
    if other:
        hint = f"it has one for the {other}: mount it with --policy {other}"
    else:
        ids = ", ".join(id_ for policy in mounted for id_ in (policy.ids[0], policy.packages[0]))
        hint = f"a row is recognised by its id or package: {ids}"
    return ConfigError(f"there is no row for the {names}", path=path, hint=hint)
