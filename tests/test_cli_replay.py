"""``replay`` as people use it: formats, files, selection, settings, pipes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder import __version__, transcript
from tests.command import run, spawn

FIXTURES = Path(__file__).parents[1] / "fixtures"
TWO_TIERS = FIXTURES / "two-tiers.jsonl"
CALL = '{"type":"tool_call","name":"x","arguments":{}}\n'


def records(out: str, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in out.splitlines()]
    return [record for record in found if record["kind"] == kind]


def test_version_and_module() -> None:
    assert run("--version").out == f"repeat-reminder {__version__}\n"
    assert spawn("--version").stdout.decode().split() == ["repeat-reminder", __version__]


def test_no_arguments_show_the_help() -> None:
    done = run()
    assert done.code == 2
    assert "replay" in done.out + done.err


@pytest.mark.parametrize("words", [[], ["replay"]])
def test_help_fits_80_columns(words: list[str]) -> None:
    done = run(*words, "--help", env={"COLUMNS": "200", "GITHUB_ACTIONS": "true"})
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80


def test_exit_code_says_whether_a_reminder_fired() -> None:
    assert run("replay", TWO_TIERS).code == 0
    assert run("replay", TWO_TIERS, "--exit-code").code == 1
    assert run("replay", TWO_TIERS, "--exit-code", "--thresholds", "9").code == 0


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("out.json", b'{"schema":"repeat-reminder/replay@1"'),
        ("out.jsonl", b'{"kind":"header"'),
        ("out.acp.jsonl", b'{"jsonrpc":"2.0"'),
        ("out.txt", b"fixtures"),
    ],
)
def test_the_suffix_picks_the_format(tmp_path: Path, name: str, first: bytes) -> None:
    out = tmp_path / name
    done = run("replay", TWO_TIERS, "-o", out)
    assert (done.code, done.out) == (0, "")
    assert first in out.read_bytes().replace(str(FIXTURES).encode(), b"fixtures")[:200]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_acp_output_is_the_transcript() -> None:
    assert run("replay", TWO_TIERS, "-f", "acp").out.encode() == transcript(TWO_TIERS)


def test_the_output_must_be_no_input(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text(CALL)
    done = run("replay", log, "-o", log)
    assert done.code == 2
    assert "one of the inputs" in done.err
    assert log.read_text() == CALL


def test_a_failed_run_leaves_the_old_output(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text("not a log\n")
    out = tmp_path / "out.json"
    out.write_text("old")
    assert run("replay", tmp_path / "s.jsonl", "-o", out).code == 2
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "s.jsonl"]


def test_an_output_folder_that_does_not_exist(tmp_path: Path) -> None:
    done = run("replay", TWO_TIERS, "-o", tmp_path / "no" / "out.json")
    assert done.code == 2
    assert "cannot be written" in done.err


def test_selection_reports_less_and_counts_the_same() -> None:
    whole = records(run("replay", FIXTURES / "two-agents.jsonl", "-f", "jsonl").out, "reminder")
    words = ["replay", str(FIXTURES / "two-agents.jsonl"), "-f", "jsonl", "--agent"]
    assert records(run(*words, "main").out, "reminder") == whole
    assert records(run(*words, "reviewer").out, "reminder") == []
    two = ["replay", str(FIXTURES / "two-sessions.jsonl"), "-f", "jsonl", "--session", "sec"]
    assert [record["id"] for record in records(run(*two).out, "session")] == ["second"]


def test_all_calls_come_in_the_order_of_counting() -> None:
    out = run("replay", FIXTURES / "model-order.jsonl", "-f", "jsonl", "--all-calls").out
    calls = records(out, "call")
    assert [(call["call"]["id"], call["count"]) for call in calls] == [
        ("a", 1), ("b", 1), ("c", 1), ("d", 2), ("e", 3),
    ]  # fmt: skip
    assert [call["inject_after"]["line"] for call in calls] == [8, 8, 8, 13, 13]


def test_latest_takes_the_newest_session(tmp_path: Path) -> None:
    for age, name in enumerate(["new.jsonl", "old.jsonl"]):
        (tmp_path / name).write_text(CALL * 3)
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    out = run("replay", tmp_path, "--latest", "-f", "jsonl").out
    assert [Path(record["path"]).name for record in records(out, "session")] == ["new.jsonl"]


def test_settings_and_where_they_came_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "s.jsonl"
    log.write_text(CALL * 5)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.repeat-reminder]\nthresholds = [2]\nexclude = ['a']\nargumentsPreviewChars = 9\n"
    )
    (tmp_path / "c.yml").write_text("exclude: [b]\nthresholds: [3]\n")
    env = {"REPEAT_REMINDER_THRESHOLDS": "4"}
    words = ["replay", "s.jsonl", "-f", "jsonl", "--config", "c.yml", "--include", "x"]
    (header,) = records(run(*words, env=env).out, "header")
    (policy,) = header["policy"]
    assert policy["config"] == {
        "thresholds": [4],
        "include": ["x"],
        "exclude": ["b"],
        "argumentsPreviewChars": 9,
    }
    origin = policy["origin"]
    assert origin["thresholds"] == "REPEAT_REMINDER_THRESHOLDS"
    assert origin["include"] == "command line"
    assert origin["exclude"] == "c.yml:1"
    assert origin["argumentsPreviewChars"].endswith("pyproject.toml:4")


def test_a_config_from_standard_input(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text(CALL * 2)
    done = run("replay", log, "-f", "concise", "--config", "-", stdin=b'{"thresholds":[2]}')
    assert "x2" in done.out


def test_the_format_can_come_from_the_environment() -> None:
    out = run("replay", TWO_TIERS, env={"REPEAT_REMINDER_OUTPUT_FORMAT": "concise"}).out
    assert out.startswith(f"{TWO_TIERS}:8: gentle main bash x3 after=9 ")


def test_policy_none_replays_without_a_guard() -> None:
    done = run("replay", TWO_TIERS, "--policy", "none", "-f", "jsonl")
    assert records(done.out, "header")[0]["policy"] == []
    assert records(done.out, "totals")[0]["calls"] == 5


def test_quiet_says_nothing_beside_errors(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text(CALL * 3 + "{oops\n" + CALL)
    assert run("replay", log, "-q").err == ""


@pytest.mark.parametrize(
    ("words", "env", "colored"),
    [
        (["--color", "always"], {}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {}, False),
    ],
)
def test_color(words: list[str], env: dict[str, str], colored: bool) -> None:  # noqa: FBT001
    clean = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"}
    out = run("replay", TWO_TIERS, *words, env=clean | env).out
    assert ("\x1b[" in out) is colored


def test_a_growing_pipe_is_told_as_it_grows() -> None:
    """The third result's reminder is printed while the writer still writes."""
    with subprocess.Popen(
        [sys.executable, "-m", "repeat_reminder", "replay", "-", "-f", "concise"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(TWO_TIERS.read_bytes().splitlines(keepends=True)[:10]))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"-:8: gentle main bash x3")
        process.stdin.close()


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="the platform has no SIGPIPE")
def test_a_reader_that_leaves_ends_us_quietly(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text(CALL * 20_000)
    with subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-m", "repeat_reminder", "replay", log, "-f", "jsonl", "--all-calls"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == -signal.SIGPIPE
