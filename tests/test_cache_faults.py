"""A cache that is damaged, locked, full, or used by two at once: it is done without, and said."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.tune import store
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.store import Entry, Store, Unusable
from tests.command import run, spawn
from tests.notation import session

LOGS = 6
HINT = "hint: --clear-cache begins a new one, --no-cache does without"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that is not there yet."""
    monkeypatch.setenv("REPEAT_REMINDER_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    for number in range(LOGS):
        records = session(f"X*{number + 2} Y")
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "logs" / f"{number}.jsonl").write_text(text)
    return tmp_path / "logs"


def file_of(folder: Path) -> Path:
    return Store(folder).path


def keys_in(folder: Path) -> int:
    with closing(sqlite3.connect(file_of(folder))) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(database.execute("SELECT count(*) FROM tables").fetchone()[0])


# ---------------------------------------------------------------- a file that cannot be used


def no_database(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be read as one" * 100)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scrambled(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + bytes(byte ^ 0x55 for byte in data[100:]))


def flipped(path: Path) -> None:
    """Change a byte of every entry, as a bad disk would: SQLite does not notice."""
    changed(path, "UPDATE tables SET read = zeroblob(length(read))")


def other_types(path: Path) -> None:
    changed(path, "UPDATE tables SET read = 1")


def other_version(path: Path) -> None:
    changed(path, "PRAGMA user_version = 1")


def other_columns(path: Path) -> None:
    changed(path, "ALTER TABLE tables RENAME COLUMN read TO data")


def no_table(path: Path) -> None:
    changed(path, "DROP TABLE tables")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def changed(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


DAMAGES = [
    no_database, cut, scrambled, flipped, other_types, other_version, other_columns, no_table,
    a_folder,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_file_that_cannot_be_used_is_not(
    folder: Path, logs: Path, damage: Callable[[Path], None]
) -> None:
    wanted = run("stats", logs)
    damage(file_of(folder))
    for done in (run("stats", logs), run("stats", logs)):
        assert (done.code, done.out) == (wanted.code, wanted.out)
        assert done.err.startswith(f"note: {file_of(folder)}: the cache of run tables is not used")
        assert done.err.splitlines()[1:] == [HINT]
    if damage is not a_folder:
        assert run("stats", logs, "--clear-cache") == wanted
        assert keys_in(folder) == LOGS


def test_nobody_hears_of_it_who_wants_quiet(folder: Path, logs: Path) -> None:
    folder.mkdir()
    no_database(file_of(folder))
    done = run("stats", logs, "-q")
    assert (done.code, done.err) == (0, "")


# ---------------------------------------------------------------- a place that cannot be written


def test_a_full_disk(folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = run("stats", logs, "--no-cache")
    monkeypatch.setattr(store, "PRAGMAS", ("PRAGMA max_page_count = 2",))
    done = run("stats", logs)
    assert done.out == wanted.out
    assert done.err.splitlines() == [
        f"note: {file_of(folder)}: the cache of run tables is not used: database or disk is full",
        HINT,
    ]


def test_a_file_that_must_not_be_written_is_still_read(
    folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = run("stats", logs)
    monkeypatch.setattr(store, "PRAGMAS", ("PRAGMA query_only = 1",))
    assert run("stats", logs) == wanted
    assert keys_in(folder) == LOGS
    (logs / "0.jsonl").write_text((logs / "1.jsonl").read_text())
    done = run("stats", logs)
    assert done.code == 0
    assert "is not used: attempt to write a readonly database" in done.err


def test_a_folder_that_must_not_be_written(folder: Path, logs: Path) -> None:
    folder.mkdir(mode=0o500)
    wanted, done = run("stats", logs, "--no-cache"), run("stats", logs)
    assert done.out == wanted.out
    told = "is not used: permission denied" in done.err
    assert told != os.access(folder, os.W_OK)  # root may write everywhere


def test_a_folder_that_cannot_be_made(folder: Path, logs: Path) -> None:
    folder.write_text("a file")
    wanted = run("stats", logs, "--no-cache")
    for more in ((), ("--clear-cache",)):
        done = run("stats", logs, *more)
        assert done.out == wanted.out
        assert done.err.splitlines() == [
            f"note: {file_of(folder)}: the cache of run tables is not used: not a directory",
            HINT,
        ]


def test_a_python_without_sqlite(folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = run("stats", logs)
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    done = run("stats", logs)
    assert done.out == wanted.out
    told = (
        f"note: {file_of(folder)}: the cache of run tables is not used: this Python has no SQLite"
    )
    assert done.err.splitlines() == [told, HINT]


def test_no_home(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    wanted = run("stats", logs, "--no-cache")
    monkeypatch.delenv("REPEAT_REMINDER_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    done = run("stats", logs)
    assert done.out == wanted.out
    assert "is not used: there is no home folder" in done.err
    assert run("stats", logs, "--no-cache") == wanted


def test_the_oldest_entries_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST", 1 << 20)
    one = Store(folder)
    keys = [b"%d" % number for number in range(60)]
    for key in keys:
        one.put([Entry(key, b"", None, bytes(40_000))])
    kept = [entry is not None for entry in one.get(keys)]
    assert kept == sorted(kept)
    assert 10 < sum(kept) < 30
    assert file_of(folder).stat().st_size < 2 << 20


def test_a_table_that_is_too_large_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_OF_ONE", 10)
    Store(folder).put([Entry(b"a", b"", None, bytes(11))])
    assert not folder.exists()


# ---------------------------------------------------------------- several at once


@pytest.fixture
def locked(folder: Path, logs: Path) -> Iterator[sqlite3.Connection]:
    """Another process in the middle of a write that takes long."""
    run("stats", logs)
    with closing(sqlite3.connect(file_of(folder), isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        yield database


def test_a_lock_is_not_waited_for_for_long(
    folder: Path, logs: Path, locked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = run("stats", logs, "--no-cache")
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    done = run("stats", logs)
    assert done.out == wanted.out
    assert "is not used: database is locked" in done.err
    locked.execute("ROLLBACK")
    assert run("stats", logs) == wanted
    assert keys_in(folder) == LOGS


def test_two_processes_at_once(folder: Path, logs: Path) -> None:
    wanted = spawn("stats", logs, "--no-cache")
    words = [sys.executable, "-m", "repeat_reminder", "stats", str(logs), "-j", "1"]
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        many = [
            subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603
            for _ in range(4)
        ]
        seen = [(*one.communicate(), one.returncode) for one in many]
        assert seen == [(wanted.stdout, wanted.stderr, 0)] * 4
        assert keys_in(folder) == LOGS


WRITER = """
import sys
from pathlib import Path
from repeat_reminder.tune import store
one = store.Store(Path(sys.argv[1]))
number = 0
while True:
    one.put([store.Entry(b"%d" % (number + at), b"", None, bytes(30_000)) for at in range(20)])
    print(number, flush=True)
    number += 20
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is nothing like it")
def test_a_kill_in_the_middle_of_a_write(folder: Path, logs: Path) -> None:
    for pause in (0.0, 0.003, 0.011):
        command = [sys.executable, "-c", WRITER, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:  # noqa: S603
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(pause)
            writer.kill()
        entries = keys_in(folder)
        assert entries > 0
        assert entries % 20 == 0
        (found,) = Store(folder).get([b"0"])
        assert found == Entry(b"0", b"", None, bytes(30_000))
    assert run("stats", logs).err == ""


def test_a_kill_before_anything_was_written(folder: Path, logs: Path) -> None:
    """An empty file, and one whose only write was undone."""
    folder.mkdir()
    file_of(folder).touch()
    assert run("stats", logs).err == ""
    changed(file_of(folder), "DROP TABLE tables")
    changed(file_of(folder), "PRAGMA user_version = 0")
    assert run("stats", logs).err == ""
    assert keys_in(folder) == LOGS


def test_what_was_read_before_ctrl_c_is_kept(
    folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = FileReader.__call__

    def interrupted(self: FileReader, path: str) -> FileRead:
        if path.endswith("2.jsonl"):
            raise KeyboardInterrupt
        return read(self, path)

    monkeypatch.setattr(FileReader, "__call__", interrupted)
    assert run("stats", logs).code == 130
    assert keys_in(folder) == 2


@pytest.mark.parametrize("call", ["get", "put"])
def test_faults_have_one_name(tmp_path: Path, call: str) -> None:
    (tmp_path / "file").touch()
    one = Store(tmp_path / "file")
    calls: dict[str, Callable[[], Any]] = {
        "get": lambda: list(one.get([b"a"])),
        "put": lambda: one.put([Entry(b"a", b"", None, b"")]),
    }
    with pytest.raises(Unusable):
        calls[call]()
