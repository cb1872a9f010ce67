"""opencode: parts and their states; a database that is damaged, or read while it is written."""

import sqlite3
from pathlib import Path
from typing import Final

import pytest

from repeat_reminder.errors import FormatError, SourceError
from repeat_reminder.events import (
    AssistantMessage,
    Compaction,
    Json,
    Problem,
    SessionEnd,
    SessionStart,
    Status,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from repeat_reminder.formats import opencode, opencode_db
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.source import open_log
from tests.readers import DATA, events_of, file_events, of_type

INFO: Final[Record] = {"info": {"id": "ses_1"}}
OVERDUE: Final = "x\n<bash_metadata>\nterminated command after exceeding timeout 5000 ms"
REFUSAL: Final = "The user rejected permission to use this specific tool call."


def said(role: str, *parts: Json, **info: Json) -> Record:
    return {"info": {"role": role, **info}, "parts": [*parts]}


ENDINGS: Final = [
    pytest.param({"status": "completed", "output": "x"}, Status.OK, "x", None, id="completed"),
    pytest.param({"status": "completed"}, Status.OK, "", None, id="without-output"),
    pytest.param(
        {"status": "completed", "output": "x", "metadata": {"exit": 2}},
        Status.OK, "x", {"exitCode": 2}, id="exit-code",
    ),
    pytest.param(
        {"status": "completed", "output": OVERDUE},
        Status.TIMEOUT, OVERDUE, {"timedOut": True, "timeoutMs": 5000}, id="timeout",
    ),
    pytest.param({"status": "error", "error": "no"}, Status.ERROR, "no", None, id="error"),
    pytest.param({"status": "error", "error": REFUSAL}, Status.DENIED, REFUSAL, None, id="denied"),
    pytest.param(
        {"status": "error", "error": "Tool execution aborted"},
        Status.ABORTED, "Tool execution aborted", None, id="aborted",
    ),
    pytest.param(
        {"status": "error", "error": "x", "metadata": {"interrupted": True}},
        Status.ABORTED, "x", None, id="interrupted",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("state", "status", "text", "value"), ENDINGS)
def test_how_a_call_ends(state: Record, status: Status, text: str, value: Json) -> None:
    part: Json = {"type": "tool", "tool": "bash", "callID": "c", "state": state}
    (result,) = of_type(events_of(opencode.FORMAT, [INFO, said("assistant", part)]), ToolResult)
    assert (result.status, result.texts, result.value) == (status, (text,) if text else (), value)
    assert result.is_error == (state["status"] == "error")


TEXT: Final[Record] = {"type": "text", "text": "go"}
MADE: Final[Record] = {"type": "text", "text": "x", "synthetic": True}
PICTURE: Final[Record] = {"type": "file", "mime": "image/png"}

MESSAGES: Final = [
    pytest.param([TEXT], [(("go",), True)], id="text"),
    pytest.param([PICTURE], [(("[image]",), True)], id="file"),
    pytest.param([TEXT, MADE, PICTURE], [(("go", "[image]"), True)], id="with-synthetic-text"),
    pytest.param([MADE], [(("x",), False)], id="synthetic"),
    pytest.param([{"type": "compaction"}], [], id="compaction"),
    pytest.param([{"type": "agent"}, {}], [], id="nothing-said"),
]


@pytest.mark.parametrize(("parts", "told"), MESSAGES)
def test_who_speaks_in_the_user_role(
    parts: list[Json], told: list[tuple[tuple[str, ...], bool]]
) -> None:
    messages = of_type(events_of(opencode.FORMAT, [INFO, said("user", *parts)]), UserMessage)
    assert [(message.texts, message.resets) for message in messages] == told


def test_what_a_session_says() -> None:
    events = file_events(opencode.FORMAT, "steps-and-states.json")
    (start,) = of_type(events, SessionStart)
    assert (start.session, start.cwd, start.parent) == ("ses_a", "/home/ann/shop", None)
    assert (start.unique_id, start.unique_call_ids) == (True, False)
    message = of_type(events, AssistantMessage)[0]
    assert (message.texts, message.time) == (("I build.",), 1770112801.0)
    # The step's own tokens come before those of the message.
    assert message.usage == Usage(input=7, output=3)
    assert of_type(events, AssistantMessage)[1].usage == Usage(input=41, output=6)
    assert len(of_type(events, Compaction)) == 1


def test_the_session_of_a_subagent_names_its_parent() -> None:
    (start,) = of_type(file_events(opencode.FORMAT, "child.jsonl"), SessionStart)
    assert start.parent == "ses_a"
    starts = of_type(file_events(opencode_db.FORMAT, "two-sessions.db"), SessionStart)
    assert [start.parent for start in starts] == [None, "ses_z"]


def test_sessions_may_stand_one_a_line_or_in_a_list(tmp_path: Path) -> None:
    one = (DATA / "opencode-export" / "child.jsonl").read_text("utf-8").strip()
    for text, problems in ((f"{one}\n{{torn\n\n{one}", [2]), (f"[{one},{one},5]", [])):
        path = tmp_path / "sessions.txt"
        path.write_text(text, "utf-8")
        with open_log(str(path)) as log:
            assert opencode.FORMAT.recognise(sample_of(log))
            events = list(read_log(log, opencode.FORMAT))
        assert len(of_type(events, SessionEnd)) == 2
        assert [problem.line for problem in of_type(events, Problem) if problem.skipped] == problems


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"info":', "utf-8")
    with open_log(str(path)) as log, pytest.raises(FormatError, match="not one JSON value"):
        list(read_log(log, opencode.FORMAT))


# ---------------------------------------------------------------- the database


def made(path: Path, *statements: str) -> Path:
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


TABLES: Final = (
    "create table session (id, parent_id, directory, time_created)",
    "create table message (id, session_id, data, time_created)",
    "create table part (id, message_id, data, time_created)",
)


def test_broken_rows_are_left_out_with_a_warning() -> None:
    problems = of_type(file_events(opencode_db.FORMAT, "two-sessions.db"), Problem)
    assert [problem.message.split(" is ")[0] for problem in problems if problem.skipped] == [
        "message msg_ses_b_98",
        "part prt_b99_0",
    ]


def test_other_columns_are_an_error_of_the_file(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", "create table session (a)", *TABLES[1:])
    wrong = pytest.raises(SourceError, match="not a usable database: no such column")
    with open_log(str(path)) as log, wrong:
        list(read_log(log, opencode_db.FORMAT))


def test_rows_of_any_type_are_read(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.db",
        *TABLES,
        "insert into session values (null, 5, x'ff', 'x'), (7, null, null, null)",
        "insert into message values (null, 7, null, 1), (x'00', 7, '[]', 2), (1, 7, '{}', 3)",
        "insert into part values (1, 1, '5', 1), (2, 1, x'ff', 2)",
    )
    with open_log(str(path)) as log:
        events = list(read_log(log, opencode_db.FORMAT))
    assert len(of_type(events, SessionEnd)) == 2
    assert [problem.kind for problem in of_type(events, Problem) if problem.skipped] == [
        "not-json",
        "malformed",
        "not-json",
        "malformed",
    ]


def test_a_database_that_is_being_written_is_read_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes((DATA / "opencode-db" / "two-sessions.db").read_bytes())
    writer = sqlite3.connect(path)
    writer.execute("pragma journal_mode=wal")
    writer.execute("insert into session values ('ses_new', 'p', null, '/w', 99)")
    writer.commit()
    before = path.read_bytes()
    with open_log(str(path)) as log:
        starts = of_type(read_log(log, opencode_db.FORMAT), SessionStart)
    assert [start.session for start in starts] == ["ses_z", "ses_b", "ses_new"]
    assert path.read_bytes() == before
    writer.close()


def test_order_is_that_of_time_and_id() -> None:
    calls = of_type(file_events(opencode_db.FORMAT, "two-sessions.db"), ToolCall)
    assert [call.id for call in calls if call.agent.session == "ses_z"] == list("121213455")
