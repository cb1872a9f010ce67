"""Databases and archives: read only, damaged, of another schema, packed in unusual ways."""

import io
import json
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path
from shutil import copy
from typing import Final

import pytest
import zstandard

from repeat_reminder.errors import FormatError
from repeat_reminder.events import Event, Problem, SessionStart, ToolCall, ToolResult
from repeat_reminder.formats import goose, hermes, inspect_ai
from repeat_reminder.formats.model import Format
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.formats.shared.zip_members import ZSTD, MemberError, read_member
from repeat_reminder.source import open_log
from tests.readers import DATA, of_type

DATABASES: Final = [
    pytest.param(goose.FORMAT, DATA / "goose" / "sessions.db", id="goose"),
    pytest.param(hermes.FORMAT, DATA / "hermes" / "state.db", id="hermes"),
]


PAGE: Final = 512
"""Bytes of a page of these databases."""


def read(path: Path, form: Format) -> list[Event]:
    with open_log(str(path)) as log:
        return list(read_log(log, form))


# ---------------------------------------------------------------- databases


@pytest.mark.parametrize(("form", "path"), DATABASES)
def test_a_database_is_left_as_it_is(form: Format, path: Path, tmp_path: Path) -> None:
    stored = Path(copy(path, tmp_path))
    before = stored.read_bytes()
    assert of_type(read(stored, form), ToolResult)
    assert stored.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [stored.name]


@pytest.mark.parametrize(("form", "path"), DATABASES)
def test_what_a_writer_has_not_checkpointed_is_read(
    form: Format, path: Path, tmp_path: Path
) -> None:
    stored = Path(copy(path, tmp_path))
    writer = sqlite3.connect(stored)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("DELETE FROM messages WHERE session_id IN (SELECT max(id) FROM sessions)")
    writer.commit()
    sessions = of_type(read(stored, form), SessionStart)
    calls = of_type(read(stored, form), ToolCall)
    writer.close()
    assert {call.agent.session for call in calls} < {start.session for start in sessions}


@pytest.mark.parametrize(("form", "path"), DATABASES)
def test_a_database_that_breaks_off_keeps_what_was_read(
    form: Format, path: Path, tmp_path: Path
) -> None:
    whole = read(path, form)
    broken = Path(copy(path, tmp_path))
    with sqlite3.connect(broken) as database:
        database.execute("CREATE INDEX by_session ON messages (session_id)")
        (last,) = database.execute("SELECT session_id FROM messages ORDER BY id DESC").fetchone()
    database.close()
    data = bytearray(broken.read_bytes())
    page = data.rindex(f"{last}assistant".encode()) // PAGE * PAGE
    data[page : page + 8] = b"\xff" * 8
    broken.write_bytes(data)
    events = read(broken, form)
    (problem,) = [each for each in of_type(events, Problem) if each.kind == "broken-off"]
    assert "cannot be read on" in problem.message
    assert 0 < len(of_type(events, ToolResult)) < len(of_type(whole, ToolResult))


@pytest.mark.parametrize(("form", "path"), DATABASES)
def test_tables_with_other_columns_are_another_schema(
    form: Format, path: Path, tmp_path: Path
) -> None:
    stored = Path(copy(path, tmp_path))
    with sqlite3.connect(stored) as database:
        database.execute("ALTER TABLE messages RENAME COLUMN role TO who")
    database.close()
    with pytest.raises(FormatError, match="messages has no column role"):
        read(stored, form)


@pytest.mark.parametrize(("form", "path"), DATABASES)
def test_rows_may_hold_anything(form: Format, path: Path, tmp_path: Path) -> None:
    stored = Path(copy(path, tmp_path))
    with sqlite3.connect(stored) as database:
        database.text_factory = bytes
        columns = [str(row[1], "utf-8") for row in database.execute("PRAGMA table_info(messages)")]
        for value in ("1", "1e999", "x'ff00'", "CAST(x'ff22' AS TEXT)", "''"):
            for column in set(columns) - {"id", "session_id"}:
                database.execute(
                    f"UPDATE messages SET {column} = {value} WHERE id = abs(random() % 12) + 1"  # noqa: S608 - from this table
                )
                assert read_events(database, stored, form)
    database.close()


def read_events(database: sqlite3.Connection, stored: Path, form: Format) -> list[Event]:
    database.commit()
    return of_type(read(stored, form), SessionStart)


# ---------------------------------------------------------------- archives


def member(data: bytes, *, method: int = ZSTD, crc: int | None = None) -> zipfile.ZipFile:
    """Make an archive of one member ``m`` whose packed bytes are given as they are.

    Python's own zipfile cannot pack with zstd everywhere, so the method is written over.
    """
    raw = zstandard.ZstdDecompressor().decompressobj().decompress(data) if method == ZSTD else data
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("m", data)
    packed = bytearray(stream.getvalue())
    central = packed.index(b"PK\x01\x02")
    checksum = zlib.crc32(raw) if crc is None else crc
    for start, at in ((8, 14), (central + 10, central + 16)):
        struct.pack_into("<H", packed, start, method)
        struct.pack_into("<I", packed, at, checksum)
        struct.pack_into("<I", packed, at + 8, len(raw))
    return zipfile.ZipFile(io.BytesIO(packed))


def frames(*parts: bytes) -> bytes:
    return b"".join(map(zstandard.compress, parts))


def test_a_member_packed_with_zstd_may_be_many_frames() -> None:
    assert read_member(member(frames(b"one")), "m") == b"one"
    assert read_member(member(zstandard.compress(b"x" * 5000)), "m") == b"x" * 5000
    two = frames(b"one", b"two")
    assert read_member(member(two, crc=zlib.crc32(b"onetwo")), "m") == b"onetwo"


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (member(frames(b"one"), crc=1), "checksum"),
        (member(frames(b"one")[:-3] + b"???", method=99), "compression"),
        (member(b"no zstd", method=0, crc=5), "CRC"),
    ],
    ids=["zstd-checksum", "unknown-method", "stored-checksum"],
)
def test_a_damaged_member_is_an_error(archive: zipfile.ZipFile, why: str) -> None:
    with pytest.raises(MemberError, match=why):
        read_member(archive, "m")


def test_a_member_that_is_no_zstd_is_an_error() -> None:
    archive = member(frames(b"one"))
    stream = archive.fp
    assert isinstance(stream, io.BytesIO)
    stream.getbuffer()[31:35] = b"\x00\x00\x00\x00"
    with pytest.raises(MemberError):
        read_member(archive, "m")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_member_larger_than_the_limit_is_an_error(method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("m", b"x" * 100)
        assert read_member(archive, "m", 100) == b"x" * 100
        with pytest.raises(MemberError, match="larger than 99 bytes"):
            read_member(archive, "m", 99)
    with pytest.raises(MemberError, match="larger"):
        read_member(member(zstandard.compress(b"x" * 100)), "m", 99)


def test_a_member_that_is_not_there_is_an_error() -> None:
    with pytest.raises(MemberError):
        read_member(member(frames(b"x")), "n")


def eval_file(path: Path, *members: tuple[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        for name, data in members:
            archive.writestr(name, data)
    return path


def sample(identity: object, epoch: int = 1) -> tuple[str, str]:
    call = {"id": "c", "function": "bash", "arguments": {}}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ]
    content = json.dumps({"id": identity, "epoch": epoch, "messages": messages})
    return f"samples/{identity}_epoch_{epoch}.json", content


def test_samples_come_by_number_then_by_name_then_by_epoch(tmp_path: Path) -> None:
    written = [sample("b"), sample(10, 2), sample("a"), sample(10), sample(9)]
    events = read(eval_file(tmp_path / "log.eval", *written), inspect_ai.FORMAT)
    order = [start.session for start in of_type(events, SessionStart)]
    assert order == ["9/1", "10/1", "10/2", "a/1", "b/1"]


def test_a_sample_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    bad = [("samples/1_epoch_1.json", "{"), ("samples/2_epoch_1.json", "[]"), ("samples/x", "{")]
    events = read(eval_file(tmp_path / "log.eval", *bad, sample(3)), inspect_ai.FORMAT)
    problems = [each.message for each in of_type(events, Problem)]
    assert [problem.partition(" cannot be read: ")[0] for problem in problems] == [
        "samples/1_epoch_1.json",
        "samples/2_epoch_1.json",
    ]
    assert [start.session for start in of_type(events, SessionStart)] == ["3/1"]


def test_an_archive_without_header_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1_epoch_1.json", "{}")
    with open_log(str(path)) as log:
        assert inspect_ai.FORMAT.recognise(sample_of(log)) is None
