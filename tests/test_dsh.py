"""The DSH reader against logs that the harness's own loop wrote with the real plugin."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.engine import replay
from repeat_reminder.errors import FormatError
from repeat_reminder.events import (
    InjectedMessage,
    Intervention,
    Item,
    Place,
    SessionEnd,
    SessionStart,
    UserMessage,
)
from repeat_reminder.formats import by_name, detect
from repeat_reminder.formats.dsh import FORMAT, Reader
from repeat_reminder.formats.model import Origin, Record, Sample
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import open_log
from tests.dsh_notation import event, header

DATA = Path(__file__).parent / "data" / "dsh"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "expected.jsonl").read_text("utf-8").splitlines()
]
every_log = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])


def replayed(row: dict[str, Any]) -> list[Item]:
    guard = Reminder(ReminderConfig.from_mapping(row["config"]))
    with open_log(str(DATA / row["file"])) as log:
        return list(replay(read_log(log), guard))


def predicted(found: Intervention) -> dict[str, Any]:
    return {
        "tool": found.call.name,
        "count": found.count,
        "threshold": found.threshold,
        "tier": found.tier,
        "agent": found.call.agent.id,
        "call_id": found.call.id,
        "trigger_line": found.result.line if found.result else None,
        "delivered": found.delivered,
        "text": found.text,
        "source": found.source,
    }


@every_log
def test_the_plugin_is_predicted(row: dict[str, Any]) -> None:
    expected = row["recorded"] if row["replay_equals_recorded"] else row["replayed"]
    found = [predicted(item) for item in replayed(row) if isinstance(item, Intervention)]
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        keys = theirs.keys() - {"queued_line", "landing_line"}
        assert {key: mine[key] for key in keys} == {key: theirs[key] for key in keys}


@every_log
def test_what_was_recorded_is_told(row: dict[str, Any]) -> None:
    found = [item for item in replayed(row) if isinstance(item, InjectedMessage)]
    assert [
        (item.trigger, item.line, item.delivered, item.texts, item.source) for item in found
    ] == [
        (
            Place(told["trigger_line"], told["call_id"]),
            told["landing_line"] or told["queued_line"],
            told["delivered"],
            (told["text"],),
            told["source"],
        )
        for told in row["recorded"]
    ]


@every_log
def test_messages_stand_in_the_order_of_the_requests(row: dict[str, Any]) -> None:
    """Without the recorded reminders, the replayed ones must stand exactly where those stood."""
    found = [
        (item.source.get("summary"), getattr(item, "line", None))
        for item in replayed(row)
        if isinstance(item, UserMessage | Intervention) and getattr(item, "texts", True)
    ]
    lines = (DATA / row["file"].split(".jsonl")[0].removesuffix(".torn")).with_suffix(".jsonl")
    logged = [
        (record["data"]["source"].get("summary"), number)
        for number, record in enumerate(map(json.loads, lines.read_text("utf-8").splitlines()), 1)
        if record["type"] == "user/message" and number <= row["lines"]
    ]
    if row["replay_equals_recorded"] and all(told["delivered"] for told in row["recorded"]):
        assert [summary for summary, _ in found] == [summary for summary, _ in logged]
        assert [line for _, line in found if line] == [line for who, line in logged if not who]


@every_log
def test_one_agent_named_after_its_session(row: dict[str, Any]) -> None:
    found = replayed(row)
    start = next(item for item in found if isinstance(item, SessionStart))
    end = next(item for item in found if isinstance(item, SessionEnd))
    assert (start.format, start.line, start.unique_id, start.unique_call_ids) == (
        "dsh",
        1,
        True,
        False,
    )
    assert start.session == end.session
    assert end.lines == row["lines"]
    assert {told["agent"] for told in row["recorded"]} <= {start.session}


def sample(*records: Record, kind: str = "text") -> Sample:
    return Sample(path="x", kind=kind, records=records)


PI: Record = {"type": "session", "version": 3, "id": "a", "timestamp": "2025-10-09T09:09:49.000Z"}
RECOGNISED: list[Any] = [
    pytest.param(sample(header()), "a DSH session header of version 0", id="header"),
    pytest.param(sample(header(9)), "a DSH session header of version 9", id="too-new-is-known"),
    pytest.param(
        sample({"type": "session", "id": "{{sessionId}}"}, event("turn/start", {"turn": 1})),
        "a DSH session header, then turn/start",
        id="a-fixture's-header",
    ),
    pytest.param(
        sample(event("turn/start", {}), event("step/start", {})),
        "DSH records without a header: turn/start, step/start",
        id="headless",
    ),
    pytest.param(
        sample(header(), event("text-chunks", {"texts": ["a", "b", "c"]})),
        "a DSH session header of version 0",
        id="packed-rows",
    ),
    pytest.param(sample(PI), None, id="another-agent's-session-header"),
    pytest.param(sample(PI, {"type": "message", "id": "b"}), None, id="another-agent's-log"),
    pytest.param(
        sample({"type": "session", "schema": "repeat-reminder/session@1", "createdAt": 1}),
        None,
        id="the-canonical-log",
    ),
    pytest.param(sample(event("turn/start", {})), None, id="one-record-does-not-tell"),
    pytest.param(sample(), None, id="nothing"),
    pytest.param(sample(header(), kind="sqlite"), None, id="not-text"),
]


@pytest.mark.parametrize(("given", "evidence"), RECOGNISED)
def test_recognise(given: Sample, evidence: str | None) -> None:
    assert FORMAT.recognise(given) == evidence


def test_it_is_registered() -> None:
    assert by_name("dsh") is FORMAT
    found = detect(sample(header(), event("turn/start", {"turn": 1})))
    assert found is not None
    assert found.format is FORMAT


@pytest.mark.parametrize("version", range(5))
def test_versions_that_are_read(version: int) -> None:
    reader = Reader(Origin(path="x", name="x"))
    (start,) = reader.record(1, header(version))
    assert isinstance(start, SessionStart)


def test_a_newer_version_is_refused() -> None:
    reader = Reader(Origin(path="a/session.v5.jsonl", name="x"))
    with pytest.raises(FormatError, match="version 5") as refused:
        list(reader.record(1, header(5)))
    assert (refused.value.path, refused.value.line) == ("a/session.v5.jsonl", 1)
    assert refused.value.hint is not None
    assert "0 to 4" in refused.value.hint


STARTS: list[Any] = [
    pytest.param({}, lambda start: start.session == "s-1" and start.unique_id, id="id"),
    pytest.param({"cwd": "/repo"}, lambda start: start.cwd == "/repo", id="cwd"),
    pytest.param(
        {"parentSession": "p", "origin": "subagent"}, lambda start: start.parent == "p", id="parent"
    ),
    pytest.param({"id": "{{sessionId}}"}, lambda start: not start.unique_id, id="token-id"),
    pytest.param(
        {"id": None}, lambda start: start.session == "x" and not start.unique_id, id="no-id"
    ),
    pytest.param({"version": "{{v}}"}, lambda start: start.session == "s-1", id="no-version"),
]


@pytest.mark.parametrize(("fields", "holds"), STARTS)
def test_header(fields: Record, holds: Callable[[SessionStart], bool]) -> None:
    (start,) = Reader(Origin(path="x.jsonl", name="x")).record(1, header() | fields)
    assert isinstance(start, SessionStart)
    assert holds(start)
