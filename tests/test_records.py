"""The JSON outputs: every key, its place and its value; what streams and what is sorted."""

import json
from collections.abc import Iterable, Sequence
from typing import TypedDict

import pytest

from repeat_reminder.events import Action, Event, Json, Severity, Status, ToolResult
from repeat_reminder.policies import Guard
from repeat_reminder.policies.reminder import GENTLE
from repeat_reminder.render.header import Header
from repeat_reminder.render.replay.records import json_document, jsonl
from repeat_reminder.render.tally import Tally
from tests.scenes import NPM, Scene, Scripted, example, header, items, problem, reminder

CONFIG = '{"thresholds":[3,5,8],"include":[],"exclude":["todo_write"],"argumentsPreviewChars":500}'
ORIGIN = (
    '{"thresholds":"command line","include":"command line","exclude":"command line",'
    '"argumentsPreviewChars":"command line"}'
)
HEADER = (
    '"schema":"repeat-reminder/replay@1","tool":{"name":"repeat-reminder","version":"0.1.0"},'
    f'"policy":[{{"name":"reminder","config":{CONFIG},"origin":{ORIGIN}}}]'
)
FIRST = (
    '{"kind":"reminder","path":"session.jsonl","session":"7f3a91","agent":"main",'
    '"policy":"reminder","action":"remind","tier":"gentle","tool":"bash","count":3,"threshold":3,'
    '"call":{"id":"c4","index":4,"line":9,"turn":1,"step":3},'
    '"result":{"line":10},"settled":{"line":10},'
    '"inject_after":{"line":10,"call_id":"c4"},'
    '"delivered":true,'
    '"run":{"first_call":"c1","first_line":3},'
    '"arguments_preview":"{\\"command\\":\\"npm test\\"}","arguments_omitted_chars":0,'
    '"source":{"kind":"plugin","plugin":"repeat-tool-reminder","form":"notice",'
    '"summary":"bash × 3"},'  # noqa: RUF001 - the reminder's own sign
    f'"text":"{GENTLE}"}}'
)
SESSION = (
    '{"kind":"session","id":"7f3a91","path":"session.jsonl","format":"canonical",'
    '"compression":null,"lines":39,"skipped_lines":0,"agents":['
    '{"id":"main","parent":null,"calls":14,"tracked":12,"unfinished":0,"longest_run":8,'
    '"reminders":3,"resets":1},'
    '{"id":"sub-1","parent":"main","calls":4,"tracked":4,"unfinished":0,"longest_run":3,'
    '"reminders":1,"resets":0}],"duplicates_dropped":0,"recorded_reminders":0}'
)
TOTALS = (
    '{"kind":"totals","sessions":1,"calls":18,"tracked":16,"reminders":4,'
    '"by_tier":{"gentle":2,"detailed":2},"skipped_lines":0,"problems":0}'
)

Record = dict[str, Json]


class Document(TypedDict):
    """What is looked up in a parsed document."""

    sessions: list[dict[str, list[Record]]]
    problems: list[Record]


def records(
    guards: Guard | Sequence[Guard],
    head: Header,
    *logs: Iterable[Event],
    all_calls: bool = False,
    kind: str | None = None,
) -> list[Record]:
    lines = jsonl(items(guards, *logs), head, all_calls=all_calls)
    found = map(json.loads, lines)
    return [record for record in found if kind in (None, record["kind"])]


def document(
    guards: Guard | Sequence[Guard],
    head: Header,
    *logs: Iterable[Event],
    all_calls: bool = False,
) -> Document:
    parsed: Document = json.loads(json_document(items(guards, *logs), head, all_calls=all_calls))
    return parsed


# ---------------------------------------------------------------- shape


def test_the_example_of_the_specification_comes_out() -> None:
    guard, head = reminder(exclude=["todo_write"])
    lines = [line.decode() for line in jsonl(items(guard, example()), head)]
    assert lines[0] == f'{{"kind":"header",{HEADER}}}\n'
    assert lines[1] == f"{FIRST}\n"
    assert [json.loads(line)["call"]["id"] for line in lines[1:5]] == ["c4", "c8", "c10", "c14"]
    assert lines[5:] == [f"{SESSION}\n", f"{TOTALS}\n"]


def test_the_document_holds_the_same_records() -> None:
    guard, head = reminder(exclude=["todo_write"])
    text = json_document(items(guard, example()), head).decode()
    assert text.startswith(f'{{{HEADER},"sessions":[{SESSION[:-1]},"reminders":[{FIRST},')
    assert text.endswith(f'}}],"problems":[]}}],"problems":[],"totals":{TOTALS}}}\n')
    assert text.count("\n") == 1


def test_a_report_on_nothing_is_complete() -> None:
    guard, head = reminder()
    parsed = document(guard, head)
    assert list(parsed) == ["schema", "tool", "policy", "sessions", "problems", "totals"]
    assert [record["kind"] for record in records(guard, head)] == ["header", "totals"]


def test_a_breaker_record_has_fingerprints_and_no_run() -> None:
    guard = Scripted({"c1": Action.FAIL_WARN})
    [record] = records(guard, header(guard), Scene().calls().end(), kind="reminder")
    assert list(record)[-6:] == [
        *("source", "text", "fingerprints", "outcome", "denial", "recorded_status")
    ]
    assert record["action"] == "fail_warn"
    absent = ("tier", "threshold", "run", "outcome", "denial", "recorded_status")
    assert [record[key] for key in absent] == [None] * 6
    assert record["fingerprints"] == [
        {"fp": "cmd:bash", "count": 3, "cap": None, "track": "failure"},
        {"fp": "host:a.example", "count": 2, "cap": 16, "track": "occurrence"},
    ]
    assert record["settled"] == {"line": 3}


@pytest.mark.parametrize("action", [Action.ASK, Action.DENY])
def test_what_happens_before_the_call_is_not_settled_and_stands_at_the_call(
    action: Action,
) -> None:
    guard = Scripted({"c1": action})
    scene = Scene().calls(answer=Status.ERROR)
    [record] = records(guard, header(guard), scene.end(), kind="reminder")
    assert (record["result"], record["settled"]) == ({"line": 3}, None)
    assert record["recorded_status"] == "error"
    assert record["inject_after"] == {"line": 2, "call_id": "c1"}
    assert record["outcome"] == ("unavailable" if action is Action.ASK else None)


@pytest.mark.parametrize("results", [True, False], ids=["unfinished", "not-recorded"])
def test_without_a_result_nothing_is_said_about_how_a_stopped_call_ended(*, results: bool) -> None:
    guard = Scripted({"c1": Action.DENY})
    scene = Scene(results=results).calls(answer=None)
    [record] = records(guard, header(guard), scene.end(), kind="reminder")
    assert record["recorded_status"] is None


def test_a_held_result_settles_later_than_it_stands() -> None:
    guard, head = reminder(2)
    scene = Scene().calls(arguments=NPM, times=2, ids=["a", "b"], answer=None, step=1)
    log = scene.result("b").result("a").assistant().end()
    [record] = records(guard, head, log, kind="reminder")
    assert record["result"] == {"line": 4}
    assert record["settled"] == {"line": 5}
    assert record["inject_after"] == {"line": 5, "call_id": "a"}


def test_without_lines_every_line_is_null() -> None:
    guard, head = reminder(2)
    log = Scene(lines=False).calls(times=2).assistant().end()
    [record] = records(guard, head, log, kind="reminder")
    assert record["call"] == {"id": "c2", "index": 2, "line": None, "turn": 1, "step": None}
    assert record["result"] == record["settled"] == {"line": None}
    assert record["inject_after"] == {"line": None, "call_id": "c2"}


def test_a_reminder_nobody_reads_is_not_delivered() -> None:
    guard, head = reminder(2)
    [record] = records(guard, head, Scene().calls(times=2).end(), kind="reminder")
    assert record["delivered"] is False


def test_left_out_characters_are_utf16_units() -> None:
    guard, head = reminder(2)
    log = Scene().calls(arguments={"x": "😀" * 300}, times=2).end()
    [record] = records(guard, head, log, kind="reminder")
    assert record["arguments_omitted_chars"] == len('{"x":""}') + 600 - 500


def test_lone_surrogates_and_odd_numbers_are_printed_as_javascript_does() -> None:
    guard, head = reminder(2)
    log = Scene("\ud800.jsonl").calls("\udfff", {"x": 1e400}, times=2).end()
    line = list(jsonl(items(guard, log), head))[1]
    assert b'"path":"\\ud800.jsonl"' in line
    assert b'"tool":"\\udfff"' in line


# ---------------------------------------------------------------- calls


def test_every_settled_call_can_have_a_record() -> None:
    guard, head = reminder(2, exclude=["todo_write"])
    scene = Scene().calls(times=2, ids=["a", "b"]).calls("todo_write", ids=["t"])
    scene.calls(answer=None, ids=["open"]).calls(answer=Status.SKIPPED, ids=["never"])
    calls = records(guard, head, scene.end(), all_calls=True, kind="call")
    assert [(c["policy"], c["tool"], c["tracked"], c["count"]) for c in calls] == [
        ("reminder", "bash", True, 1),
        ("reminder", "bash", True, 2),
        ("reminder", "todo_write", False, None),
    ]
    assert json.dumps(calls[1], separators=(",", ":")) == (
        '{"kind":"call","path":"session.jsonl","session":"7f3a91","agent":"main",'
        '"policy":"reminder","tool":"bash","tracked":true,"count":2,'
        '"call":{"id":"b","index":2,"line":4,"turn":1,"step":null},"result":{"line":5},'
        '"settled":{"line":5},"inject_after":{"line":5,"call_id":"b"}}'
    )


def test_with_several_policies_each_call_has_a_record_of_each() -> None:
    chain, _ = reminder(2)
    breaker = Scripted({})
    log = Scene().calls(times=2).end()
    calls = records([chain, breaker], header(chain, breaker), log, all_calls=True, kind="call")
    assert [(c["policy"], c["count"]) for c in calls] == [
        ("reminder", 1),
        ("breaker", None),
        ("reminder", 2),
        ("breaker", None),
    ]


def test_without_a_policy_calls_have_records_all_the_same() -> None:
    scene = Scene().calls(times=2, ids=["a", "b"], answer=None, step=1).result("a").result("b")
    scene.calls(ids=["never"], answer=Status.SKIPPED, step=2)
    scene.calls(ids=["late"], answer=None, step=3).calls(ids=["next"], step=4).result("late")
    guarded, head = reminder()
    expected = records(guarded, head, scene.end(), all_calls=True, kind="call")
    bare = records([], header(), scene.events, all_calls=True, kind="call")
    assert [c["call"] for c in bare] == [c["call"] for c in expected]
    assert [c["inject_after"] for c in bare] == [c["inject_after"] for c in expected]
    assert {(c["policy"], c["tracked"], c["count"]) for c in bare} == {("none", False, None)}
    assert records([], header(), scene.events, kind="call") == []


def test_the_document_has_calls_only_if_asked() -> None:
    guard, head = reminder()
    assert "calls" not in document(guard, head, example())["sessions"][0]
    calls = document(guard, head, example(), all_calls=True)["sessions"][0]["calls"]
    assert len(calls) == 18


# ---------------------------------------------------------------- order


def two_agents() -> list[Event]:
    """Let agent ``a`` count before ``b`` and land after it."""
    scene = Scene().calls(times=2, agent="a", ids=["a1", "a2"])
    scene.calls(times=2, agent="b", ids=["b1", "b2"]).assistant(agent="b")
    return scene.assistant(agent="a").end()


def test_lines_come_when_they_land_and_the_document_is_in_the_order_of_counting() -> None:
    guard, head = reminder(2)
    landed = records(guard, head, two_agents(), kind="reminder")
    assert [r["agent"] for r in landed] == ["b", "a"]
    [session] = document(guard, head, two_agents(), all_calls=True)["sessions"]
    assert [r["agent"] for r in session["reminders"]] == ["a", "b"]
    assert [c["agent"] for c in session["calls"]] == ["a", "a", "b", "b"]


def test_a_record_is_given_as_soon_as_its_event_is_read() -> None:
    guard, head = reminder(2)
    log = Scene().calls(times=4).assistant().end()
    fed: list[Event] = []

    def events() -> Iterable[Event]:
        for event in log:
            fed.append(event)
            yield event

    lines = jsonl(items(guard, events()), head)
    assert json.loads(next(lines))["kind"] == "header"
    assert fed == []
    assert json.loads(next(lines))["kind"] == "reminder"
    assert sum(isinstance(event, ToolResult) for event in fed) == 2


def test_sessions_come_in_input_order_each_after_its_reminders() -> None:
    guard, head = reminder(2)
    logs = [Scene(f"{name}.jsonl", name).calls(times=2).end(skipped=1) for name in "ba"]
    found = records(guard, head, *logs)
    kinds = [(r["kind"], r.get("session") or r.get("id")) for r in found[1:-1]]
    assert kinds == [("reminder", "b"), ("session", "b"), ("reminder", "a"), ("session", "a")]
    assert (found[-1]["sessions"], found[-1]["skipped_lines"]) == (2, 2)


# ---------------------------------------------------------------- problems


def test_problems_stand_in_the_stream_where_they_came() -> None:
    guard, head = reminder()
    scene = Scene().calls().add(problem("torn", hint="mend it", line=9, skipped=True)).calls()
    found = records(guard, head, scene.end())
    assert found[1] == {
        "kind": "problem",
        "path": "session.jsonl",
        "line": 9,
        "severity": "warning",
        "message": "torn",
        "hint": "mend it",
    }
    assert found[-1]["problems"] == 1


def test_problems_of_a_session_stand_in_it_and_all_others_at_the_top() -> None:
    guard, head = reminder()
    elsewhere = problem("empty", path="b.jsonl", line=None, severity=Severity.ERROR)
    about_nothing = problem("dead", path="", line=None, severity=Severity.NOTE)
    scene = Scene().calls().add(problem("torn"), elsewhere, about_nothing)
    parsed = document(guard, head, [problem("early"), *scene.end(), problem("after the end")])
    assert [p["message"] for p in parsed["sessions"][0]["problems"]] == ["torn"]
    assert [p["message"] for p in parsed["problems"]] == ["early", "empty", "dead", "after the end"]
    assert parsed["problems"][2]["path"] is None


def test_the_tally_is_left_to_the_caller() -> None:
    guard, head = reminder()
    tally = Tally()
    list(jsonl(items(guard, example()), head, tally=tally))
    json_document(items(guard, example()), head, tally=tally)
    assert (tally.sessions, tally.calls) == (2, 36)
