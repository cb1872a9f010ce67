"""Which folders are meant: those that are named, or that the project names."""

# ruff: noqa: PTH110, PTH112, PTH120 - pathlib rewrites paths, here they stay as typed

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from repeat_reminder.check.paths import from_here, join, name_of, parent_of
from repeat_reminder.config import Project, find_project
from repeat_reminder.errors import SourceError
from repeat_reminder.source.names import shown
from repeat_reminder.source.suggest import missing

FIXTURES, SNAPSHOTS = "fixtures", "snapshots"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A folder of scenarios, the folder of their snapshots, and the project's settings."""

    fixtures: str
    snapshots: str
    project: Project | None = None
    only: str | None = None
    """The one scenario that is meant, if its file was named instead of the folder."""


def suites(
    paths: Sequence[str] = (), *, snapshots: str | None = None, start: str = "."
) -> list[Suite]:
    """Find out which folders are meant.

    Args:
        paths: folders of scenarios, or files in them; empty for the usual ones.
        snapshots: where their snapshots are; None for what the project says, else a folder
            ``snapshots`` beside each folder of scenarios.
        start: where the search for the project begins if no folder is given.

    Raises:
        SourceError: a path does not exist.
        ConfigError: the project's settings break a rule.
    """
    if not paths:
        usual = usual_suites(start, snapshots=snapshots)
        if not any(os.path.isdir(suite.fixtures) for suite in usual):
            hint = "put recorded sessions there as NAME.jsonl, or name a folder of your own"
            raise SourceError("no such folder", path=usual[0].fixtures, hint=hint)
        paths = [suite.fixtures for suite in usual]
    for path in paths:
        if not os.path.exists(path):
            raise missing(path)
    return [_named(path, snapshots) for path in paths]


def usual_suites(
    start: str, *, snapshots: str | None = None, otherwise: str | None = None
) -> list[Suite]:
    """Return the folders that a project names, which is ``fixtures`` if it names none.

    Args:
        start: where the search for the project begins.
        snapshots: as in `suites`.
        otherwise: the folder of a project that has no settings; None for ``start``.

    Raises:
        ConfigError: the project's settings break a rule.
    """
    project = find_project(start)
    base = from_here(str(project.folder)) if project else otherwise or start
    folders = (project.settings.fixtures if project else ()) or (FIXTURES,)
    return [suite_of(join(base, folder), snapshots) for folder in folders]


def _named(path: str, snapshots: str | None) -> Suite:
    if os.path.isdir(path):
        return suite_of(path, snapshots)
    return replace(suite_of(os.path.dirname(path) or ".", snapshots), only=name_of(path))


def suite_of(fixtures: str, snapshots: str | None = None) -> Suite:
    """Return what belongs to a folder of scenarios.

    Raises:
        ConfigError: the project's settings break a rule.
    """
    fixtures = fixtures.rstrip(f"/{os.sep}") or fixtures
    beside = parent_of(fixtures)
    project = find_project(beside)
    if snapshots is None:
        chosen = project.settings.snapshots if project else None
        base = from_here(str(project.folder)) if project and chosen else beside
        snapshots = join(base, chosen or SNAPSHOTS)
    return Suite(fixtures=shown(fixtures), snapshots=shown(snapshots), project=project)
