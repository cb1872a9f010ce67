"""Which scenarios and snapshots a test file is about: those of the project it stands in."""

import os
from functools import lru_cache
from pathlib import Path

import pytest

from repeat_reminder.check.scenarios import Scenario, scenarios_in
from repeat_reminder.check.suites import Suite, usual_suites
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.pytest_plugin import Root, root


def suites_for(test_file: str | Path) -> list[Suite]:
    """Return the suites of the project that a test file belongs to, with absolute paths.

    Raises:
        ConfigError: the project's settings break a rule.
    """
    return _suites(str(Path(test_file).parent), root())


@lru_cache
def _suites(folder: str, root: Root) -> list[Suite]:
    """Look for settings once per folder and test session."""
    found = usual_suites(folder, otherwise=root.path)
    return [
        Suite(
            fixtures=_absolute(suite.fixtures),
            snapshots=_absolute(suite.snapshots),
            project=suite.project,
        )
        for suite in found
    ]


def _absolute(path: str) -> str:
    return Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 - links stay as they are


def scenarios_for(test_file: str | Path) -> list[Scenario]:
    """Return the scenarios of the project that a test file belongs to; none if there is no folder.

    Raises:
        ConfigError: the project's settings break a rule.
        SourceError: a folder cannot be listed.
    """
    return scenarios_in(suite for suite in suites_for(test_file) if Path(suite.fixtures).is_dir())


def parameters(test_file: str | Path) -> list[object]:
    """Return the scenarios as parameters of a test, each with its name as id."""
    try:
        scenarios = scenarios_for(test_file)
    except RepeatReminderError as error:
        pytest.fail(str(error), pytrace=False)
    if not scenarios:
        places = ", ".join(suite.fixtures for suite in suites_for(test_file))
        pytest.fail(f"{places}: no scenarios: a check of nothing is not a pass", pytrace=False)
    # Those that have the same name carry a fault; their paths tell them apart.
    return [pytest.param(one, id=one.path if one.fault else one.name) for one in scenarios]
