"""Situations people reported in public: what the plugin does there, call by call."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from repeat_reminder.engine import replay
from repeat_reminder.events import Intervention
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from tests.notation import events_of

REPORTS = Path(__file__).parent / "data" / "public-reports.jsonl"
CASES = [orjson.loads(line) for line in REPORTS.read_bytes().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reported_situation(case: dict[str, Any]) -> None:
    guard = Reminder(ReminderConfig.from_mapping(case["config"]))
    said = [i for i in replay(events_of(case["pattern"]), guard) if isinstance(i, Intervention)]
    assert [_placement(item) for item in said] == case["expected_reminders"]


def _placement(item: Intervention) -> dict[str, Any]:
    """Spell a reminder as the cases do; their positions count from 0."""
    assert item.result is not None
    assert item.inject_after is not None
    return {
        "agent": item.call.agent.id,
        "call_id": item.call.id,
        "tool": item.call.name,
        "count": item.count,
        "tier": item.tier,
        "settled_at": (item.result.settled_line or 0) - 1,
        "inject_after": (item.inject_after.line or 0) - 1,
        "delivered": item.delivered,
    }
