"""What the fixtures that replay do: a log, a scenario or a built session, under its settings."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypedDict, Unpack

from repeat_reminder.api import scenario_items
from repeat_reminder.check.explain import Places
from repeat_reminder.check.replaying import Overrides, guards_for, places_of
from repeat_reminder.check.replaying import transcript_of as transcript
from repeat_reminder.check.scenarios import Scenario, scenario_at
from repeat_reminder.events import Intervention, Json
from repeat_reminder.policies.answers import Answer
from repeat_reminder.pytest_plugin import root
from repeat_reminder.pytest_plugin.places import suites_for
from repeat_reminder.pytest_plugin.sessions import SessionBuilder

Session: TypeAlias = str | Path | Scenario | SessionBuilder
"""What can be replayed: a path, a parameter ``reminder_scenario``, a built session."""


class Settings(TypedDict, total=False):
    """Settings laid over those of the scenario and the project."""

    policy: str | Sequence[str]
    thresholds: Sequence[int]
    include: Sequence[str]
    exclude: Sequence[str]
    arguments_preview_chars: int
    ignore_args: Sequence[str]
    answer: Answer


class _Replaying:
    def __init__(self, test_file: Path) -> None:
        """Take the project of a test file."""
        self._test_file = test_file

    @contextmanager
    def _scenario(self, session: Session) -> Iterator[Scenario]:
        match session:
            case Scenario():
                yield session
            case SessionBuilder():
                with tempfile.TemporaryDirectory() as folder:
                    yield self._built(session.write(Path(folder) / "session.jsonl"))
            case _:
                yield scenario_at(_found(session))

    def _built(self, path: Path) -> Scenario:
        """Give a session without a place the settings of the test's project."""
        project = suites_for(self._test_file)[0].project
        return Scenario(name="session", path=path.as_posix(), snapshot="", project=project)


_made: dict[bytes, Places] = {}
"""Of the last transcripts: where in the log its calls stand, if a test fails and somebody asks."""
_REMEMBERED = 8


def _remember(made: bytes, places: Places) -> None:
    _made.pop(made, None)
    _made[made] = places
    if len(_made) > _REMEMBERED:
        del _made[next(iter(_made))]


def places_in(made: bytes) -> Places:
    """Return what says where the calls of a transcript of this test run stand in its log."""
    return _made.get(made, dict)


class TranscriptOf(_Replaying):
    """The fixture ``transcript_of``."""

    def __call__(self, session: Session, /, **settings: Unpack[Settings]) -> bytes:
        """Return the transcript of a session, as ``check`` compares it.

        Args:
            session: a path, a ``reminder_scenario`` or what ``session_builder`` built.
            settings: laid over those of the scenario and its project.

        Raises:
            RepeatReminderError: the settings break a rule, or a log cannot be read.
        """
        with self._scenario(session) as scenario:
            if scenario.fault:
                raise scenario.fault
            overrides = _overrides(settings)
            made = transcript(scenario, overrides)
            if not isinstance(session, SessionBuilder):
                _remember(made, partial(places_of, scenario, overrides))
            return made

    def __repr__(self) -> str:
        """Name it as a test does: tracebacks show it."""
        return "transcript_of"


class RemindersOf(_Replaying):
    """The fixture ``reminders_of``."""

    def __call__(
        self, session: Session, /, **settings: Unpack[Settings]
    ) -> list[tuple[str, str, int]]:
        """Return agent, tool and count of everything the guard does, in order.

        Args:
            session: a path, a ``reminder_scenario`` or what ``session_builder`` built.
            settings: laid over those of the scenario and its project.

        Raises:
            RepeatReminderError: the settings break a rule, or a log cannot be read.
        """
        with self._scenario(session) as scenario:
            guards = guards_for(scenario, _overrides(settings))
            return [
                (item.call.agent.id, item.call.name, item.count)
                for item in scenario_items(scenario.path, guards)
                if isinstance(item, Intervention)
            ]

    def __repr__(self) -> str:
        """Name it as a test does: tracebacks show it."""
        return "reminders_of"


def _found(path: str | Path) -> str:
    """Take a path from here, or else from the root of the tests."""
    here, there = Path(path), Path(root().path) / path
    return (here if here.exists() or not there.exists() else there).as_posix()


def _overrides(settings: Settings) -> Overrides:
    unknown = settings.keys() - Settings.__annotations__.keys()
    if unknown:
        message = (
            f"there is no setting {min(unknown)}; there are {', '.join(Settings.__annotations__)}"
        )
        raise TypeError(message)
    policy = settings.get("policy", ())
    values: dict[str, Json] = {}
    if "thresholds" in settings:
        values["thresholds"] = list(settings["thresholds"])
    if "include" in settings:
        values["include"] = list(settings["include"])
    if "exclude" in settings:
        values["exclude"] = list(settings["exclude"])
    if "arguments_preview_chars" in settings:
        values["argumentsPreviewChars"] = settings["arguments_preview_chars"]
    if "ignore_args" in settings:
        values["ignoreArgs"] = list(settings["ignore_args"])
    return Overrides(
        policies=(policy,) if isinstance(policy, str) else tuple(policy),
        values=values,
        answer=settings.get("answer"),
    )
