"""What a log is taken for, by content: at its first telling record, and never another's."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from repeat_reminder.formats import (
    anthropic,
    claude_code,
    codex,
    codex_exec,
    openai_chat,
    openai_responses,
)
from repeat_reminder.formats.model import Format, Record, Sample
from repeat_reminder.formats.not_sessions import NOT_SESSIONS, not_a_session
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.source import open_log
from tests.expectations import cases
from tests.readers import DATA

GENERAL: Final[tuple[Format, ...]] = (
    claude_code.FORMAT,
    codex.FORMAT,
    codex_exec.FORMAT,
    openai_responses.FORMAT,
    anthropic.FORMAT,
    openai_chat.FORMAT,
)
"""Formats whose records look like those of many agents, in the order they are asked."""

FOLDER: Final = DATA / "recognition"

FIRST_RECORDS: Final = [
    pytest.param(row["record"], row["format"], id=row["shows"])
    for row in cases(FOLDER / "first-records.jsonl")
]
"""One record a row, and the format it tells; null: it is of a log that others read."""

BESIDE: Final = [
    pytest.param(row["record"], row["kind"], id=row["shows"])
    for row in cases(FOLDER / "not-sessions.jsonl")
]


def taken(sample: Sample) -> str | None:
    return next((form.name for form in GENERAL if form.recognise(sample)), None)


@pytest.mark.parametrize(("record", "name"), FIRST_RECORDS)
def test_one_record_tells_a_log(record: Record, name: str | None) -> None:
    """A pipe is recognised at its first telling record."""
    assert taken(Sample(path="x", kind="text", records=[record])) == name
    assert taken(Sample(path="x", kind="text", records=[{"x": 1}, record])) == name


@pytest.mark.parametrize(("record", "name"), FIRST_RECORDS)
def test_one_record_tells_a_file_that_is_nothing_else(
    record: Record, name: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(record, indent=2), "utf-8")
    with open_log(str(path)) as log:
        assert taken(sample_of(log)) == name


def test_a_claude_line_among_those_of_qwen_does_not_tell() -> None:
    linked: Record = {"uuid": "u1", "parentUuid": None, "sessionId": "s"}
    claude: Record = {**linked, "type": "system", "userType": "external"}
    qwen: Record = {**linked, "type": "assistant", "message": {"role": "model", "parts": []}}
    assert taken(Sample(path="x", kind="text", records=[claude, qwen])) is None


def test_a_list_of_cline_or_mini_swe_agent_is_no_chat() -> None:
    for text in ("<environment_details>", "```mswea_bash_command\nls\n```"):
        document: list[Any] = [
            {"role": "system", "content": text},
            {"role": "user", "content": "x"},
        ]
        assert taken(Sample(path="x", kind="text", records=(), document=document)) is None


@pytest.mark.parametrize(("record", "name"), BESIDE)
def test_files_beside_sessions_are_refused_in_words(record: Record, name: str) -> None:
    kind = next(kind for kind in NOT_SESSIONS if kind.name == name)
    sample = Sample(path="x", kind="text", records=[record, record])
    assert taken(sample) is None
    assert not_a_session(sample) == (kind.message, kind.hint)
    document = Sample(path="x", kind="text", records=(), document=[record])
    assert not_a_session(document) == (kind.message, kind.hint)


@pytest.mark.parametrize("records", [[], [{"session_id": "x", "ts": 1, "text": "x"}, {"x": 1}]])
def test_other_files_are_not_refused_so(records: list[Record]) -> None:
    assert not_a_session(Sample(path="x", kind="text", records=records)) is None
