"""Effective settings: every source laid over the one below it, each value with where it is from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from repeat_reminder.config.blocks import Block, choose, find_blocks, nothing_for
from repeat_reminder.config.documents import ConfigText, parse
from repeat_reminder.config.keys import no_policy
from repeat_reminder.config.layers import (
    Layer,
    block_layer,
    misspelt_variables,
    option,
    option_layers,
    variable_layers,
)
from repeat_reminder.config.settings import Project
from repeat_reminder.config.table import NONE, POLICIES, REMINDER, Policy, PolicyConfig
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Json, Problem, Severity

DEFAULT = "default"
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    """One policy with its effective config."""

    policy: str
    config: PolicyConfig
    origins: Mapping[str, str]
    """For each key: ``default``, ``command line``, the variable, or ``file:line``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What is to be mounted, in order, and what the user should know about its config."""

    policies: tuple[Mounted, ...]
    notes: tuple[Problem, ...] = ()


def load(
    policies: Sequence[str] = (),
    *,
    command_line: Mapping[str, Json] = _NOTHING,
    environment: Mapping[str, str] = _NOTHING,
    config: ConfigText | None = None,
    project: Project | None = None,
) -> Loaded:
    """Work out the effective config of the policies to mount.

    Later sources win, key by key: defaults, the project, the config file, variables, options.

    Args:
        policies: names in mounting order, ``none`` for no policy; empty for the project's choice,
            or the reminder.
        command_line: values of options by DSH's key; texts are read as in variables.
        environment: the process's variables, of which ``REPEAT_REMINDER_*`` are read.
        config: the file of ``--config``.
        project: see `find_project`.

    Raises:
        UsageError: there is no such policy, or an option is of a policy that is not mounted.
        ConfigError: a source breaks a rule, with its file and line.
    """
    chosen = policies or (project.settings.policy if project else ()) or (REMINDER.name,)
    mounted = _policies(chosen)
    _no_idle_options(command_line, mounted)
    notes: list[Problem] = list(misspelt_variables(environment))
    files = [*_project_blocks(project, mounted), *_config_blocks(config, mounted)]
    result = []
    for policy in mounted:
        layers: list[Layer] = []
        for path, blocks in files:
            if block := blocks.get(policy.name):
                layers.append(block_layer(block, policy, path))
                notes += _notes(block, policy, layers[-1])
        layers += variable_layers(policy, environment)
        layers += option_layers(policy, command_line)
        result.append(_mount(policy, layers))
    return Loaded(policies=tuple(result), notes=tuple(notes))


def policies_in(config: ConfigText) -> tuple[str, ...]:
    """Return the policies that a config has rows or blocks for by name, in its order.

    Raises:
        ConfigError: as in `load`.
    """
    blocks = find_blocks(parse(config), config.path)
    names = (block.policy.name for block in blocks if block.policy and not block.disabled)
    return tuple(dict.fromkeys(names))


def _policies(names: Sequence[str]) -> list[Policy]:
    for name in names:
        if name not in (*POLICIES, NONE):
            message, hint = no_policy(name)
            raise UsageError(message, hint=hint)
    if len(set(names)) < len(names) or (NONE in names and len(names) > 1):
        raise UsageError(f"these policies do not go together: {', '.join(names)}")
    return [POLICIES[name] for name in names if name != NONE]


def _no_idle_options(command_line: Mapping[str, Json], mounted: Sequence[Policy]) -> None:
    for key in command_line:
        if not any(key in policy.keys for policy in mounted):
            owners = " or ".join(p.name for p in POLICIES.values() if key in p.keys)
            hint = f"mount it with --policy {owners}" if owners else None
            raise UsageError(f"{option(key)} has no effect on the mounted policies", hint=hint)


def _project_blocks(
    project: Project | None, mounted: Sequence[Policy]
) -> Iterator[tuple[str, Mapping[str, Block]]]:
    if project is not None:
        yield project.path, choose(project.blocks, mounted, project.path)


def _config_blocks(
    config: ConfigText | None, mounted: Sequence[Policy]
) -> Iterator[tuple[str, Mapping[str, Block]]]:
    if config is None:
        return
    blocks = find_blocks(parse(config), config.path)
    chosen = choose(blocks, mounted, config.path)
    if mounted and not chosen:
        raise nothing_for(mounted, blocks, config.path)
    yield config.path, chosen


def _mount(policy: Policy, layers: Sequence[Layer]) -> Mounted:
    values: dict[str, Json] = {}
    origins: dict[str, str] = {}
    for layer in layers:
        values.update(layer.values)
        origins.update({key: layer.origin(key) for key in layer.values})
    config = policy.read(values, None, None)
    told = {key: origins.get(key, DEFAULT) for key in config.record()}
    return Mounted(policy=policy.name, config=config, origins=MappingProxyType(told))


def _notes(block: Block, policy: Policy, layer: Layer) -> Iterator[Problem]:
    if block.disabled:
        message = f"the row of the {policy.name} is disabled in this profile; its config is used"
        yield _note(layer.path, block.line, "disabled-row", message)
    for key in policy.idle:
        if key in layer.values:
            message = f"{key}: this key has no effect in the {policy.name}"
            yield _note(layer.path, layer.lines.get(key), "idle-key", message)


def _note(path: str, line: int | None, kind: str, message: str) -> Problem:
    return Problem(path=path, line=line, severity=Severity.NOTE, kind=kind, message=message)
