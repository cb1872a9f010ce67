"""Reporting a part: it never changes what is counted, and totals are about what is reported."""

import pytest

from repeat_reminder.events import Event, Problem, Resume, SessionId
from repeat_reminder.render.replay.concise import concise
from repeat_reminder.render.selection import Selection
from repeat_reminder.render.tally import Tally
from tests.scenes import NPM, Scene, items, problem, reminder


def log(name: str) -> list[Event]:
    scene = Scene(f"{name}.jsonl", name).calls(arguments=NPM, times=2).child("sub-1")
    scene.calls(arguments=NPM, times=2, agent="sub-1", ids=["s1", "s2"])
    scene.add(Resume(session=SessionId(name), agent=None, line=None), problem())
    return scene.calls(arguments=NPM, ids=["m3"]).assistant().end()


@pytest.mark.parametrize(
    ("selection", "shown", "sessions", "calls"),
    [
        pytest.param(Selection(), 4, 2, 10, id="everything"),
        pytest.param(Selection(sessions=("ab",)), 2, 1, 5, id="a session by its beginning"),
        pytest.param(Selection(sessions=("ab", "x")), 4, 2, 10, id="several sessions"),
        pytest.param(Selection(agents=("sub",)), 2, 2, 4, id="agents by their beginning"),
        pytest.param(Selection(sessions=("x",), agents=("main",)), 1, 1, 3, id="both"),
        pytest.param(Selection(agents=("nobody",)), 0, 0, 0, id="nobody"),
    ],
)
def test_totals_are_about_what_is_reported(
    selection: Selection, shown: int, sessions: int, calls: int
) -> None:
    guard, head = reminder(2)
    tally = Tally()
    lines = list(concise(selection.of(items(guard, log("abc"), log("xyz"))), head, tally=tally))
    assert (len(lines), tally.sessions, tally.calls) == (shown, sessions, calls)
    assert tally.open == {}


def test_an_empty_selection_changes_nothing() -> None:
    guard, _ = reminder(2)
    assert list(Selection().of(items(guard, log("a")))) == list(items(guard, log("a")))


def test_what_is_selected_was_counted_among_everything() -> None:
    guard, head = reminder(3)
    scene = Scene().calls(arguments=NPM, times=2).calls(arguments=NPM, agent="b", ids=["b"])
    whole = scene.calls(arguments=NPM, ids=["c"]).assistant().end()
    everything = list(concise(items(guard, whole), head))
    assert list(concise(Selection(agents=("main",)).of(items(guard, whole)), head)) == everything


def test_problems_are_always_reported() -> None:
    guard, _ = reminder()
    found = Selection(sessions=("none",)).of(items(guard, log("a")))
    assert [type(item) for item in found] == [Problem]
