"""The breaker as a guard: what its interventions carry, resets, calls that never came before it."""

import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

import repeat_reminder
from repeat_reminder.errors import UsageError
from repeat_reminder.events import (
    Action,
    Agent,
    FingerprintHit,
    Intervention,
    SessionId,
    ToolCall,
)
from repeat_reminder.policies import UNTRACKED, Guard, Verdict
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.policies.breaker.urls import whatwg_parser
from tests.breaker_driver import MAIN, SESSION, breaker, tool_call, tool_result

READ = {"name": "read", "arguments": {"file_path": "a"}}
OTHER = {"name": "read", "arguments": {"file_path": "b"}}
MAKE = {"name": "bash", "arguments": {"command": "make"}}
FP = 'exact:read:{"file_path":"a"}'
FAILS = {"content": "x", "value": {"exitCode": 2}}
LOW = {"onLimit": "deny", "limits": {"exact": 3}, "warnAt": 2, "summarizeAt": None}


class Session:
    """Numbers the calls of one session and brings them before a guard."""

    def __init__(self, config: dict[str, Any] | None = None, guard: Breaker | None = None) -> None:
        """Take a guard, or make one."""
        self.guard = guard or breaker(config)
        self._numbers = count()

    def start(self, event: dict[str, Any]) -> tuple[ToolCall, tuple[Intervention, ...]]:
        """Bring a call before the guard; return what it says at once."""
        call = tool_call(next(self._numbers), event)
        return call, self.guard.on_call(call)

    def run(self, event: dict[str, Any], **result: Any) -> list[Intervention]:  # noqa: ANN401
        """Bring a call and its result before the guard; return all that it says."""
        call, gate = self.start(event)
        return [*gate, *self.guard.on_result(tool_result(call, result)).interventions]

    def actions(self, event: dict[str, Any], times: int, **result: Any) -> list[str]:  # noqa: ANN401
        """Return what each of equal calls leads to."""
        said = (self.run(event, **result) for _ in range(times))
        return ["+".join(words.action for words in each) for each in said]

    def occurrences(self, event: dict[str, Any], fp: str = FP) -> int:
        """Return how often a fingerprint of the call is in the window."""
        return self.standing(event, fp)[0]

    def standing(self, event: dict[str, Any], fp: str = FP) -> tuple[int, int]:
        """Return occurrences and streak of a fingerprint of the call."""
        found = self.guard.standings(tool_call(0, event))
        return next((each.occurrences, each.streak) for each in found if each.fp == fp)


def test_breaker_is_a_guard() -> None:
    guard: Guard = Breaker()
    assert (repeat_reminder.Breaker, repeat_reminder.BreakerConfig) == (Breaker, BreakerConfig)
    assert guard.name == "breaker"
    assert guard.config_record() == BreakerConfig().record()


# ---------------------------------------------------------------- what interventions carry


def test_advice_carries_its_measure() -> None:
    session = Session({"warnAt": 2})
    session.run(READ)
    (said,) = session.run(READ)
    assert (said.policy, said.action, said.count) == ("breaker", Action.WARN, 2)
    assert said.fingerprints == (FingerprintHit(FP, 2, 12, "occurrence"),)
    assert said.source == {
        "kind": "plugin",
        "plugin": "repeat-tool-breaker",
        "form": "notice",
        "summary": f"{FP} \N{MULTIPLICATION SIGN} 2",
    }
    assert (said.outcome, said.denial, said.tier, said.threshold) == (None, None, None, None)


@pytest.mark.parametrize("limit", [5, None], ids=["with-a-gate", "without"])
def test_failure_advice_carries_streak_and_failure_limit(limit: int | None) -> None:
    session = Session({"failWarnAt": 2, "failLimit": limit})
    session.run(MAKE, **FAILS)
    (said,) = session.run(MAKE, **FAILS)
    assert said.fingerprints == (FingerprintHit("cmd:make:make", 2, limit, "failure"),)
    assert (said.action, said.count) == (Action.FAIL_WARN, 2)
    assert said.source["summary"] == "cmd:make:make failed x2"
    assert "non-zero exit code (2)" in said.text


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("curl https://a.org https://b.org -o f", "host:a.org"),
        ("curl http://localhost/x -o f", "net:localhost/x"),
        ("make -o f", "sink:f"),
        ("make", "cmd:make:make"),
    ],
    ids=["host-the-first", "address", "sink", "command"],
)
@pytest.mark.parametrize("stage", ["warnAt", "failWarnAt"])
def test_advice_names_the_measure_that_one_can_act_on(command: str, named: str, stage: str) -> None:
    off = {"warnAt": None, "summarizeAt": None, "failWarnAt": None}
    session = Session({**off, stage: 2})
    event = {"name": "bash", "arguments": {"command": command}}
    session.run(event, **FAILS)
    (said,) = session.run(event, **FAILS)
    assert [hit.fp for hit in said.fingerprints] == [named]


def test_failure_advice_comes_before_occurrence_advice() -> None:
    session = Session({"failWarnAt": 2, "warnAt": 2})
    assert session.actions(MAKE, 2, **FAILS) == ["", "fail_warn+warn"]


@pytest.mark.parametrize(
    ("answer", "outcome", "stopped"),
    [
        ("unattended", "unavailable", True),
        ("reject", "rejected", True),
        ("approve", "allowed-once", False),
    ],
)
def test_question_carries_outcome_and_what_the_model_reads(
    answer: Any,  # noqa: ANN401 - one of the three answers
    outcome: str,
    *,
    stopped: bool,
) -> None:
    session = Session(guard=breaker({"limits": {"exact": 2}}, answer))
    session.run(READ, content="the previous text")
    call, (said,) = session.start(READ)
    assert (said.action, said.outcome, said.count) == (Action.ASK, outcome, 2)
    assert said.text.startswith("repeat-tool-breaker is about to stop this read tool call.")
    assert (said.denial is not None) is stopped
    if said.denial is not None:
        assert said.denial.startswith("REPEAT_TOOL_BLOCKED")
        assert "not granted" in said.denial
        assert "the previous text" in said.denial
    assert session.guard.on_result(tool_result(call, None)) == Verdict(tracked=True, run=None)


def test_denial_is_what_the_model_reads() -> None:
    session = Session(LOW)
    said = [session.run(READ, content=f"text {n}") for n in range(4)]
    assert [[words.action for words in each] for each in said] == [
        [], [Action.WARN], [Action.DENY], [Action.DENY],
    ]  # fmt: skip
    assert said[3][0].denial == said[3][0].text
    # the recorded result of a denied call is not read
    assert "text 1" in said[3][0].text
    assert said[3][0].count == 4


def test_denial_mentions_a_refusal_only_if_all_that_blocks_was_refused() -> None:
    session = Session({"limits": {"exact": 2, "cmd": 3}})
    reworded = {"name": "bash", "arguments": {"command": "make", "x": 1}}
    assert session.actions(MAKE, 2) == ["", "ask"]
    (alone,) = session.run(MAKE)
    assert session.actions(reworded, 1) == [""]
    (beside,) = session.run(MAKE)
    assert [len(said.fingerprints) for said in (alone, beside)] == [1, 2]
    assert [said.action for said in (alone, beside)] == [Action.DENY, Action.DENY]
    assert ["not granted" in said.text for said in (alone, beside)] == [True, False]


@pytest.mark.parametrize(
    ("texts", "quoted"),
    [
        (["x" * 7 + "😀y"], "x" * 7 + "\ud83d\n"),
        (["ab", "", "cd"], "ab\ncd\n"),
        ([""], "already in the conversation history"),
    ],
    ids=["cut-in-a-pair-without-a-mark", "blocks-joined", "empty-is-none"],
)
def test_previous_result(texts: list[str], quoted: str) -> None:
    session = Session({**LOW, "warnAt": None, "resultPreviewChars": 8})
    session.run(READ, content=texts)
    session.run(READ)
    (said,) = session.run(READ)
    assert quoted in said.text


# ---------------------------------------------------------------- resets and agents


def test_human_message_drops_everything_of_its_agent() -> None:
    session = Session({"limits": {"exact": 3}, "failLimit": 2})
    session.run(READ, isError=True)
    assert session.standing(READ) == (1, 1)
    session.guard.on_user_message(Agent(SESSION, "child"))
    assert session.standing(READ) == (1, 1)
    session.guard.on_user_message(MAIN)
    assert session.standing(READ) == (0, 0)


def test_human_message_forgets_refusals() -> None:
    session = Session({"limits": {"exact": 2}})
    assert session.actions(READ, 3) == ["", "ask", "deny"]
    session.guard.on_user_message(MAIN)
    assert session.actions(READ, 3) == ["", "ask", "deny"]


def test_call_that_runs_while_a_human_speaks_settles_in_the_new_turn() -> None:
    session = Session({"warnAt": 2})
    session.run(READ)
    call, _ = session.start(READ)
    session.guard.on_user_message(MAIN)
    verdict = session.guard.on_result(tool_result(call, {"isError": True}))
    assert [said.action for said in verdict.interventions] == [Action.WARN]
    assert session.standing(READ) == (0, 1)


@pytest.mark.parametrize("how", ["agent", "session"])
def test_gone_agents_leave_nothing(how: str) -> None:
    session = Session({})
    call, _ = session.start(READ)
    if how == "agent":
        session.guard.on_agent_gone(MAIN)
    else:
        session.guard.on_session_end(SESSION)
    assert session.occurrences(READ) == 0
    assert session.guard.on_result(tool_result(call, None)) == UNTRACKED


def test_strangers_are_no_error() -> None:
    guard = breaker()
    guard.on_user_message(MAIN)
    guard.on_agent_gone(MAIN)
    guard.on_session_end(SessionId("other"))
    guard.on_skipped(tool_call(0, READ))
    assert guard.on_result(tool_result(tool_call(0, READ), None)) == UNTRACKED


@pytest.mark.parametrize(
    "event",
    [
        {"name": "todo_write", "arguments": {}},
        {"name": "", "arguments": {}},
        {"name": "read", "raw": "[" * 6_000 + "]" * 6_000},
    ],
    ids=["excluded", "no-name", "too-deep"],
)
def test_transparent_call(event: dict[str, Any]) -> None:
    session = Session({"limits": {"exact": 2}})
    for _ in range(3):
        call, said = session.start(event)
        assert said == ()
        assert session.guard.on_result(tool_result(call, {"isError": True})) == UNTRACKED
    assert session.guard.standings(call) == []


# ---------------------------------------------------------------- calls that are taken back


def skipped(session: Session, event: dict[str, Any]) -> None:
    call, _ = session.start(event)
    session.guard.on_skipped(call)


def denied(session: Session, event: dict[str, Any]) -> list[Intervention]:
    call, _ = session.start(event)
    result = tool_result(call, {"status": "denied", "content": "no"})
    return list(session.guard.on_result(result).interventions)


def test_skipped_calls_touch_nothing() -> None:
    session = Session(LOW)
    assert session.actions(READ, 2) == ["", "warn"]
    for _ in range(5):
        skipped(session, READ)
        skipped(session, OTHER)
    assert session.standing(READ) == (2, 0)
    assert session.standing(OTHER, 'exact:read:{"file_path":"b"}') == (0, 0)
    assert session.actions(READ, 1) == ["deny"]


def test_skipped_call_brings_back_what_it_pushed_out() -> None:
    session = Session({"window": 4})
    session.run(READ)
    for number in range(3):
        session.run({"name": "x", "arguments": number})
    call, _ = session.start({"name": "x", "arguments": 9})
    assert session.occurrences(READ) == 0
    session.guard.on_skipped(call)
    assert session.occurrences(READ) == 1


@pytest.mark.parametrize("answer", ["unattended", "approve"])
def test_skipped_call_takes_its_question_back(answer: Any) -> None:  # noqa: ANN401
    session = Session(guard=breaker({"limits": {"exact": 2}}, answer))
    session.run(READ)
    for _ in range(3):
        call, said = session.start(READ)
        assert [words.action for words in said] == [Action.ASK]
        session.guard.on_skipped(call)
        (standing,) = session.guard.standings(call)
        assert (standing.exempt, standing.refused, standing.occurrences) == (False, False, 1)


def test_taking_back_leaves_earlier_answers() -> None:
    session = Session({"limits": {"exact": 2}})
    session.run(READ)
    session.run(READ)
    call, said = session.start(READ)
    session.guard.on_skipped(call)
    assert [words.action for words in said] == [Action.DENY]
    assert session.guard.standings(call)[0].refused


def test_denied_call_is_a_failure_that_was_never_recorded() -> None:
    session = Session({"failWarnAt": 2, "warnAt": 2})
    session.run(READ)
    assert denied(session, READ) == []  # no advice for the second occurrence: there was none
    assert session.standing(READ) == (1, 1)
    (said,) = denied(session, READ)
    assert said.action is Action.FAIL_WARN
    assert "the tool raised an error" in said.text
    assert session.standing(READ) == (1, 2)


def test_denied_call_that_this_guard_would_have_stopped_is_a_failure_too() -> None:
    session = Session(LOW)
    session.actions(READ, 2)
    denied(session, READ)
    assert session.standing(READ) == (2, 1)


def test_denied_call_ends_where_a_human_spoke_meanwhile() -> None:
    session = Session({})
    call, _ = session.start(READ)
    session.guard.on_user_message(MAIN)
    session.start(READ)
    session.guard.on_result(tool_result(call, {"status": "denied"}))
    assert session.standing(READ) == (1, 1)


def test_parallel_calls_are_gated_as_they_start() -> None:
    session = Session(LOW)
    said = [session.start(READ) for _ in range(4)]
    assert [[words.action for words in gate] for _, gate in said] == [
        [], [], [Action.DENY], [Action.DENY],
    ]  # fmt: skip
    verdicts = [session.guard.on_result(tool_result(call, None)) for call, _ in said]
    assert [[words.action for words in each.interventions] for each in verdicts] == [
        [], [Action.WARN], [], [],
    ]  # fmt: skip


# ---------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("result", "streak"),
    [
        ({"status": "error"}, 1),
        ({"status": "aborted"}, 1),
        ({"isError": True}, 1),
        ({"status": "timeout"}, 1),
        ({"status": "timeout", "value": {"exitCode": 0}}, 0),
        ({"status": "aborted", "value": {"aborted": True}}, 0),
        ({"status": "ok", "value": {"statusCode": 404}}, 1),
        ({"status": "ok"}, 0),
    ],
    ids=str,
)
def test_status_of_a_result(result: dict[str, Any], streak: int) -> None:
    session = Session({})
    session.run(READ, **result)
    assert session.standing(READ) == (1, streak)


def test_timeout_says_so() -> None:
    session = Session({"failWarnAt": 1})
    (said,) = session.run(READ, status="timeout")
    assert "the call ran out of time." in said.text


@pytest.mark.parametrize(
    ("text", "streak"),
    [
        ("Error: REPEAT_TOOL_BLOCKED: repeated read (semantic match).", 1),
        ("Error: REPEAT_TOOL", 2),
        ("read Error: REPEAT_TOOL_BLOCKED", 2),
    ],
    ids=["a-denial", "another-error", "a-text-about-one"],
)
def test_a_denial_in_the_log_tells_nothing_about_the_call(text: str, streak: int) -> None:
    session = Session({})
    session.run(READ, isError=True, content="no such file")
    session.run(READ, isError=True, content=text)
    assert session.standing(READ) == (2, streak)


def test_an_exit_code_says_more_than_a_bare_status() -> None:
    session = Session({"failWarnAt": 1})
    (said,) = session.run(READ, status="error", value={"exitCode": 2})
    assert "a non-zero exit code (2)." in said.text


def test_log_without_results_leaves_streaks_alone() -> None:
    session = Session({"warnAt": 3, "failWarnAt": 1})
    session.run(READ, isError=True)
    silent = {**READ, "result_recorded": False}
    assert session.actions(silent, 2) == ["", "warn"]
    assert session.standing(READ) == (3, 1)


def test_long_calls_are_told_apart_and_named_in_full() -> None:
    session = Session({"warnAt": 2})
    first = {"name": "write", "arguments": {"content": "x" * 5_000 + "1"}}
    other = {"name": "write", "arguments": {"content": "x" * 5_000 + "2"}}
    session.run(first)
    assert session.actions(other, 1) == [""]
    (said,) = session.run(first)
    assert said.fingerprints[0].fp.endswith('1"}')
    assert len(str(said.source["summary"])) > 5_000
    assert "more chars)" in said.text


def test_asking_for_standings_changes_nothing() -> None:
    session = Session({})
    call = tool_call(0, READ)
    assert [session.guard.standings(call) for _ in range(3)].count([]) == 0
    assert session.occurrences(READ) == 0
    session.run(MAKE, **FAILS)
    standings = session.guard.standings(tool_call(0, MAKE))
    assert [(each.fp, each.occurrences, each.cap, each.streak) for each in standings] == [
        ('exact:bash:{"command":"make"}', 1, 12, 1),
        ("verb:make", 1, None, 0),
        ("cmd:make:make", 1, 12, 1),
    ]


# ---------------------------------------------------------------- the optional package


@pytest.fixture
def _no_parser(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "can_ada", None)
    whatwg_parser.cache_clear()
    yield
    whatwg_parser.cache_clear()


@pytest.mark.usefixtures("_no_parser")
def test_missing_package_is_told_when_a_breaker_is_made() -> None:
    config = BreakerConfig.from_mapping({"window": 4})  # settings alone need no parser
    with pytest.raises(UsageError, match="can_ada") as caught:
        Breaker(config)
    assert caught.value.hint == 'pip install "repeat-reminder[breaker]"'
