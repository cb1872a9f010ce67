"""Why a count is what it is: every call of every fixture, and every cause by itself."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder import read, replay
from repeat_reminder.config import ConfigText, load, policies_in
from repeat_reminder.config.mounting import guards_of
from repeat_reminder.errors import UsageError
from repeat_reminder.events import (
    Agent,
    CallId,
    Event,
    Intervention,
    SessionStart,
    Settlement,
    ToolCall,
)
from repeat_reminder.explain import (
    Cause,
    Explained,
    Miss,
    Outcome,
    RunAccount,
    Spot,
    Target,
    WindowAccount,
    explain,
    split,
)
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.policies import Guard
from repeat_reminder.policies.breaker import Breaker
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import stem
from tests.notation import assistant, call, events_of, result, session, user
from tests.scenes import Scene

ROOT = Path(__file__).parents[1]
LOGS = [*sorted((ROOT / "fixtures").glob("*.jsonl")),
        *sorted((ROOT / "tests" / "data" / "dsh").glob("*.jsonl*"))]  # fmt: skip
LOGS = [log for log in LOGS if log.name != "expected.jsonl"]


def guards_for(log: Path) -> tuple[Guard, ...]:
    own = log.with_name(f"{stem(log.name)}.config.yml")
    config = ConfigText.of(own) if own.exists() else None
    return guards_of(load(policies_in(config) if config else (), config=config))


def one(events: Sequence[Event], guards: Sequence[Guard], **target: Any) -> Explained:  # noqa: ANN401
    (found,) = explain(events, guards, Target(**target)).calls
    return found


def account(
    records: list[Record], call_id: str, *thresholds: int, **config: tuple[str, ...]
) -> RunAccount:
    guard = Reminder(ReminderConfig(thresholds=thresholds or (3, 5, 8), **config))  # type: ignore[arg-type]  # only lists of texts
    found = one(list(events_of(records)), [guard], call_id=CallId(call_id))
    (only,) = found.accounts
    assert isinstance(only, RunAccount)
    return only


# ---------------------------------------------------------------- agreement with the replay


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_every_call_is_explained_as_it_is_replayed(log: Path) -> None:
    events = list(read(log))
    settled: dict[tuple[str, Agent, int], tuple[bool, int | None]] = {}
    said: Counter[tuple[str, Agent, int]] = Counter()
    for item in replay(iter(events), guards_for(log)):
        match item:
            case Settlement(result=done):
                key = (item.policy, done.call.agent, done.call.index)
                settled[key] = (item.tracked, item.count)
            case Intervention(call=about):
                said[item.policy, about.agent, about.index] += 1
            case _:
                pass
    for made in (event for event in events if isinstance(event, ToolCall)):
        found = [
            explained
            for explained in explain(events, guards_for(log), Target(call_id=made.id)).calls
            if (explained.call.agent, explained.call.index) == (made.agent, made.index)
        ]
        assert len(found) == 1
        for told in found[0].accounts:
            key = (told.policy, made.agent, made.index)
            count = told.count if isinstance(told, RunAccount) else None
            assert (found[0].outcome is Outcome.COUNTED) == (key in settled)
            assert (told.tracked and key in settled, count) == settled.get(key, (False, None))
            assert sum(one.policy == told.policy for one in found[0].said) == said[key]
            if count and isinstance(told, RunAccount):
                assert [here.call.name for here in told.run] == [made.name] * count


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_every_line_of_a_call_names_it(log: Path) -> None:
    events = list(read(log))
    lines: dict[int, set[tuple[str, int]]] = {}
    for item in replay(iter(events), guards_for(log)):
        if isinstance(item, ToolCall) and item.line is not None:
            lines.setdefault(item.line, set()).add((item.agent.session, item.index))
        if isinstance(item, Settlement) and item.result.line is not None:
            named = item.result.call
            lines.setdefault(item.result.line, set()).add((named.agent.session, named.index))
    for line, named_here in lines.items():
        found = explain(events, guards_for(log), Target(line=line)).calls
        assert {(told.call.agent.session, told.call.index) for told in found} == named_here


# ---------------------------------------------------------------- what reset it


RESETS: list[Any] = [
    pytest.param("X X u X", "k5", (Cause.USER_MESSAGE, 5), 3, id="user-message"),
    pytest.param("X X r X", "k5", (Cause.RESUME, 5), 3, id="resume"),
    pytest.param("X X p X", "k5", None, None, id="plugin-message-does-not"),
    pytest.param("X X c X", "k5", None, None, id="compaction-does-not"),
    pytest.param("X X u X X", "k7", (Cause.USER_MESSAGE, 5), 4, id="told-of-the-whole-run"),
    pytest.param("u X X", "k1", (Cause.USER_MESSAGE, 1), None, id="first-prompt-resets-nothing"),
    pytest.param("X Y u X", "k5", (Cause.USER_MESSAGE, 5), None, id="it-differs-anyway"),
]


@pytest.mark.parametrize(("words", "call_id", "reset", "would"), RESETS)
def test_reset(words: str, call_id: str, reset: Any, would: int | None) -> None:  # noqa: ANN401
    told = account(session(words), call_id)
    assert told.resets == (() if reset is None else (reset,))
    assert told.without_resets == would


def test_an_agent_that_ends_takes_its_run_along() -> None:
    ended: Record = {"type": "agent", "id": "main", "state": "end"}
    told = account([*session("X X"), ended, call("X", "z"), result("z")], "z")
    assert told.resets == ((Cause.AGENT_END, 5),)
    assert (told.count, told.without_resets) == (1, 3)


def test_a_steer_takes_effect_when_its_step_ends() -> None:
    """The call that runs still counts on the old run; the next one is told of the message."""
    records = [
        *session("X"), call("X", "b"), user("any news?"), result("b"), call("X", "c"), result("c"),
    ]  # fmt: skip
    assert account(records, "b").count == 2
    after = account(records, "c")
    assert (after.count, after.resets) == (1, ((Cause.USER_MESSAGE, 4),))
    assert after.without_resets == 3


def test_messages_that_wait_are_all_named() -> None:
    records = [*session("X"), user(), user(), call("X", "z"), result("z")]
    assert account(records, "z").resets == ((Cause.USER_MESSAGE, 3), (Cause.USER_MESSAGE, 4))


# ---------------------------------------------------------------- what went before


def test_the_run_and_what_began_it() -> None:
    told = account(session("Y X X X"), "k6")
    assert [here.call.id for here in told.run] == ["k2", "k4", "k6"]
    assert [here.result_line for here in told.run] == [4, 6, 8]
    assert told.before is not None
    assert (told.before.last.call.id, told.before.length) == ("k0", 1)
    assert told.difference is not None
    assert told.difference[:3] == (None, '"Y"', '"X"')
    assert told.previous == told.run[1]


def test_the_previous_call_is_tracked_and_of_the_same_agent() -> None:
    records = session("X child:X todo_write X")
    told = account(records, "k6", exclude=("todo*",))
    assert told.previous is not None
    assert (told.previous.call.id, told.count) == ("k0", 2)


def test_an_argument_that_differs() -> None:
    records = [
        call("X", "a", arguments={"path": "f", "timeout": 60}), result("a"),
        call("X", "b", arguments={"timeout": 30, "path": "f"}), result("b"),
    ]  # fmt: skip
    told = account(records, "b")
    assert told.difference == ("$.timeout", "60", "30", None)
    same = account(records, "b", ignore_args=("timeout",))
    assert (same.count, same.key, same.difference) == (2, '{"path":"f"}', None)


THRESHOLDS: list[Any] = [
    ("X", "k0", 3), ("X X", "k2", 3), ("X X X", "k4", 5), ("X*8", "k14", None),
]  # fmt: skip


@pytest.mark.parametrize(("words", "call_id", "following"), THRESHOLDS)
def test_the_next_threshold(words: str, call_id: str, following: int | None) -> None:
    assert account(session(words), call_id).next_threshold == following


# ---------------------------------------------------------------- what does not count


SCOPES: list[Any] = [
    pytest.param({}, (True, None, None), id="nothing-restricts-it"),
    pytest.param({"exclude": ("X*", "*")}, (False, "exclude", "X*"), id="excluded-by-a-pattern"),
    pytest.param({"include": ("a", "X")}, (True, "include", "X"), id="included-by-a-pattern"),
    pytest.param({"include": ("a",)}, (False, "include", None), id="included-by-none"),
    pytest.param(
        {"include": ("X",), "exclude": ("*",)}, (False, "exclude", "*"), id="exclude-wins"
    ),
]


@pytest.mark.parametrize(("config", "decision"), SCOPES)
def test_which_pattern_decides(config: dict[str, tuple[str, ...]], decision: Any) -> None:  # noqa: ANN401
    told = account(session("X X"), "k2", **config)
    assert told.decision == decision
    assert told.count == (2 if decision[0] else None)


def test_a_call_that_is_not_tracked_leaves_the_run_alone() -> None:
    told = account(session("X X todo_write"), "k4", exclude=("todo*",))
    assert [here.call.id for here in told.run] == ["k0", "k2"]
    assert told.next_threshold == 3


def test_a_run_that_was_dropped_does_not_go_on() -> None:
    told = account(session("X X u todo_write"), "k5", exclude=("todo*",))
    assert told.run == ()


def test_a_skipped_call_never_counts() -> None:
    records = [*session("X X"), call("X", "s"), result("s", status="skipped"), *session("X")]
    found = one(list(events_of(records[:-2])), [Reminder()], call_id=CallId("s"))
    (told,) = found.accounts
    assert isinstance(told, RunAccount)
    assert (found.outcome, told.count, len(told.run)) == (Outcome.SKIPPED, None, 2)


def test_a_call_without_a_result_never_counts() -> None:
    found = one([*events_of([*session("X X"), call("X", "u")])], [Reminder()], call_id=CallId("u"))
    (told,) = found.accounts
    assert isinstance(told, RunAccount)
    assert (found.outcome, told.count, found.result) == (Outcome.UNFINISHED, None, None)
    assert len(told.run) == 2  # it goes on


def test_a_call_without_a_result_stands_where_it_started() -> None:
    later = [*session("X X"), call("X", "u"), call("X", "v"), result("v")]
    found = one([*events_of(later)], [Reminder()], call_id=CallId("u"))
    (told,) = found.accounts
    assert isinstance(told, RunAccount)
    assert (len(told.run), told.previous) == (2, told.run[-1])


def test_arguments_too_deep_to_count() -> None:
    deep = "[" * 6_000 + "]" * 6_000
    told = account([call("X", "d", arguments_text=deep), result("d")], "d")
    assert (told.key, told.tracked, told.count, told.decision.tracked) == (None, False, None, True)


# ---------------------------------------------------------------- what was said


def test_the_reminder_and_its_landing() -> None:
    found = one([*events_of([*session("X X X"), assistant()])], [Reminder()], call_id=CallId("k4"))
    (said,) = found.said
    assert (said.count, said.delivered, found.inject_after) == (3, True, (6, "k4"))


def test_several_guards_account_in_the_order_they_are_mounted() -> None:
    found = one([*events_of(session("X X X"))], [Breaker(), Reminder()], call_id=CallId("k4"))
    window, run = found.accounts
    assert isinstance(window, WindowAccount)
    assert isinstance(run, RunAccount)
    assert [(here.fp, here.occurrences) for here in window.before] == [('exact:X:{"q":1}', 2)]
    assert window.after is not None
    assert [(here.occurrences, here.cap, here.streak) for here in window.after] == [(3, 12, 0)]


def test_the_breakers_failures_and_what_it_says() -> None:
    records = [
        record
        for number in range(3)
        for record in (call("bash", f"f{number}"), result(f"f{number}", status="error"))
    ]
    found = one([*events_of(records)], [Breaker()], call_id=CallId("f2"))
    (window,) = found.accounts
    assert isinstance(window, WindowAccount)
    assert window.after is not None
    assert [(then.streak, now.streak) for then, now in zip(window.before, window.after, strict=True)
            if now.streak] == [(2, 3)]  # fmt: skip
    assert [said.action for said in found.said] == ["fail_warn"]
    assert window.fail_limit == 5


def test_a_denial_is_told_though_it_came_before_the_result() -> None:
    events = [*events_of(session("X*12"))]
    by_line = one(events, [Breaker()], line=24)
    assert [said.action for said in by_line.said] == ["ask"]
    assert by_line.said == one(events, [Breaker()], call_id=CallId("k22")).said


def test_no_guard_no_account() -> None:
    found = one([*events_of(session("X"))], [], call_id=CallId("k0"))
    assert (found.accounts, found.outcome) == ((), Outcome.COUNTED)


# ---------------------------------------------------------------- targets


def test_an_id_in_two_sessions_names_both() -> None:
    records: list[Record] = []
    for name in ("one", "two"):
        records += [{"type": "session", "id": name}, call("X", "k"), result("k")]
    events = [*events_of(records)]
    both = explain(events, [Reminder()], Target(call_id=CallId("k"))).calls
    assert [told.session.session for told in both] == ["one", "two"]
    assert one(events, [Reminder()], call_id=CallId("k"), sessions=("tw",)).call.line == 5


def test_several_calls_on_one_line_are_all_found() -> None:
    """Other logs than ours hold all calls of a response in one line."""
    origin = Scene().events[0]
    assert isinstance(origin, SessionStart)
    log = Session(origin, begun=True)
    events = [
        origin,
        *log.call("main", "X", 2, call_id="a"),
        *log.call("main", "X", 2, call_id="b"),
    ]
    events += [
        *log.result("a", Answer(line=3), 3),
        *log.result("b", Answer(line=3), 3),
        *log.end(3),
    ]
    for line in (2, 3):
        found = explain(events, [Reminder()], Target(line=line)).calls
        assert [told.call.id for told in found] == ["a", "b"]


def test_an_agent_is_picked_by_the_beginning_of_its_name() -> None:
    records = [call("X", "k"), call("X", "k", agent="child"), result("k", agent="main")]
    found = one([*events_of(records)], [Reminder()], call_id=CallId("k"), agents=("ch",))
    assert found.call.agent.id == "child"


MISSES: list[Any] = [
    pytest.param({"line": 2}, "line 2", "line 1 is one of Y (k0), line 3 is one of X (k1)",
                 id="between"),
    pytest.param({"line": 99}, "line 99", "line 3 is one of X (k1)", id="behind-the-end"),
    pytest.param({"call_id": "k11"}, "k11", "did you mean k1", id="an-id-that-is-nearly-one"),
    pytest.param({"call_id": "zzz"}, "zzz", "FILE:LINE", id="an-id-that-is-nothing-like-one"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "message", "hint"), MISSES)
def test_what_is_no_call_says_what_is_near(target: dict[str, Any], message: str, hint: str) -> None:
    records = [call("Y", "k0"), user(), call("X", "k1")]
    with pytest.raises(UsageError, match=message) as error:
        explain(events_of(records), [Reminder()], Target(**target))
    assert hint in (error.value.hint or "")


SPOTS: list[Any] = [
    pytest.param("s.jsonl:36", {"s.jsonl"}, Spot("s.jsonl", 36), id="a-line"),
    pytest.param("s.jsonl#c1", {"s.jsonl"}, Spot("s.jsonl", None, CallId("c1")), id="an-id"),
    pytest.param("-:3", {"-"}, Spot("-", 3), id="standard-input"),
    pytest.param("a#b.jsonl:3", {"a#b.jsonl"}, Spot("a#b.jsonl", 3), id="a-path-with-a-mark"),
    pytest.param("a:1", {"a:1"}, Spot("a:1"), id="a-path-that-looks-like-a-line"),
    pytest.param("a:1:2", {"a:1", "a"}, Spot("a:1", 2), id="the-longest-path-wins"),
    pytest.param("s#c#1:2", {"s"}, Spot("s", None, CallId("c#1:2")), id="an-id-with-marks"),
    pytest.param("a#b#c", {"a#b"}, Spot("a#b", None, CallId("c")), id="both-with-marks"),
    pytest.param("s.jsonl", {"s.jsonl"}, Spot("s.jsonl"), id="a-file-alone"),
    pytest.param("no.jsonl:4", set(), Spot("no.jsonl", 4), id="no-such-file-with-a-line"),
    pytest.param("no.jsonl#c", set(), Spot("no.jsonl", None, CallId("c")), id="no-such-file"),
    pytest.param("no.jsonl", set(), Spot("no.jsonl"), id="nothing-at-all"),
    pytest.param("C:\\s.jsonl:4", {"C:\\s.jsonl"}, Spot("C:\\s.jsonl", 4), id="a-drive"),
]


@pytest.mark.parametrize(("word", "files", "spot"), SPOTS)
def test_split(word: str, files: set[str], spot: Spot) -> None:
    assert split(word, files.__contains__) == spot


def test_lines_count_from_one() -> None:
    with pytest.raises(UsageError, match="count from 1"):
        split("s.jsonl:0", {"s.jsonl"}.__contains__)


# ---------------------------------------------------------------- near misses


def polled(*timeouts: int) -> list[Record]:
    records: list[Record] = []
    for number, timeout in enumerate(timeouts):
        records += [
            call("poll", f"p{number}", arguments={"id": 7, "timeout": timeout}),
            result(f"p{number}"),
        ]
    return records


NEAR: list[Any] = [
    pytest.param(polled(1, 2, 3, 4), [(Miss.ARGUMENT, 4, "$.timeout", (3,))], id="one-argument"),
    pytest.param(
        polled(1, 1, 2, 2, 2), [(Miss.ARGUMENT, 5, "$.timeout", (5,))], id="runs-that-are-joined"
    ),
    pytest.param(session("X X u X"), [(Miss.RESET, 3, None, (3,))], id="reset"),
    pytest.param(session("X X Y X"), [(Miss.OTHER_CALL, 3, None, (3,))], id="one-other-call"),
    pytest.param(
        session("X Y X Y X Y"),
        [(Miss.OTHER_CALL, 3, None, (3,)), (Miss.OTHER_CALL, 3, None, (3,))],
        id="to-and-fro",
    ),
    pytest.param(session("X Y Y X"), [], id="two-other-calls-are-no-near-miss"),
    pytest.param(session("X u Y u X"), [], id="nor-is-a-reset-beside-another-call"),
    pytest.param(session("X X X"), [], id="a-run-is-no-miss"),
    pytest.param(session("X u X"), [(Miss.RESET, 2, None, ())], id="short-ones-come-last"),
    pytest.param(
        [*session("X u X Y"), *polled(1, 2, 3)],
        [(Miss.ARGUMENT, 3, "$.timeout", (3,)), (Miss.RESET, 2, None, ())],
        id="what-misses-a-threshold-comes-first",
    ),
]


@pytest.mark.parametrize(("records", "expected"), NEAR)
def test_near_misses(records: list[Record], expected: Any) -> None:  # noqa: ANN401
    found = explain(events_of(records), [Reminder()], None, most_near=9).near
    assert found is not None
    assert [(miss.kind, miss.length, miss.path, miss.reached) for miss in found] == expected


def test_near_misses_are_those_of_the_calls_session() -> None:
    records: list[Record] = [{"type": "session", "id": "a"}, *session("X X u X")]
    records += [{"type": "session", "id": "b"}, call("Z", "z"), result("z")]
    events = [*events_of(records)]
    told = explain(events, [Reminder()], Target(call_id=CallId("z")), most_near=3)
    assert told.near == ()
    everywhere = explain(events, [Reminder()], None, most_near=3).near
    assert everywhere is not None
    assert [miss.agent.session for miss in everywhere] == ["a"]


def test_nobody_asked_for_near_misses() -> None:
    told = explain(events_of(session("X u X")), [Reminder()], Target(call_id=CallId("k0")))
    assert told.near is None


def test_there_are_logs_to_explain() -> None:
    assert len(LOGS) > 40
