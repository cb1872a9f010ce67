"""Effective settings: every source laid over the one below it, each value with where it is from."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from repeat_reminder.config.blocks import Block, choose, find_blocks, nothing_for, owner_of
from repeat_reminder.config.choices import Choice, choice_of, last_of
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
from repeat_reminder.config.table import BREAKER, NONE, POLICIES, REMINDER, Policy, PolicyConfig
from repeat_reminder.config.tree import Value
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Json, Problem, Severity
from repeat_reminder.policies.answers import UNATTENDED, Answer

DEFAULT = "default"
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Mounted(Struct, frozen=True, kw_only=True):
    """One policy with its effective config."""

    policy: str
    config: PolicyConfig
    origins: Mapping[str, str]
    """For each key: ``default``, ``command line``, the variable, or ``file:line``."""


class Loaded(Struct, frozen=True, kw_only=True):
    """What is to be mounted, in order, and what the user should know about its config."""

    policies: tuple[Mounted, ...]
    answer: Answer = UNATTENDED
    """What the operator says to every question of the breaker."""
    notes: tuple[Problem, ...] = ()


def load(
    policies: Sequence[str] = (),
    *,
    command_line: Mapping[str, Json] = _NOTHING,
    environment: Mapping[str, str] = _NOTHING,
    config: ConfigText | Sequence[ConfigText] | None = None,
    project: Project | None = None,
) -> Loaded:
    """Work out the effective config of the policies to mount.

    Later sources win, key by key: defaults, the project, the config file, variables, options.

    Args:
        policies: names in mounting order, ``none`` for no policy; empty for the choice of the
            config, or else of the project, or else the reminder.
        command_line: values of options by DSH's key; texts are read as in variables.
        environment: the process's variables, of which ``REPEAT_REMINDER_*`` are read.
        config: the file of ``--config``; or several, each laid over the one before.
        project: see `find_project`.

    Raises:
        UsageError: there is no such policy, or an option is of a policy that is not mounted.
        ConfigError: a source breaks a rule, with its file and line.
    """
    texts = [config] if isinstance(config, ConfigText) else config or ()
    roots = [(text.path, parse(text)) for text in texts]
    choice = last_of([choice_of(root, path) for path, root in roots])
    usual = (project.settings.policy if project else ()) or (REMINDER.name,)
    mounted = _policies(policies or choice.policies or usual)
    _no_idle_options(command_line, mounted)
    notes: list[Problem] = list(misspelt_variables(environment))
    if choice.answer and BREAKER not in mounted:
        message = "answer: it has no effect, for no policy that asks is mounted"
        notes.append(_note(roots[-1][0], None, "idle-answer", message))
    files = list(_project_blocks(project, mounted))
    files += [(path, _config_blocks(root, path, mounted)) for path, root in roots]
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
    answer = choice.answer or UNATTENDED
    return Loaded(policies=tuple(result), answer=answer, notes=tuple(notes))


def answered(loaded: Loaded, answer: Answer | None) -> Loaded:
    """Return what is loaded, with what the command line says for the operator, if it does.

    Raises:
        UsageError: no policy that is mounted asks anything.
    """
    if answer is None:
        return loaded
    if all(mounted.policy != BREAKER.name for mounted in loaded.policies):
        raise _idle("answer", [BREAKER])
    return replace(loaded, answer=answer)


def policies_in(config: ConfigText) -> tuple[str, ...]:
    """Return the policies that a config chooses, or has rows or blocks for, in its order.

    A block without a name is the reminder's, unless only another policy has its keys. The
    reminder's alone choose nothing: they fit whatever is mounted.

    Raises:
        ConfigError: as in `load`.
    """
    root = parse(config)
    chosen = choice_of(root, config.path).policies
    if chosen:
        return chosen
    blocks = find_blocks(root, config.path)
    owners = [owner_of(block, POLICIES.values()) or REMINDER for block in blocks]
    if not any(block.policy for block in blocks) and owners == [REMINDER]:
        return ()
    active = (o for o, block in zip(owners, blocks, strict=True) if not block.disabled)
    return tuple(dict.fromkeys(owner.name for owner in active))


def choice_in(config: ConfigText) -> Choice:
    """Return what a config chooses beside its settings.

    Raises:
        ConfigError: as in `load`.
    """
    return choice_of(parse(config), config.path)


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
            raise _idle(key, [policy for policy in POLICIES.values() if key in policy.keys])


def _idle(key: str, owners: Sequence[Policy]) -> UsageError:
    names = " or ".join(policy.name for policy in owners)
    hint = f"mount it with --policy {names}" if names else None
    return UsageError(f"{option(key)} has no effect on the mounted policies", hint=hint)


def _project_blocks(
    project: Project | None, mounted: Sequence[Policy]
) -> Iterator[tuple[str, Mapping[str, Block]]]:
    if project is not None:
        yield project.path, choose(project.blocks, mounted, project.path)


def _config_blocks(root: Value, path: str, mounted: Sequence[Policy]) -> Mapping[str, Block]:
    blocks = find_blocks(root, path)
    chosen = choose(blocks, mounted, path)
    if mounted and not chosen and not choice_of(root, path):
        raise nothing_for(mounted, blocks, path)
    return chosen


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
