"""``explain`` as people use it: what is printed, from what input, and what goes wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import run

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def told(*words: str | Path, **rest: Any) -> str:  # noqa: ANN401
    done = run("explain", *words, **rest)
    assert done.code == 0, done.err
    return done.out


def test_a_reset_and_what_it_cost() -> None:
    assert told("fixtures/user-reset.jsonl:10").splitlines() == [
        "fixtures/user-reset.jsonl  chatty · canonical",
        "  call       c3 http_get · agent main · line 9 · call 3 of its agent",
        "  result     line 10, error",
        "",
        "policy reminder  thresholds 3, 5, 8 · include all · exclude none · preview 500",
        "  tracked    yes: nothing restricts it",
        '  key        http_get {"url":"http://localhost:8080/health"}',
        "  previous   c2 http_get, line 5: the same call",
        "  run        1: line 9",
        "  reset      user message at line 8",
        "             without the reset at line 8 this would have been run 3",
        "  next       threshold 3, 2 calls from here",
        "  reminder   none",
    ]


def test_a_reminder_that_fired() -> None:
    lines = told("fixtures/two-tiers.jsonl:12").splitlines()
    assert "  run        5: lines 4, 6, 8, 10, 12" in lines
    assert "  next       threshold 8, 3 calls from here" in lines
    assert "  reminder   detailed, injected after line 13" in lines


def test_the_call_line_and_the_result_line_name_the_same_call() -> None:
    by_call = told("fixtures/two-tiers.jsonl:8")
    assert by_call == told("fixtures/two-tiers.jsonl:9") == told("fixtures/two-tiers.jsonl#c3")


def log(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def made(arguments: object, name: str = "bash") -> dict[str, object]:
    return {"type": "tool_call", "name": name, "arguments": arguments}


DIFFERENCES: list[Any] = [
    pytest.param({"a": 60}, {"a": 30}, "differs at $.a: 60 → 30", id="the-arrow"),
    pytest.param({"a": 60}, {}, "differs at $.a: 60 → absent", id="absent"),
    pytest.param(
        {"a": "x" * 90 + "one"}, {"a": "x" * 90 + "two"}, '$.a: …xxxxxxxxone" → …xxxxxxxxtwo"',
        id="strings-from-where-they-part",
    ),
    pytest.param({"a": "x" * 90}, {"a": 1}, '"xxxxxx', id="long-values-are-cut"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), DIFFERENCES)
def test_the_first_difference(tmp_path: Path, before: Any, after: Any, expected: str) -> None:  # noqa: ANN401
    assert expected in told(f"{log(tmp_path, made(before), made(after))}:2")


def test_another_tool(tmp_path: Path) -> None:
    path = log(tmp_path, made({}, "bash"), made({}, "Bash"))
    assert 'bash, line 1: another tool: "bash" → "Bash"' in told(f"{path}:2")


def test_ascii_output_has_an_arrow_of_its_own(tmp_path: Path) -> None:
    path = log(tmp_path, made({"a": 60}), made({"a": 30}))
    out = tmp_path / "out.txt"
    told(f"{path}:2", "-o", out)
    assert "60 → 30" in out.read_text()


def test_a_run_that_another_call_began(tmp_path: Path) -> None:
    path = log(tmp_path, made({"a": 1}), made({"a": 2}), made({"a": 2}))
    assert "  began      line 2, behind c1 bash, line 1: differs at $.a: 1 → 2" in told(f"{path}:3")


def test_a_long_run_is_listed_by_its_ends(tmp_path: Path) -> None:
    path = log(tmp_path, *[made({})] * 40)
    assert "run        40: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … 40" in told(f"{path}:40")
    assert "no threshold: silent until the run ends" in told(f"{path}:40")


def test_a_long_key_is_cut_and_whole_in_json(tmp_path: Path) -> None:
    path = log(tmp_path, made({"a": "y" * 2_000}))
    assert "more chars); -f json shows all" in told(f"{path}:1")
    (call,) = json.loads(told(f"{path}:1", "-f", "json"))["calls"]
    assert call["accounts"][0]["key"] == '{"a":"' + "y" * 2_000 + '"}'


def test_what_is_not_tracked_and_why() -> None:
    out = told("fixtures/transparent-exclusion.jsonl:5", "--exclude", "todo*")
    assert '  tracked    no: exclude "todo*"; calls of it are transparent' in out
    assert (
        "  run        not counted: the run of bash \N{MULTIPLICATION SIGN} 1 (line 3) goes on"
        in out
    )
    none = told("fixtures/two-tiers.jsonl:4", "--include", "grep")
    assert "no: no include pattern matches it" in none
    assert "not counted: no run is under way" in none


def test_several_calls_are_listed(tmp_path: Path) -> None:
    """An id that two sessions use: the lines tell the calls apart."""
    made_in = [{"type": "session", "id": name} for name in "ab"]
    path = log(tmp_path, made_in[0], made({}) | {"id": "k"}, made_in[1], made({}) | {"id": "k"})
    assert told(f"{path}#k").splitlines() == [
        f"{path}  2 calls",
        "",
        "  line  result  agent   call  tool   run",
        "     2       -  main    k     bash   1",
        "     4       -  main    k     bash   1",
        "",
        f"explain one of them: repeat-reminder explain '{path}:2'",
    ]
    assert len(json.loads(told(f"{path}#k", "-f", "json"))["calls"]) == 2


def test_the_breaker_tells_every_fingerprint() -> None:
    out = told("fixtures/two-tiers.jsonl:8", "--policy", "breaker")
    assert 'window     exact:bash:{"command":"npm test"} · 2 → 3 of 12' in out
    assert "             cmd:npm:npm test · 2 → 3 of 12" in out
    assert "             verb:npm · no limit" in out
    failing = told("fixtures/user-reset.jsonl:12", "--policy", "breaker")
    assert "1 → 2 of 12 · failures 1 → 2 of 5" in failing


def test_policies_are_those_the_config_has_rows_for(tmp_path: Path) -> None:
    rows = "- id: x\n  name: dsh-repeat-tool-breaker\n- name: repeat-tool-reminder\n"
    (tmp_path / "c.yml").write_text(rows + "  config: {thresholds: [2]}\n")
    words = ["fixtures/two-tiers.jsonl:6", "--config", str(tmp_path / "c.yml")]
    document = json.loads(told(*words, "-f", "json"))
    assert [policy["name"] for policy in document["policy"]] == ["breaker", "reminder"]
    only = json.loads(told(*words, "-f", "json", "--policy", "reminder"))
    assert [policy["config"]["thresholds"] for policy in only["policy"]] == [[2]]


def test_settings_beside_a_named_block_are_the_reminders(tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text("thresholds: [2]\nbreaker: {window: 8}\n")
    out = told("fixtures/two-tiers.jsonl:6", "--config", tmp_path / "c.yml", "-f", "json")
    configs = {policy["name"]: policy["config"] for policy in json.loads(out)["policy"]}
    assert configs["reminder"]["thresholds"] == [2]
    assert configs["breaker"]["window"] == 8


def test_near_misses() -> None:
    out = told("fixtures/user-reset.jsonl", "--nearest", "3")
    assert out.splitlines() == [
        "fixtures/user-reset.jsonl",
        "policy reminder  thresholds 3, 5, 8 · include all · exclude none · preview 500",
        "",
        "1 near miss",
        "  from    to       agent   tool      run  but for          would have reached",
        "  line 3  line 13  main    http_get    5  reset at line 8  threshold 5",
    ]
    behind = told("fixtures/user-reset.jsonl:10", "--nearest", "3")
    assert behind.endswith("\n\n" + "".join(out.splitlines(keepends=True)[3:]))
    assert told("fixtures/two-tiers.jsonl", "--nearest", "1").endswith("\n\nno near misses\n")


def test_json_holds_everything() -> None:
    document = json.loads(told("fixtures/user-reset.jsonl:10", "-f", "json", "--nearest", "1"))
    assert document["schema"] == "repeat-reminder/explain@1"
    (call,) = document["calls"]
    (account,) = call["accounts"]
    assert (account["count"], account["without_resets"]) == (1, 3)
    assert account["resets"] == [{"cause": "user_message", "line": 8}]
    assert [miss["kind"] for miss in document["nearest"]] == ["reset"]
    assert json.loads(told("fixtures/user-reset.jsonl:10", "-f", "json"))["nearest"] is None


def test_the_suffix_of_the_output_picks_json(tmp_path: Path) -> None:
    assert told("fixtures/two-tiers.jsonl:8", "-o", tmp_path / "out.json") == ""
    assert json.loads((tmp_path / "out.json").read_bytes())["calls"]


def test_standard_input() -> None:
    data = (FIXTURES / "user-reset.jsonl").read_bytes()
    assert "would have been run 3" in told("--", "-:10", stdin=data)


ERRORS: list[Any] = [
    pytest.param("fixtures/two-tiers.jsonl", ["which call?", "FILE:LINE"], id="no-call-named"),
    pytest.param("fixtures/two-tiers.jsonl:1", ["no call stands in line 1", "line 4 is one of"],
                 id="a-line-without-a-call"),
    pytest.param("fixtures/two-tiers.jsonl:999", ["line 999", "near it: line 13"], id="no-line"),
    pytest.param("fixtures/two-tiers.jsonl#c33", ["no call has the id c33", "c3"], id="no-such-id"),
    pytest.param("fixtures/two-tiers.jsnl:8", ["did you mean fixtures/two-tiers.jsonl"],
                 id="no-such-file"),
    pytest.param("fixtures:8", ["logs here", "name one of them: fixtures/"], id="a-folder-of-logs"),
    pytest.param("fixtures/two-tiers.jsonl:0", ["lines count from 1"], id="line-0"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "words"), ERRORS)
def test_errors(word: str, words: list[str]) -> None:
    done = run("explain", word)
    assert (done.code, done.out) == (2, "")
    assert all(part in done.err for part in words), done.err


def test_problems_of_the_log_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(made({})) + "\n{oops\n" + json.dumps(made({})) + "\n")
    done = run("explain", f"{path}:3")
    assert done.code == 0
    assert "s.jsonl:2: not valid JSON" in done.err
    assert run("explain", f"{path}:3", "--strict").code == 2


EVIL = "\x1b[31m\u202e[bold]\ud800\x07"


def test_text_of_a_log_is_escaped_everywhere(tmp_path: Path) -> None:
    lines = [
        {"type": "session", "id": EVIL},
        {
            "type": "tool_call",
            "id": f"a{EVIL}",
            "agent": EVIL,
            "name": EVIL,
            "arguments": {EVIL: 1},
        },
        {"type": "tool_result", "call_id": f"a{EVIL}", "agent": EVIL},
        {"type": "tool_call", "id": "b", "agent": EVIL, "name": EVIL, "arguments": {EVIL: EVIL}},
        {"type": "tool_result", "call_id": "b", "agent": EVIL},
    ]
    path = log(tmp_path, *lines)
    for words in (["--nearest", "3"], ["--policy", "breaker", "--exclude", EVIL[:-2] + "*"]):
        out = told(f"{path}:4", *words)
        assert not {"\x1b", "\u202e", "\ud800", "\x07"} & set(out)
        assert "\\x1b[31m\\u202e[bold]\\ud800\\x07" in out
    done = run("explain", f"{path}#{EVIL[:-2]}")
    assert "\x1b" not in done.err
