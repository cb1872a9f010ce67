"""Which scenarios there are, and which snapshot and settings belong to each."""

# ruff: noqa: PTH110, PTH112, PTH113, PTH118, PTH119, PTH120 - pathlib rewrites paths, here they stay as typed

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from repeat_reminder.check.names import SNAPSHOT_SUFFIX, folded, unportable
from repeat_reminder.check.paths import entries_of, join, name_of
from repeat_reminder.check.suites import Suite, suite_of
from repeat_reminder.config import Project
from repeat_reminder.errors import RepeatReminderError, UsageError
from repeat_reminder.source import LOG_PATTERNS
from repeat_reminder.source.names import matcher, shown

CONFIG_SUFFIX = ".config.yml"

_is_log = matcher(LOG_PATTERNS)
_CONFIG = re.compile(r"(?P<name>.+)\.config\.(?:ya?ml|toml|json)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One recorded session, or a folder with it and its subagents' logs."""

    name: str
    path: str
    snapshot: str
    config: str | None = None
    """Its own settings, ``NAME.config.yml``."""
    project: Project | None = None
    fault: RepeatReminderError | None = None
    """Why it cannot be judged at all."""

    def __repr__(self) -> str:
        """Name it, no more: a test's traceback shows it on every line."""
        return f"<scenario {self.name}>"


def scenarios_in(found: Iterable[Suite]) -> list[Scenario]:
    """List the scenarios of suites, by name; those that cannot be judged carry a fault.

    Raises:
        SourceError: a folder cannot be listed.
    """
    scenarios: list[Scenario] = []
    for suite in found:
        scenarios += (one for one in _listed(suite) if suite.only in (None, one.name))
    # The same folder may be named twice; a link to a log is a scenario of its own.
    unique = {_identity(one.path): one for one in scenarios}
    return sorted(_judged(list(unique.values())), key=lambda one: (one.name, one.path))


def _identity(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def scenario_at(path: str) -> Scenario:
    """Return what one log, or one folder of logs, is as a scenario: settings beside it count.

    Raises:
        ConfigError: the project's settings break a rule.
    """
    folder = os.path.dirname(path.rstrip(f"/{os.sep}")) or "."
    return _scenario(suite_of(folder), path, set(entries_of(folder)))


def unread_configs(suite: Suite) -> list[tuple[str, str]]:
    """Find settings that belong to no scenario: each path, and what to do about it.

    Raises:
        SourceError: the folder cannot be listed.
    """
    names = {scenario.name for scenario in _listed(suite)}
    unread = []
    for config in filter(None, map(_CONFIG.fullmatch, entries_of(suite.fixtures))):
        path = join(suite.fixtures, config[0])
        if config["name"] not in names:
            unread.append((path, f"there is no scenario {config['name']}"))
        elif not path.endswith(CONFIG_SUFFIX):
            unread.append((path, f"call it {config['name']}{CONFIG_SUFFIX}"))
    return unread


def _listed(suite: Suite) -> list[Scenario]:
    entries = entries_of(suite.fixtures)
    own = set(entries)
    paths = (join(suite.fixtures, entry) for entry in entries)
    return [_scenario(suite, path, own) for path in paths if _is_scenario(path, suite)]


def _is_scenario(path: str, suite: Suite) -> bool:
    if os.path.isdir(path):
        return os.path.realpath(path) != os.path.realpath(suite.snapshots)
    # A pipe would be waited for without end; a link to nothing is told when it is opened.
    if os.path.exists(path) and not os.path.isfile(path):
        return False
    name = os.path.basename(path)
    return _is_log(name) and not name.endswith(SNAPSHOT_SUFFIX) and not _CONFIG.fullmatch(name)


def _scenario(suite: Suite, path: str, entries: set[str]) -> Scenario:
    name = name_of(path)
    config = f"{name}{CONFIG_SUFFIX}"
    return Scenario(
        name=name,
        path=shown(path),
        snapshot=join(suite.snapshots, f"{name}{SNAPSHOT_SUFFIX}"),
        config=join(os.path.dirname(path), config) if config in entries else None,
        project=suite.project,
    )


def _judged(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Give a fault to names that no system, or not every system, can tell apart."""
    groups: dict[tuple[str, str], list[Scenario]] = {}
    for one in scenarios:
        place = os.path.realpath(os.path.dirname(one.snapshot))
        groups.setdefault((place, folded(one.name)), []).append(one)
    return [_with_fault(one, group) for group in groups.values() for one in group]


def _with_fault(scenario: Scenario, group: Sequence[Scenario]) -> Scenario:
    others = [one for one in group if one is not scenario]
    fault = _clash(scenario, others) if others else _badname_of(scenario)
    return replace(scenario, fault=fault)


def _clash(scenario: Scenario, others: Sequence[Scenario]) -> UsageError:
    paths = ", ".join(one.path for one in others)
    if all(one.name == scenario.name for one in others):
        message = f"{paths} is called {scenario.name} too, so they have one snapshot"
        return UsageError(message, path=scenario.path, hint="rename one of them")
    return UsageError(
        f"its name differs from that of {paths} only in letter case or in how accents are spelled",
        path=scenario.path,
        hint="macOS and Windows take their snapshots for one file: rename one of them",
    )


def _badname_of(scenario: Scenario) -> UsageError | None:
    reason = unportable(scenario.name)
    if reason is None:
        return None
    message = (
        f"no snapshot can be called {scenario.name}{SNAPSHOT_SUFFIX} on every system: {reason}"
    )
    return UsageError(message, path=scenario.path, hint="rename the scenario")
