"""Opening logs: files, pipes, containers, limits and errors."""

import builtins
import errno
import gzip
import os
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeVar

import pytest
import zstandard

from repeat_reminder.errors import SourceError
from repeat_reminder.events import Problem
from repeat_reminder.source import Limits, Log, open_log

T = TypeVar("T")


def never(problem: Problem) -> None:
    pytest.fail(f"unexpected: {problem.message}")


def texts(log: Log) -> list[bytes]:
    return [line for _, line in log.lines(never)]


# ---------------------------------------------------------------- pipes


class Pipe:
    """Both ends of a pipe."""

    def __init__(self) -> None:
        """Open them."""
        out, into = os.pipe()
        self.reader: BinaryIO = os.fdopen(out, "rb")
        self._into = into

    def write(self, data: bytes) -> None:
        """Let the reader have some bytes."""
        os.write(self._into, data)

    def close_writer(self) -> None:
        """Let the reader have the end."""
        if self._into >= 0:
            os.close(self._into)
            self._into = -1


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close_writer()
    made.reader.close()


def in_time(work: Callable[[], T]) -> T:
    """Do something that must not wait for more input."""
    results: list[T] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    thread.join(timeout=5)
    assert not thread.is_alive(), "waits for data that is not needed"
    return results[0]


def flushing_gzip() -> Callable[[bytes], bytes]:
    packer = zlib.compressobj(wbits=31)
    return lambda data: packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)


def flushing_zstd() -> Callable[[bytes], bytes]:
    packer = zstandard.ZstdCompressor().compressobj()
    return lambda data: packer.compress(data) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, flushing_gzip(), zstandard.compress, flushing_zstd()],
    ids=["plain", "gzip members", "one gzip stream", "zstd frames", "one zstd frame"],
)
def test_a_pipe_gives_each_line_when_it_is_written(
    pipe: Pipe, pack: Callable[[bytes], bytes]
) -> None:
    pipe.write(pack(b'{"a":1}\n{"b":'))
    log = in_time(lambda: open_log("-", stdin=pipe.reader))
    assert (log.growing, log.file, log.kind) == (True, None, "text")
    assert in_time(log.head).startswith(b'{"a":1}\n')
    assert in_time(lambda: log.head(3)) == b'{"a'
    assert in_time(lambda: log.peek(1)) == [b'{"a":1}']
    lines = log.lines(never)
    assert in_time(lambda: next(lines)) == (1, b'{"a":1}')
    pipe.write(pack(b"2}\n"))
    assert in_time(lambda: next(lines)) == (2, b'{"b":2}')
    pipe.write(pack(b"\n"))
    pipe.write(pack(b"3\n4\n"))
    assert in_time(lambda: list(islice(lines, 2))) == [(4, b"3"), (5, b"4")]


def test_a_short_first_line_is_not_held_back(pipe: Pipe) -> None:
    pipe.write(b"1\n")
    log = in_time(lambda: open_log("-", stdin=pipe.reader))
    assert in_time(lambda: next(log.lines(never))) == (1, b"1")


def test_a_pipe_is_looked_into_as_far_as_needed(pipe: Pipe) -> None:
    pipe.write(b"1\n\n2\n3\nha")
    log = in_time(lambda: open_log("-", stdin=pipe.reader))
    assert in_time(lambda: log.peek(3)) == [b"1", b"2", b"3"]
    pipe.write(b"lf")
    pipe.close_writer()
    assert in_time(lambda: log.peek(50)) == [b"1", b"2", b"3", b"half"]
    assert texts(log) == [b"1", b"2", b"3", b"half"]


def test_a_pipe_is_waited_for_while_its_kind_is_open(pipe: Pipe) -> None:
    pipe.write(b"SQLite ")
    later = threading.Timer(0.05, pipe.write, [b"format 3\0"])
    later.start()
    assert in_time(lambda: open_log("-", stdin=pipe.reader)).kind == "sqlite"
    later.join()


def test_a_named_pipe_is_a_growing_log_without_file(tmp_path: Path) -> None:
    path = tmp_path / "live.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"1\n2\n",))
    writer.start()
    with open_log(str(path)) as log:
        assert (log.growing, log.file, log.path) == (True, None, str(path))
        assert texts(log) == [b"1", b"2"]
    writer.join()


def test_a_file_on_standard_input_does_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n")
    with path.open("rb") as stdin, open_log("-", stdin=stdin) as log:
        assert (log.growing, log.file, log.path) == (False, None, "-")
        assert texts(log) == [b"1"]
        log.close()
        assert not stdin.closed


def test_dash_reads_the_process_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = BytesIO(b"1\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    with open_log("-") as log:
        assert texts(log) == [b"1"]
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceError, match="-: standard input is closed"):
        open_log("-")


# ---------------------------------------------------------------- looking


def test_head_of_a_file_is_as_long_as_asked(tmp_path: Path) -> None:
    content = b"".join(b'{"n":%d}\n' % n for n in range(100_000))
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    with open_log(str(tmp_path / "a.gz")) as log:
        for size in (10, 70_000, 600_000, 5):
            assert log.head(size) == content[:size]
        assert b"".join(line + b"\n" for line in texts(log)) == content


BIG = b"x" * 200_000


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (BIG + b"\n" + BIG + b"\n", [BIG]),
        (BIG * 2 + b"\nb\n", [(BIG * 2)[: 1 << 18]]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\r\n\n \nb\n", [b"a", b"b"]),
        (b"", []),
        (b"\n\n \n", []),
    ],
    ids=[
        "a line cut by the limit is left out",
        "the first line is shown even if it is cut",
        "the last line needs no line end",
        "blank lines do not count",
        "empty",
        "only blank lines",
    ],
)
def test_peek_gives_whole_lines(tmp_path: Path, content: bytes, found: list[bytes]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with open_log(str(path)) as log:
        assert log.peek(9, max_bytes=1000) == found
        assert log.peek(1, max_bytes=1000) == found[:1]
        assert log.text() == content


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("first", ["lines", "text"])
@pytest.mark.parametrize("second", ["lines", "text"])
def test_a_log_is_read_once(first: str, second: str) -> None:
    with open_log("-", stdin=BytesIO(b"1\n")) as log:
        assert log.text() == log.text() == b"1\n"
        assert getattr(log, first)(never)
        with pytest.raises(ValueError, match="only once"):
            getattr(log, second)(never)
        with pytest.raises(ValueError, match="only once"):
            log.text()


def test_a_document_is_read_whole_without_its_mark() -> None:
    content = b'\xef\xbb\xbf{\n  "a": 1\n}\n'
    with open_log("-", stdin=BytesIO(gzip.compress(content))) as log:
        assert log.text(never) == content[3:]
        assert log.damage is None


def test_a_document_has_a_size_limit() -> None:
    limits = Limits(max_document_bytes=1000)
    with open_log("-", stdin=BytesIO(b"x" * 1000), limits=limits) as log:
        assert len(log.text()) == 1000
    with open_log("-", stdin=BytesIO(b"x" * 1001), limits=limits) as log:
        with pytest.raises(SourceError, match="more than 1,000 bytes cannot be read as a whole"):
            log.text()
        assert [len(line) for line in texts(log)] == [1001]


def test_all_of_a_log_has_a_size_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes((b"x" * 99 + b"\n") * 10_000)
    limits = Limits(max_bytes=1_000_000)
    with open_log(str(path), limits=limits) as log:
        assert len(texts(log)) == 10_000
    limits = Limits(max_bytes=999_999)
    with open_log(str(path), limits=limits) as log:
        lines = log.lines(never)
        assert next(lines) == (1, b"x" * 99)
        with pytest.raises(SourceError, match="more than 999,999 bytes") as caught:
            list(lines)
    assert (caught.value.path, caught.value.hint) == (str(path), "--max-bytes raises the limit")


# ---------------------------------------------------------------- memory

MEASURE = """
import sys
from pathlib import Path
from repeat_reminder.source import open_log

def high_water():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])

with open_log(sys.argv[1]) as log:
    before = high_water()
    lines = list(log.lines(print, lambda _, head: b"noise" in head))
    print(before, high_water(), lines)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="VmHWM is Linux's")
def test_a_dropped_line_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b'1\n{"noise":"')
        file.seek(300 << 20)  # a hole: the file takes no room
        file.write(b'"}\n3\n')
    run = subprocess.run(  # noqa: S603 - this Python, and a script of this file
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, check=True, timeout=30
    )
    before, after, lines = run.stdout.decode().split(" ", 2)
    assert lines.strip() == "[(1, b'1'), (3, b'3')]"
    assert int(after) - int(before) < 8 << 10  # KiB


def test_a_wanted_line_is_held_about_once() -> None:
    size = 32 << 20
    total = iter([b"x" * (1 << 18)] * (size >> 18))

    class Stream(BytesIO):
        def read1(self, _: int | None = -1, /) -> bytes:
            return next(total, b"")

    tracemalloc.start()
    try:
        with open_log("-", stdin=Stream()) as log:
            ((_, line),) = log.lines(never)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(line) == size
    assert peak < 1.2 * size


def test_many_lines_are_not_held(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes((b"x" * 99 + b"\n") * 200_000)
    tracemalloc.start()
    try:
        with open_log(str(path)) as log:
            count = sum(1 for _ in log.lines(never))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 200_000
    assert peak < 2 << 20


# ---------------------------------------------------------------- containers


def zipped() -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("samples/2.json", "{}")
        archive.writestr("header.json", '{"a":1}')
    return packed.getvalue()


def with_tables(path: Path, *, wal: bool = False) -> bytes:
    """Write a database with the tables ``message`` and ``part``, and return its bytes."""
    with closing(sqlite3.connect(path)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE part (data TEXT)")
        connection.execute("CREATE TABLE message (data TEXT)")
        connection.execute("CREATE VIEW shown AS SELECT * FROM part")
        connection.execute("INSERT INTO part VALUES ('x')")
        connection.commit()
    return path.read_bytes()


@pytest.mark.parametrize("pack", [bytes, zstandard.compress], ids=["plain", "packed once more"])
@pytest.mark.parametrize("from_pipe", [False, True], ids=["file", "pipe"])
def test_archives_list_and_open(
    tmp_path: Path, pack: Callable[[bytes], bytes], *, from_pipe: bool
) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(pack(zipped()))
    with path.open("rb") as stdin, open_log("-" if from_pipe else str(path), stdin=stdin) as log:
        assert log.kind == "zip"
        assert log.names() == ("header.json", "samples/2.json")
        with log.archive() as archive:
            assert archive.read("header.json") == b'{"a":1}'


@pytest.mark.parametrize("pack", [bytes, zstandard.compress], ids=["plain", "packed"])
@pytest.mark.parametrize("from_pipe", [False, True], ids=["file", "pipe"])
@pytest.mark.parametrize("wal", [False, True], ids=["journal", "write-ahead log"])
def test_databases_list_and_open_read_only(
    tmp_path: Path, pack: Callable[[bytes], bytes], *, from_pipe: bool, wal: bool
) -> None:
    path = tmp_path / "a b?%23.db"
    content = pack(with_tables(tmp_path / "made.db", wal=wal))
    path.write_bytes(content)
    with path.open("rb") as stdin, open_log("-" if from_pipe else str(path), stdin=stdin) as log:
        assert log.kind == "sqlite"
        assert log.names() == ("message", "part")
        with closing(log.database()) as database:
            assert database.execute("SELECT data FROM part").fetchall() == [("x",)]
    assert path.read_bytes() == content


def test_a_database_that_is_being_written_shows_its_last_records(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with_tables(path, wal=True)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO part VALUES ('new')")
        writer.commit()
        with open_log(str(path)) as log, closing(log.database()) as database:
            assert database.execute("SELECT count(*) FROM part").fetchone() == (2,)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                database.execute("INSERT INTO part VALUES ('y')")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"SQLite format 3\x00" + b"\xff" * 200, "not a usable database"),
        (b"PK\x03\x04" + b"\xff" * 200, "not a usable zip archive"),
    ],
    ids=["sqlite", "zip"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_damaged_container_is_an_error(
    tmp_path: Path, content: bytes, message: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(pack(content))
    with open_log(str(path)) as log, pytest.raises(SourceError, match=message) as caught:
        log.names()
    assert caught.value.path == str(path)


def test_a_folder_lists_its_files_and_has_no_text(tmp_path: Path) -> None:
    for name in ("event-00001-b.json", "event-00000-a.json", ".lock"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    with open_log(str(tmp_path)) as log:
        assert (log.kind, log.file, log.growing) == ("folder", tmp_path, False)
        assert log.names() == ("event-00000-a.json", "event-00001-b.json")
        with pytest.raises(SourceError, match="a folder has no lines"):
            list(log.lines(never))


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    with open_log(str(folder)) as log:
        folder.rmdir()
        with pytest.raises(SourceError, match="no such file or directory"):
            log.names()


def test_text_holds_nothing_by_name() -> None:
    with open_log("-", stdin=BytesIO(b"1\n")) as log:
        assert log.names() == ()


# ---------------------------------------------------------------- errors


def test_no_such_file_names_what_was_meant(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(b"")
    with pytest.raises(SourceError, match="no such file") as caught:
        open_log(str(tmp_path / "sesion.jsonl"))
    assert caught.value.hint == f"did you mean {tmp_path / 'session.jsonl'}?"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "permission denied"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links"), "cannot be read: too many"),
        (OSError(errno.EIO, "Input/output error"), "cannot be read: input/output error"),
        (OSError("no number"), "cannot be read: unknown error"),
        (ValueError("embedded null byte"), "cannot be read: embedded null byte"),
    ],
    ids=["denied", "a loop of links", "a broken disk", "no reason", "a zero byte"],
)
def test_a_file_that_cannot_be_opened_says_why(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object, **__: object) -> BinaryIO:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", fail)
        with pytest.raises(SourceError) as caught:
            open_log("a.jsonl")
    assert str(caught.value).startswith(f"a.jsonl: {message}")


@pytest.mark.parametrize("good", [0, 1, 2], ids=["at once", "while looking", "while reading"])
def test_an_error_while_reading_says_why(good: int) -> None:
    pieces = [b"1\n" * (1 << 17), b"2\n" * (1 << 17)][:good]

    class Broken(BytesIO):
        def read1(self, _: int | None = -1, /) -> bytes:
            if pieces:
                return pieces.pop(0)
            raise OSError(errno.EIO, "Input/output error")

    given: list[tuple[int, bytes]] = []

    def read() -> None:
        with open_log("-", stdin=Broken()) as log:
            given.extend(log.lines(never))

    with pytest.raises(SourceError, match="-: cannot be read: input/output error"):
        read()
    assert len(given) == good << 17


def test_a_closed_stream_is_an_error() -> None:
    stream = BytesIO(b"1\n")
    stream.close()
    with pytest.raises(SourceError, match="closed file"):
        open_log("-", stdin=stream)


def test_a_file_is_closed_also_when_opening_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n" * 10)
    made: list[BinaryIO] = []
    really_open = builtins.open

    def noted(*args: object, **kwargs: object) -> BinaryIO:
        made.append(really_open(*args, **kwargs))  # type: ignore[call-overload]  # passed on
        return made[-1]

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", noted)
        log = open_log(str(path))
        closed = [made[0].closed]
        log.close()
        closed.append(made[0].closed)
        assert closed == [False, True]
        with pytest.raises(SourceError, match="more than 1 bytes"):
            open_log(str(path), limits=Limits(max_bytes=1))
    assert made[1].closed
