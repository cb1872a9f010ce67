"""Whatever a log holds: reports never fail, terminals see no control, JSON can be parsed."""

import json
import unicodedata
from itertools import chain
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.events import Action, Event, Json, Problem
from repeat_reminder.policies import Guard
from repeat_reminder.render.look import Look
from repeat_reminder.render.problems import ProblemLog
from repeat_reminder.render.replay.concise import concise
from repeat_reminder.render.replay.excerpts import Texts
from repeat_reminder.render.replay.records import json_document, jsonl
from repeat_reminder.render.replay.timeline import full
from tests.scenes import Scene, Scripted, header, items, problem, reminder

NASTY = [
    "\x1b[2J\x1b]0;title\x07", "\u202e\u2066", "[bold]", "[/x]", "\ud800", "\udfff", "\r\n", "\x00",
    "\x9b31m", "\u2028", "\ufeff", "\U000e0041", "字" * 90, "e\u0301", "",
]  # fmt: skip
TEXT = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=()), max_size=20))


HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class Case(NamedTuple):
    """A session, what replays it, and how it is written."""

    log: list[Event]
    guards: list[Guard]
    look: Look


@st.composite
def cases(draw: st.DrawFn) -> Case:
    path, session, tool, agent = (draw(TEXT) for _ in range(4))
    lines, results = draw(st.booleans()), draw(st.booleans())
    scene = Scene(path, session, lines=lines, results=results, compression=draw(TEXT))
    arguments: Json = {**draw(st.dictionaries(TEXT, TEXT, max_size=2))}
    ids = draw(st.lists(TEXT, min_size=3, max_size=3, unique=True))
    scene.human(draw(TEXT)).calls(tool, arguments, times=3, agent=agent, ids=ids)
    scene.add(problem(draw(TEXT), path=path, kind=draw(TEXT), hint=draw(st.none() | TEXT)))
    script = {call_id: draw(st.sampled_from(list(Action)[1:])) for call_id in ids}
    guards = [reminder(2, 3, exclude=[draw(TEXT)])[0], Scripted(script, text=draw(TEXT))]
    look = Look(ascii_only=draw(st.booleans()), width=draw(st.integers(0, 120)))
    return Case(scene.end(), guards[draw(st.integers(0, 1)) :], look)


@given(cases())
def test_terminals_see_nothing_but_text(case: Case) -> None:
    log, guards, look = case
    head = header(*guards)
    told = ProblemLog(look)
    lines = [
        *chain(*(full(items(guards, log), head, look=look, texts=texts) for texts in Texts)),
        *full(items(guards, log), head, look=look, origins=True),
        *concise(items(guards, log), head, look=look),
        *chain(*(told.add(event) for event in log if isinstance(event, Problem))),
        *told.finish(),
    ]
    for line in lines:
        assert not {unicodedata.category(char) for char in line} & HIDDEN
        assert line.isascii() or not look.ascii_only


@given(cases(), st.booleans())
def test_every_json_line_parses(case: Case, all_calls: bool) -> None:  # noqa: FBT001 - hypothesis
    log, guards, _ = case
    head = header(*guards)
    lines = list(jsonl(items(guards, log), head, all_calls=all_calls))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
    kinds = [json.loads(line)["kind"] for line in lines]
    assert (kinds[0], kinds[-2:], kinds.count("problem")) == ("header", ["session", "totals"], 1)
    parsed = json.loads(json_document(items(guards, log), head, all_calls=all_calls))
    held = parsed["sessions"][0]
    assert len(held["reminders"]) == kinds.count("reminder") > 0
    assert len(held.get("calls", [])) == kinds.count("call")
    assert len(held["problems"]) == 1
