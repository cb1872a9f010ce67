"""Where data goes, whatever stands there: files, links, pipes, devices, streams closed or full."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.command import run

CALL = '{"type":"tool_call","name":"x","arguments":{}}\n'
PROGRAM = f"{sys.executable} -m repeat_reminder"
NO_ROOM = Path("/dev/full")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a log of three equal calls."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.jsonl").write_text(CALL * 3)
    return tmp_path


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a shell would, with its ``$P``."""
    root = str(Path(__file__).parents[1])
    environment = os.environ | {"P": PROGRAM, "PYTHONPATH": root}
    return subprocess.run(  # noqa: S603 - commands of this very file
        ["/bin/sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )


# ---------------------------------------------------------------- -o FILE


def test_a_link_is_followed_and_stays(folder: Path) -> None:
    (folder / "real.txt").write_text("old")
    (folder / "link.txt").symlink_to("real.txt")
    assert run("replay", "s.jsonl", "-o", "link.txt").code == 0
    assert (folder / "link.txt").is_symlink()
    assert "3 calls" in (folder / "real.txt").read_text()


def test_a_link_to_nothing_yet_makes_its_target(folder: Path) -> None:
    (folder / "link.txt").symlink_to("later.txt")
    assert run("replay", "s.jsonl", "-o", "link.txt").code == 0
    assert (folder / "link.txt").is_symlink()
    assert "3 calls" in (folder / "later.txt").read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to_and_stays(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((folder / "pipe").read_text()))
    reader.start()
    assert run("replay", "s.jsonl", "-o", "pipe").code == 0
    reader.join()
    assert "3 calls" in got[0]
    assert (folder / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        pytest.param("sub/", "sub/: this is a folder", id="a folder with a slash"),
        pytest.param("sub", "sub: this is a folder", id="a folder"),
        pytest.param("absent/", "absent/: this is a folder", id="a folder that is not there"),
        pytest.param(".", ".: this is a folder", id="this folder"),
        pytest.param("", "the name of the output is empty", id="nothing"),
        pytest.param("absent/x", "cannot be written: No such file", id="in no folder"),
        pytest.param("s.jsonl/x", "cannot be written: Not a directory", id="below a file"),
        pytest.param("x" * 300, "cannot be written: File name too long", id="a very long name"),
        pytest.param("s.jsonl", "the output is one of the inputs", id="the input"),
        pytest.param("./sub/../s.jsonl", "the output is one of the inputs", id="the input, else"),
    ],
)
def test_an_output_that_cannot_be(folder: Path, output: str, words: str) -> None:
    (folder / "sub").mkdir()
    done = run("replay", "s.jsonl", "-o", output)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert sorted(path.name for path in folder.rglob("*")) == ["s.jsonl", "sub"]
    assert (folder / "s.jsonl").read_text() == CALL * 3


@pytest.mark.parametrize("inputs", [".", "*.jsonl"])
def test_a_log_that_a_folder_or_glob_stands_for_is_an_input(folder: Path, inputs: str) -> None:
    done = run("replay", inputs, "-o", "s.jsonl")
    assert done.code == 2
    assert "s.jsonl: the output is one of the inputs" in done.err
    assert (folder / "s.jsonl").read_text() == CALL * 3


def test_a_dash_is_standard_output(folder: Path) -> None:
    assert run("replay", "s.jsonl", "-o", "-") == run("replay", "s.jsonl")
    assert not (folder / "-").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGTERM"), reason="there are no signals here")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_who_is_told_to_end_leaves_no_half_file(folder: Path, name: str) -> None:
    number = getattr(signal, name)
    root = str(Path(__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-m", "repeat_reminder", "replay", "-", "-o", "x.txt"],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": root},
    ) as process:
        for _ in range(1000):
            if list(folder.glob(".x.txt.*")):
                break
            threading.Event().wait(0.01)
        else:
            pytest.fail("the file was never begun")
        process.send_signal(number)
        assert process.wait() == 128 + number
    assert [path.name for path in folder.iterdir()] == ["s.jsonl"]


# ---------------------------------------------------------------- --junit-xml


@pytest.fixture
def checked(folder: Path) -> Path:
    """Stand beside a scenario that has its snapshot."""
    (folder / "fixtures").mkdir()
    (folder / "s.jsonl").rename(folder / "fixtures" / "s.jsonl")
    assert run("check", "--update").code == 0
    return folder


@pytest.mark.parametrize("path", ["fixtures/s.jsonl", "the snapshot"])
def test_junit_xml_replaces_nothing_that_is_checked(checked: Path, path: str) -> None:
    if path == "the snapshot":
        [path] = map(str, checked.glob("**/snapshots/*"))
    before = Path(path).read_bytes()
    done = run("check", "--junit-xml", path)
    assert (done.code, done.out) == (2, "")
    assert "the output is one of the inputs" in done.err
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("path", "words"),
    [("-", "-: this needs a file"), ("fixtures/", "a folder"), ("", "is empty")],
    ids=["standard output", "a folder", "nothing"],
)
def test_junit_xml_needs_a_file_before_anything_is_done(
    checked: Path, path: str, words: str
) -> None:
    (checked / "fixtures" / "new.jsonl").write_text(CALL)
    done = run("check", "--update", "--junit-xml", path)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(list(checked.glob("**/snapshots/*"))) == 1
    assert not (checked / "-").exists()


# ---------------------------------------------------------------- streams


@pytest.mark.skipif(not NO_ROOM.exists(), reason="there is no stream without room here")
@pytest.mark.parametrize("command", ["replay s.jsonl", "formats", "--help", "--version"])
@pytest.mark.usefixtures("folder")
def test_standard_output_without_room(command: str) -> None:
    done = shell(f"$P {command} > {NO_ROOM}")
    assert done.returncode == 2
    assert done.stderr == "error: standard output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell's redirections are needed")
@pytest.mark.parametrize("command", ["replay s.jsonl", "--version"])
@pytest.mark.usefixtures("folder")
def test_standard_output_that_is_closed(command: str) -> None:
    done = shell(f"$P {command} >&-")
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard output: it is closed\n")


@pytest.mark.skipif(os.name == "nt", reason="a shell's redirections are needed")
def test_closed_streams_are_no_matter_where_nobody_uses_them(folder: Path) -> None:
    assert shell("$P replay s.jsonl -o x.txt <&- >&- 2>&-").returncode == 0
    assert "3 calls" in (folder / "x.txt").read_text()


@pytest.mark.usefixtures("folder")
def test_output_is_buffered_also_where_python_buffers_none() -> None:
    code = (
        "import atexit, sys; sys.argv = ['repeat-reminder', '--version'];"
        "atexit.register(lambda: print(type(sys.stdout.buffer).__name__, file=sys.stderr));"
        "from repeat_reminder.__main__ import main; main()"
    )
    kind = shell(f'PYTHONUNBUFFERED=1 {sys.executable} -c "{code}"')
    assert kind.stderr == "BufferedWriter\n"
    plain = shell("$P replay s.jsonl -f jsonl").stdout
    assert shell("PYTHONUNBUFFERED=1 $P replay s.jsonl -f jsonl").stdout == plain != ""


@pytest.mark.skipif(not NO_ROOM.exists(), reason="there is no stream without room here")
@pytest.mark.parametrize("lost", ["2>&-", f"2>{NO_ROOM}"])
@pytest.mark.usefixtures("folder")
def test_messages_that_nobody_can_read_are_dropped(lost: str) -> None:
    whole = shell("$P replay s.jsonl")
    done = shell(f"$P replay s.jsonl {lost}")
    assert (done.returncode, done.stdout) == (0, whole.stdout)
    assert shell(f"$P replay absent.jsonl {lost}").returncode == 2
    assert shell(f"$P replay --nonsense {lost}").returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be deleted there")
def test_a_working_folder_that_was_deleted(folder: Path) -> None:
    gone = "mkdir gone && cd gone && rmdir ../gone &&"
    assert shell(f"{gone} $P replay {folder}/s.jsonl").returncode == 0
    lost = shell(f"{gone} $P replay {folder}/s.jsonl -o x.txt")
    assert (lost.returncode, "cannot be written" in lost.stderr) == (2, True)
    assert shell(f"{gone} $P replay .").returncode == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("tail", ["", ":3", "#x"])
def test_a_name_that_is_too_long_is_an_error(tail: str) -> None:
    done = run("explain", "x" * 300 + tail)
    assert done.code == 2
    assert "internal error" not in done.err


def test_ctrl_c_is_quiet_while_the_program_is_being_imported() -> None:
    """A module that is imported late stands still until the signal has come."""
    script = (
        "import os, signal, sys, types\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from repeat_reminder.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(  # noqa: S603 - this very program
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, b"")
