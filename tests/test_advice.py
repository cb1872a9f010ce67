"""Notes about settings that never did anything, and about what a replay cannot know."""

import pytest

from repeat_reminder.events import Action, Event, Json, Severity, Source
from repeat_reminder.policies import Guard
from repeat_reminder.policies.breaker import Breaker
from repeat_reminder.policies.breaker.fingerprints import is_shell
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.render.header import DEFAULT, Mounted
from repeat_reminder.render.replay.advice import SHELLS, policy_notes
from repeat_reminder.render.tally import Tally
from tests.scenes import NPM, Scene, Scripted, header, items


def notes(guards: list[Guard], log: list[Event], *, origin: str = "command line") -> list[str]:
    tally = Tally()
    for item in items(guards, log):
        tally.add(item)
    found = policy_notes(tally, header(*guards, origin=origin).policies)
    assert {(note.severity, note.path, note.line) for note in found} <= {(Severity.NOTE, "", None)}
    return [note.message + (f" ({note.hint})" if note.hint else "") for note in found]


def of_config(config: Json, log: list[Event], *, origin: str = "command line") -> list[str]:
    return notes([Reminder(ReminderConfig.from_mapping(config))], log, origin=origin)


RUN = Scene().calls("bash", NPM, times=3).calls("grep").assistant().end()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param({"thresholds": [3]}, [], id="all reached"),
        pytest.param(
            {"thresholds": [3, 40]},
            ["threshold 40 never reached: the longest run is 3 calls"],
            id="a dead threshold",
        ),
        pytest.param(
            {"thresholds": [4, 40]},
            ["thresholds 4, 40 never reached: the longest run is 3 calls"],
            id="two dead thresholds",
        ),
        pytest.param(
            {"thresholds": [2], "exclude": ["todo_write"]},
            ['exclude "todo_write" matches no tool that was called (tools called: bash, grep)'],
            id="a pattern for a tool that was not called",
        ),
        pytest.param(
            {"thresholds": [2], "include": ["Bash", "gr*"]},
            [
                "threshold 2 never reached: the longest run is 1 call",
                'include "Bash" matches no tool that was called (did you mean "bash"?)',
            ],
            id="a pattern in the wrong case",
        ),
    ],
)
def test_settings_that_did_nothing(config: Json, expected: list[str]) -> None:
    assert of_config(config, RUN) == expected


def test_defaults_are_not_judged() -> None:
    assert of_config({"exclude": ["todo_write"]}, RUN, origin=DEFAULT) == []


def test_a_log_without_calls_says_nothing_about_settings() -> None:
    assert of_config({"thresholds": [9], "exclude": ["x"]}, Scene().human().end()) == []


def test_the_hint_lists_a_few_tools() -> None:
    scene = Scene()
    for nth in range(9):
        scene.calls(f"tool{nth}")
    config: Json = {"thresholds": [2], "include": ["*"], "exclude": ["zzz"]}
    [note] = of_config(config, scene.end())[1:]
    assert note.endswith("tool6, tool7, …)")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param({"warnAt": 7, "limits": {"exact": 12}}, [], id="below its cap"),
        pytest.param(
            {"warnAt": 7, "summarizeAt": 12, "limits": {"exact": 12, "verb": 4, "site": None}},
            [
                "warnAt 7 is never reached where the gate comes first: verb 4",
                "summarizeAt 12 is never reached where the gate comes first: exact 12, verb 4",
            ],
            id="at or above a cap",
        ),
        pytest.param({"warnAt": None, "limits": {"exact": 2}}, [], id="off"),
        pytest.param({"failWarnAt": 5, "failLimit": 5}, [], id="at the failure limit both act"),
        pytest.param(
            {"failWarnAt": 6, "failLimit": 5},
            ["failWarnAt 6 is never reached: the gate stops calls at failLimit 5"],
            id="above the failure limit",
        ),
        pytest.param({"failWarnAt": 6, "failLimit": None}, [], id="no failure limit"),
    ],
)
def test_stages_behind_the_gate_are_dead(config: dict[str, Json], expected: list[str]) -> None:
    tally = Tally()
    for item in items([], RUN):
        tally.add(item)
    found = policy_notes(tally, [Mounted(name="breaker", config=config)])
    assert [note.message for note in found] == expected


UNREAD_SHELLS = (
    "the breaker does not read the commands of Bash, run_shell_command: equal ones count, similar "
    "ones do not (its shells are bash, pwsh, shell, in small letters)"
)


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        pytest.param(["bash", "pwsh", "shell", "read"], [], id="its own shells"),
        pytest.param(
            ["Bash", "read", "run_shell_command"],
            [UNREAD_SHELLS],
            id="shells of other harnesses",
        ),
    ],
)
def test_shells_that_the_breaker_does_not_know(tools: list[str], expected: list[str]) -> None:
    scene = Scene()
    for tool in tools:
        scene.calls(tool)
    log = scene.end()
    assert notes([Breaker()], log, origin=DEFAULT) == expected
    assert notes([Reminder()], log, origin=DEFAULT) == []


def test_the_known_shells_are_those_of_the_policy() -> None:
    assert all(map(is_shell, SHELLS))


READ: Source = {"kind": "plugin", "plugin": "repeat-tool-reminder"}
UNREAD = (
    "the recorded agent never read these reminders: after a session's first one it might have "
    "gone on differently"
)
REFUSED = (
    "refused calls ran in the recording: from a session's first refusal on, its replay is "
    "hypothetical"
)


@pytest.mark.parametrize(
    ("guard", "scene", "expected"),
    [
        pytest.param(Reminder(), Scene().calls(times=3), [], id="one reminder: nothing after it"),
        pytest.param(Reminder(), Scene().calls(times=5), [UNREAD], id="a second reminder"),
        pytest.param(
            Reminder(), Scene().calls(times=5).recorded(READ), [], id="the agent had reminders"
        ),
        pytest.param(Scripted({"c1": Action.DENY}), Scene().calls(), [REFUSED], id="a denial"),
        pytest.param(Scripted({"c1": Action.ASK}), Scene().calls(), [REFUSED], id="a refused ask"),
        pytest.param(Scripted({"c1": Action.WARN}), Scene().calls(), [], id="one advisory"),
    ],
)
def test_what_a_replay_cannot_know_is_said_once(
    guard: Guard, scene: Scene, expected: list[str]
) -> None:
    assert notes([guard], scene.end(), origin=DEFAULT) == expected
