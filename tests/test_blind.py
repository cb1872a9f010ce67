"""Notes about logs that do not tell what the breaker's failure track goes by."""

from collections.abc import Iterable

import pytest

from repeat_reminder.events import Event, Json, Problem, SessionEnd, Severity
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.render.replay.blind import with_blind_spots
from tests.scenes import Scene, header, items, reminder

NO_RESULTS = "the log records no results: the breaker's failure track is blind here"
NO_VALUES = (
    "no result here has an exit code, a time-out or an HTTP status: the breaker sees failures in "
    "error flags and in the text of bash, pwsh and shell only"
)


def noted(config: dict[str, Json], *logs: Iterable[Event]) -> list[Problem]:
    guard = Breaker(BreakerConfig.from_mapping(config))
    found = with_blind_spots(items(guard, *logs), header(guard).policies)
    return [item for item in found if isinstance(item, Problem) and item.kind == "blind-track"]


@pytest.mark.parametrize(
    ("scene", "expected"),
    [
        pytest.param(Scene(results=False).calls(), [NO_RESULTS], id="no results"),
        pytest.param(Scene().calls(), [NO_VALUES], id="results without values"),
        pytest.param(
            Scene().calls().calls(answer=None, ids=["x"]).result("x", value={"exitCode": 0}),
            [],
            id="an exit code among the results",
        ),
        pytest.param(Scene().human(), [], id="no calls"),
        pytest.param(Scene().calls(answer=None), [], id="an unfinished call"),
    ],
)
def test_a_session_tells_where_the_failure_track_is_blind(
    scene: Scene, expected: list[str]
) -> None:
    notes = noted({}, scene.end())
    assert [note.message for note in notes] == expected
    assert {(note.path, note.line, note.severity) for note in notes} <= {
        ("session.jsonl", None, Severity.NOTE)
    }


@pytest.mark.parametrize(
    ("config", "notes"),
    [
        ({"failWarnAt": None}, 1),
        ({"failLimit": None}, 1),
        ({"failWarnAt": None, "failLimit": None}, 0),
    ],
    ids=["gate-alone", "advice-alone", "neither"],
)
def test_without_a_failure_track_nothing_is_blind(config: dict[str, Json], notes: int) -> None:
    assert len(noted(config, Scene().calls().end())) == notes


def test_the_reminder_reads_no_results() -> None:
    guard, head = reminder()
    log = items(guard, Scene().calls().end())
    assert with_blind_spots(log, head.policies) is log


def test_a_file_is_told_once() -> None:
    logs = [Scene("a", "1").calls().end(), Scene("a", "2").calls().end(), Scene("b").calls().end()]
    assert [note.path for note in noted({}, *logs)] == ["a", "b"]


def test_the_note_stands_in_its_session() -> None:
    guard = Breaker()
    found = with_blind_spots(items(guard, Scene().calls().end()), header(guard).policies)
    assert [type(item) for item in found][-2:] == [Problem, SessionEnd]
