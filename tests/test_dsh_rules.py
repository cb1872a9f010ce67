"""The rules of the DSH reader on small logs: what counts, what resets, what lands where."""

from collections.abc import Callable
from typing import Any

import pytest

from repeat_reminder.events import (
    Failure,
    InjectedMessage,
    Intervention,
    Json,
    Place,
    Settlement,
    Status,
    StepStart,
    UserMessage,
)
from repeat_reminder.formats.model import Record
from tests.dsh_notation import (
    GENTLE,
    STEP,
    TURN,
    Log,
    answer,
    event,
    events,
    items,
    message,
    plugin,
    problems,
    reminders,
    settled,
    stamp,
    started,
    tool_result,
)

ON_C3 = [("X", "c3", 3)]


def base() -> Log:
    """A session with its first prompt, in its first step."""
    return Log().turn("go")


# ---------------------------------------------------------------- what resets

KINDS: list[Any] = [
    pytest.param({"kind": "user"}, [], id="user"),
    pytest.param({"kind": "user", "rpcId": "r"}, [], id="user-with-more"),
    pytest.param(plugin("schedule"), ON_C3, id="plugin"),
    *(
        pytest.param({"kind": kind}, ON_C3, id=kind)
        for kind in (
            *("goal", "coordinator", "subagent-report", "subagent-settled", "team-message"),
            *("tool", "model", "plugin:user", "User"),
        )
    ),
]


@pytest.mark.parametrize(("source", "expected"), KINDS)
def test_only_a_human_message_resets(source: Record, expected: list[Any]) -> None:
    log = base().steps("X", "X").done().end().turn("again", source).steps("X")
    assert reminders(log) == expected


def blocked(log: Log) -> Log:
    log.queue("bad").add(event("turn/start", {"turn": 9}))
    log.claim(TURN, 1)
    return log.end("blocked")


def waiting(log: Log) -> Log:
    return log.queue("later", target=STEP)


RESETS: list[Any] = [
    pytest.param(lambda log: log, ON_C3, id="nothing"),
    pytest.param(waiting, ON_C3, id="inserting-does-not-reset"),
    pytest.param(
        lambda log: waiting(log).cancel(STEP).done().step(),
        ON_C3,
        id="a-cancelled-message-does-not-reset",
    ),
    pytest.param(lambda log: waiting(log).done().step(), [], id="claiming-does"),
    pytest.param(blocked, [], id="a-refused-prompt-does"),
    pytest.param(
        lambda log: log.add(event("session/end-seed", {})), [], id="a-resume-forgets-the-chain"
    ),
    pytest.param(
        lambda log: log.add(event("compaction/start", {}), event("compaction/end", {})),
        ON_C3,
        id="compaction-does-not",
    ),
    pytest.param(
        lambda log: log.add(event("command/run", {"source": {"kind": "user"}})),
        ON_C3,
        id="a-command-is-no-message",
    ),
    pytest.param(lambda log: log.done().end("error").turn(), ON_C3, id="an-error-does-not"),
    pytest.param(lambda log: log.done().end("aborted").turn(), ON_C3, id="an-abort-does-not"),
    pytest.param(
        lambda log: log.add(event("request/header", {"reason": "resume"})),
        ON_C3,
        id="a-request's-header-does-not",
    ),
    pytest.param(
        lambda log: log.add(
            event("user/message", message("summary", {"kind": "user"}), surfaceOp={"op": "replace"})
        ),
        ON_C3,
        id="a-rewritten-message-does-not",
    ),
    pytest.param(
        lambda log: log.add(event("user/message", message("hi", {"kind": "user"}, "new"))),
        ON_C3,
        id="a-message-nobody-claimed-does-not",
    ),
]


@pytest.mark.parametrize(("between", "expected"), RESETS)
def test_what_resets(between: Callable[[Log], Log], expected: list[Any]) -> None:
    assert reminders(between(base().steps("X", "X")).steps("X")) == expected


def test_a_steer_resets_at_the_boundary_not_where_it_comes() -> None:
    log = base().steps("X", "X").call("X").queue("hm", target=STEP).result().done().step()
    log.steps("X")
    assert reminders(log) == ON_C3
    assert [item.count for item in items(log) if isinstance(item, Settlement)] == [1, 2, 3, 1]


def test_a_refused_prompt_is_told() -> None:
    log = blocked(base().steps("X").done().end())
    messages = [found for found in events(log) if isinstance(found, UserMessage)]
    assert [(found.texts, found.resets) for found in messages] == [(("go",), True), ((), True)]
    assert messages[1].line == log.line - 1
    assert problems(log) == [("note", "refused-prompt", log.line - 1)]


@pytest.mark.parametrize("reason", ["blocked", "aborted", None])
def test_a_claimed_prompt_resets_whatever_ends_the_turn(reason: str | None) -> None:
    log = base().steps("X", "X").done().end().queue("bad")
    log.claim(TURN, 1)
    if reason is not None:
        log.end(reason)
    assert sum(isinstance(found, UserMessage) and found.resets for found in events(log)) == 2


def test_a_prompt_dropped_by_a_listener_resets() -> None:
    log = base().steps("X", "X").done().queue("hm", target=STEP)
    log.claim(STEP, 1)
    log.step().steps("X")
    assert reminders(log) == []
    assert ("note", "refused-prompt", 17) in problems(log)


# ---------------------------------------------------------------- where messages stand


def order(log: Log, *thresholds: int) -> list[str]:
    """Name messages and reminders in the order of the transcript, ``!`` for undelivered."""
    told = []
    for item in items(log, *thresholds):
        if isinstance(item, UserMessage) and item.texts:
            told.append(item.texts[0])
        elif isinstance(item, Intervention):
            told.append(f"{item.call.id}{'' if item.delivered else '!'}")
    return told


def two_with(log: Log, *, before: str = "", between: str = "", after: str = "") -> Log:
    """One step with two calls that speak at 2, and messages queued around their results."""
    log.call("X").call("Y")
    for text, number in ((before, log.calls - 1), (between, log.calls)):
        if text:
            log.queue(text, plugin("notes"), target=STEP)
        log.result(number)
    if after:
        log.queue(after, plugin("notes"), target=STEP)
    return log.done()


PLACES: list[Any] = [
    pytest.param({"before": "m"}, ["go", "m", "c2"], id="queued-before-the-call-settled"),
    pytest.param({"between": "m"}, ["go", "c2", "m"], id="queued-after-the-call-settled"),
    pytest.param({"after": "m"}, ["go", "c2", "m"], id="queued-last"),
    pytest.param({"before": "m", "after": "n"}, ["go", "m", "c2", "n"], id="both"),
]


@pytest.mark.parametrize(("queued", "expected"), PLACES)
def test_a_message_stands_where_it_was_queued(queued: dict[str, str], expected: list[str]) -> None:
    log = two_with(base().steps("X"), **queued).step().run("Z")
    assert order(log, 2) == expected


def test_a_reminder_of_an_aborted_turn_stands_before_the_new_prompt() -> None:
    log = base().steps("X").run("X").done().end("aborted").turn("second").run("Z")
    assert order(log, 2) == ["go", "c2", "second"]


def test_a_prompt_that_waits_for_its_turn_stands_behind_later_reminders() -> None:
    log = base().steps("X").call("X").queue("second").result().done().end().turn().run("Z")
    assert order(log, 2) == ["go", "c2", "second"]


@pytest.mark.parametrize(
    ("goes_on", "expected"),
    [
        pytest.param(lambda log: log.step(), "c2", id="a-step-starts"),
        pytest.param(lambda log: log, "c2!", id="the-log-ends"),
        pytest.param(lambda log: log.end().queue("more"), "c2!", id="a-prompt-that-waits"),
        pytest.param(blocked, "c2!", id="a-prompt-that-is-refused"),
    ],
)
def test_delivered_if_a_later_step_starts(goes_on: Callable[[Log], Log], expected: str) -> None:
    assert order(goes_on(base().steps("X").run("X").done()), 2) == ["go", expected]


def test_an_edited_message_keeps_its_place() -> None:
    log = base().steps("X").call("X").queue("old", plugin("notes"), target=STEP).result()
    fresh = message("new", plugin("notes"), "m9")
    data: Json = {
        "target": STEP,
        "start": 0,
        "removedCount": 1,
        "inserted": [fresh],
        "outcome": "canceled",
    }
    log.add(event("agent/inbox/spliced", data))
    log.lists[STEP] = [fresh]
    assert order(log.done().step(), 2) == ["go", "new", "c2"]


def test_runtime_context_is_a_message_of_its_plugin() -> None:
    log = base().add(event("user/message", message("ctx", plugin("system-prompt"), "x"))).run("X")
    found = [item for item in events(log) if isinstance(item, UserMessage)]
    assert [(item.texts, item.resets, item.source["kind"]) for item in found] == [
        (("go",), True, "user"),
        (("ctx",), False, "plugin"),
    ]


def test_the_request_begins_behind_its_messages() -> None:
    kinds = [type(found).__name__ for found in events(base().run("X"))][1:5]
    assert kinds == ["UserMessage", "StepStart", "ToolCall", "ToolResult"]
    (start,) = (found for found in events(base().run("X")) if isinstance(found, StepStart))
    assert start.line == 5


# ---------------------------------------------------------------- recorded reminders


def recorded(log: Log) -> list[tuple[Place | None, int | None, bool | None]]:
    return [
        (found.trigger, found.line, found.delivered)
        for found in events(log)
        if isinstance(found, InjectedMessage)
    ]


SPELLINGS: list[Any] = [
    pytest.param(stamp("X", 2), id="current"),
    pytest.param(plugin("repeat-tool-guard"), id="older-name-without-summary"),
    pytest.param({"kind": "repeat-tool-reminder", "form": "notice"}, id="format-4"),
    pytest.param(plugin("repeat-tool-breaker", form="notice", summary="exact:X"), id="breaker"),
    pytest.param({"kind": "plugin:repeat-tool-breaker"}, id="breaker-in-format-4"),
]


@pytest.mark.parametrize("source", SPELLINGS)
def test_a_recorded_reminder_counts_once_where_it_lands(source: Record) -> None:
    log = base().steps("X").run("X")
    trigger = log.line
    log.queue(GENTLE, source, target=STEP).done().step()
    assert recorded(log) == [(Place(trigger, started(log)[1].id), log.line, True)]
    assert [m.texts for m in events(log) if isinstance(m, UserMessage)] == [("go",)]


@pytest.mark.parametrize("name", ["repeat-tool", "repeat-tool-reminder-2", "schedule", None])
def test_other_plugins_are_no_reminders(name: Json) -> None:
    source: Json = {"kind": "plugin", "plugin": name}
    log = base().run("X").queue("n", source, target=STEP).done().step()
    assert recorded(log) == []


LOST: list[Any] = [
    pytest.param(lambda log: log.done(), id="never-claimed"),
    pytest.param(lambda log: log.cancel(STEP).done().step(), id="cancelled"),
    pytest.param(lambda log: (log.done().claim(STEP, 1), log)[1], id="claimed-and-never-read"),
]


@pytest.mark.parametrize("loses", LOST)
def test_a_reminder_that_is_never_read(loses: Callable[[Log], Log]) -> None:
    log = base().steps("X").run("X").remind("X", 2)
    queued = log.line
    place = Place(queued - 1, started(log)[1].id)
    assert recorded(loses(log)) == [(place, queued, False)]


def test_a_reminder_survives_a_resume() -> None:
    log = base().steps("X").run("X").remind("X", 2)
    queued = log.line
    log.done().end("interrupted").add(event("session/end-seed", {})).turn("on").run("X")
    assert [told[0] for told in recorded(log)] == [Place(queued - 1, started(log)[1].id)]
    assert reminders(log, 2) == [("X", "c2", 2)]
    assert order(log, 2) == ["go", "c2", "on"]


# ---------------------------------------------------------------- which calls count


HIDDEN = 'Error: unknown tool "X": only `run_code` is callable directly'
RESULTS: list[Any] = [
    pytest.param({}, "ok", Status.OK, id="ok"),
    pytest.param({"isError": True}, "Error: thrown", Status.ERROR, id="thrown-or-denied"),
    pytest.param({"code": "ABORTED"}, "Error: aborted", Status.ABORTED, id="aborted-while-running"),
    pytest.param({"code": "UNKNOWN_TOOL"}, "Error: unknown tool", Status.ERROR, id="unknown-tool"),
    pytest.param({"code": "UNKNOWN_TOOL"}, HIDDEN, Status.SKIPPED, id="hidden-by-code-mode"),
    pytest.param({"code": "E_OTHER"}, HIDDEN, Status.ERROR, id="the-text-alone-is-not-enough"),
    pytest.param(
        {"code": "ABORTED_BEFORE_DISPATCH"}, "Error", Status.SKIPPED, id="aborted-before-dispatch"
    ),
    pytest.param({"code": "TOOL_NOT_STARTED"}, "x", Status.SKIPPED, id="not-started"),
    pytest.param({"code": "TOOL_OUTCOME_UNKNOWN"}, "x", Status.SKIPPED, id="outcome-unknown"),
    pytest.param(
        {"isError": True}, "Error: REPEAT_TOOL_BLOCKED", Status.ERROR, id="denied-by-the-breaker"
    ),
]


def with_error(log: Log, fault: dict[str, Any], text: str) -> Log:
    """Answer the open call with a fault: an error's code, or none beside the text."""
    error: dict[str, Any] = {}
    if "code" in fault:
        error["error"] = {"name": "E", "code": fault["code"]}
    return log.result(text=text, failed=bool(fault), **error)


@pytest.mark.parametrize(("fault", "text", "status"), RESULTS)
def test_how_a_call_ended(fault: dict[str, Any], text: str, status: Status) -> None:
    (found,) = settled(with_error(base().call("X"), fault, text))
    assert (found.status, found.texts, found.is_error) == (status, (text,), bool(fault))
    code = fault.get("code")
    assert found.failure == (None if code is None else Failure(name="E", code=code))


@pytest.mark.parametrize(("fault", "text", "status"), RESULTS)
def test_skipped_calls_are_transparent(fault: dict[str, Any], text: str, status: Status) -> None:
    log = with_error(base().run("X", "X").call("X"), fault, text).run("X")
    assert reminders(log) == (ON_C3 if status is not Status.SKIPPED else [("X", "c4", 3)])


ARGUMENTS: list[Any] = [
    pytest.param('{"q":-0}', id="negative-zero"),
    pytest.param('{"q":[{"r":1e400}]}', id="overflow"),
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_refused_arguments_are_transparent(arguments: str) -> None:
    log = base().run("X", "X").call("X", arguments).result(failed=True).run("X")
    assert reminders(log) == [("X", "c4", 3)]
    assert problems(log) == [("note", "refused-arguments", 11)]


def test_a_call_without_a_result_is_unfinished() -> None:
    log = base().run("X", "X").call("X").done().step().run("X")
    assert reminders(log) == [("X", "c4", 3)]
    assert problems(log) == [("note", "unfinished", 11)]


def test_calls_of_a_cut_response_never_ran() -> None:
    block: Json = {"type": "tool-call", "id": "c1", "name": "X", "arguments": "{}"}
    data: Json = {"turn": 1, "step": 1, "message": {"content": [block, block, block]}}
    log = base().add(event("assistant/message", data)).done().end("max-tokens")
    assert started(log) == []
    assert problems(log) == []


def test_results_settle_in_file_order() -> None:
    log = base().call("X").call("Y").call("X")
    log.result(1).result(2).result(3)
    assert [found.call.id for found in settled(log)] == ["c1", "c2", "c3"]
    assert [found.settled_line for found in settled(log)] == [found.line for found in settled(log)]


def test_an_id_may_be_used_again_in_a_later_step() -> None:
    log = base()
    for step in range(1, 4):
        log.calls = 0
        log.run("X").done().step()
        assert log.at == (1, step + 1)
    assert reminders(log) == [("X", "c1", 3)]
    assert problems(log) == []


def test_an_id_used_again_leaves_the_unanswered_call_unfinished() -> None:
    log = base().call("X").done().step()
    log.calls = 0
    log.run("X")
    assert problems(log) == [("note", "unfinished", 7)]
    assert len(settled(log)) == 1


def test_copied_history_counts_once() -> None:
    log = base().steps("X", "X")
    log.add(*log.records[3:]).run("X")
    log.at = (1, 3)
    assert [kind for _, kind, _ in problems(log)] == [
        "copy",
        "stray-result",
        "copy",
        "stray-result",
    ]
    (end,) = (found for found in events(log) if type(found).__name__ == "SessionEnd")
    assert getattr(end, "duplicates_dropped", None) == 2


def test_a_result_of_no_call_is_a_note() -> None:
    assert problems(base().add(tool_result((1, 1), "c9"))) == [("note", "stray-result", 7)]


def test_a_result_belongs_to_the_call_of_its_own_step() -> None:
    log = base().call("X").done().step().add(tool_result((1, 2), "c1"))
    assert settled(log) == []
    late = base().call("X").done().step().add(tool_result((1, 1), "c1"))
    assert [found.late for found in settled(late)] == [True]


def test_repairs_of_calls_that_never_started_are_silent() -> None:
    error: Json = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
    log = base().add(tool_result((1, 1), "c9", failed=True, error=error))
    assert problems(log) == []


def test_what_a_fetch_leaves_of_its_value() -> None:
    log = base().call("web_fetch").result(meta={"statusCode": 404, "x": 1})
    assert settled(log)[0].value == {"statusCode": 404}


# ---------------------------------------------------------------- calls of a program


def program(*names: str, log: Log | None = None) -> tuple[Log, list[Record]]:
    """Open a code-mode call and give the records of its calls."""
    log = log or base()
    log.call("run_code", '{"code":"…"}')
    return log, [log.sub(number, name) for number, name in enumerate(names, 1)]


def test_calls_of_a_program_count_under_their_own_name_and_before_it() -> None:
    log, subs = program("X", "X", "X")
    for sub in subs:
        log.add(sub, answer(sub))
    log.result().done().step()
    assert reminders(log) == [("X", "c1:code:3", 3)]
    assert [found.call.name for found in settled(log)] == ["X", "X", "X", "run_code"]
    assert [found.settled_line for found in settled(log)] == [8, 10, 12, 14]
    (spoken,) = (item for item in items(log) if isinstance(item, Intervention))
    assert spoken.inject_after == Place(14, started(log)[0].id)


def test_calls_of_a_program_count_in_the_order_they_start() -> None:
    log, (first, second, third) = program("X", "Y", "X")
    log.add(first, second, third, answer(third), answer(first), answer(second)).result()
    assert [found.call.name for found in settled(log)] == ["X", "Y", "X", "run_code"]
    assert reminders(log, 2) == []


def test_calls_of_a_program_count_though_no_result_is_logged() -> None:
    log, subs = program("X", "X", "X")
    log.add(*subs).result()
    assert reminders(log) == [("X", "c1:code:3", 3)]
    assert [found.call.name for found in settled(log)] == ["X", "X", "X", "run_code"]
    assert [found.settled_line for found in settled(log)] == [8, 9, 10, 11]


def test_two_programs_with_one_id_for_their_calls() -> None:
    log, (first,) = program("X")
    log.add(first).call("run_code")
    second = log.sub(1, "Y", ident="c1:code:1")
    log.add(second, answer(second)).result(1).result(2)
    assert [found.call.name for found in settled(log)] == ["Y", "run_code", "run_code"]
    assert problems(log) == [("note", "unfinished", 8)]


def test_calls_of_a_program_that_broke_off_have_counted() -> None:
    log, subs = program("X", "X")
    log.add(*subs)
    assert reminders(log, 2) == [("X", "c1:code:2", 2)]
    assert problems(log) == [("note", "unfinished", 7)]


def test_reminders_of_a_program_come_before_the_one_of_its_caller() -> None:
    log = base().call("run_code")
    for _ in range(2):
        sub = log.sub(1, "run_code")
        log.add(sub, answer(sub)).result().done().step().call("run_code")
    assert order(log, 2, 3) == ["go", "c1", "c2:code:1"]


def test_a_steer_during_a_program_stands_before_its_reminders() -> None:
    log, subs = program("X", "X")
    log.add(subs[0], answer(subs[0]), subs[1], answer(subs[1]))
    log.queue("hm", target=STEP).result().done().step()
    assert order(log, 2) == ["go", "hm", "c1:code:2"]


@pytest.mark.parametrize(
    ("summary", "certain"),
    [
        pytest.param("run_code \u00d7 2", True, id="names-the-program's-tool"),
        pytest.param("X \u00d7 2", False, id="names-another-tool"),
    ],
)
def test_which_call_of_a_program_spoke_is_not_recorded(*, summary: str, certain: bool) -> None:
    log, (sub,) = program("X")
    log.add(sub, answer(sub)).result()
    place = Place(log.line, started(log)[0].id)
    source = plugin("repeat-tool-reminder", form="notice", summary=summary)
    log.queue(GENTLE, source, target=STEP).done().step()
    assert [told[0] for told in recorded(log)] == [place if certain else None]


@pytest.mark.parametrize("arguments", [{"q": -0.0}, {"q": float("inf")}], ids=["-0", "overflow"])
def test_refused_arguments_of_a_program_are_transparent(arguments: Json) -> None:
    log, _ = program()
    given: list[Json] = [{"q": 1}, arguments, {"q": 1}]
    for number, value in enumerate(given, 1):
        sub = log.sub(number, "X", value)
        log.add(sub, answer(sub))
    assert reminders(log.result(), 2) == [("X", "c1:code:3", 2)]


def test_calls_of_a_program_in_copied_history_count_once() -> None:
    log, subs = program("X", "X")
    for sub in subs:
        log.add(sub, answer(sub))
    log.result()
    log.add(*log.records[6:])
    assert reminders(log, 2) == [("X", "c1:code:2", 2)]
    assert [kind for _, kind, _ in problems(log)].count("copy") == 3


def test_a_call_of_an_unknown_program_counts() -> None:
    log, subs = program("X", "X")
    del log.records[-1]
    log.add(subs[0], answer(subs[0]), subs[1], answer(subs[1])).done()
    (spoken,) = (item for item in items(log, 2) if isinstance(item, Intervention))
    assert spoken.inject_after == Place(log.line - 1, spoken.call.id)


def test_the_newer_name_of_calls_of_a_program() -> None:
    log, subs = program("X", "X")
    for sub in subs:
        sub["type"] = "tool/ptc-dispatch-start"
        log.add(sub, answer(sub))
    assert reminders(log.result(), 2) == [("X", "c1:code:2", 2)]


def test_a_failure_in_a_program_has_a_code_too() -> None:
    log, (sub,) = program("X")
    code: Json = {"name": "E", "code": "ABORTED_BEFORE_DISPATCH"}
    log.add(sub, answer(sub, failed=True, error=code)).result()
    assert [found.status for found in settled(log)] == [Status.SKIPPED, Status.OK]
