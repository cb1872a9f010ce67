"""One line for each intervention."""

import pytest

from repeat_reminder.events import Action
from repeat_reminder.policies import Guard
from repeat_reminder.render.look import Look
from repeat_reminder.render.replay.concise import concise
from tests.scenes import NPM, Scene, Scripted, example, header, items, reminder

CHAIN = reminder(2)[0]


def test_the_example_of_the_specification_comes_out() -> None:
    guard, head = reminder(exclude=["todo_write"])
    assert list(concise(items(guard, example()), head)) == [
        'session.jsonl:9: gentle main bash x3 after=10 {"command":"npm test"}',
        'session.jsonl:17: detailed main bash x5 after=18 {"command":"npm test"}',
        'session.jsonl:21: gentle sub-1 grep x3 after=22 {"q":"X"}',
        'session.jsonl:29: detailed main bash x8 after=30 {"command":"npm test"}',
    ]


@pytest.mark.parametrize(
    ("guards", "scene", "line"),
    [
        pytest.param(
            [CHAIN],
            Scene().calls(arguments=NPM, times=2),
            's.jsonl:4: gentle main bash x2 after=5 delivered=no {"command":"npm test"}',
            id="never delivered",
        ),
        pytest.param(
            [CHAIN],
            Scene(lines=False).calls(arguments=NPM, times=2).assistant(),
            's.jsonl#c2: gentle main bash x2 after=#c2 {"command":"npm test"}',
            id="no lines: the call's id",
        ),
        pytest.param(
            [CHAIN],
            Scene().calls("a\nb", {"x": "\x1b[2J\u202e"}, times=2).assistant(),
            r's.jsonl:4: gentle main a\nb x2 after=5 {"x":"\u001b[2J\u202e"}',
            id="what a terminal would obey is escaped",
        ),
        pytest.param(
            [CHAIN, Scripted({"c2": Action.WARN})],
            Scene().calls(arguments=NPM, times=2).assistant(),
            's.jsonl:4: reminder gentle main bash x2 after=5 {"command":"npm test"}\n'
            "s.jsonl:4: breaker warn main bash x3/12 after=5 cmd:bash 3/12, host:a.example 2/16",
            id="several policies are named",
        ),
        pytest.param(
            [Scripted({"c1": Action.ASK})],
            Scene().calls(),
            "s.jsonl:2: ask main bash x3/12 outcome=unavailable cmd:bash 3/12, host:a.example 2/16",
            id="an ask lands nowhere and has an outcome",
        ),
        pytest.param(
            [Scripted({"c1": Action.FAIL_WARN})],
            Scene().calls().assistant(),
            "s.jsonl:2: fail_warn main bash x3 after=3 cmd:bash fails 3, host:a.example 2/16",
            id="no cap",
        ),
    ],
)
def test_lines(guards: list[Guard], scene: Scene, line: str) -> None:
    log = scene.end()
    found = list(concise(items(guards, log), header(*guards)))
    assert "\n".join(found).replace("session.jsonl", "s.jsonl") == line


def test_lines_are_never_cut() -> None:
    guard, head = reminder(2)
    log = Scene().calls(arguments={"x": "字" * 200}, times=2).assistant().end()
    [line] = concise(items(guard, log), head, look=Look(width=40))
    assert line.endswith("字" * 200 + '"}')


def test_without_utf8_the_line_is_ascii() -> None:
    guard, head = reminder(2)
    log = Scene().calls(arguments={"x": "字"}, times=2).assistant().end()
    [line] = concise(items(guard, log), head, look=Look(ascii_only=True))
    assert line.endswith(r'{"x":"\u5b57"}')


def test_only_the_tier_is_coloured() -> None:
    guard, head = reminder(2)
    log = Scene().calls(times=2).assistant().end()
    [line] = concise(items(guard, log), head, look=Look(color=True))
    assert line == "session.jsonl:4: \x1b[33mgentle\x1b[0m main bash x2 after=5 null"
