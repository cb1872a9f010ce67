"""An update writes whole files: killed at any moment, each snapshot is the old one or the new."""

import os
import signal
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path
from shutil import rmtree

import pytest

from repeat_reminder.check.replaying import Overrides, transcript_of
from repeat_reminder.check.report import Command, Report
from repeat_reminder.check.run import Options, check
from repeat_reminder.check.scenarios import scenario_at
from repeat_reminder.check.suites import suites
from repeat_reminder.check.write import WriteError, write_snapshot
from repeat_reminder.cli.review import Review
from repeat_reminder.render.look import Look
from tests.checking import STUCK, Project

try:
    import pty
except ImportError:  # Windows
    pty = None  # type: ignore[assignment]  # a module, or none


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


KILLED = """
import os, signal, sys
left = int(sys.argv.pop(1))

def watch(event, arguments):
    global left
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if writes or event in {"os.rename", "os.remove", "os.chmod", "os.mkdir"}:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

from repeat_reminder.cli import checking
sys.dont_write_bytecode = True
sys.addaudithook(watch)
from repeat_reminder.cli import main
sys.argv = ["repeat-reminder", "check", "--update", "--thresholds", "2"]
main()
"""
"""An update that is killed just before it changes the file system for the n-th time."""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_killed_at_any_moment_each_snapshot_is_old_or_new(project: Project) -> None:
    project.scenario("changed")
    project.scenario("other", STUCK.say("more"))
    project.accepted().snapshot("gone").write_bytes(b"x")
    old = project.files()
    project.scenario("new")
    new = {
        f"snapshots/{name}.acp.jsonl": transcript_of(
            scenario_at(f"fixtures/{name}.jsonl"), Overrides(values={"thresholds": [2]})
        )
        for name in ("changed", "other", "new")
    }
    moments = 0
    while True:
        done = subprocess.run(  # noqa: S603 - this very program
            [sys.executable, "-c", KILLED, str(moments)], capture_output=True, check=False
        )
        now = project.files()
        for path, written in new.items():
            assert now.get(path) in (old.get(path), written)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        assert project.check("--thresholds", "2").code == 1, "it is seen that it is not done"
        moments += 1
        rmtree(project.snapshots)
        project.snapshots.mkdir()
        for path, before in old.items():
            (project.folder / path).write_bytes(before)
    # Each of three snapshots is made and moved, two have permissions to keep, one is deleted.
    assert moments >= 3 + 3 + 2 + 1
    assert {path: now[path] for path in new} == new
    assert "snapshots/gone.acp.jsonl" not in now
    assert project.check("--thresholds", "2").code == 0


def test_nothing_is_left_behind_where_nobody_is_killed(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    assert [path.name for path in project.snapshots.iterdir()] == ["a.acp.jsonl"]


def test_what_a_killed_run_left_is_no_snapshot(project: Project) -> None:
    project.scenario("a")
    (project.accepted().snapshots / ".repeat-reminder-0123").write_bytes(b"half")
    assert project.check().code == 0


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions_are_those_of_any_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.acp.jsonl"
    mask = os.umask(0o027)
    try:
        write_snapshot(str(path), b"1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        write_snapshot(str(path), b"2")
    finally:
        os.umask(mask)
    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (0o604, b"2")


def test_a_link_is_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "a.acp.jsonl"
    real.write_bytes(b"old")
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("links need a privilege here")
    write_snapshot(str(link), b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_folder_in_place_of_a_snapshot(tmp_path: Path) -> None:
    (tmp_path / "a.acp.jsonl").mkdir()
    with pytest.raises(WriteError, match="cannot be written"):
        write_snapshot(str(tmp_path / "a.acp.jsonl"), b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.acp.jsonl"]


# ---------------------------------------------------------------- review


def reviewed(answers: str) -> tuple[Report, str]:
    """Review the current project with some answers; return what it said."""
    report = check(suites(), Options(command=Command()))
    said = StringIO()
    Review(answers=StringIO(answers), questions=said).go(report, Look())
    return report, said.getvalue()


@pytest.mark.parametrize(
    ("answers", "accepted", "told"),
    [
        ("a\na\na\n", {"changed", "new", "gone"}, "3 accepted"),
        ("r\ns\nr\n", set[str](), "2 rejected, 1 skipped"),
        ("x\n\nA\nq\n", {"changed"}, "1 accepted"),
        ("s\naccept\n", {"new"}, "1 skipped, 1 accepted"),
        ("", set[str](), "nothing"),
    ],
    ids=["accept", "reject-and-skip", "ask-again-then-quit", "end-of-input", "no-answer"],
)
def test_a_review_accepts_one_by_one(
    project: Project, answers: str, accepted: set[str], told: str
) -> None:
    project.scenario("changed")
    project.accepted().scenario("changed", STUCK.say("more"))
    project.scenario("new")
    project.snapshot("gone").write_bytes(b"x")
    before = project.files()
    report, said = reviewed(answers)
    now = project.files()
    changed = {path for path in before | now if before.get(path) != now.get(path)}
    assert changed == {f"snapshots/{name}.acp.jsonl" for name in accepted}
    assert said.endswith(f"reviewed: {told}\n")
    assert report.exit_code == (0 if len(accepted) == 3 else 1)
    assert "FAIL  changed" in said


def test_a_review_says_which_answers_there_are(project: Project) -> None:
    project.scenario("new")
    _, said = reviewed("y\n\nr\n")
    assert said.count("that is no answer: type a, r, s or q, then Enter\n[a]ccept") == 2


def test_a_review_needs_a_terminal(project: Project) -> None:
    project.scenario("a")
    done = project.check("--review")
    assert done.code == 2
    assert "--review needs a terminal" in done.err


@pytest.mark.skipif(pty is None, reason="no pseudo-terminals here")
def test_a_review_on_a_terminal(project: Project) -> None:
    assert pty is not None
    project.scenario("a")
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "repeat_reminder", "check", "--review"],
        stdin=terminal, stdout=subprocess.PIPE, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    os.write(controller, b"a\n")
    out, _ = process.communicate(timeout=60)
    shown = os.read(controller, 10_000).decode()
    os.close(controller)
    assert process.returncode == 0
    assert "[a]ccept, [r]eject, [s]kip, [q]uit?" in shown
    assert "1 scenario: 1 new" in out.decode()
    assert project.snapshot("a").exists()
