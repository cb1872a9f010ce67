"""The breaker as people use it: answers, gates of calls that ran, both guards, blind spots."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.check.replaying import Overrides, load_for
from repeat_reminder.check.scenarios import scenario_at
from repeat_reminder.cli.options import AnswerTo
from repeat_reminder.policies.answers import ANSWERS
from repeat_reminder.policies.breaker.urls import whatwg_parser
from tests.command import Ran, run

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
READS = FIXTURES / "breaker-verbatim-read.jsonl"
"""Thirteen equal calls, each answered."""
SCENARIOS = sorted(FIXTURES.glob("breaker-*.jsonl"))
RAN = (
    "note: refused calls ran in the recording: from a session's first refusal on, its replay is "
    "hypothetical\n"
)


def records(done: Ran, kind: str = "reminder") -> list[dict[str, Any]]:
    found = [json.loads(line) for line in done.out.splitlines()]
    return [record for record in found if record["kind"] == kind]


def replayed(*words: str | Path) -> list[dict[str, Any]]:
    done = run("replay", *words, "-f", "jsonl")
    assert done.code == 0, done.err
    return records(done)


@pytest.mark.parametrize("command", ["replay", "explain", "check"])
def test_the_help_knows_the_breaker_and_its_questions(command: str) -> None:
    words = " ".join(run(command, "--help").out.split())
    assert "reminder (default), breaker or none" in words
    assert f"--answer <{'|'.join(ANSWERS)}>" in words


def test_every_answer_can_be_given() -> None:
    assert tuple(AnswerTo) == ANSWERS


@pytest.mark.parametrize(
    ("words", "outcome", "actions"),
    [
        ([], "unavailable", ["warn", "summarize", "ask", "deny"]),
        (["--answer", "unattended"], "unavailable", ["warn", "summarize", "ask", "deny"]),
        (["--answer", "reject"], "rejected", ["warn", "summarize", "ask", "deny"]),
        (["--answer", "approve"], "allowed-once", ["warn", "summarize", "ask"]),
    ],
    ids=["nobody-by-default", "nobody", "no", "yes"],
)
def test_what_an_answer_leads_to(words: list[str], outcome: str, actions: list[str]) -> None:
    said = replayed(READS, "--policy", "breaker", *words)
    assert [record["action"] for record in said] == actions
    assert [record["outcome"] for record in said if record["action"] == "ask"] == [outcome]


def test_a_refused_call_ran_in_the_recording_and_its_record_says_how() -> None:
    *_, ask, deny = replayed(READS, "--policy", "breaker")
    assert ask["denial"].startswith("REPEAT_TOOL_BLOCKED")
    assert deny["text"].startswith("REPEAT_TOOL_BLOCKED")
    for record, line in ((ask, 25), (deny, 27)):
        assert record["call"]["line"] == line
        assert record["inject_after"] == {"line": line, "call_id": record["call"]["id"]}
        assert (record["result"], record["recorded_status"]) == ({"line": line + 1}, "ok")
        assert record["settled"] is None


def test_the_report_says_that_refused_calls_ran() -> None:
    done = run("replay", READS, "--policy", "breaker", "--answer", "reject")
    assert "answer reject" in done.out
    assert "2 refused calls ran in the recording" in done.out
    assert done.err.endswith(RAN)


def test_that_a_replay_is_hypothetical_is_said_once(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(READS.read_bytes())
    done = run("replay", tmp_path, "--policy", "breaker", "--policy", "reminder")
    assert done.err.count("hypothetical") == 1
    approved = run("replay", tmp_path, "--policy", "breaker", "--answer", "approve")
    assert RAN not in approved.err


def test_the_answer_stands_in_the_header() -> None:
    words = ["--policy", "reminder", "--policy", "breaker", "--answer", "approve"]
    [header] = records(run("replay", READS, *words, "-f", "jsonl"), "header")
    assert [(policy["name"], policy.get("answer")) for policy in header["policy"]] == [
        ("reminder", None),
        ("breaker", "approve"),
    ]
    assert "policy breaker  answer approve\n" in run("replay", READS, *words, "-v").out


@pytest.mark.parametrize("command", ["replay", "explain"])
def test_an_answer_to_nobody_is_a_mistake(command: str) -> None:
    spot = READS if command == "replay" else f"{READS}:3"
    done = run(command, spot, "--answer", "approve")
    assert done.code == 2
    assert done.err == (
        "error: --answer has no effect on the mounted policies\n"
        "hint: mount it with --policy breaker\n"
    )


@pytest.mark.parametrize("order", [("reminder", "breaker"), ("breaker", "reminder")], ids=str)
def test_two_guards_speak_in_the_order_they_are_mounted(
    order: tuple[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "c.yml"
    config.write_text("reminder: {thresholds: [3]}\nbreaker: {warnAt: 3, failWarnAt: 3}\n")
    policies = [word for name in order for word in ("--policy", name)]
    log = FIXTURES / "breaker-with-reminder.jsonl"
    said = replayed(log, *policies, "--config", config)
    breaker, reminder = ["breaker fail_warn", "breaker warn"], ["reminder remind"]
    expected = reminder + breaker if order[0] == "reminder" else breaker + reminder
    assert [f"{record['policy']} {record['action']}" for record in said] == expected
    assert {record["call"]["id"] for record in said} == {"c3"}
    assert {record["inject_after"]["line"] for record in said} == {8}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenarios_config_is_all_that_a_replay_needs(scenario: Path) -> None:
    own = scenario.with_suffix(".config.yml")
    done = run("replay", scenario, "--config", own, "-f", "acp")
    snapshot = ROOT / "snapshots" / f"{scenario.stem}.acp.jsonl"
    assert done.out == snapshot.read_text(encoding="utf-8")


def test_a_check_takes_another_answer_and_says_how_to_accept_it() -> None:
    done = run("check", FIXTURES, "-k", READS.stem, "--answer", "approve")
    assert done.code == 1
    assert "allowed-once" in done.out
    assert "--answer approve --update" in done.out


@pytest.mark.parametrize(
    ("own", "policies", "answer"),
    [
        (None, ["reminder", "breaker"], "unattended"),
        ("thresholds: [2]", ["reminder", "breaker"], "unattended"),
        ("breaker: {window: 4}", ["reminder", "breaker"], "unattended"),
        ("policy: breaker\nanswer: reject", ["breaker"], "reject"),
        ("policy: [breaker, reminder]", ["breaker", "reminder"], "unattended"),
        ("policy: none", [], "unattended"),
    ],
    ids=["project", "a-setting", "a-block", "one-policy", "another-order", "none"],
)
def test_a_scenario_chooses_before_its_project(
    tmp_path: Path, own: str | None, policies: list[str], answer: str
) -> None:
    project = '[tool.repeat-reminder]\npolicy = ["reminder", "breaker"]\n'
    (tmp_path / "pyproject.toml").write_text(project)
    log = tmp_path / "fixtures" / "reads.jsonl"
    log.parent.mkdir()
    log.write_bytes(READS.read_bytes())
    if own is not None:
        log.with_suffix(".config.yml").write_text(own)
    loaded = load_for(scenario_at(str(log)), Overrides())
    assert ([mounted.policy for mounted in loaded.policies], loaded.answer) == (policies, answer)


def test_a_log_that_hides_failures_says_so() -> None:
    blind = "note: {}: the log records no results: the breaker's failure track is blind here"
    log = FIXTURES / "breaker-no-results.jsonl"
    assert blind.format(log) in run("replay", log, "--policy", "breaker").err
    assert "blind" not in run("replay", log).err
    recorded = FIXTURES / "breaker-dsh-exit-codes.jsonl"
    told = run("replay", recorded, "--policy", "breaker").err
    assert f"note: {recorded}: no result here has an exit code" in told


@pytest.fixture
def _no_parser(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "can_ada", None)
    whatwg_parser.cache_clear()
    yield
    whatwg_parser.cache_clear()


@pytest.mark.usefixtures("_no_parser")
def test_the_optional_package_is_asked_for_by_name() -> None:
    done = run("replay", READS, "--policy", "breaker")
    assert done.code == 2
    assert done.err == (
        "error: the breaker policy needs the package can_ada to read web addresses\n"
        'hint: pip install "repeat-reminder[breaker]"\n'
    )
    assert run("replay", READS).code == 0
