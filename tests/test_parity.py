"""Predicted against recorded reminders: what matches, what does not, what nobody can tell."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder import read, replay
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Event, Json, SessionEnd
from repeat_reminder.formats.model import Record
from repeat_reminder.parity import Finding, Outcome, Parity, Summary, Verdict, stamp_of
from repeat_reminder.policies.breaker import Breaker
from repeat_reminder.policies.reminder import GENTLE, Reminder, ReminderConfig, detailed
from tests.dsh_notation import Log, plugin, stamp
from tests.dsh_notation import events as dsh_events
from tests.notation import assistant, call, events_of, result, session, user

DATA = Path(__file__).parent / "data" / "dsh"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "expected.jsonl").read_text("utf-8").splitlines()
]


def compared(
    events: Iterable[Event], *thresholds: int, config: Json = None
) -> tuple[list[Finding], Summary]:
    given: Json = {"thresholds": list(thresholds or (3, 5, 8))}
    parity = Parity()
    guards = parity.mount([Reminder(ReminderConfig.from_mapping(config or given))])
    found: list[Finding] = []
    for item in parity.watch(replay(events, guards)):
        if isinstance(item, SessionEnd):
            found += parity.take(item.session)
    return found, parity.summary()


def verdicts(found: Iterable[Finding]) -> list[str]:
    return [finding.verdict.value for finding in found]


# ---------------------------------------------------------------- the real plugin's recordings


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])
def test_recordings_of_the_real_plugin(row: dict[str, Any]) -> None:
    found, summary = compared(read(DATA / row["file"]), config=row["config"])
    assert summary.recorded == len(row["recorded"])
    if row["replay_equals_recorded"]:
        expected = Outcome.EQUAL if row["recorded"] else Outcome.NOTHING_RECORDED
        assert verdicts(found) == ["match"] * len(row["recorded"])
    else:
        expected = Outcome.UNDECIDABLE
        assert all(finding.doubts for finding in found)
        assert summary.doubts
    assert summary.outcome is expected
    assert summary.advice is None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])
def test_under_thresholds_that_were_not_recorded(row: dict[str, Any]) -> None:
    """Nothing passes then, and what was recorded is found again."""
    _, summary = compared(read(DATA / row["file"]), 7, 9)
    assert not summary.passed
    if row["replay_equals_recorded"] and row["recorded"]:
        assert summary.outcome is Outcome.DIFFERS
        assert summary.advice is not None
        assert summary.advice.counts == tuple(sorted({told["count"] for told in row["recorded"]}))


# ---------------------------------------------------------------- canonical logs


def injected(
    tool: str | None, count: int, *, text: str | None = None, after: str | None = None, **rest: Json
) -> Record:
    source: dict[str, Json] = {"kind": "plugin", "plugin": "repeat-tool-reminder", "form": "notice"}
    if tool is not None:
        source["summary"] = f"{tool} \N{MULTIPLICATION SIGN} {count}"
    record: Record = {
        "type": "injected_message",
        "source": source | rest,
        "content": GENTLE if text is None else text,
    }
    return record | ({} if after is None else {"after_call_id": after})


SECOND = detailed("X", 5, '{"q":1}')
NOTICE = injected("X", 3, after="k4")
STORIES: list[Any] = [
    pytest.param([*session("X X X"), NOTICE, assistant()], ["match"], id="match"),
    pytest.param(
        [*session("X X X"), injected("X", 3), assistant()], ["match"], id="match-without-a-call"
    ),
    pytest.param([*session("X X X"), assistant()], ["extra"], id="extra"),
    pytest.param([*session("X X"), injected("X", 3, after="k2")], ["missing"], id="missing"),
    pytest.param(
        [*session("X X X"), injected("X", 3, after="k2"), assistant()],
        ["missing", "extra"],
        id="of-another-call",
    ),
    pytest.param(
        [*session("X X X"), injected("X", 4, after="k4"), assistant()],
        ["missing", "extra"],
        id="at-another-count",
    ),
    pytest.param(
        [*session("X X X"), injected("Y", 3), assistant()], ["extra", "missing"], id="another-tool"
    ),
    pytest.param(
        [*session("X X X"), injected("X", 3, after="k4", text="Stop."), assistant()],
        ["text_differs"],
        id="text-differs",
    ),
    pytest.param(
        [*session("X X X"), assistant(), NOTICE, assistant()],
        ["landing_differs"],
        id="one-request-late",
    ),
    pytest.param(
        [*session("X X X"), user(), NOTICE, assistant()],
        ["landing_differs"],
        id="behind-a-message-that-came-later",
    ),
    pytest.param([*session("X X X"), NOTICE], ["match"], id="both-at-the-end-of-the-log"),
    pytest.param(
        [*session("X*5"), injected("X", 3, after="k4"), injected("X", 5, after="k8", text=SECOND)],
        ["landing_differs", "match"],
        id="each-has-its-own-place",
    ),
    pytest.param(
        [*session("X X X Y X X X"), injected("X", 3), assistant()],
        ["extra", "match"],
        id="of-two-alike-the-one-that-lands-there",
    ),
]


@pytest.mark.parametrize(("records", "expected"), STORIES)
def test_verdicts(records: list[Record], expected: list[str]) -> None:
    found, summary = compared(events_of(records))
    assert verdicts(found) == expected
    assert summary.passed is (expected == ["match"])


# ---------------------------------------------------------------- stamps


STAMPS: list[Any] = [
    pytest.param(plugin("repeat-tool-reminder"), "repeat-tool-reminder", id="current"),
    pytest.param(plugin("repeat-tool-guard"), "repeat-tool-guard", id="former-name"),
    pytest.param({"kind": "repeat-tool-reminder"}, "repeat-tool-reminder", id="version-4"),
    pytest.param({"kind": "plugin:repeat-tool-reminder"}, "repeat-tool-reminder", id="prefixed"),
    pytest.param(plugin("repeat-tool-breaker"), None, id="the-breaker"),
    pytest.param(plugin("schedule"), None, id="another-plugin"),
    pytest.param({"kind": "user", "plugin": "repeat-tool-reminder"}, None, id="a-human"),
    pytest.param({"kind": 7}, None, id="no-kind"),
]


@pytest.mark.parametrize(("source", "expected"), STAMPS)
def test_stamp(source: dict[str, Json], expected: str | None) -> None:
    assert stamp_of(source) == expected


EARLY: Json = {"kind": "plugin", "plugin": "repeat-tool-guard"}
"""Before the source had a form and a summary."""
VERSION_4 = {"kind": "repeat-tool-reminder", "form": "notice", "summary": "X \u00d7 3"}


@pytest.mark.parametrize(
    "source",
    [stamp("X", 3), EARLY, VERSION_4],
    ids=["current", "without-a-summary", "version-4"],
)
def test_every_stamp_in_a_dsh_log(source: dict[str, Json]) -> None:
    log = Log().turn("go").steps("X", "X").run("X")
    log.queue(GENTLE, source, target="next-step").done().step().done().end()
    found, summary = compared(dsh_events(log))
    assert verdicts(found) == ["match"]
    assert summary.passed
    (finding,) = found
    assert finding.recorded is not None
    assert (finding.recorded.tool, finding.recorded.count) == ("X", 3)


def test_the_second_tier_tells_tool_and_count_by_itself() -> None:
    bare: Record = {"type": "injected_message", "source": EARLY, "content": SECOND}
    found, _ = compared(events_of([*session("X*5"), bare, assistant()]), 5)
    assert verdicts(found) == ["text_differs"]
    assert found[0].recorded is not None
    assert (found[0].recorded.tool, found[0].recorded.count) == ("X", 5)


def test_a_reminder_that_says_nothing_is_missing_without_a_name() -> None:
    bare: Record = {"type": "injected_message", "source": EARLY, "content": "?"}
    found, _ = compared(events_of([*session("X"), bare]))
    assert verdicts(found) == ["missing"]
    assert found[0].recorded is not None
    assert (found[0].recorded.tool, found[0].recorded.count) == (None, None)


def test_messages_of_other_plugins_are_not_compared() -> None:
    other: Record = {"type": "injected_message", "source": plugin("schedule"), "content": "x"}
    _, summary = compared(events_of([*session("X X"), other]))
    assert (summary.recorded, summary.outcome) == (0, Outcome.NOTHING_RECORDED)


# ---------------------------------------------------------------- landings in a DSH log


def test_a_reminder_that_was_edited_away_is_not_delivered() -> None:
    log = Log().turn("go").steps("X", "X").run("X").remind("X", 3).cancel("next-step")
    found, _ = compared(dsh_events(log.done().step().done().end()))
    assert verdicts(found) in (["landing_differs"], ["text_differs"])


def test_a_reminder_queued_last_is_delivered_by_nobody() -> None:
    log = Log().turn("go").steps("X", "X").run("X").queue(GENTLE, stamp("X", 3), target="next-step")
    found, _ = compared(dsh_events(log))
    assert verdicts(found) == ["match"]
    assert found[0].predicted is not None
    assert not found[0].predicted.delivered


# ---------------------------------------------------------------- what a log does not tell


def error(call_id: str) -> Record:
    return result(call_id, "Error: hook broke", status="error")


def errors(*ids: str, tool: str = "X") -> list[Record]:
    return [record for call_id in ids for record in (call(tool, call_id), error(call_id))]


DOUBTS: list[Any] = [
    pytest.param([*errors("a", "b", "c"), assistant()], [2], id="one-error-did-not-count"),
    pytest.param(
        [*errors("a", "b", "c", "d"), injected("X", 3, after="d"), assistant()],
        [2],
        id="one-of-the-first-did-not-count",
    ),
    pytest.param([*errors("a", "b"), *errors("c"), *session("Y"), assistant()], [6],
                 id="the-last-doubt-is-named"),
]  # fmt: skip


@pytest.mark.parametrize(("records", "lines"), DOUBTS)
def test_errors_without_a_cause(records: list[Record], lines: list[int]) -> None:
    found, summary = compared(events_of(records))
    assert summary.outcome is Outcome.UNDECIDABLE
    assert all(finding.doubts for finding in found)
    named = [doubt for doubt in summary.doubts if "no cause" in doubt]
    assert len(named) == len(lines)


DECIDED: list[Any] = [
    pytest.param(
        [r for n in "abc" for r in (call("X", n), result(n, "Error: x", status="error", error={}))],
        id="a-recorded-cause-is-certain",
    ),
    pytest.param([*session("X X X"), assistant()], id="nothing-is-in-doubt"),
    pytest.param(
        [*errors("a"), *session("Y Y Y"), assistant()], id="the-doubt-is-about-another-call"
    ),
    pytest.param(
        [*errors("a", "b", "c"), injected("X", 3, after="b"), assistant()],
        id="the-reminder-came-too-early-for-any-way",
    ),
]


@pytest.mark.parametrize("records", DECIDED)
def test_doubts_that_explain_nothing(records: list[Record]) -> None:
    records = [*records, *errors("z", tool="Z")]
    found, summary = compared(events_of(records), 3)
    assert summary.outcome in (Outcome.DIFFERS, Outcome.NOTHING_RECORDED)
    assert not any(finding.doubts for finding in found)


def test_a_refused_prompt_may_not_have_reset() -> None:
    log = Log().turn("go").steps("X", "X").done().end()
    log.queue("bad")
    log.add({"type": "turn/start", "data": {"turn": 2}})
    log.claim("next-turn", 1)
    log.end("blocked").turn("t", {"kind": "plugin", "plugin": "schedule"}).run("X")
    log.queue(GENTLE, stamp("X", 3), target="next-step").done().step().done().end()
    found, summary = compared(dsh_events(log))
    assert verdicts(found) == ["missing"]
    assert summary.outcome is Outcome.UNDECIDABLE
    assert "no request read the prompt" in summary.doubts[0]


def test_a_difference_beside_an_undecidable_one_counts() -> None:
    records = [*errors("a", "b", "c"), *session("child:X child:X child:X"), assistant()]
    records.append(injected("Y", 3) | {"agent": "other"})
    found, summary = compared(events_of(records))
    assert summary.outcome is Outcome.DIFFERS
    assert summary.undecidable == sum(bool(finding.doubts) for finding in found) == 1


def test_many_doubts_are_followed_in_bounded_time() -> None:
    records = errors(*(f"e{number}" for number in range(2_000)))
    _, summary = compared(events_of([*records, assistant()]))
    assert summary.outcome is Outcome.UNDECIDABLE


# ---------------------------------------------------------------- advice


ADVICE: list[Any] = [
    pytest.param((3, 5, 8), "--thresholds 4,6", id="other-thresholds"),
    pytest.param((4, 6), None, id="those-that-were-recorded"),
    pytest.param((4, 6, 9), None, id="a-threshold-that-no-run-reached"),
]


@pytest.mark.parametrize(("thresholds", "options"), ADVICE)
def test_advice(thresholds: tuple[int, ...], options: str | None) -> None:
    records = session("X*4")
    records += [injected("X", 4, after="k6")]
    records += [call("X", "e"), result("e"), call("X", "f"), result("f")]
    records += [injected("X", 6, after="f", text=detailed("X", 6, '{"q":1}')), assistant()]
    _, summary = compared(events_of(records), *thresholds)
    assert (summary.advice.options() if summary.advice else None) == options


def test_no_advice_that_explains_no_more() -> None:
    """Counts were recorded that the calls do not have here: thresholds are not to blame."""
    for after in ("k2", None):
        records = [*session("X X Y"), injected("X", 7, after=after), injected("Y", 9, after=after)]
        _, summary = compared(events_of(records))
        assert summary.advice is None


def test_advice_without_knowing_the_calls() -> None:
    records = [*session("X X"), injected("X", 2), assistant()]
    _, summary = compared(events_of(records))
    assert summary.advice is not None
    assert summary.advice.options() == "--thresholds 2"


def test_advice_about_the_preview() -> None:
    long: Json = {"q": "y" * 80}
    quoted = '{"q":"yyyy\N{HORIZONTAL ELLIPSIS} (+78 more chars)'
    records = [r for n in range(3) for r in (call("X", f"k{n}", arguments=long), result(f"k{n}"))]
    records = [
        *records[:4], injected("X", 2, after="k1"), *records[4:],
        injected("X", 3, after="k2", text=detailed("X", 3, quoted)), assistant(),
    ]  # fmt: skip
    _, summary = compared(events_of(records), 2, 3)
    assert summary.advice is not None
    assert summary.advice.options() == "--arguments-preview-chars 10"
    config: Json = {"thresholds": [2, 3], "argumentsPreviewChars": 10}
    assert compared(events_of(records), config=config)[1].passed


# ---------------------------------------------------------------- the frame


def test_only_a_reminder_can_be_compared() -> None:
    with pytest.raises(UsageError, match="no reminder is mounted"):
        Parity().mount([Breaker()])


def test_other_guards_are_left_alone() -> None:
    breaker = Breaker()
    mounted = Parity().mount([breaker, Reminder()])
    assert mounted[0] is breaker
    assert [guard.name for guard in mounted] == ["breaker", "reminder"]


def test_agents_that_are_not_covered_are_not_compared() -> None:
    parity = Parity(lambda agent: agent.id == "child")
    guards = parity.mount([Reminder()])
    records = [*session("X X X child:X child:X child:X"), assistant(), assistant(agent="child")]
    items = list(parity.watch(replay(events_of(records), guards)))
    assert items
    assert parity.summary().verdicts[Verdict.EXTRA] == 1


def test_what_is_watched_is_what_was_replayed() -> None:
    records = [*session("X X X u X"), assistant()]
    parity = Parity()
    watched = list(parity.watch(replay(events_of(records), parity.mount([Reminder()]))))
    assert watched == list(replay(events_of(records), Reminder()))
