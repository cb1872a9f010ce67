"""``repeat-reminder convert``: what it prints, where, and how it fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.api import transcript
from tests.command import run, spawn
from tests.conversions import DATA, ROOT

FIXTURES = ROOT / "fixtures"
TIERS = FIXTURES / "two-tiers.jsonl"


def test_a_log_becomes_a_canonical_log() -> None:
    done = run("convert", DATA / "claude-code" / "parallel-step.jsonl")
    assert (done.code, done.err) == (0, "")
    first, *rest = map(json.loads, done.out.splitlines())
    assert (first["schema"], first["harness"]) == (
        "repeat-reminder/session@1", {"format": "claude-code"},
    )  # fmt: skip
    assert {record["type"] for record in rest} >= {"tool_call", "tool_result"}


@pytest.mark.parametrize("name", ["claude-code/denied.jsonl", "dsh/steer-with-reminder.jsonl"])
@pytest.mark.parametrize("options", [(), ("--redact",)], ids=["as it is", "redacted"])
def test_a_conversion_is_replayed_alike(
    name: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    log, made = DATA / name, tmp_path / "scenario.jsonl"
    assert run("convert", log, *options, "-o", made).code == 0
    found = [
        [(r["tool"], r["count"], r["call"]["index"], r["delivered"]) for r in reminders(path)]
        for path in (log, made)
    ]
    assert found[0] == found[1]
    assert found[0]


def reminders(path: Path) -> list[dict[str, Any]]:
    done = run("replay", path, "-f", "jsonl", "--thresholds", "2,3")
    records = map(json.loads, done.out.splitlines())
    return [record for record in records if record["kind"] == "reminder"]


def test_a_pipe_goes_through() -> None:
    made = spawn("convert", "-", stdin=TIERS.read_bytes())
    assert made.returncode == 0
    done = spawn("replay", "-", "-f", "concise", stdin=made.stdout)
    assert done.stdout.decode().count("bash x") == 2


def test_a_transcript_has_no_reminder() -> None:
    done = run("convert", TIERS, "--to", "acp")
    assert done.code == 0
    assert done.out.encode() == transcript(TIERS, ())
    assert "repeat-reminder/injected" not in done.out


def test_the_name_of_the_output_picks_the_format(tmp_path: Path) -> None:
    for name in ("x.acp.jsonl", "x.jsonl"):
        run("convert", TIERS, "-o", tmp_path / name)
    assert (tmp_path / "x.acp.jsonl").read_bytes() == transcript(TIERS, ())
    assert b'"schema"' in (tmp_path / "x.jsonl").read_bytes()


def test_a_slice_says_what_it_left_out() -> None:
    done = run("convert", TIERS, "--slice", "5:8", "--color", "never")
    assert done.code == 0
    assert done.out.count("tool_call") == 3
    assert done.err == (
        f"note: {TIERS}: lines 4 to 9: 3 calls kept; 0 before and 2 after left out "
        "(asked for 5:8; steps are kept whole)\n"
    )


def test_around_a_line() -> None:
    done = run("convert", TIERS, "--around", "6", "--context", "1", "-q")
    assert (done.code, done.err) == (0, "")
    assert done.out == run("convert", TIERS, "--slice", "5:7", "-q").out


def test_one_session_or_agent_of_many() -> None:
    both = run("convert", FIXTURES / "two-sessions.jsonl").out
    ids = [json.loads(line)["id"] for line in both.splitlines() if '"schema"' in line]
    one = run("convert", FIXTURES / "two-sessions.jsonl", "--session", ids[1]).out
    assert one == both[both.index('{"type":"session"', 1) :]


def test_redaction_leaves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    call = '{"type":"tool_call","name":"Bash","arguments":{"command":"cat private.txt"}}\n'
    log.write_text(call * 3, "utf-8")
    done = run("convert", log, "--redact")
    assert "private" not in done.out
    assert done.out.count('"command":"text-1"') == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--slice", "8"), "--slice 8: not a range of lines"),
        (("--slice", "9:8"), "--slice 9:8: no line lies in it"),
        (("--slice", "500:"), "nothing lies in lines 500:"),
        (("--slice", "1:2", "--around", "5"), "--slice and --around do not go together"),
        (("--from", "nothing"), "no format is called 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], message: str) -> None:
    done = run("convert", TIERS, *words, "--color", "never")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "hint: " in done.err


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    log = tmp_path / "x.jsonl"
    log.write_text("<html>", "utf-8")
    done = run("convert", log)
    assert (done.code, done.out) == (2, "")
    assert "it looks like an HTML page" in done.err


def test_several_logs_are_not_one(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(TIERS.read_bytes())
    done = run("convert", tmp_path)
    assert done.code == 2
    assert "there are 2 logs here" in done.err


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    made = tmp_path / "made.jsonl"
    made.write_text("old", "utf-8")
    assert run("convert", TIERS, "--slice", "500:", "-o", made).code == 2
    assert made.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [made]


def test_the_output_is_no_input(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(TIERS.read_bytes())
    done = run("convert", log, "-o", log)
    assert done.code == 2
    assert "the output is one of the inputs" in done.err
    assert log.read_bytes() == TIERS.read_bytes()


def test_a_skipped_line_fails_a_strict_run(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"{oops\n" + TIERS.read_bytes())
    assert run("convert", log).code == 0
    assert run("convert", log, "--strict").code == 2


def test_hostile_text_goes_out_as_json_and_nothing_else(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    record = {"type": "tool_call", "name": "\x1b[31m\u202e", "arguments": {"q": "\ud800"}}
    log.write_text(json.dumps(record) + "\n" + json.dumps({"type": "\x1b[2J"}) + "\n", "utf-8")
    done = run("convert", log)
    assert done.code == 0
    assert json.loads(done.out.splitlines()[1])["name"] == record["name"]
    assert "\x1b[2J" not in done.err
