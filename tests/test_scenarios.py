"""Every scenario of ``fixtures/`` against its snapshot, and what holds for all of them."""

from pathlib import Path

import orjson
import pytest
from syrupy.assertion import SnapshotAssertion

from repeat_reminder import transcript
from repeat_reminder.config import ConfigText, load
from repeat_reminder.config.mounting import guards_of
from repeat_reminder.policies import Guard
from repeat_reminder.source import stem

ROOT = Path(__file__).parents[1]
SCENARIOS = sorted((ROOT / "fixtures").glob("*.jsonl*"))


def guards_for(scenario: Path) -> tuple[Guard, ...]:
    """Mount what the scenario's own config says, else the default."""
    own = scenario.with_name(f"{stem(scenario.name)}.config.yml")
    return guards_of(load(config=ConfigText.of(own) if own.exists() else None))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: stem(path.name))
def test_transcript(scenario: Path, transcripts: SnapshotAssertion) -> None:
    assert transcript(scenario, guards_for(scenario)) == transcripts(name=stem(scenario.name))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: stem(path.name))
def test_reminders_only_ever_append(scenario: Path) -> None:
    """Without its injected lines a transcript is the one of no policy: nothing is rewritten."""
    with_reminders = transcript(scenario, guards_for(scenario))
    assert [*_kept(with_reminders)] == [*_kept(transcript(scenario, ()))]


def _kept(lines: bytes) -> list[object]:
    """Leave out what a policy adds: its lines, its name, and the numbers of messages."""
    kept = []
    for line in lines.splitlines():
        update = orjson.loads(line)["params"]["update"]
        meta = update.get("_meta", {})
        if "repeat-reminder/injected" in meta or _is_recorded_reminder(meta):
            continue
        meta.pop("repeat-reminder/policy", None)
        update.pop("messageId", None)
        kept.append(update)
    return kept


def _is_recorded_reminder(meta: dict[str, dict[str, str]]) -> bool:
    """Tell a line that only a transcript without a policy has: the log's own reminder."""
    return meta.get("repeat-reminder/source", {}).get("plugin") == "repeat-tool-reminder"


def test_there_are_scenarios_for_the_whole_decision_table() -> None:
    names = {stem(path.name) for path in SCENARIOS}
    assert names >= {
        *("two-tiers", "silent-tail", "transparent-exclusion", "user-reset", "two-agents"),
        *("parallel-step", "model-order", "denied-calls", "malformed-arguments", "resume"),
        *("compaction", "pending-at-end", "steer", "no-results", "dsh-recorded"),
    }


def test_the_worked_example_comes_out_byte_for_byte() -> None:
    """``two-tiers`` is the worked example of the transcript's specification."""
    example = ROOT / "tests" / "data" / "acp" / "five-equal-calls.acp.jsonl"
    assert transcript(ROOT / "fixtures" / "two-tiers.jsonl") == example.read_bytes()
