"""DSH sessions in a database and in an exported zip give what their files give."""

import json
import random
import sqlite3
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
import zstandard
from msgspec.structs import replace

from repeat_reminder.errors import FormatError, RepeatReminderError
from repeat_reminder.events import (
    Event,
    Json,
    Problem,
    SessionEnd,
    SessionStart,
    Severity,
    ToolCall,
)
from repeat_reminder.formats import dsh, dsh_db, dsh_export
from repeat_reminder.formats.dsh_db.data import DataError, event_data
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import recognise, sample_of
from repeat_reminder.source import DEFAULT_LIMITS, Limits, open_log
from tests.command import run
from tests.dsh_notation import Log, event, header

DATA = Path(__file__).parent / "data" / "dsh"
PLAIN = sorted(path for path in DATA.glob("*.jsonl") if path.name != "expected.jsonl")
BIG = 4096
"""From this size on a row's data is packed."""

TABLES = """
    CREATE TABLE persistence_state (singleton INTEGER PRIMARY KEY, store_id TEXT NOT NULL) STRICT;
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, cwd TEXT,
        parent_session TEXT, seed_length INTEGER, origin TEXT, delegation_depth INTEGER,
        agent_preset TEXT, incarnation TEXT NOT NULL, revision INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE events (
        session_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL,
        data ANY NOT NULL, source_event_seqs ANY, surface_op TEXT, ignorable INTEGER,
        PRIMARY KEY (session_id, seq)
    ) STRICT;
    PRAGMA user_version = 17;
"""


def records_of(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def packed(data: Json) -> str | bytes:
    text = json.dumps(data)
    return zstandard.compress(text.encode()) if len(text) >= BIG else text


def insert(database: sqlite3.Connection, records: Iterable[Record]) -> None:
    """Write one session's records as the backend does."""
    head, *body = records
    database.execute(
        "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'i', 1)",
        [
            head["id"],
            head["version"],
            head.get("createdAt") or 0,
            head.get("cwd"),
            head.get("parentSession"),
            head.get("seedLength"),
            head.get("origin"),
            head.get("delegationDepth"),
            head.get("agentPreset"),
        ],
    )
    for seq, record in enumerate(body):
        operation = record.get("surfaceOp")
        database.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
            [
                head["id"],
                record.get("seq", seq),
                record["type"],
                record.get("time") or 0,
                packed(record["data"]),
                None if operation is None else json.dumps(operation),
                1 if record.get("ignorable") else None,
            ],
        )


def make_database(path: Path, *sessions: Iterable[Record], script: str = "") -> Path:
    with sqlite3.connect(path) as database:
        database.executescript(TABLES)
        for records in sessions:
            insert(database, records)
        database.executescript(script)
    database.close()
    return path


def make_export(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def lines(records: Iterable[Record]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def events_of(path: Path, limits: Limits = DEFAULT_LIMITS) -> list[Event]:
    with open_log(str(path), limits=limits) as log:
        return list(read_log(log))


def problems(path: Path) -> list[tuple[str, str, str]]:
    found = (event for event in events_of(path) if isinstance(event, Problem))
    return [(each.severity.value, each.kind, each.message) for each in found]


def comparable(found: Iterable[Event]) -> list[Event]:
    """Leave out what names the container; times are put in by the writer of the test."""
    stories: list[Event] = []
    for each in found:
        match each:
            case SessionStart():
                stories.append(replace(each, path="", format="", compression=None))
            case Problem():
                told = "no tool calls" if each.kind == "no-calls" else each.message
                stories.append(replace(each, path="", message=told))
            case _:
                stories.append(each)
    return stories


def story(name: str, *tools: str, version: int = 0, **rest: Json) -> Log:
    """One session with its calls, each in a step of its own."""
    log = Log(version, **rest)
    log.records[0]["id"] = name
    return log.turn("go").steps(*tools).done().end()


def calls(found: Iterable[Event]) -> list[tuple[str, str, int | None]]:
    return [(c.agent.session, c.name, c.line) for c in found if isinstance(c, ToolCall)]


# ---------------------------------------------------------------- the same as the file


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_database_gives_the_events_of_the_file(path: Path, tmp_path: Path) -> None:
    records = records_of(path)
    for record in records:
        record.setdefault("time", 1)
    file = tmp_path / "session.jsonl"
    file.write_bytes(lines(records))
    database = make_database(tmp_path / "dsh.db", records)
    assert comparable(events_of(database)) == comparable(events_of(file))


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_an_export_gives_the_events_of_the_file(path: Path, tmp_path: Path) -> None:
    export = make_export(tmp_path / "s.zip", {"session.jsonl": path.read_bytes()})
    assert comparable(events_of(export)) == comparable(events_of(path))


@pytest.mark.parametrize("name", ["two-reminders-in-step", "abort-in-step.torn"])
def test_a_packed_log_in_an_export(name: str, tmp_path: Path) -> None:
    path = DATA / f"{name}.jsonl.zstd"
    export = make_export(tmp_path / "s.zip", {"session.jsonl.zstd": path.read_bytes()})
    assert comparable(events_of(export)) == comparable(events_of(path))


def test_a_large_row_is_unpacked(tmp_path: Path) -> None:
    log = Log().turn("go").call("X").result(text="long " * BIG).done().end()
    database = make_database(tmp_path / "dsh.db", log.records)
    with sqlite3.connect(database) as connection:
        kinds = {kind for (kind,) in connection.execute("SELECT typeof(data) FROM events")}
    connection.close()
    assert kinds == {"text", "blob"}
    file = tmp_path / "session.jsonl"
    file.write_bytes(lines([record | {"time": 0} for record in log.records]))
    assert comparable(events_of(database)) == comparable(events_of(file))


def test_the_place_of_a_row_is_its_line_in_the_session_s_own_file(tmp_path: Path) -> None:
    one, two = story("s-1", "X", "X"), story("s-2", "Y")
    found = events_of(make_database(tmp_path / "dsh.db", one.records, two.records))
    assert calls(found) == [("s-1", "X", 7), ("s-1", "X", 11), ("s-2", "Y", 7)]
    ends = [each for each in found if isinstance(each, SessionEnd)]
    assert [(each.lines, each.line) for each in ends] == [
        (len(log.records), len(log.records)) for log in (one, two)
    ]


def test_the_formats_tell_where_a_session_lies(tmp_path: Path) -> None:
    log = story("s-1", "X")
    database = make_database(tmp_path / "dsh.db", log.records)
    export = make_export(tmp_path / "s.zip", {"session.jsonl": lines(log.records)})
    starts = [events_of(path)[0] for path in (database, export)]
    assert [(s.format, s.path) for s in starts if isinstance(s, SessionStart)] == [
        ("dsh-db", str(database)),
        ("dsh-export", str(export)),
    ]


# ---------------------------------------------------------------- several sessions


def family() -> tuple[Log, Log]:
    child = story("s-kid", "X", "X", parentSession="s-1", origin="subagent", createdAt=2)
    child.records[0]["delegationDepth"] = 1
    return story("s-1", "X", "X", createdAt=1), child


def test_every_session_of_a_database_has_its_own_chain(tmp_path: Path) -> None:
    parent, child = family()
    database = make_database(tmp_path / "dsh.db", child.records, parent.records)
    starts = [each for each in events_of(database) if isinstance(each, SessionStart)]
    assert [(each.session, each.parent) for each in starts] == [("s-1", None), ("s-kid", "s-1")]
    done = run("replay", database, "--thresholds", "2,4", "-f", "concise")
    assert done.code == 0
    assert [line.partition(": ")[2] for line in done.out.splitlines()] == [
        'gentle s-1 X x2 after=12 {"q":1}',
        'gentle s-kid X x2 after=12 {"q":1}',
    ]


def test_subagents_of_an_export_are_sessions_under_their_own_paths(tmp_path: Path) -> None:
    parent, child = family()
    members = {
        "subagents/s-kid/session.jsonl": lines(child.records),
        "media/session.jsonl": b"not a log",
        "media/shot.png": b"\x89PNG",
        "session.jsonl": lines(parent.records),
    }
    export = make_export(tmp_path / "s.zip", members)
    starts = [each for each in events_of(export) if isinstance(each, SessionStart)]
    assert [(each.session, each.path) for each in starts] == [
        ("s-1", str(export)),
        ("s-kid", f"{export}/subagents/s-kid/session.jsonl"),
    ]
    assert run("replay", export, "--thresholds", "2").out.count("gentle") >= 2


def test_only_the_newest_generation_of_an_export_is_read(tmp_path: Path) -> None:
    old, new = story("s-1", "Old"), story("s-1", "New", version=3)
    members = {"session.jsonl": lines(old.records), "session.v3.jsonl": lines(new.records)}
    export = make_export(tmp_path / "s.zip", members)
    assert [name for _, name, _ in calls(events_of(export))] == ["New"]
    assert [kind for _, kind, _ in problems(export)] == ["generation"]


def test_a_reminder_is_counted_within_one_session_only(tmp_path: Path) -> None:
    logs = [story(f"s-{number}", "X", "X") for number in range(3)]
    database = make_database(tmp_path / "dsh.db", *(log.records for log in logs))
    assert "gentle" not in run("replay", database, "-f", "concise").out


# ---------------------------------------------------------------- recognised


@pytest.mark.parametrize(
    ("script", "evidence"),
    [
        ("", "a database with the tables persistence_state, sessions and events"),
        ("DROP TABLE persistence_state", "a database with the tables sessions and events"),
    ],
    ids=["all tables", "without the store's identity"],
)
def test_a_database_is_recognised(script: str, evidence: str, tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.db", story("s-1", "X").records, script=script)
    with open_log(str(path)) as log:
        assert recognise(log) == (dsh_db.FORMAT, evidence)


@pytest.mark.parametrize(
    ("name", "recognised"),
    [
        ("session.jsonl", True),
        ("session.v4.jsonl", True),
        ("session.jsonl.zstd", True),
        ("export/session.jsonl", True),
        ("media/session.jsonl", False),
        ("mysession.jsonl", False),
        ("samples/1_epoch_1.json", False),
    ],
)
def test_an_archive_is_recognised_by_its_members(
    name: str,
    recognised: bool,  # noqa: FBT001 - a column of the table
    tmp_path: Path,
) -> None:
    path = make_export(tmp_path / "x.zip", {name: lines(story("s-1", "X").records)})
    with open_log(str(path)) as log:
        if recognised:
            assert recognise(log) == (dsh_export.FORMAT, f"an archive with {name}")
            return
        with pytest.raises(FormatError, match="zip archive of no known kind"):
            recognise(log)


def test_another_agent_s_tables_are_not_taken(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.db", script="CREATE TABLE messages (id)")
    with open_log(str(path)) as log:
        assert dsh_db.FORMAT.recognise(sample_of(log)) is None


def test_a_compressed_database_from_a_pipe(tmp_path: Path) -> None:
    path = make_database(tmp_path / "dsh.db", story("s-1", "X", "X").records)
    done = run(
        "replay", "-", "--thresholds", "2", "-f", "concise",
        stdin=zstandard.compress(path.read_bytes()),
    )  # fmt: skip
    assert (done.code, done.out) == (0, '-:11: gentle s-1 X x2 after=12 {"q":1}\n')


# ---------------------------------------------------------------- what can be wrong


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "PRAGMA user_version = 20",
            "a DSH database of schema 20, newer than any that is read",
        ),
        (
            "ALTER TABLE events DROP COLUMN data",
            "a database of another schema: its table events has no column data",
        ),
    ],
    ids=["newer", "other columns"],
)
def test_another_schema_is_refused(script: str, message: str, tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.db", script=script)
    with pytest.raises(FormatError) as refused:
        events_of(path)
    assert refused.value.message == message
    assert run("replay", path).code == 2


def test_older_schemas_lack_columns(tmp_path: Path) -> None:
    script = """
        ALTER TABLE events DROP COLUMN ignorable;
        ALTER TABLE sessions DROP COLUMN agent_preset;
        PRAGMA user_version = 13;
    """
    path = make_database(tmp_path / "x.db", story("s-1", "X").records, script=script)
    assert calls(events_of(path)) == [("s-1", "X", 7)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("'{\"turn\":'", "its data is not valid JSON: expected a value"),
        ("X'28B52FFD00'", "its data"),
        ("7.5", "its data is no text"),
    ],
    ids=["cut text", "cut frame", "a number"],
)
def test_a_bad_row_is_left_out(value: str, message: str, tmp_path: Path) -> None:
    script = "UPDATE events SET data = VALUE WHERE seq = 0".replace("VALUE", value)
    path = make_database(tmp_path / "x.db", story("s-1", "X").records, script=script)
    (found,) = problems(path)
    assert found[:2] == ("warning", "not-json")
    assert found[2].startswith(f"session s-1, event 0: {message}")
    assert calls(events_of(path)) == [("s-1", "X", 7)]


def test_events_without_a_session_are_told(tmp_path: Path) -> None:
    script = "DELETE FROM sessions WHERE id = 's-2'"
    sessions = [story(name, "X").records for name in ("s-1", "s-2")]
    path = make_database(tmp_path / "x.db", *sessions, script=script)
    ((severity, kind, message),) = problems(path)
    assert (severity, kind) == ("warning", "no-header")
    assert message.endswith("events of 1 sessions that the table sessions does not have; left out")


def test_a_session_of_a_newer_version_stops_no_other(tmp_path: Path) -> None:
    sessions = [story("s-1", "X", version=9).records, story("s-2", "Y").records]
    path = make_database(tmp_path / "x.db", *sessions)
    assert [name for _, name, _ in calls(events_of(path))] == ["Y"]
    assert [(s, m) for s, _, m in problems(path)] == [
        (Severity.ERROR, "a DSH log of version 9, newer than any that is read")
    ]


def test_a_database_without_calls_says_so_once(tmp_path: Path) -> None:
    sessions = [[header() | {"id": name}, event("turn/start", {})] for name in ("a", "b")]
    path = make_database(tmp_path / "x.db", *sessions)
    assert problems(path) == [("note", "no-calls", "no tool calls")]


def test_a_bad_line_of_an_export_is_told_at_its_line(tmp_path: Path) -> None:
    records = story("s-1", "X").records
    broken = lines(records[:3]) + b"{oops\n" + lines(records[3:])
    path = make_export(tmp_path / "s.zip", {"session.jsonl": broken})
    found = [each for each in events_of(path) if isinstance(each, Problem)]
    assert [(each.path, each.line, each.kind) for each in found] == [(str(path), 4, "not-json")]


def test_a_damaged_member_is_left_out(tmp_path: Path) -> None:
    path = make_export(tmp_path / "s.zip", {"session.jsonl": lines(story("s-1", "X").records)})
    data = bytearray(path.read_bytes())
    data[14:18] = b"\0\0\0\0"  # the checksum of the local header is not looked at
    at = bytes(data).index(b"PK\x01\x02") + 16
    data[at : at + 4] = b"\0\0\0\0"
    path.write_bytes(data)
    assert problems(path)[0] == (
        "warning",
        "unreadable-member",
        "session.jsonl is left out: cannot be read: bad crc-32 for file 'session.jsonl'",
    )


def test_a_member_damaged_in_the_middle_keeps_what_came_before(tmp_path: Path) -> None:
    log = story("s-1", "X")
    noise = random.Random(7).randbytes(400_000).hex()  # noqa: S311 - anything that packs badly
    log.add(*Log().turn("go").call("Y").result(text=noise).records[1:])
    path = make_export(tmp_path / "s.zip", {"session.jsonl": lines(log.records)})
    data = bytearray(path.read_bytes())
    data[-3000:-2000] = b"\xff" * 1000
    path.write_bytes(data)
    assert ("s-1", "X", 7) in calls(events_of(path))
    assert "broken-off" in [kind for _, kind, _ in problems(path)]


def test_an_encrypted_member_is_left_out(tmp_path: Path) -> None:
    members = {"session.jsonl": b"x", "subagents/k/session.jsonl": lines(story("k", "X").records)}
    path = make_export(tmp_path / "s.zip", members)
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[bytes(data).index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert [name for _, name, _ in calls(events_of(path))] == ["X"]
    assert [found[:2] for found in problems(path)] == [("warning", "unreadable-member")]


def test_limits_hold_inside_an_export(tmp_path: Path) -> None:
    log = Log().turn("go").call("X").result(text="y" * 9000).done().end()
    path = make_export(tmp_path / "s.zip", {"session.jsonl": lines(log.records)})
    found = events_of(path, Limits(max_line_bytes=4096))
    assert "long-line" in [each.kind for each in found if isinstance(each, Problem)]


def test_data_unpacks_to_no_more_than_the_limit() -> None:
    bomb = zstandard.compress(b'"' + b"a" * 10_000 + b'"')
    with pytest.raises(DataError, match="larger than 9,000 bytes"):
        event_data(bomb, 9_000)
    assert event_data(bomb) == "a" * 10_000


def test_the_sign_of_a_zero_is_kept(tmp_path: Path) -> None:
    log = Log().turn("go").call("run")
    start = log.sub(1, "X", {"n": 0})
    log.add(start).result().done().end()
    path = make_database(tmp_path / "x.db", log.records)
    script = "UPDATE events SET data = replace(data, '\"n\": 0', '\"n\": -0')"
    with sqlite3.connect(path) as database:
        database.executescript(script)
    database.close()
    assert "refused-arguments" in [kind for _, kind, _ in problems(path)]


@pytest.mark.parametrize("kind", ["database", "export"])
def test_hostile_text_is_shown_escaped(kind: str, tmp_path: Path) -> None:
    log = story("s\x1b[31m", "X\u202e", "X\u202e")
    if kind == "database":
        path = make_database(tmp_path / "x.db", log.records)
    else:
        path = make_export(tmp_path / "x.zip", {"session.jsonl": lines(log.records)})
    done = run("replay", path, "--thresholds", "2")
    assert done.code == 0
    assert not {"\x1b", "\u202e"} & set(done.out)


def test_the_reader_is_that_of_the_files() -> None:
    assert dsh_db.FORMAT.reader is dsh_export.FORMAT.reader is dsh.Reader


@pytest.mark.parametrize("cut", [100, 3000, 9000])
def test_a_cut_database_is_no_traceback(cut: int, tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.db", story("s-1", *["X"] * 50).records)
    path.write_bytes(path.read_bytes()[:-cut])
    done = run("replay", path)
    assert done.code in (0, 2)
    assert "internal" not in done.err


def test_a_cut_archive_is_refused(tmp_path: Path) -> None:
    path = make_export(tmp_path / "x.zip", {"session.jsonl": lines(story("s-1", "X").records)})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(RepeatReminderError, match="not a usable zip archive"):
        events_of(path)
