"""Fixtures for projects that pin where their guard speaks: the bytes and files of ``check``.

Everything else is imported when a fixture is used, so that a test run that uses none pays nothing.
syrupy is needed by ``reminder_snapshot`` alone.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from repeat_reminder.pytest_plugin.running import RemindersOf, TranscriptOf
    from repeat_reminder.pytest_plugin.sessions import SessionBuilder

_PARAMETER = "reminder_scenario"


class Root:
    """Where the project of a test session is, if no settings say it. Each session has its own."""

    def __init__(self, path: str) -> None:
        """Name the folder."""
        self.path = path


_roots: list[Root] = []
"""Of the test sessions under way, the innermost last."""


def root() -> Root:
    """Return the root of the session that runs."""
    return _roots[-1]


def pytest_configure(config: pytest.Config) -> None:
    """Remember where the project is."""
    _roots.append(Root(str(config.rootpath)))


def pytest_unconfigure() -> None:
    """Forget it."""
    _roots.pop()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``reminder_scenario`` once for each scenario of the project."""
    if _PARAMETER in metafunc.fixturenames:
        from repeat_reminder.pytest_plugin.places import parameters  # noqa: PLC0415 - on use

        metafunc.parametrize(_PARAMETER, parameters(metafunc.definition.path))


@pytest.fixture
def reminder_snapshot(request: pytest.FixtureRequest) -> "SnapshotAssertion":
    """Compare a transcript with its snapshot, by the scenario's name: ``(name="curl-404")``."""
    try:
        from repeat_reminder.pytest_plugin.snapshots import assertion  # noqa: PLC0415 - on use
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "syrupy":
            raise
        pytest.fail(
            "reminder_snapshot needs syrupy: pip install 'repeat-reminder[pytest]'", pytrace=False
        )
    return assertion(request)


@pytest.fixture
def transcript_of(request: pytest.FixtureRequest) -> "TranscriptOf":
    """Replay a scenario under its settings into its transcript: the bytes of its snapshot."""
    from repeat_reminder.pytest_plugin.running import TranscriptOf  # noqa: PLC0415 - on use

    return TranscriptOf(request.path)


@pytest.fixture
def reminders_of(request: pytest.FixtureRequest) -> "RemindersOf":
    """Replay a scenario under its settings into ``(agent, tool, count)`` of each reminder."""
    from repeat_reminder.pytest_plugin.running import RemindersOf  # noqa: PLC0415 - on use

    return RemindersOf(request.path)


@pytest.fixture
def session_builder() -> "SessionBuilder":
    """Build a session in a line: ``.user("go").call("bash", command="ls", times=5)``."""
    from repeat_reminder.pytest_plugin.sessions import SessionBuilder  # noqa: PLC0415 - on use

    return SessionBuilder()
