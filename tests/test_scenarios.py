"""Every scenario of ``fixtures/`` against its snapshot, and what holds for all of them."""

from pathlib import Path
from typing import Any

import orjson
from syrupy.assertion import SnapshotAssertion

from repeat_reminder import transcript
from repeat_reminder.check.scenarios import Scenario
from repeat_reminder.pytest_plugin.running import TranscriptOf
from repeat_reminder.source import stem

ROOT = Path(__file__).parents[1]


def test_transcript(
    reminder_scenario: Scenario, transcript_of: TranscriptOf, reminder_snapshot: SnapshotAssertion
) -> None:
    assert transcript_of(reminder_scenario) == reminder_snapshot(name=reminder_scenario.name)


def test_reminders_only_ever_append(
    reminder_scenario: Scenario, transcript_of: TranscriptOf
) -> None:
    """Without its injected lines a transcript is the one of no policy: nothing is rewritten.

    But for calls that are asked about or denied: how those end is the gate's.
    """
    with_reminders = _updates(transcript_of(reminder_scenario))
    without = _updates(transcript_of(reminder_scenario, policy="none"))
    gated = {
        update["toolCallId"]
        for update in with_reminders
        if not {"repeat-reminder/ask", "repeat-reminder/denied"}.isdisjoint(update.get("_meta", ()))
    }
    assert _kept(with_reminders, gated) == _kept(without, gated)


def _updates(lines: bytes) -> list[dict[str, Any]]:
    return [orjson.loads(line)["params"]["update"] for line in lines.splitlines()]


def _kept(updates: list[dict[str, Any]], gated: set[str]) -> list[object]:
    """Leave out what a policy adds: its lines, its name, and the numbers of messages."""
    kept: list[object] = []
    for update in updates:
        meta = update.get("_meta", {})
        is_gated = update.get("toolCallId") in gated
        if "repeat-reminder/injected" in meta or _is_recorded_reminder(meta):
            continue
        if is_gated and update["sessionUpdate"] == "tool_call_update":
            continue
        meta.pop("repeat-reminder/policy", None)
        left_out = {"messageId", *({"status", "_meta"} if is_gated else ())}
        kept.append({key: value for key, value in update.items() if key not in left_out})
    return kept


def _is_recorded_reminder(meta: dict[str, dict[str, str]]) -> bool:
    """Tell a line that only a transcript without a policy has: the log's own reminder."""
    return meta.get("repeat-reminder/source", {}).get("plugin") == "repeat-tool-reminder"


def test_there_are_scenarios_for_the_whole_decision_table() -> None:
    names = {stem(path.name) for path in (ROOT / "fixtures").glob("*.jsonl*")}
    assert names >= {
        *("two-tiers", "silent-tail", "transparent-exclusion", "user-reset", "two-agents"),
        *("parallel-step", "model-order", "denied-calls", "malformed-arguments", "resume"),
        *("compaction", "pending-at-end", "steer", "no-results", "dsh-recorded"),
    }


def test_there_are_scenarios_for_the_breakers_loops() -> None:
    """The five loops the breaker is made for, what is none, and each answer to its questions."""
    names = {stem(path.name) for path in (ROOT / "fixtures").glob("*.jsonl*")}
    assert names >= {
        *("breaker-verbatim-read", "breaker-relabelled-command", "breaker-two-host-names"),
        *("breaker-one-host", "breaker-failing-target"),
        *("breaker-few-pages", "breaker-null-sink", "breaker-read-edit-read"),
        *("breaker-ask-unattended", "breaker-ask-approved", "breaker-ask-rejected"),
    }


def test_the_worked_example_comes_out_byte_for_byte() -> None:
    """``two-tiers`` is the worked example of the transcript's specification."""
    example = ROOT / "tests" / "data" / "acp" / "five-equal-calls.acp.jsonl"
    assert transcript(ROOT / "fixtures" / "two-tiers.jsonl") == example.read_bytes()
