"""Mistakes that people make on the command line: each is told, and none is a quiet success."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import run

ROOT = Path(__file__).parents[1]
TWO_TIERS = "fixtures/two-tiers.jsonl"
REPEATED_IDS = "tests/data/mini-swe/v2-tools.traj.json"


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


SELECTIONS: list[Any] = [
    pytest.param(["replay", TWO_TIERS], id="replay"),
    pytest.param(["replay", TWO_TIERS, "-f", "json"], id="replay-json"),
    pytest.param(["replay", TWO_TIERS, "--parity"], id="replay-parity"),
    pytest.param(["explain", f"{TWO_TIERS}:12"], id="explain"),
    pytest.param(["explain", TWO_TIERS, "--nearest", "3"], id="explain-nearest"),
    pytest.param(["convert", TWO_TIERS], id="convert"),
    pytest.param(["stats", TWO_TIERS], id="stats"),
    pytest.param(["tune", TWO_TIERS], id="tune"),
]


@pytest.mark.parametrize("words", SELECTIONS)
@pytest.mark.parametrize(
    ("noun", "there"), [pytest.param("session", "run-1", id="session"), ("agent", "main")]
)
def test_an_id_that_nothing_has_is_an_error(words: list[str], noun: str, there: str) -> None:
    done = run(*words, f"--{noun}", "zz-9")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-2:] == [
        f"error: --{noun} zz-9: no {noun}'s id starts so",
        f"hint: there are: {there}",
    ]


def test_every_id_must_be_there() -> None:
    done = run("replay", TWO_TIERS, "--session", "run", "--session", "nur")
    assert done.code == 2
    assert "--session nur" in done.err
    assert run("replay", TWO_TIERS, "--session", "run", "--agent", "ma").code == 0


def test_agents_are_those_of_the_selected_sessions(tmp_path: Path) -> None:
    lines = [
        {"type": "session", "id": "a"},
        {"type": "tool_call", "name": "x", "agent": "one", "arguments": {}},
        {"type": "session", "id": "b"},
        {"type": "tool_call", "name": "x", "agent": "two", "arguments": {}},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("replay", path, "--session", "a", "--agent", "two")
    assert done.code == 2
    assert "hint: there are: one" in done.err


@pytest.mark.parametrize("form", ["claude-code", "openai-chat", "codex", "dsh"])
def test_a_wrong_format_is_an_error(form: str) -> None:
    done = run("replay", TWO_TIERS, "--from", form)
    assert (done.code, done.out) == (2, "")
    assert f"{TWO_TIERS}: --from {form} finds no call here" in done.err
    assert "by its content this is canonical" in done.err


def test_a_wrong_format_among_several_logs_is_a_warning() -> None:
    done = run("replay", TWO_TIERS, "tests/data/swe-agent/run.traj", "--from", "canonical")
    assert done.code == 0
    assert "warning: tests/data/swe-agent/run.traj: --from canonical finds no call" in done.err


def test_the_right_format_of_a_log_without_calls_is_none(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"session","id":"a"}\n')
    done = run("replay", path, "--from", "canonical")
    assert done.code == 0
    assert "no tool calls" in done.err


def test_a_call_is_also_named_by_its_number() -> None:
    listed = run("explain", f"{REPEATED_IDS}#q1")
    assert listed.out.splitlines()[2].split()[0] == "#"
    numbers = [line.split()[0] for line in listed.out.splitlines()[3:5]]
    assert listed.out.splitlines()[-1].endswith(f"explain '{REPEATED_IDS}#{numbers[0]}'")
    for number in numbers:
        done = run("explain", f"{REPEATED_IDS}#{number}")
        assert f"call {number} of its agent" in done.out


def test_an_id_goes_before_a_number(tmp_path: Path) -> None:
    made: list[dict[str, object]] = [
        {"type": "tool_call", "id": word, "name": "x", "arguments": {}} for word in ("7", "1")
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in made))
    assert "call 2 of its agent" in run("explain", f"{path}#1").out
    assert "no call has the id or the number 9" in run("explain", f"{path}#9").err


def test_numbers_of_several_sessions_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    messages = [
        {"role": "assistant", "tool_calls": [
            {"id": "k", "type": "function", "function": {"name": "x", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "k", "content": "ok"},
    ]  # fmt: skip
    path.write_text(json.dumps([{"messages": messages}, {"messages": messages}]))
    last = run("explain", f"{path}#1").out.splitlines()[-1]
    assert "#1' --session " in last
    command = last.partition("repeat-reminder explain ")[2].replace("'", "").split()
    assert "call 1 of its agent" in run("explain", *command).out


def test_strict_says_why_it_fails_and_offers_itself_no_more(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{CALL}oops\n{CALL}torn")
    lenient = run("replay", path)
    assert lenient.err.count("--strict makes this an error") == 2
    strict = run("replay", path, "--strict")
    assert strict.code == 2
    assert "makes this an error" not in strict.err
    assert "hint: the writer was still running" in strict.err
    assert strict.err.splitlines()[-1] == "error: --strict: skipped lines and files are errors"


CALL = '{"type":"tool_call","name":"x","arguments":{}}\n'


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["-o", "out.csv"], "no format has the suffix .csv", id="unknown-suffix"),
        pytest.param(["-o", "out.html"], "no format has the suffix .html", id="html"),
        pytest.param(["--all-calls"], "--all-calls has no effect on full", id="all-calls"),
        pytest.param(["--all-calls", "-f", "acp"], "no effect on acp", id="all-calls-acp"),
        pytest.param(["--ignore-args", "bahs:x"], '"bahs:x" is about no tool', id="ignored-tool"),
    ],
)
def test_what_has_no_effect_is_noted(tmp_path: Path, words: list[str], told: str) -> None:
    placed = [str(tmp_path / word) if word.startswith("out.") else word for word in words]
    done = run("replay", TWO_TIERS, *placed)
    assert done.code == 0
    assert told in done.err


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["-o", "out.txt"], id="text"),
        pytest.param(["-o", "out"], id="no-suffix"),
        pytest.param(["-o", "out.csv", "-f", "full"], id="asked-for"),
        pytest.param(["--all-calls", "-f", "jsonl"], id="records"),
        pytest.param(["--ignore-args", "bash:command"], id="tool-called"),
        pytest.param(["--ignore-args", "command"], id="any-tool"),
    ],
)
def test_what_has_an_effect_is_not(tmp_path: Path, words: list[str]) -> None:
    placed = [str(tmp_path / word) if word.startswith("out") else word for word in words]
    err = run("replay", TWO_TIERS, *placed).err
    assert not any(part in err for part in ("suffix", "no effect", "no tool"))


@pytest.mark.parametrize("option", ["--config", "--thresholds"])
@pytest.mark.parametrize("command", ["replay", "explain"])
def test_an_option_that_would_be_dropped_is_an_error(command: str, option: str) -> None:
    done = run(command, TWO_TIERS, option, "3", f"{option}=4")
    assert done.code == 2
    assert f"{option} is given twice" in done.err


def test_a_line_as_a_word_of_its_own() -> None:
    done = run("explain", TWO_TIERS, "12")
    assert done.code == 2
    assert f"write {TWO_TIERS}:12" in " ".join(done.err.split())


@pytest.mark.parametrize(
    "words", [["-:12"], ["-:12", "--policy", "none"], ["-q", "-#c5"], ["--", "-:12"]]
)
def test_a_place_in_standard_input(words: list[str]) -> None:
    done = run("explain", *words, stdin=Path(TWO_TIERS).read_bytes())
    assert (done.code, "call 5 of its agent" in done.out) == (0, True)


def test_an_error_about_a_place_names_the_file() -> None:
    assert f"error: {TWO_TIERS}: no call stands in line 1" in run("explain", f"{TWO_TIERS}:1").err


def test_advice_of_parity_is_about_sessions_that_hold_reminders() -> None:
    recorded = "fixtures/dsh-recorded.jsonl"
    done = run("replay", recorded, TWO_TIERS, "--parity")
    assert done.code == 1
    assert "--thresholds" not in done.err
    hint = "hint: 1 of 2 sessions holds no reminder: was the guard mounted there?"
    assert hint in done.err.splitlines()
    alone = run("replay", recorded, TWO_TIERS, "--parity", "--thresholds", "2")
    assert "try --thresholds 3" in alone.err


def test_an_unfinished_call_leaves_the_run_alone() -> None:
    spot = "fixtures/unfinished-call.jsonl:5"
    assert (
        "not counted: the run of tail \N{MULTIPLICATION SIGN} 1 (line 3) goes on"
        in run("explain", spot).out
    )
    (call,) = json.loads(run("explain", spot, "-f", "json").out)["calls"]
    (account,) = call["accounts"]
    assert [one["line"] for one in account["run"]] == [3]


def test_a_document_without_lines_names_none(tmp_path: Path) -> None:
    ask, answer = {"role": "user", "content": "go"}, {"role": "assistant", "content": "gone"}
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{"messages": [ask]}, {"messages": [ask, answer]}]))
    done = run("replay", path)
    assert f"note: {path}: a later one goes on from this request" in done.err
    assert "None" not in done.err


def test_names_and_ids_can_be_copied(tmp_path: Path) -> None:
    name, call_id = "n" * 90, "i" * 90
    path = tmp_path / "s.jsonl"
    made = {"type": "tool_call", "id": call_id, "name": name, "arguments": {}}
    path.write_text((json.dumps(made) + "\n") * 1 + json.dumps(made | {"id": "k"}) + "\n")
    assert f"call       {call_id} {name} " in run("explain", f"{path}:1").out
    assert f"previous   {call_id} {name}, line 1" in run("explain", f"{path}:2").out


def test_near_misses_say_of_what_they_are() -> None:
    lines = run("explain", "fixtures/user-reset.jsonl", "--nearest", "1").out.splitlines()
    assert lines[0] == "fixtures/user-reset.jsonl"
    assert lines[1].startswith("policy reminder  thresholds 3, 5, 8")
    assert lines[4].endswith("would have reached")


def test_what_the_breaker_does_is_an_action() -> None:
    out = run("explain", f"{TWO_TIERS}:12", "--policy", "breaker").out
    assert "  action     none" in out
    assert "  reminder " not in out


def test_the_breaker_tells_what_is_not_its_default(tmp_path: Path) -> None:
    out = run("replay", TWO_TIERS, "--policy", "breaker").out
    assert "policy breaker  defaults · answer unattended" in out.splitlines()
    config = tmp_path / "c.json"
    config.write_text(json.dumps({"window": 20, "limits": {"exact": 3}, "exclude": ["e" * 40]}))
    out = run("replay", TWO_TIERS, "--policy", "breaker", "--config", config).out
    assert out.splitlines()[1:3] == [
        f"policy breaker  window 20 · exclude {'e' * 40} ·",
        "                limits exact 3 · answer unattended",
    ]


@pytest.mark.parametrize("command", ["replay", "explain"])
def test_help_has_examples(command: str) -> None:
    out = run(command, "--help").out
    assert f"\n    repeat-reminder {command} " in out.partition("Examples:")[2]
