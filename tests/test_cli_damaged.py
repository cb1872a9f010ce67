"""One log of many that is damaged, or shows a bug, keeps no other back, for any number of jobs."""

import io
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repeat_reminder.batches import Batch
from repeat_reminder.check.keyword import keyword
from repeat_reminder.cli import replaying
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Event, ToolCall
from repeat_reminder.source import Log
from tests.command import run

CALL = '{"type":"tool_call","name":"x","arguments":{}}\n'


def database(*statements: str) -> bytes:
    with sqlite3.connect(":memory:") as connection:
        for statement in statements:
            connection.execute(statement)
        data = connection.serialize()
    connection.close()
    return data


def archive(name: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as made:
        made.writestr(name, CALL * 50)
    return data.getvalue()


def named_by_other_bytes() -> bytes:
    return database("CREATE TABLE nameless (x)").replace(b"nameless", b"name\xff\xfe\xfds")


def broken_schema() -> bytes:
    tables = ("session", "message", "part")
    return database(*(f"CREATE TABLE {name} (id)" for name in tables)).replace(b"(id)", b"(\xff)(")


def of_a_later_version() -> bytes:
    data = bytearray(archive("session.jsonl"))
    data[data.rindex(b"PK\1\2") + 6] = 205
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(archive("session.jsonl"))
    data[data.rindex(b"PK\1\2") + 8] |= 1
    data[6] |= 1
    return bytes(data)


def with_a_torn_member() -> bytes:
    data = bytearray(archive("session.jsonl", zipfile.ZIP_LZMA))
    at = data.index(b"session.jsonl") + len("session.jsonl")
    data[at : at + 12] = b"\xff" * 12
    return bytes(data)


DAMAGED = [
    pytest.param(named_by_other_bytes, id="a table's name is no UTF-8"),
    pytest.param(broken_schema, id="a schema is broken and no UTF-8"),
    pytest.param(of_a_later_version, id="a zip of a later version"),
    pytest.param(encrypted, id="a zip that is encrypted"),
    pytest.param(with_a_torn_member, id="a member of a zip is damaged"),
    pytest.param(lambda: archive("session.jsonl")[:-30], id="a zip that is cut off"),
    pytest.param(lambda: database("CREATE TABLE x (y)")[:150], id="a database that is cut off"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with two logs."""
    monkeypatch.chdir(tmp_path)
    for name in "ac":
        (tmp_path / f"{name}.jsonl").write_text(CALL * 3)
    return tmp_path


@pytest.mark.parametrize("made", DAMAGED)
def test_a_damaged_container_is_told_and_the_others_are_replayed(
    folder: Path, made: Callable[[], bytes]
) -> None:
    (folder / "b.bin").write_bytes(made())
    one, two = (
        run("replay", "a.jsonl", "b.bin", "c.jsonl", "-f", "jsonl", "-j", jobs)
        for jobs in ("1", "2")
    )
    assert one == two
    assert one.code == 0
    assert "b.bin" in one.err
    assert "internal error" not in one.err
    assert '"reminders":2,' in one.out
    alone = run("replay", "b.bin", "--strict")
    assert alone.code == 2
    assert "internal error" not in alone.err


@pytest.mark.parametrize("made", DAMAGED)
def test_a_damaged_scenario_keeps_no_other_from_being_accepted(
    folder: Path, made: Callable[[], bytes]
) -> None:
    (folder / "fixtures").mkdir()
    for name in "ac":
        (folder / f"{name}.jsonl").rename(folder / "fixtures" / f"{name}.jsonl")
    (folder / "fixtures" / "b.jsonl").write_bytes(made())
    done = run("check", "--update")
    assert "internal error" not in done.err
    kept = {path.name.split(".")[0] for path in folder.glob("**/snapshots/*")}
    assert kept >= {"a", "c"}


@pytest.mark.usefixtures("folder")
def failing(read: Callable[..., Iterator[Event | Batch]]) -> Callable[..., Iterator[Event | Batch]]:
    """Plant a bug in the reading of logs that a tool of this name is called in."""

    def reading(log: Log, *args: object, **options: object) -> Iterator[Event | Batch]:
        for event in read(log, *args, **options):
            if isinstance(event, ToolCall) and event.name == "bug":
                raise LookupError("planted\x1b[31m")
            yield event

    return reading


def test_a_bug_that_one_log_shows_is_told_and_the_others_are_replayed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("read_log", "skim_log"):
        monkeypatch.setattr(replaying, name, failing(getattr(replaying, name)))
    (folder / "b.jsonl").write_text(CALL + CALL.replace('"x"', '"bug"'))
    words = ("replay", "a.jsonl", "b.jsonl", "c.jsonl")
    several = [
        run(*words, *more) for more in (("-j", "1"), ("-j", "2"), ("-j", "2", "--session", ""))
    ]
    assert several[0] == several[1] == several[2]
    done = several[0]
    assert done.code == 3
    assert "b.jsonl: internal error: LookupError: 'planted\\x1b[31m'" in done.err
    assert "c.jsonl" in done.out
    alone = run("replay", "b.jsonl")
    assert (alone.code, "internal error" in alone.err) == (3, True)


@pytest.mark.parametrize(
    "expression",
    ["(" * 5000 + "a" + ")" * 5000, "not " * 5000 + "a", "(not " * 41 + "a" + ")" * 41],
    ids=["brackets", "negations", "both"],
)
def test_an_expression_that_is_too_deep(expression: str) -> None:
    with pytest.raises(UsageError, match="nested deeper than 40"):
        keyword(expression)


def test_an_expression_that_is_as_deep_as_may_be() -> None:
    assert keyword("(" * 40 + "a" + ")" * 40)("xay")
    assert keyword("not " * 40 + "a")("xay")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("record", "words"),
    [
        pytest.param("{}", "a record without a type", id="no type"),
        pytest.param('{"type":null}', "a record without a type", id="null"),
        pytest.param('{"type":["tool_call"]}', "a record with a type that is no string", id="list"),
    ],
)
def test_a_record_without_a_type(folder: Path, record: str, words: str) -> None:
    (folder / "x.jsonl").write_text(CALL + record + "\n")
    assert f"x.jsonl:2: {words}; skipped" in run("replay", "x.jsonl").err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("word", ["POLICY", "CONFIG", "FROM", "JOBS", "JUNK"])
def test_a_variable_that_is_not_read(word: str) -> None:
    done = run("replay", "a.jsonl", env={f"REPEAT_REMINDER_{word}": "1"})
    assert done.code == 0
    assert f"REPEAT_REMINDER_{word}: this variable is not read" in done.err
    assert "THRESHOLDS" in done.err or "did you mean" in done.err


def test_a_project_that_is_no_table(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool]\nrepeat-reminder = 5\n")
    done = run("replay", "a.jsonl")
    assert done.code == 2
    assert "pyproject.toml:2: tool.repeat-reminder: expected a table, found 5" in done.err
