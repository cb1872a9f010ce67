"""From what the user typed to the logs that are meant."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from repeat_reminder.errors import SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.source import discover, latest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plant(names: Iterable[str]) -> None:
    """Create files, with their folders, in the current folder; ``a/`` is an empty folder."""
    for name in names:
        path = Path(name)
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text("{}\n", encoding="utf-8")


TREE = [
    "logs/b.jsonl",
    "logs/a.jsonl.zst",
    "logs/deep/er/c.json",
    "logs/deep/notes.md",
    "logs/.hidden/d.jsonl",
    "logs/.e.jsonl",
    "logs/x[1].jsonl",
    "other/f.traj",
    "-/g.jsonl",
    ".claude/h.jsonl",
]
LOGS = ["logs/a.jsonl.zst", "logs/b.jsonl", "logs/deep/er/c.json", "logs/x[1].jsonl"]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["logs/b.jsonl"], ["logs/b.jsonl"]),
        (["logs/deep/notes.md"], ["logs/deep/notes.md"]),
        (["logs"], LOGS),
        (["logs/"], LOGS),
        (["./logs/deep"], ["./logs/deep/er/c.json"]),
        (["logs/.hidden"], ["logs/.hidden/d.jsonl"]),
        ([".claude"], [".claude/h.jsonl"]),
        (["logs/.e.jsonl"], ["logs/.e.jsonl"]),
        (["logs/x[1].jsonl"], ["logs/x[1].jsonl"]),
        (["logs/*.jsonl"], ["logs/b.jsonl", "logs/x[1].jsonl"]),
        (["logs/d*"], ["logs/deep/er/c.json"]),
        (["**/*.jsonl"], ["-/g.jsonl", "logs/b.jsonl", "logs/x[1].jsonl"]),
        (["logs/**/*.json"], ["logs/deep/er/c.json"]),
        (["l*/**/er/*"], ["logs/deep/er/c.json"]),
        (["logs/**"], LOGS),
        ([".c*/*"], [".claude/h.jsonl"]),
        (["-"], ["-"]),
        (["-", "logs/b.jsonl", "-"], ["-", "logs/b.jsonl"]),
        (["other", "logs/deep"], ["other/f.traj", "logs/deep/er/c.json"]),
        (["logs/b.jsonl", "logs", "./logs/b.jsonl"], ["logs/b.jsonl", LOGS[0], *LOGS[2:]]),
        (["other/../other"], ["other/../other/f.traj"]),
        ([], []),
    ],
    ids=[
        "a file",
        "a named file of any suffix",
        "a folder, recursive and sorted",
        "a folder with a slash",
        "the path stays as typed",
        "a hidden folder that is named",
        "a hidden root",
        "a hidden file that is named",
        "a name with brackets",
        "a glob",
        "a glob that matches a folder",
        "stars for any depth, hidden ones left out",
        "stars below a folder",
        "stars in the middle",
        "stars at the end are the folder",
        "a glob over hidden names",
        "standard input",
        "the same twice",
        "the order of the paths",
        "a file by several names is one log",
        "dots stay",
        "nothing",
    ],
)
def test_paths_stand_for_logs(paths: list[str], found: list[str]) -> None:
    plant(TREE)
    assert discover(paths) == found


def test_a_file_called_dash_is_not_standard_input() -> None:
    Path("-").write_text("{}\n", encoding="utf-8")
    assert discover(["*"]) == ["./-"]
    assert discover(["./-"]) == ["./-"]


def test_the_patterns_are_the_callers() -> None:
    plant(["logs/a.jsonl", "logs/b.trail.gz"])
    assert discover(["logs"], suffixes=["*.trail"]) == ["logs/b.trail.gz"]


def test_a_folder_that_is_one_log_is_not_entered() -> None:
    plant(["c/1/events/event-00000-a.json", "c/1/base.json", "c/2/events/event-00000-b.json"])

    def is_log(path: str) -> bool:
        return os.path.basename(path) == "events"  # noqa: PTH119 - paths are text here

    assert discover(["c"], is_log_folder=is_log) == ["c/1/base.json", "c/1/events", "c/2/events"]
    assert discover(["c/1/events"], is_log_folder=is_log) == ["c/1/events"]
    assert discover(["c/*/events"], is_log_folder=is_log) == ["c/1/events", "c/2/events"]


def test_links_are_followed_and_cannot_loop() -> None:
    plant(["logs/a.jsonl", "far/b.jsonl"])
    Path("logs/loop").symlink_to("..", target_is_directory=True)
    Path("logs/again").symlink_to(".", target_is_directory=True)
    Path("logs/self").symlink_to("self")
    Path("logs/same.jsonl").symlink_to("a.jsonl")
    assert discover(["logs"]) == ["logs/a.jsonl", "logs/loop/far/b.jsonl"]
    assert discover(["logs/**/*.jsonl"]) == ["logs/a.jsonl", "logs/loop/far/b.jsonl"]


def test_a_pipe_in_a_folder_is_not_waited_for() -> None:
    plant(["logs/a.jsonl"])
    os.mkfifo("logs/pipe.jsonl")
    assert discover(["logs"]) == ["logs/a.jsonl"]


@pytest.mark.parametrize(
    ("names", "kept", "left_out"),
    [
        (["session.jsonl", "session.v3.jsonl"], ["session.v3.jsonl"], ["session.jsonl"]),
        (
            ["session.v9.jsonl", "session.v10.jsonl.zstd", "session.jsonl"],
            ["session.v10.jsonl.zstd"],
            ["session.jsonl", "session.v9.jsonl"],
        ),
        (
            ["session.v4.jsonl", "session.v3.jsonl.zst"],
            ["session.v4.jsonl"],
            ["session.v3.jsonl.zst"],
        ),
        (["session.jsonl", "session.jsonl.zstd"], ["session.jsonl.zstd"], ["session.jsonl"]),
        (["session.jsonl", "session.json"], ["session.json", "session.jsonl"], []),
        (["session.v3.jsonl", "my-session.jsonl"], ["my-session.jsonl", "session.v3.jsonl"], []),
        (["session.v3.jsonl", "session.vx.jsonl"], ["session.v3.jsonl", "session.vx.jsonl"], []),
        (
            ["session.jsonl", "other/session.v3.jsonl"],
            ["other/session.v3.jsonl", "session.jsonl"],
            [],
        ),
    ],
    ids=[
        "no suffix is version 0",
        "versions are numbers",
        "the version counts before the compression",
        "of one version the compressed one",
        "another suffix is another log",
        "another name is another log",
        "no number is another log",
        "per folder",
    ],
)
def test_of_one_session_the_newest_generation_is_read(
    names: list[str], kept: list[str], left_out: list[str]
) -> None:
    plant(f"s/{name}" for name in names)
    problems: list[Problem] = []
    assert discover(["s"], report=problems.append) == [f"s/{name}" for name in kept]
    assert [p.path for p in problems] == [f"s/{name}" for name in left_out]
    assert {p.severity for p in problems} <= {Severity.NOTE}
    assert discover(["s"]) == [f"s/{name}" for name in kept]


def test_an_older_generation_is_read_when_it_is_named_alone() -> None:
    plant(["s/session.jsonl", "s/session.v3.jsonl"])
    assert discover(["s/session.jsonl"]) == ["s/session.jsonl"]
    assert discover(["s/session.jsonl", "s/session.v3.jsonl"]) == ["s/session.v3.jsonl"]


@pytest.mark.parametrize(
    ("names", "path", "message", "hint"),
    [
        (
            ["sessions/a.jsonl"],
            "sesions/a.jsonl",
            "no such file or folder",
            "did you mean sessions/a.jsonl?",
        ),
        (
            ["session.jsonl"],
            "sesion.jsonl",
            "no such file or folder",
            "did you mean session.jsonl?",
        ),
        (
            ["x/run.jsonl.zst"],
            "x/run.jsonl",
            "no such file or folder",
            "did you mean x/run.jsonl.zst?",
        ),
        (["a.jsonl"], "a.jsonl/b", "no such file or folder", "did you mean a.jsonl?"),
        (["a.jsonl"], "zzz", "no such file or folder", None),
        (
            ["logs/a.jsonl"],
            "lgos/*.jsonl",
            "no file matches this pattern",
            "did you mean logs/*.jsonl?",
        ),
        (["logs/a.md"], "logs/**/*.jsonl", "no file matches this pattern", None),
        (["logs/"], "log?", "no file matches this pattern", "did you mean logs?"),
        ([], "~/logs/*", "no file matches this pattern", "inside quotes"),
        (["logs/"], "logs", "no logs in this folder", "the folder is empty"),
        (["logs/a.md"], "logs", "no logs in this folder", "it holds a.md; searched for *.jsonl"),
        (["logs/.git/a.jsonl"], "logs", "no logs in this folder", "did you mean logs/.git?"),
        (["logs/.DS_Store"], "logs", "no logs in this folder", "it holds .DS_Store; searched"),
        ([], "", "the path is empty", "- is standard input"),
        ([], "a\0b", "embedded null byte", None),
        ([], "x" * 5000, "File name too long", None),
    ],
    ids=[
        "a folder misspelt",
        "a file misspelt",
        "the compressed file is meant",
        "a file is no folder",
        "nothing alike",
        "a folder of a glob misspelt",
        "a glob without match",
        "a glob that only matches an empty folder",
        "a quoted tilde",
        "an empty folder",
        "a folder of other files",
        "only hidden logs",
        "only a hidden file",
        "an empty path",
        "a zero byte",
        "a name too long",
    ],
)
def test_a_path_that_gives_nothing_is_an_error_with_a_hint(
    names: list[str], path: str, message: str, hint: str | None
) -> None:
    plant(names)
    with pytest.raises(SourceError) as caught:
        discover([path])
    assert caught.value.message == message
    assert (hint is None) == (caught.value.hint is None)
    assert (hint or "") in (caught.value.hint or "")


def test_a_broken_link_is_told_and_the_others_go_on() -> None:
    plant(["logs/a.jsonl"])
    Path("logs/gone.jsonl").symlink_to("nowhere")
    problems: list[Problem] = []
    assert discover(["logs"], report=problems.append) == ["logs/a.jsonl"]
    assert [(p.path, p.kind, p.severity) for p in problems] == [
        ("logs/gone.jsonl", "unreadable", Severity.WARNING)
    ]
    with pytest.raises(SourceError, match=r"logs/gone\.jsonl: a symbolic link to nothing"):
        discover(["logs"])


def test_a_folder_that_cannot_be_listed_is_told_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(["logs/a.jsonl", "logs/secret/b.jsonl"])
    scandir = os.scandir

    def guarded(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    problems: list[Problem] = []
    assert discover(["logs"], report=problems.append) == ["logs/a.jsonl"]
    assert discover(["logs/secret"], report=problems.append) == []
    assert discover(["logs/**/*.jsonl"], report=problems.append) == ["logs/a.jsonl"]
    assert {(p.path, p.message) for p in problems} == {("logs/secret", "permission denied")}
    with pytest.raises(SourceError, match="logs/secret: permission denied"):
        discover(["logs"])


def test_a_file_that_must_not_be_asked_for_is_left_to_opening(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def denied(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", denied)
        found = discover(["vault/a.jsonl"])
    assert found == ["vault/a.jsonl"]


def test_the_latest_log_is_the_one_changed_last() -> None:
    plant(["a.jsonl", "b.jsonl", "c.jsonl", "events/1.json", "events/2.json"])
    for name, when in {
        "a.jsonl": 300,
        "b.jsonl": 100,
        "c.jsonl": 300,
        "events/2.json": 200,
    }.items():
        os.utime(name, (when, when))
    os.utime("events/1.json", (50, 50))
    assert latest(["b.jsonl", "a.jsonl"]) == "a.jsonl"
    assert latest(["c.jsonl", "a.jsonl"]) == "c.jsonl"
    assert latest(["b.jsonl", "events"]) == "events"
    assert latest(["events", "a.jsonl"]) == "a.jsonl"
    assert latest(["-"]) == "-"
    assert latest(["gone.jsonl", "b.jsonl"]) == "b.jsonl"
    with pytest.raises(SourceError, match="no logs"):
        latest([])
