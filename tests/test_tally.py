"""Figures of sessions and agents."""

import pytest

from repeat_reminder.events import Action, Event, Json, Source, Status
from repeat_reminder.policies import Guard
from repeat_reminder.render.tally import AgentTally, SessionTally, Tally
from tests.scenes import NPM, Scene, Scripted, items, reminder


def tally(guards: Guard | list[Guard], *logs: list[Event]) -> tuple[Tally, list[SessionTally]]:
    whole = Tally()
    ended = [whole.add(item) for item in items(guards, *logs)]
    return whole, [session for session in ended if session is not None]


def main(scene: Scene, *thresholds: int, guard: Guard | None = None) -> AgentTally:
    guard = guard or reminder(*thresholds, exclude=["todo_write"])[0]
    return tally(guard, scene.end())[1][0].agents["main"]


@pytest.mark.parametrize(
    ("scene", "figures"),
    [
        pytest.param(Scene().calls(times=2), {"calls": 2, "tracked": 2}, id="settled calls"),
        pytest.param(
            Scene().calls(answer=Status.DENIED), {"calls": 1, "tracked": 1}, id="denied counts"
        ),
        pytest.param(
            Scene().calls(answer=Status.SKIPPED), {"calls": 0, "unfinished": 0}, id="skipped: none"
        ),
        pytest.param(
            Scene().calls(answer=None), {"calls": 0, "unfinished": 1}, id="no result: unfinished"
        ),
        pytest.param(Scene().calls("todo_write"), {"calls": 1, "tracked": 0}, id="untracked"),
        pytest.param(Scene().calls(times=4), {"longest_run": 4, "reminders": 1}, id="longest run"),
        pytest.param(Scene().calls("todo_write"), {"longest_run": 0}, id="nothing tracked: no run"),
        pytest.param(Scene().human().human(), {"resets": 2}, id="resets, also of no run"),
        pytest.param(
            Scene().calls(answer=None, step=1).human().result("c1").calls(step=2),
            {"resets": 1},
            id="a message inside a step resets once",
        ),
        pytest.param(Scene().assistant(), {"calls": 0, "parent": None}, id="an agent that talks"),
    ],
)
def test_figures_of_an_agent(scene: Scene, figures: dict[str, Json]) -> None:
    agent = main(scene)
    assert {name: getattr(agent, name) for name in figures} == figures


def test_agents_are_listed_as_they_appear_with_their_parents() -> None:
    scene = Scene().calls().child("sub-1").calls(agent="sub-1", ids=["s"]).calls(ids=["m"])
    _, [session] = tally(reminder()[0], scene.child("idle", "sub-1").end())
    assert [(a.id, a.parent, a.calls) for a in session.agents.values()] == [
        ("main", None, 2),
        ("sub-1", "main", 1),
        ("idle", "sub-1", 0),
    ]


@pytest.mark.parametrize(
    ("source", "recorded"),
    [
        pytest.param({"kind": "plugin", "plugin": "repeat-tool-reminder"}, 1, id="a reminder"),
        pytest.param({"kind": "plugin", "plugin": "repeat-tool-guard"}, 1, id="its former name"),
        pytest.param({"kind": "repeat-tool-reminder"}, 1, id="a plugin that is its own kind"),
        pytest.param({"kind": "plugin", "plugin": "schedule"}, 0, id="another plugin"),
        pytest.param({"kind": "plugin", "plugin": ["x"]}, 0, id="a name that is no text"),
        pytest.param({}, 0, id="no stamp"),
    ],
)
def test_recorded_reminders_are_counted(source: Source, recorded: int) -> None:
    _, [session] = tally(reminder()[0], Scene().calls().recorded(source).end())
    assert session.recorded_reminders == recorded


def test_calls_are_counted_without_any_guard() -> None:
    whole, [session] = tally([], Scene().calls(times=2).calls(answer=None).end())
    agent = session.agents["main"]
    assert (agent.calls, agent.tracked, agent.unfinished, agent.longest_run) == (2, 0, 1, 0)
    assert (whole.calls, whole.unfinished, whole.reminders, whole.longest_run) == (2, 1, 0, 0)


def test_a_call_that_several_policies_track_is_one_tracked_call() -> None:
    agent = tally([reminder()[0], Scripted({})], Scene().calls(times=3).end())[1][0].agents["main"]
    assert (agent.calls, agent.tracked, agent.longest_run) == (3, 3, 3)


def test_a_policy_without_runs_has_no_longest_run() -> None:
    assert main(Scene().calls(times=3), guard=Scripted({})).longest_run is None


@pytest.mark.parametrize(
    ("runs", "tail"),
    [
        pytest.param([3], (0, 0), id="ends at the threshold"),
        pytest.param([7], (4, 1), id="goes on"),
        pytest.param([5, 2, 6], (5, 2), id="two go on"),
        pytest.param([2], (0, 0), id="never gets there"),
    ],
)
def test_the_silent_tail_is_what_goes_on_after_the_last_threshold(
    runs: list[int], tail: tuple[int, int]
) -> None:
    scene = Scene()
    for nth, length in enumerate(runs):
        scene.calls(arguments={"n": nth}, times=length)
    whole, _ = tally(reminder(2, 3)[0], scene.end())
    assert whole.tail("reminder", 3) == tail


def test_characters_are_those_of_delivered_messages() -> None:
    script = {"c1": Action.WARN, "c2": Action.ASK, "c3": Action.DENY, "c4": Action.SUMMARIZE}
    log = Scene().calls(times=4).end()
    whole, _ = tally(Scripted(script, text="😀"), log)
    assert (whole.characters, whole.undelivered, whole.reminders) == (2, 1, 4)


@pytest.mark.parametrize(
    ("source", "unheeded"),
    [
        pytest.param(None, True, id="the recorded agent read none of them"),
        pytest.param(
            {"kind": "plugin", "plugin": "repeat-tool-reminder"}, False, id="it did read reminders"
        ),
    ],
)
def test_replayed_reminders_may_never_have_been_read(
    source: Source | None,
    unheeded: bool,  # noqa: FBT001 - a column of the table
) -> None:
    scene = Scene().calls(arguments=NPM, times=3)
    if source:
        scene.recorded(source)
    assert tally(reminder(2, 3)[0], scene.end())[0].unheeded is unheeded


def test_sessions_may_interleave() -> None:
    guard = reminder(2)[0]
    one, two = Scene(session="one").calls(times=2).end(), Scene(session="two").calls().end()
    mixed = [event for pair in zip(one, two, strict=False) for event in pair]
    mixed += [*one[len(two) :], *two[len(one) :]]
    _, sessions = tally(guard, mixed)
    found = {s.start.session: s.agents["main"].calls for s in sessions}
    assert found == {"one": 2, "two": 1}


def test_watching_passes_every_item_on() -> None:
    whole, log = Tally(), Scene().calls(times=2).end()
    found = list(items(reminder()[0], log))
    assert list(whole.watch(found)) == found
    assert (whole.sessions, whole.calls) == (1, 2)
