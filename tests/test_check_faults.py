"""Everything that can be wrong with names, snapshots and folders, each with its own message."""

import errno
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import NoReturn

import pytest

from repeat_reminder.check.keyword import can_name
from repeat_reminder.check.names import folded, unportable
from tests.checking import STUCK, Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            ["a.jsonl", "a.jsonl.zst"],
            "fixtures/a.jsonl: fixtures/a.jsonl.zst is called a too, so they have one snapshot",
        ),
        (
            ["a.jsonl", "a/s.jsonl"],
            "fixtures/a: fixtures/a.jsonl is called a too, so they have one snapshot",
        ),
        (
            ["Curl.jsonl", "curl.jsonl"],
            "fixtures/Curl.jsonl: its name differs from that of fixtures/curl.jsonl only in letter",
        ),
        (
            [f"{unicodedata.normalize(form, 'é')}.jsonl" for form in ("NFC", "NFD")],
            "only in letter case or in how accents are spelled",
        ),
    ],
    ids=["two-suffixes", "file-and-folder", "letter-case", "accents"],
)
def test_names_that_collide(project: Project, files: list[str], message: str) -> None:
    for file in files:
        (project.fixtures / file).parent.mkdir(parents=True, exist_ok=True)
        STUCK.write(project.fixtures / file)
    done = project.check("--update")
    assert done.code == 2
    assert message in done.out
    assert done.out.count("ERROR") == len(files)
    assert not project.snapshots.exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("aux", "device"),
        ("NUL", "device"),
        ("con.2024", "device"),
        ("com1", "device"),
        ("lpt\u00b2", "device"),
        ("10:30", "':'"),
        ("what?", "'?'"),
        ("a\\b", r"'\\'"),
        ("a\tb", r"'\t'"),
        ("x" * 246, "256 bytes"),
        ("é" * 123, "256 bytes"),
        ("bad\udcff", "Unicode"),
    ],
)
def test_names_that_not_every_system_takes(name: str, why: str) -> None:
    reason = unportable(name)
    assert reason is not None
    assert why in reason


@pytest.mark.parametrize("name", ["auxiliary", "com10", "console", "x" * 245, "a b", "ü", "-", "$"])
def test_names_that_every_system_takes(name: str) -> None:
    assert unportable(name) is None


def test_an_unportable_name_is_an_error_on_every_system(project: Project) -> None:
    project.scenario("aux")
    done = project.check()
    assert done.code == 2
    assert "fixtures/aux.jsonl: no snapshot can be called aux.acp.jsonl on every system" in done.out


def test_letter_case_is_told_apart_without_the_help_of_the_file_system() -> None:
    assert folded("Straße") == folded("STRASSE")
    assert folded("e\u0301") == folded("\u00e9")
    assert folded("a") != folded("b")


def test_a_snapshot_whose_case_differs_is_not_taken(project: Project) -> None:
    """Where letter case is no difference the file would be found, and elsewhere not."""
    project.scenario("curl")
    project.accepted().snapshot("curl").rename(project.snapshot("Curl"))
    done = project.check()
    assert done.code == 1
    assert "there is no snapshots/curl.acp.jsonl" in done.out
    assert "snapshots/Curl.acp.jsonl is there, but its name is spelled differently" in done.out
    assert project.check("--update").code == 0
    assert [path.name for path in project.snapshots.iterdir()] == ["curl.acp.jsonl"]


def test_an_update_respells_a_name_where_letter_case_is_no_difference(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On such a file system, writing the one and deleting the other would delete both."""
    project.scenario("curl")
    old = project.accepted().snapshot("curl").rename(project.snapshot("Curl"))
    exists, same = os.path.exists, os.path.samefile
    new = os.fspath(project.snapshot("curl"))

    def blind(path: str) -> str:
        is_there = Path(path).name == "curl.acp.jsonl" and exists(old)
        return os.fspath(old) if is_there else path

    monkeypatch.setattr(os.path, "exists", lambda path: exists(blind(path)))
    monkeypatch.setattr(os.path, "samefile", lambda a, b: same(blind(a), blind(b)))
    assert project.check("--update").code == 0
    assert [path.name for path in project.snapshots.iterdir()] == [Path(new).name]


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("curl-404", True),
        ("a.b[c]", True),
        ("a b", False),
        ("(x", False),
        ("Not", False),
        ("a\u202eb", False),
    ],
)
def test_which_names_a_filter_can_hold(name: str, can: bool) -> None:  # noqa: FBT001 - a table
    assert can_name(name) is can


# ---------------------------------------------------------------- snapshots


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"<<<<<<< HEAD\n" + data, "line 1: a merge conflict is not resolved"),
        (lambda data: data + b">>>>>>> theirs\n", "line 16: a merge conflict is not resolved"),
        (lambda _: b"", "line 1: the snapshot is empty"),
        (lambda data: data.replace(b"{", b"", 1), "line 1: not a line of a transcript"),
        (lambda data: data[:-40], "line 15: not a line of a transcript"),
        (lambda data: b'{"a":1}\n' + data, "line 1: not a line of a transcript: no session/update"),
        (lambda data: data.replace(b"\n", b"\r\n"), "its lines end in CRLF; else it is the same"),
        (lambda data: data[:-1], "its end is cut or padded; else it is the same"),
        (lambda data: data + b"\n", "its end is cut or padded; else it is the same"),
        (lambda data: data.replace(b"\n", b"\n\n", 1), "line 2: not a line of a transcript"),
        (lambda data: b"\xef\xbb\xbf" + data, "line 1: not a line of a transcript"),
        (lambda _: b"\xff\xfe\x00", "line 1: not a line of a transcript: not UTF-8"),
        (lambda data: data.replace(b":", b": ", 1), "the same events are written down differently"),
    ],
    ids=[
        "conflict", "end-of-conflict", "empty", "edited", "cut", "other-json", "crlf",
        "no-final-newline", "padded", "blank-line", "bom", "binary", "spelling",
    ],
)  # fmt: skip
def test_a_damaged_snapshot_fails_with_its_own_message(
    project: Project, damage: Callable[[bytes], bytes], message: str
) -> None:
    project.scenario("a")
    snapshot = project.accepted().snapshot("a")
    good = snapshot.read_bytes()
    snapshot.write_bytes(damage(good))
    done = project.check()
    assert done.code == 1
    assert message in done.out
    assert project.check("--update").code == 0
    assert snapshot.read_bytes() == good


def test_crlf_says_what_to_do(project: Project) -> None:
    project.scenario("a")
    snapshot = project.accepted().snapshot("a")
    snapshot.write_bytes(snapshot.read_bytes().replace(b"\n", b"\r\n"))
    done = project.check("--thresholds", "3")
    assert "policy   thresholds 3,5,8 → 3" in done.out, "what else changed is told all the same"
    assert "put `*.acp.jsonl -text` into .gitattributes" in done.out


def test_a_snapshot_of_a_newer_version_is_neither_judged_nor_overwritten(project: Project) -> None:
    project.scenario("a")
    snapshot = project.accepted().snapshot("a")
    newer = snapshot.read_bytes().replace(b'"schema":1', b'"schema":2')
    snapshot.write_bytes(newer)
    for words in ([], ["--update"]):
        done = project.check(*words)
        assert done.code == 2
        assert "written by a newer version: schema 2, and this one knows 1" in done.out
        assert "upgrade repeat-reminder" in done.out
        assert snapshot.read_bytes() == newer


def test_a_crlf_checkout_of_a_scenario_is_read_as_ever(project: Project) -> None:
    log = project.scenario("a", config="thresholds: [2]\n")
    project.accepted()
    for path in (log, project.fixtures / "a.config.yml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert project.check().code == 0


# ---------------------------------------------------------------- folders


def refuse(*_: object, **__: object) -> NoReturn:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("call", ["open", "replace", "makedirs"])
def test_a_read_only_folder_leaves_the_old_snapshot(
    project: Project, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    project.scenario("a")
    before = project.accepted().files()
    monkeypatch.setattr(f"repeat_reminder.check.write.os.{call}", refuse)
    done = project.check("--update", "--thresholds", "4")
    assert done.code == 2
    assert "error: snapshots/a.acp.jsonl: cannot be written: permission denied" in done.err
    assert "the folder or the file is read-only" in done.err
    monkeypatch.undo()
    assert project.files() == before


def test_a_read_only_folder_keeps_what_is_unused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.scenario("a")
    project.accepted().snapshot("gone").write_text("x")
    monkeypatch.setattr("repeat_reminder.check.write.os.unlink", refuse)
    done = project.check("--update")
    assert done.code == 2
    assert "snapshots/gone.acp.jsonl: cannot be deleted: permission denied" in done.err


def test_a_snapshot_that_cannot_be_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.scenario("a")
    project.accepted()
    monkeypatch.setattr("repeat_reminder.check.run.Path.read_bytes", refuse)
    done = project.check()
    assert done.code == 2
    assert "snapshots/a.acp.jsonl: permission denied" in done.out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_scenario_and_a_link_to_nothing_is_a_broken_one(project: Project) -> None:
    project.scenario("a")
    os.mkfifo(project.fixtures / "pipe.jsonl")
    (project.fixtures / "link.jsonl").symlink_to("nowhere")
    done = project.check("--update")
    assert done.code == 2
    assert "fixtures/link.jsonl: no such file" in done.out
    assert "2 scenarios: 1 in error, 1 new" in done.out


def test_a_file_in_place_of_the_folder(project: Project) -> None:
    project.scenario("a")
    project.snapshots.write_text("x")
    for words in ([], ["--update"]):
        done = project.check(*words)
        assert done.code == 2
        assert "snapshots: not a directory" in done.out + done.err


def test_snapshots_among_the_scenarios_are_none_of_them(project: Project) -> None:
    project.scenario("a")
    for words in (["--snapshots", "fixtures/pinned"], ["--snapshots", "fixtures"]):
        if words[1] == "fixtures":
            rmtree(project.fixtures / "pinned")
        assert project.check("--update", *words).code == 0
        assert project.check(*words).out == "1 scenario: 1 ok\n"


def test_links_to_one_log_are_scenarios_of_their_own(project: Project) -> None:
    log = project.scenario("a", config="thresholds: [2]")
    try:
        (project.fixtures / "b.jsonl").symlink_to(log)
    except OSError:
        (project.fixtures / "b.jsonl").hardlink_to(log)
    project.check("--update")
    assert sorted(path.name for path in project.snapshots.iterdir()) == [
        "a.acp.jsonl", "b.acp.jsonl"
    ]  # fmt: skip
    assert project.snapshot("a").read_bytes() != project.snapshot("b").read_bytes()
