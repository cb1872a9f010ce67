"""Which log is which agent's: told by content, and by one reader only."""

import json
import os
from pathlib import Path
from typing import Final

import pytest

from repeat_reminder.formats import acp_wire, opencode_db, openhands
from repeat_reminder.formats.model import Format, Record, Sample
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.source import open_log
from tests.expectations import cases
from tests.readers import DATA
from tests.test_readers import READERS

RECORDS: Final = [
    pytest.param(row["record"], row["format"], id=row["shows"])
    for row in cases(DATA / "recognition" / "agents.jsonl")
]
"""One record a row, and the one format it tells; null: it tells none of these agents' formats."""

AGENTS: Final = {
    "acp-wire",
    "copilot-cli",
    "gemini-json",
    "gemini-jsonl",
    "opencode-db",
    "opencode-export",
    "openhands",
    "pi",
    "qwen",
}


def takers(sample: Sample) -> list[str]:
    return [form.name for form in READERS if form.recognise(sample)]


def check(sample: Sample, name: str | None) -> None:
    """See that one reader takes a log, or none that is tried here."""
    found = takers(sample)
    assert found == [name] if name is not None else not AGENTS & set(found)


@pytest.mark.parametrize(("record", "name"), RECORDS)
def test_a_record_tells_one_format_only(record: Record, name: str | None) -> None:
    check(Sample(path="x", kind="text", records=[record]), name)
    check(Sample(path="x", kind="text", records=[{"x": 1}, record]), name)


@pytest.mark.parametrize(("record", "name"), RECORDS)
def test_a_record_tells_a_file_of_one_line(
    record: Record, name: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "log.txt"
    path.write_text(json.dumps(record) + "\n", "utf-8")
    with open_log(str(path)) as log:
        check(sample_of(log), name)


STORED: Final = [
    pytest.param("folder", ("event-00000-a.json", "x"), openhands.FORMAT, id="event-files"),
    pytest.param("folder", ("base_state.json", "events"), openhands.FORMAT, id="conversation"),
    pytest.param("folder", ("events", "event-1.json"), None, id="folder-of-others"),
    pytest.param("zip", ("event-00000-a.json",), None, id="archive"),
    pytest.param("sqlite", ("message", "part", "project", "session"), opencode_db.FORMAT, id="db"),
    pytest.param("sqlite", ("message", "session"), None, id="db-of-others"),
    pytest.param("zip", ("message", "part", "session"), None, id="archive-of-tables"),
]


@pytest.mark.parametrize(("kind", "held", "form"), STORED)
def test_names_tell_what_is_no_text(kind: str, held: tuple[str, ...], form: Format | None) -> None:
    sample = Sample(path="x", kind=kind, records=(), names=held)
    check(sample, form.name if form else None)


def test_a_list_of_sessions_or_events_tells(tmp_path: Path) -> None:
    rows = {row["format"]: row["record"] for row in cases(DATA / "recognition" / "agents.jsonl")}
    for name in ("gemini-json", "opencode-export", "openhands"):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps([rows[name]], indent=2), "utf-8")
        with open_log(str(path)) as log:
            assert takers(sample_of(log)) == [name]


def test_a_prefixed_log_tells_in_any_line(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    message = '{"jsonrpc":"2.0","method":"session/update","params":{}}'
    path.write_text(f"started\n{'noise {x}' * 3}\n10:00 <- [{message}]\n", "utf-8")
    with open_log(str(path)) as log:
        assert takers(sample_of(log)) == [acp_wire.FORMAT.name]


def test_half_a_message_tells_nothing() -> None:
    line = b'{"jsonrpc":"2.0","method":"session/update","params":{'
    sample = Sample(path="x", kind="text", records=(), lines=[line])
    assert acp_wire.FORMAT.recognise(sample) is None


def test_a_pipe_of_prefixed_lines_is_read_on_until_one_tells() -> None:
    receiver, sender = os.pipe()
    with open(sender, "wb") as pipe:  # noqa: PTH123 - a descriptor is no path
        pipe.write(b'x -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
        pipe.write(b'x -> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}\n')
    with open(receiver, "rb") as end, open_log("-", stdin=end) as log:  # noqa: PTH123 - as above
        assert log.growing
        assert takers(sample_of(log, 1)) == []
        assert takers(sample_of(log, 2)) == [acp_wire.FORMAT.name]
