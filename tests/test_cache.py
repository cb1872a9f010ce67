"""The cache of run tables makes no difference but in time."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.cli.caching import folder_of
from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.source import Limits
from repeat_reminder.tune import cache
from repeat_reminder.tune.cache import TableCache
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.stamps import stamp_of
from repeat_reminder.tune.store import Store
from tests.command import Ran, run
from tests.corpus import Truth
from tests.corpus import write as write_corpus
from tests.notation import call, result, session

ROOT = Path(__file__).parents[1]
READER = FileReader()
READERS = cache.readers


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that is not there yet."""
    monkeypatch.setenv("REPEAT_REMINDER_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def installation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody who edits a module while tests run make a difference."""
    monkeypatch.setattr(cache, "readers", lambda: "as they are")


def log(path: Path, words: str = "X*4 Y") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in session(words)))
    return path


def read_with(folder: Path, path: Path, reader: FileReader = READER, **how: bool) -> str:
    """Read a log through the cache, and say whether it was known."""
    one = TableCache(Store(folder), reader, **how)
    (known,) = one.find([str(path)])
    read = reader(str(path))
    if known is None:
        one.keep(str(path), read)
        one.write()
    else:
        assert_equal(known, read)
    assert one.fault is None
    return "new" if known is None else "known"


def assert_equal(one: FileRead, other: FileRead) -> None:
    assert one[:2] == other[:2]
    assert (one.error is None) == (other.error is None)
    if one.error is not None and other.error is not None:
        assert vars(one.error) == vars(other.error)
        assert type(one.error) is type(other.error)


# ---------------------------------------------------------------- the same output

REAL = ROOT / "tests" / "data"
COMMANDS: list[Any] = [
    pytest.param(("tune",), id="tune"),
    pytest.param(("tune", "-f", "json"), id="tune-json"),
    pytest.param(("tune", "-f", "json", "--policy", "breaker"), id="tune-breaker"),
    pytest.param(("tune", "--try-exclude", "poll_job", "--max-warned", "30%"), id="tune-scope"),
    pytest.param(("stats",), id="stats"),
    pytest.param(("stats", "-f", "json", "--by", "session"), id="stats-json"),
]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of all kinds: whole and damaged ones, without calls, of no format, with reminders."""
    root = write_corpus(tmp_path_factory.mktemp("logs"), Truth(sessions=20))
    for path in (ROOT / "fixtures").glob("*.jsonl"):
        (root / path.name).write_bytes(path.read_bytes())
    for path in (REAL / "dsh").glob("*.jsonl*"):
        (root / "dsh").mkdir(exist_ok=True)
        (root / "dsh" / path.name).write_bytes(path.read_bytes())
    torn = log(root / "torn.jsonl")
    torn.write_text(torn.read_text() + '{"type": "tool_ca')
    (root / "none.jsonl").write_text('{"what": 1}\n')
    (root / "empty.jsonl").touch()
    return root


@pytest.mark.parametrize("words", COMMANDS)
def test_the_output_is_the_same_with_and_without(
    folder: Path, logs: Path, words: tuple[str, ...]
) -> None:
    wanted = run(*words, logs, "-v", "--no-cache")
    assert not folder.exists()
    seen = [run(*words, logs, "-v", *more) for more in ((), (), ("-j", "2"), ("--verify-cache",))]
    seen += [run(*words, logs, "-v", "--verify-cache"), run(*words, logs, "-v", "--clear-cache")]
    assert "reminder" in wanted.out + wanted.err
    assert seen == [wanted] * len(seen)


def test_a_known_log_is_not_read(folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("stats", logs)

    def unread(_self: FileReader, path: str) -> FileRead:
        raise AssertionError(path)

    monkeypatch.setattr(FileReader, "__call__", unread)
    assert run("stats", logs) == first
    assert run("stats", logs, "--exclude", "todo_write", "--by", "agent").code == 0
    assert run("stats", logs, "--no-cache").code == 2
    assert folder.exists()


def test_the_only_log_is_refused_alike(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text('{"what": 1}\n')
    first = run("stats", tmp_path / "none.jsonl")
    assert (first.code, run("stats", tmp_path / "none.jsonl")) == (2, first)
    assert "unknown format" in first.err
    assert folder.exists()


# ---------------------------------------------------------------- what an entry is found by


def longer(path: Path) -> None:
    with path.open("a") as file:
        file.write("\n")


def later(path: Path) -> None:
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def other_end(place: int) -> Callable[[Path], None]:
    """Change a byte, and neither size nor time."""

    def change(path: Path) -> None:
        status, data = path.stat(), bytearray(path.read_bytes())
        data[place] ^= 1
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(longer, id="size"),
        pytest.param(later, id="time"),
        pytest.param(other_end(2), id="head"),
        pytest.param(other_end(-4), id="tail"),
    ],
)
def test_a_changed_file_is_read_anew(
    folder: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = log(tmp_path / "a.jsonl", " ".join(["X*3 Y Z"] * 200))
    assert [read_with(folder, path) for _ in range(2)] == ["new", "known"]
    change(path)
    assert [read_with(folder, path) for _ in range(2)] == ["new", "known"]


OTHER_READERS = {
    "format": FileReader(form="canonical"),
    "line-bytes": FileReader(limits=Limits(max_line_bytes=50)),
    "bytes": FileReader(limits=Limits(max_bytes=1 << 20)),
    "breaker": FileReader(breaker=BreakerConfig()),
    "breaker-config": FileReader(breaker=replace(BreakerConfig(), include_local=True)),
}


@pytest.mark.parametrize("reader", OTHER_READERS.values(), ids=OTHER_READERS)
def test_a_log_read_otherwise_is_read_anew(
    folder: Path, tmp_path: Path, reader: FileReader
) -> None:
    path = log(tmp_path / "a.jsonl")
    seen = [READER, reader, READER, reader]
    assert [read_with(folder, path, one) for one in seen] == ["new", "new", "known", "known"]


@pytest.mark.parametrize("name", ["VERSION", "__version__", "readers"])
def test_another_version_reads_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = log(tmp_path / "a.jsonl")
    assert read_with(folder, path) == "new"
    monkeypatch.setattr(cache, name, (lambda: "other") if name == "readers" else "other")
    assert [read_with(folder, path) for _ in range(2)] == ["new", "known"]


def test_a_changed_installation_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    (package / "formats").mkdir(parents=True)
    (package / "formats" / "acme.py").write_text("one")
    monkeypatch.setattr(cache, "__file__", str(package / "tune" / "cache.py"))
    before = READERS()
    assert READERS() == before
    (package / "formats" / "acme.py").write_text("other")
    assert READERS() != before


def test_a_log_is_known_by_the_name_that_tables_say(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path / "a.jsonl")
    monkeypatch.chdir(tmp_path)
    names = ["a.jsonl", "./a.jsonl", str(tmp_path / "a.jsonl")]
    assert [read_with(folder, Path(name)) for name in (names[0], names[2])] == ["new", "new"]
    assert [run("stats", name, "-f", "json").out.count(name) > 0 for name in names * 2] == [
        True
    ] * 6


def test_another_file_of_that_name_is_another_log(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        log(tmp_path / name / "s.jsonl", f"{name}*3")
        os.utime(tmp_path / name / "s.jsonl", ns=(0, 0))
        monkeypatch.chdir(tmp_path / name)
        assert read_with(folder, Path("s.jsonl")) == "new"


# ---------------------------------------------------------------- --verify-cache


def middle(path: Path) -> None:
    """Change the middle of a log, and neither its size nor its time."""
    status, text = path.stat(), path.read_text()
    at = text.index('"X"', len(text) // 2)
    path.write_text(f"{text[: at + 1]}W{text[at + 2 :]}")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_only_all_of_a_file_tells_that_its_middle_changed(folder: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl", " ".join(["X*3 Y"] * 200))
    before = run("stats", path, "--verify-cache")
    middle(path)
    assert run("stats", path) == before
    after = run("stats", path, "--verify-cache")
    assert after == run("stats", path, "--no-cache") != before
    assert run("stats", path) == after
    assert folder.exists()


def test_what_was_kept_without_is_not_trusted(folder: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl")
    seen = [read_with(folder, path, whole=whole) for whole in (False, True, True, False)]
    assert seen == ["new", "new", "known", "known"]


# ---------------------------------------------------------------- what is not kept


def nothing_of(path: Path) -> None:
    assert stamp_of(str(path)) is None


def test_what_may_have_more_beside_it_is_not_kept(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "db").write_bytes(b"SQLite format 3\0" + bytes(100))
    for name in ("pipe", "db", ".", "absent", "-", "a\0b"):
        nothing_of(tmp_path / name)


def test_a_log_seen_from_a_folder_that_is_gone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path / "a.jsonl")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    one = TableCache(Store(folder), READER)
    assert one.find(["../a.jsonl"]) == [None]
    one.keep("../a.jsonl", READER("../a.jsonl"))
    one.write()
    assert not folder.exists()


def test_standard_input_is_not_kept(folder: Path, tmp_path: Path) -> None:
    data = log(tmp_path / "a.jsonl").read_bytes()
    assert run("stats", "-", stdin=data).code == 0
    assert not folder.exists()


def test_a_file_that_changes_while_it_is_read_is_not_kept(folder: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl")
    one = TableCache(Store(folder), READER)
    assert one.find([str(path)]) == [None]
    read = READER(str(path))
    longer(path)
    one.keep(str(path), read)
    one.write()
    assert read_with(folder, path) == "new"


def test_an_error_that_may_pass_is_not_kept(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"\x1f\x8b\x08" + bytes(40))
    first: Ran = run("stats", path)
    assert first.code == 2
    assert not folder.exists()


def test_half_a_character_is_no_reason_to_fail(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    records = [*session(""), *(r for n in "abc" for r in (call("\ud800", n), result(n)))]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    first = run("stats", path, "-f", "json")
    assert first.code == 0
    assert run("stats", path, "-f", "json") == first
    assert not folder.exists()


# ---------------------------------------------------------------- where it is

HOME = str(Path.home())


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, f"{HOME}/.cache/repeat-reminder"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/repeat-reminder"),
        ("linux", {"XDG_CACHE_HOME": "x"}, f"{HOME}/.cache/repeat-reminder"),
        ("linux", {"XDG_CACHE_HOME": ""}, f"{HOME}/.cache/repeat-reminder"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, f"{HOME}/Library/Caches/repeat-reminder"),
        ("win32", {"LOCALAPPDATA": "/x"}, "/x/repeat-reminder"),
        ("win32", {}, f"{HOME}/AppData/Local/repeat-reminder"),
        ("linux", {"XDG_CACHE_HOME": "/x", "REPEAT_REMINDER_CACHE_DIR": "own"}, "own"),
    ],
)
def test_the_folder_is_the_systems_own(
    platform: str, environment: dict[str, str], expected: str
) -> None:
    assert folder_of(environment, platform) == Path(expected)


def test_the_file_is_for_nobody_else(folder: Path, tmp_path: Path) -> None:
    run("stats", log(tmp_path / "a.jsonl"))
    (file,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_clearing_removes_what_is_there(folder: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl")
    run("stats", path)
    (folder / "run-tables-0.sqlite3").touch()
    (folder / "other").touch()
    assert run("stats", path, "--clear-cache", "--no-cache").code == 0
    assert [one.name for one in folder.iterdir()] == ["other"]
    run("stats", path, "--clear-cache")
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("command", ["tune", "stats"])
def test_the_cache_is_no_part_of_the_recorded_command(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    path = log(tmp_path / "a.jsonl")
    pages = []
    for more in ([], ["--no-cache"], ["--verify-cache"], ["--clear-cache"]):
        monkeypatch.setattr(
            "sys.argv", ["repeat-reminder", command, str(path), "-f", "json", *more]
        )
        pages.append(run(command, path, "-f", "json", *more).out)
    assert f'"repeat-reminder {command}' in pages[0]
    assert pages == pages[:1] * 4
    assert folder.exists()
