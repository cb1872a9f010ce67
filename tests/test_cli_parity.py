"""``replay --parity``: what is printed in every format, and which exit code it earns."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import run

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data" / "dsh"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "expected.jsonl").read_text("utf-8").splitlines()
]
RECORDED = DATA / "two-reminders-in-step.jsonl"
REFUSED = DATA / "blocked-prompt-listener-before.jsonl"
THROWN = DATA / "pre-execute-throws.jsonl"


def options(row: dict[str, Any]) -> list[str]:
    return ["--thresholds", ",".join(map(str, row["config"]["thresholds"]))]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])
def test_every_recording_of_the_real_plugin(row: dict[str, Any]) -> None:
    done = run("replay", DATA / row["file"], "--parity", *options(row))
    if not row["recorded"] and row["replay_equals_recorded"]:
        assert done.code == 1
        assert "parity: 0 recorded, 0 predicted; nothing is proved" in done.out
    elif row["replay_equals_recorded"]:
        assert done.code == 0, done.out
        assert f"{len(row['recorded'])} recorded" in done.out
    else:
        assert done.code == 1
        assert "not decidable from this log: " in done.out
        assert "1 not decidable from the log" in done.out


def test_a_match_in_full() -> None:
    out = run("replay", RECORDED, "--parity", "--thresholds", "2", "--text", "none").out
    assert out.splitlines()[-7:] == [
        "    25  s-two-reminders-in-step  c2    probe    2  match   line 37",
        "    30  s-two-reminders-in-step  c4    other    2  match   line 38",
        "",
        "2 reminders (2 gentle) in 2 runs · 472 characters injected",
        "1 session · 1 agent · 4 calls (4 tracked) · 46 lines, 0 skipped",
        "longest run 2 · silent tail after the last threshold: none",
        "parity: 2 recorded, 2 predicted: 2 match",
    ]


def test_other_thresholds_are_offered() -> None:
    done = run("replay", RECORDED, "--parity", "-f", "concise")
    assert done.code == 1
    assert [line.partition(": ")[2] for line in done.out.splitlines()] == [
        "parity missing s-two-reminders-in-step probe x2 recorded=37",
        "parity missing s-two-reminders-in-step other x2 recorded=38",
    ]
    assert "parity: 2 recorded, 0 predicted: 2 missing\n" in done.err
    assert "hint: recorded at 2: try --thresholds 2\n" in done.err


def test_records() -> None:
    done = run("replay", RECORDED, "--parity", "--thresholds", "2", "-f", "jsonl")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [record["kind"] for record in records] == [
        "header", "reminder", "reminder", "parity", "parity", "session", "totals",
    ]  # fmt: skip
    first = records[3]
    assert (first["verdict"], first["line"], first["tool"], first["count"]) == (
        "match", 25, "probe", 2,
    )  # fmt: skip
    assert first["predicted"]["inject_after"]["line"] == 32
    assert first["recorded"]["line"] == 37
    assert records[-1]["parity"]["outcome"] == "equal"
    document = json.loads(run("replay", RECORDED, "--parity", "-f", "json").out)
    assert [found["verdict"] for found in document["sessions"][0]["parity"]] == ["missing"] * 2
    assert document["totals"]["parity"]["try"] == "--thresholds 2"


def test_without_the_option_nothing_of_it_is_there() -> None:
    out = run("replay", RECORDED, "-f", "json").out
    assert "parity" not in out


@pytest.mark.parametrize("log", [REFUSED, THROWN], ids=lambda path: path.stem)
def test_undecidable_is_said_with_the_reason(log: Path) -> None:
    done = run("replay", log, "--parity", "-f", "jsonl")
    totals = json.loads(done.out.splitlines()[-1])["parity"]
    assert (done.code, totals["outcome"], totals["undecidable"]) == (1, "undecidable", 1)
    assert len(totals["doubts"]) == 1
    assert "1 not decidable from the log" in done.err


def test_an_acp_transcript_is_compared_on_the_side() -> None:
    words = ["replay", str(RECORDED), "-f", "acp", "--thresholds", "2"]
    done = run(*words, "--parity")
    assert (done.code, done.out) == (0, run(*words).out)
    assert "parity: 2 recorded, 2 predicted: 2 match" in done.err
    assert run(*words, "--parity", "-q").err == ""


def test_nothing_recorded_is_no_pass() -> None:
    done = run("replay", ROOT / "fixtures" / "two-tiers.jsonl", "--parity")
    assert done.code == 1
    assert "0 recorded, 2 predicted: 2 extra; nothing is proved" in done.out
    assert "hint: was the guard mounted when this was recorded?" in done.err


def test_a_corpus_passes_as_a_whole(tmp_path: Path) -> None:
    """A session without reminders is no failure beside those that have some."""
    for name in ("denied", "five-in-one-step", "max-tokens-with-calls"):
        (tmp_path / f"{name}.jsonl").write_bytes((DATA / f"{name}.jsonl").read_bytes())
    done = run("replay", tmp_path, "--parity")
    assert done.code == 0, done.out
    assert "parity: 3 recorded, 3 predicted: 3 match" in done.out
    assert "1 session without a reminder" in done.out


def test_a_selection_is_compared_alone(tmp_path: Path) -> None:
    for name in ("denied", "two-reminders-in-step"):
        (tmp_path / f"{name}.jsonl").write_bytes((DATA / f"{name}.jsonl").read_bytes())
    assert run("replay", tmp_path, "--parity").code == 1
    picked = run("replay", tmp_path, "--parity", "--session", "s-denied")
    assert picked.code == 0
    assert "parity: 1 recorded, 1 predicted: 1 match" in picked.out


def test_only_the_reminder_can_be_compared() -> None:
    done = run("replay", RECORDED, "--parity", "--policy", "breaker")
    assert done.code == 2
    assert "no reminder is mounted" in done.err


def test_beside_another_policy() -> None:
    words = ["--policy", "breaker", "--policy", "reminder", "--thresholds", "2"]
    assert run("replay", RECORDED, "--parity", *words).code == 0


EVIL = "\x1b[31m\u202e[bold]\x07"


def test_text_of_a_log_is_escaped(tmp_path: Path) -> None:
    source = {"kind": "plugin", "plugin": "repeat-tool-reminder", "summary": f"{EVIL} \u00d7 3"}
    calls = [
        line
        for number in range(3)
        for line in (
            {"type": "tool_call", "id": f"{EVIL}{number}", "name": EVIL, "arguments": {}},
            {"type": "tool_result", "call_id": f"{EVIL}{number}", "content": f"Error: {EVIL}"},
        )
    ]
    told = {"type": "injected_message", "source": source, "content": EVIL}
    log = tmp_path / "s.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in [*calls, told]))
    for form in ("full", "concise"):
        done = run("replay", log, "--parity", "-f", form)
        assert not {"\x1b", "\u202e", "\x07"} & set(done.out + done.err)
        assert "text" in done.out
        assert "\\x1b[31m\\u202e[bold]\\x07" in done.out
