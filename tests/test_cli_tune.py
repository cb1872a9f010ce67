"""``tune`` and ``stats`` as people use them: pages, options, odd corpora, errors."""

import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.cli.tune_command import without_jobs
from tests.command import Ran, run, spawn
from tests.corpus import POLLING, TRAP, VOLATILE, Truth
from tests.corpus import write as write_corpus
from tests.notation import call, result, session, user

FULL = ("-f", "full")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def log(path: Path, records: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def tuned(*words: str | Path) -> Any:  # noqa: ANN401 - any JSON
    done = run("tune", *words, "-f", "json")
    assert done.err == ("no configuration meets the constraints\n" if done.code else "")
    return json.loads(done.out)


# ---------------------------------------------------------------- the README's example

CHOICE = ("--require-caught", "100%", "--max-warned", "20%")


def test_the_example_finds_what_it_was_made_with(corpus: Path) -> None:
    report = tuned(corpus / "runs", "--labels", corpus / "labels.csv", *CHOICE)
    advice: dict[str, list[Any]] = {}
    for one in report["advice"]:
        advice.setdefault(one["kind"], []).append(one)
    assert report["corpus"]["labels"] == {"stuck": 18, "ok": 102, "unknown": 0}
    assert [one["tool"] for one in advice["polling-tool"]] == [POLLING]
    assert advice["transparency-trap"][0]["tool"] == TRAP
    near = advice["near-miss"][0]
    assert (near["tool"], near["argument"], near["verdict"]) == (*VOLATILE, "for")
    assert near["results"]["identical"] == near["results"]["runs"] > 10
    # With the polling tool in it, no threshold tells the stuck sessions from the others.
    assert report["best"] is None
    assert report["recommended"] is None


def test_the_example_recommends_what_the_truth_says(corpus: Path) -> None:
    words = (corpus / "runs", "--labels", corpus / "labels.csv", *CHOICE)
    report = tuned(*words, "--try-exclude", POLLING)
    assert report["recommended"] == {
        "thresholds": [5, 11, 15],
        "include": [],
        "exclude": [POLLING],
        "argumentsPreviewChars": 500,
    }
    best = report["candidates"][report["best"]]
    assert (best["stuck_caught"], best["stuck"], best["sessions_warned"]) == (18, 18, 0)
    assert TRAP not in report["recommended"]["exclude"]


def test_the_example_page_says_it_in_words(corpus: Path) -> None:
    words = (corpus / "runs", "--label-from", "runs/{label}/**", *CHOICE)
    page = " ".join(run("tune", *words, "--try-exclude", POLLING).out.split())
    for said in (
        "120 sessions · 2,493 calls (2,493 tracked) · labels: 18 stuck, 102 ok, 0 unknown",
        "poll_job polls: 47 of 47 runs of 3 or more had changing results",
        "excluding todo_write would glue the calls around it into 36 new runs of 3 or more",
        "evidence for --ignore-args fetch_page:request_id",
        'only 18 stuck sessions: "18/18 caught" means at least 85% (95% lower bound)',
        "the most that reminders could save",
        "recommended (a cordis patch replaces the whole config, so every key is stated): - id:",
        "config: thresholds: [5, 11, 15] include: [] exclude: [poll_job] argumentsPreviewChars:",
    ):
        assert said in page


def test_other_truths_are_found_too(tmp_path: Path) -> None:
    write_corpus(tmp_path, Truth(sessions=80, stuck=0.25, polling=0.0, seed=3))
    report = tuned(tmp_path / "runs", "--labels", tmp_path / "labels.csv", *CHOICE)
    assert report["recommended"]["thresholds"][0] == 5
    assert not [one for one in report["advice"] if one["kind"] == "polling-tool"]


# ---------------------------------------------------------------- nothing is called more than it is


def test_without_a_constraint_nothing_is_called_best(corpus: Path) -> None:
    words = (corpus / "runs", "--labels", corpus / "labels.csv")
    report = tuned(*words)
    assert (report["best"], report["best_config"], report["recommended"]) == (None, None, None)
    assert not any(one["best"] for one in report["candidates"])
    done = run("tune", *words)
    assert (done.code, done.err) == (0, "")
    assert "no constraint was given, so nothing is called best" in done.out
    assert "◀ best" not in done.out


def test_without_labels_nothing_is_called_recommended(corpus: Path) -> None:
    report = tuned(corpus / "runs", "--max-warned", "20%")
    assert report["best_config"] is not None
    assert report["recommended"] is None
    page = run("tune", corpus / "runs", "--max-warned", "20%").out
    assert "recommended" not in page
    assert "◀ best" in page


def test_a_label_that_is_not_stuck_makes_no_recommendation(corpus: Path) -> None:
    report = tuned(corpus / "runs/ok", "--label-from", "{label}/*", "--max-warned", "20%")
    assert report["corpus"]["labels"] == {"stuck": 0, "ok": 102, "unknown": 0}
    assert (report["best"] is not None, report["recommended"]) == (True, None)


def test_unmet_constraints_are_a_finding(corpus: Path) -> None:
    words = ("tune", corpus / "runs", "--labels", corpus / "labels.csv", *CHOICE)
    assert run(*words).code == 1
    assert "no configuration meets the constraints" in run(*words).out
    done = run(*words, "-f", "json")
    assert (done.code, done.err) == (1, "no configuration meets the constraints\n")
    done = run(*words, "--emit", "yaml")
    assert (done.code, done.out) == (1, "")


# ---------------------------------------------------------------- options


def test_named_candidates_are_in_every_output(corpus: Path) -> None:
    words = (corpus / "runs", "--try", "4,7,12", "--try", "[9, 6]")
    report = tuned(*words)
    named = [one["thresholds"] for one in report["candidates"] if one["named"]]
    assert named == [[4, 7, 12], [6, 9]]
    assert report["candidates"][0]["now"]
    assert report["candidates"][0]["thresholds"] == [3, 5, 8]
    rows = list(csv.DictReader(run("tune", *words, "-f", "csv").out.splitlines()))
    assert len(rows) == len(report["candidates"])
    assert [row["thresholds"] for row in rows if row["named"] == "true"] == ["4 7 12", "6 9"]
    assert "4, 7, 12" in run("tune", *words).out


def test_the_quiet_objective_sends_fewest_messages(corpus: Path) -> None:
    words = (corpus / "runs", "--labels", corpus / "labels.csv", "--require-caught", "100%")
    report = tuned(*words, "--objective", "quiet")
    best = report["candidates"][report["best"]]
    meeting = [one for one in report["candidates"] if one["unmet"] == []]
    assert best["messages"] == min(one["messages"] for one in meeting)
    assert best["stuck_caught"] == best["stuck"]


def test_the_early_objective_takes_the_smallest_first_threshold(corpus: Path) -> None:
    report = tuned(corpus / "runs", "--max-messages-per-session", "0.7")
    best = report["candidates"][report["best"]]
    meeting = [one for one in report["candidates"] if one["unmet"] == []]
    assert len(best["thresholds"]) == 3
    same = [one for one in meeting if len(one["thresholds"]) == 3]
    assert best["thresholds"][0] == min(one["thresholds"][0] for one in same)
    assert best["messages_per_session"] <= 0.7


def test_alpha_is_a_constraint_too(corpus: Path) -> None:
    report = tuned(corpus / "runs", "--alpha", "10%")
    first = report["conformal"]["first_threshold"]
    assert report["candidates"][report["best"]]["thresholds"][0] >= first
    few = tuned(corpus / "runs/stuck", "--alpha", "1%", "--max-warned", "100%")
    assert few["conformal"]["first_threshold"] is None
    assert few["conformal"]["sessions_needed"] == 99
    assert few["best"] is None


def test_a_choice_is_checked_on_sessions_it_was_not_made_on(corpus: Path) -> None:
    words = (corpus / "runs", "--labels", corpus / "labels.csv", *CHOICE)
    report = tuned(*words, "--try-exclude", POLLING, "--hold-out", "30%")
    held = report["held_out"]
    assert (held["chosen_on"], held["sessions"]) == (84, 36)
    assert held["best"]["sessions"] + held["best"]["stuck"] == 36
    assert report["candidates"][0]["sessions"] + report["candidates"][0]["stuck"] == 84
    other = tuned(*words, "--try-exclude", POLLING, "--hold-out", "30%", "--seed", "9")
    assert other["held_out"]["sessions"] == 36


def test_intervals_hold_their_figures(corpus: Path) -> None:
    words = (corpus / "runs", "--labels", corpus / "labels.csv")
    report = tuned(*words)
    one = report["candidates"][0]
    low, high = one["messages_interval"]
    assert low < one["messages"] < high
    low, high = one["warned_interval"]
    assert low < one["warned"] < high
    assert one["caught_at_least"] == pytest.approx(0.05 ** (1 / 18))
    none = tuned(*words, "--bootstrap", "0")
    assert none["candidates"][0]["messages_interval"] is None


@pytest.mark.parametrize("how", ["yaml", "toml", "json", "patch"])
def test_a_config_is_emitted_whole(corpus: Path, tmp_path: Path, how: str) -> None:
    words = ("tune", corpus / "runs", "--max-warned", "20%", "--try-exclude", POLLING)
    done = run(*words, "--emit", how)
    assert done.code == 0
    for key in ("thresholds", "include", "exclude", "argumentsPreviewChars"):
        assert key in done.out
    out = tmp_path / f"out.{how}"
    assert run(*words, "--emit", how, "-o", out).code == 0
    assert out.read_text() == done.out


def test_a_patch_is_for_the_config_file(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "cordis.yml"
    path.write_text("# ours\n- id: repeat-tool-reminder\n  config:\n    thresholds: [2]   # loud\n")
    words = ("tune", corpus / "runs", "--config", path, "--max-warned", "20%", "--emit", "patch")
    done = run(*words)
    assert done.code == 0
    assert "-    thresholds: [2]   # loud\n" in done.out
    lines = done.out.splitlines()
    (changed,) = [line for line in lines if line.startswith("+    thresholds")]
    assert changed.endswith("]   # loud")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--emit", "yaml"], "without a constraint there is no best config to emit"),
        (["--max-warned", "20"], "20 is not between 0 and 100%"),
        (["--max-warned", "few"], "'few' is no share"),
        (["--require-caught", "90%"], "no session is labelled stuck"),
        (["--alpha", "0"], "must lie between"),
        (["--try", "4,x"], "'4,x' is no list of thresholds"),
        (["--try", "1,2"], "every threshold is an integer >= 2"),
        (["--hold-out", "100%"], "leaves no session"),
        (["--sweep", "window=3"], "--sweep is for the breaker"),
        (["--policy", "none"], "it takes one policy"),
        (["--policy", "reminder", "--policy", "breaker"], "it takes one policy"),
        (["--policy", "breaker", "--alpha", "5%"], "--alpha is for the reminder"),
        (["--policy", "breaker", "--try", "4,7"], "KEY=VALUE"),
        (["--labels", "none.csv"], "none.csv: cannot be read"),
        (["--thresholds", "1"], "every threshold is an integer >= 2"),
    ],
)
def test_a_slip_of_the_pen_is_told(corpus: Path, words: list[str], said: str) -> None:
    done = run("tune", corpus / "runs/stuck", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_likely_percent_is_suggested(corpus: Path) -> None:
    assert "did you mean 20%?" in run("tune", corpus / "runs", "--max-warned", "20").err


def test_patterns_that_match_no_tool_are_told(corpus: Path) -> None:
    words = (corpus / "runs", "--exclude", "TodoWrite", "--include", "nothing_like_it")
    report = tuned(*words)
    found = [one for one in report["advice"] if one["kind"] == "unmatched-pattern"]
    assert [(one["key"], one["meant"]) for one in found] == [
        ("include", None),
        ("exclude", "todo_write"),
    ]
    page = " ".join(run("tune", *words).out.split())
    assert 'exclude "TodoWrite" matches no tool that was called: did you mean todo_write?' in page


def test_an_excluded_tool_that_glues_is_told(corpus: Path) -> None:
    page = " ".join(run("tune", corpus / "runs", "--exclude", TRAP).out.split())
    assert "todo_write is excluded, which glues the calls around it together: 36 runs" in page


def test_dead_stages_are_told(corpus: Path) -> None:
    report = tuned(corpus / "runs", "--thresholds", "3,40")
    (dead,) = [one for one in report["advice"] if one["kind"] == "dead-stage"]
    assert (dead["threshold"], dead["longest"]) == (40, 16)
    assert report["candidates"][0]["dead"] == [40]
    assert ".jsonl:" in dead["place"]


TOLD: Any = {
    "type": "injected_message",
    "content": "stop",
    "source": {
        "kind": "plugin",
        "plugin": "repeat-tool-reminder",
        "summary": "X \N{MULTIPLICATION SIGN} 3",
    },
}


def test_what_followed_recorded_reminders(tmp_path: Path) -> None:
    again = [call("X", "again"), result("again")]
    other = [call("Y", "other"), result("other")]
    for name, then in {
        "a": other,
        "b": [user(), *again],
        "c": [],
        "d": other,
        "e": again,
    }.items():
        log(tmp_path / f"{name}.jsonl", [*session("X X X"), TOLD, *then])
    report = tuned(tmp_path)
    (effect,) = [one for one in report["advice"] if one["kind"] == "reminder-effect"]
    assert (effect["reminders"], effect["changed"], effect["repeated"]) == (5, 2, 1)
    assert (effect["human"], effect["ended"]) == (1, 1)
    assert effect["examples"] == [f"{tmp_path}/e.jsonl:5"]
    four = tuned(tmp_path, "--thresholds", "3,4")["candidates"][0]
    assert (four["messages"], four["messages_off_policy"]) == (6, 1)
    assert "off-policy: 1 of 6 messages of now" in run("tune", tmp_path, "--thresholds", "3,4").out


# ---------------------------------------------------------------- odd corpora


def odd(tmp_path: Path, kind: str) -> list[str | Path]:  # noqa: C901, PLR0912 - one arm a corpus
    """Write a corpus that is one-sided, and return the words that read it."""
    labels = tmp_path / "labels.csv"
    match kind:
        case "all polling":
            for number in range(4):
                records: list[Any] = [user()]
                for at in range(9):
                    records += [
                        call("poll", f"k{at}"),
                        result(f"k{at}", f"state {'abcdefghi'[at]}"),
                    ]
                log(tmp_path / f"{number}.jsonl", records)
        case "no repeats":
            for number in range(4):
                log(tmp_path / f"{number}.jsonl", session("X Y X Y Z"))
        case "no calls":
            log(tmp_path / "a.jsonl", session("u ."))
        case "nothing tracked":
            log(tmp_path / "a.jsonl", session("X X X"))
            return [tmp_path, "--exclude", "*"]
        case "all stuck" | "all ok":
            for number in range(4):
                log(tmp_path / f"{number}.jsonl", session("X*9"))
            label = kind.removeprefix("all ")
            labels.write_text("".join(f"{number},{label}\n" for number in range(4)))
            return [*sorted(tmp_path.glob("*.jsonl")), "--labels", labels]
        case "one session":
            log(tmp_path / "a.jsonl", session("X X X Y Y"))
        case "one call":
            log(tmp_path / "a.jsonl", session("X"))
        case "long runs":
            log(tmp_path / "a.jsonl", session("X*300 Y X*120 Y X*2"))
        case _:
            assert kind == "no results"
            log(tmp_path / "a.jsonl", [call("X") for _ in range(6)])
    return [tmp_path]


KINDS = [
    *("all polling", "no repeats", "no calls", "nothing tracked", "all stuck", "all ok"),
    *("one session", "one call", "long runs", "no results"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["tune", "stats"])
def test_odd_corpora_give_a_sensible_page(tmp_path: Path, command: str, kind: str) -> None:
    words = odd(tmp_path, kind)
    done = run(command, *words)
    assert done.code == 0
    assert "error" not in done.err.replace("0 errors", "")
    assert "nan" not in done.out.lower().split()
    assert_narrow(done)
    for form in ("json", "csv"):
        assert run(command, *words, "-f", form).code == 0
    if command == "tune":
        constrained = run(
            command, *words, "--max-warned", "50%", "--alpha", "40%", "--bootstrap", "50"
        )
        assert constrained.code in (0, 1)


PATH = re.compile(r"/\S{40,}")


def assert_narrow(done: Ran) -> None:
    for line in done.out.splitlines():
        # A path is never cut, and that of a test's folder may be long.
        shown = PATH.sub("path", line)
        wide = sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in shown)
        assert wide <= 80, line


def test_pages_fit_80_columns(corpus: Path) -> None:
    words = ("--labels", corpus / "labels.csv", "--alpha", "10%", *CHOICE)
    assert_narrow(
        run("tune", corpus / "runs", *words, "--try-exclude", POLLING, "--hold-out", "0.3")
    )
    assert_narrow(run("tune", corpus / "runs", *words[:2], "--policy", "breaker"))
    assert_narrow(run("stats", corpus / "runs", "--by", "session"))


def test_hostile_names_are_shown_not_obeyed(tmp_path: Path) -> None:
    name = "\x1b[31m[bold]\u202e[/x]" + "x" * 90
    records: list[Any] = []
    for number in range(6):
        records += [call(name, f"k{number}", arguments={"\x1b": "\ud800", "n": number % 2})]
        records += [result(f"k{number}")]
    log(tmp_path / "a.jsonl", records)
    for words in (["tune"], ["stats"], ["tune", "--max-warned", "100%"], ["stats", "--by", "tool"]):
        done = run(words[0], tmp_path, *words[1:])
        assert done.code == 0
        assert "\x1b" not in done.out
        assert "\u202e" not in done.out
        assert_narrow(done)


def test_pages_are_ascii_where_the_output_is(corpus: Path) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    for command in ("tune", "stats"):
        done = spawn(command, corpus / "runs", env=env)
        assert done.returncode == 0
        assert done.stdout.isascii()
        assert b"#####" in done.stdout


@pytest.mark.parametrize("command", ["tune", "stats"])
def test_twenty_thousand_tiny_sessions(tmp_path: Path, command: str) -> None:
    line = '{"type":"session","id":"s%d"}\n{"type":"tool_call","name":"x","arguments":{"a":%d}}\n'
    repeat = '{"type":"tool_call","name":"x","arguments":{"a":1}}\n' * 4
    with (tmp_path / "many.jsonl").open("w") as file:
        for number in range(20_000):
            file.write(line % (number, number % 3))
            if number % 10 == 0:
                file.write(repeat)
    begun = time.perf_counter()
    done = run(command, tmp_path)
    assert done.code == 0
    assert "20,000 sessions" in done.out
    assert time.perf_counter() - begun < 30


# ---------------------------------------------------------------- stats


def test_stats_count_what_is_there(tmp_path: Path) -> None:
    records: list[Any] = [user()]
    clock = 1_700_000_000_000
    for at, (tool, content, status) in enumerate(
        [("X", "a", "ok")] * 4
        + [("X", "b", "ok")]
        + [("Y", "7 left", "error"), ("Y", "6 left", "error")]
    ):
        clock += 2_000
        usage = {"input_tokens": 100, "output_tokens": 10}
        records += [
            {"type": "assistant_message", "content": "", "usage": usage},
            call(tool, f"k{at}"),
            result(f"k{at}", content, status=status, ts=clock),
        ]
    log(tmp_path / "a.jsonl", records)
    report = json.loads(run("stats", tmp_path, "-f", "json").out)
    assert report["run_lengths"] == [{"length": 2, "runs": 1}, {"length": 5, "runs": 1}]
    assert report["results"]["changing"] == 1
    assert report["longest_runs"][0]["place"] == f"{tmp_path}/a.jsonl:3"
    assert report["longest_runs"][0]["arguments_preview"] == '{"q":1}'
    assert report["longest_runs"][1]["results"] == "volatile"
    assert report["spend_after_third_call"] == {"calls": 2, "seconds": 4.0, "tokens": 220}
    assert report["failure_streaks"] == [{"length": 2, "streaks": 1}]
    assert report["longest_failure_streaks"][0]["place"] == f"{tmp_path}/a.jsonl:18"
    assert [(row["name"], row["repeats"]) for row in report["groups"]] == [("X", 4), ("Y", 1)]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("tool", ["bash", "poll_job", "read", "edit", "fetch_page", "run_tests", "todo_write"]),
        ("agent", ["main"]),
        ("label", ["ok", "stuck"]),
        ("format", ["canonical"]),
    ],
)
def test_stats_are_grouped(corpus: Path, by: str, names: list[str]) -> None:
    words = ("stats", corpus / "runs", "--labels", corpus / "labels.csv", "--by", by)
    rows = list(csv.DictReader(run(*words, "-f", "csv").out.splitlines()))
    assert sorted(row["name"] for row in rows) == sorted(names)
    assert sum(int(row["calls"]) for row in rows) == 2_493


def test_skipped_lines_are_counted(tmp_path: Path) -> None:
    path = log(tmp_path / "a.jsonl", session("X X X"))
    path.write_text(path.read_text() + "{\nnonsense\n" + json.dumps(user()) + "\n")
    done = run("stats", tmp_path)
    assert "2 lines skipped in 1 file" in done.out
    assert run("stats", tmp_path, "--strict").code == 2


@pytest.mark.parametrize("command", ["tune", "stats"])
def test_nothing_readable_is_no_page(tmp_path: Path, command: str) -> None:
    (tmp_path / "a.jsonl").write_text("nothing\n")
    (tmp_path / "b.jsonl").write_text("of use\n")
    done = run(command, tmp_path)
    assert (done.code, done.out) == (2, "")


# ---------------------------------------------------------------- how it ends


def test_outputs_are_written_whole_or_not_at_all(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run("tune", corpus / "runs", "-o", out).code == 0
    assert json.loads(out.read_text())["schema"] == "repeat-reminder/tune@1"
    out = tmp_path / "out.csv"
    assert run("stats", corpus / "runs", "-o", out).code == 0
    assert out.read_text().startswith("name,sessions,calls,")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["out.csv", "out.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_says_how_far_it_came(tmp_path: Path, jobs: str) -> None:
    for number in range(6):
        log(tmp_path / f"{number}.jsonl", session("X*3"))
    pipe = tmp_path / "9.jsonl"
    os.mkfifo(pipe)
    out = tmp_path / "out.json"
    logs = sorted(tmp_path.glob("*.jsonl"))
    with subprocess.Popen(  # noqa: S603 - this very program
        [
            *(sys.executable, "-m", "repeat_reminder", "tune", *map(str, logs)),
            *("-j", jobs, "-o", str(out)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Under nohup the signal is ignored, and a child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as running:
        writer = os.open(pipe, os.O_WRONLY)  # returns when the pipe is being read
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGINT)
        try:
            told, error = running.communicate(timeout=20)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
            os.close(writer)
    assert running.returncode == 130
    assert told == b""
    assert error.decode().startswith("interrupted: 6 of 7 files read; nothing was written")
    assert not out.exists()


# ---------------------------------------------------------------- the number of processes


@pytest.mark.parametrize(
    "words",
    [
        ("tune", "-f", "json"),
        ("tune", "-f", "csv"),
        ("tune", "-f", "full"),
        ("tune", "--policy", "breaker", "-f", "json"),
        ("stats", "-f", "json"),
        ("stats", "-f", "csv"),
        ("stats", "-f", "full"),
    ],
    ids=" ".join,
)
def test_the_number_of_processes_changes_no_byte(corpus: Path, words: tuple[str, ...]) -> None:
    more = ("--bootstrap", "20") if words[0] == "tune" else ()
    few = corpus / "runs" / "stuck"
    one, two = (spawn(*words, few, *more, "-q", "-j", number) for number in ("1", "2"))
    assert (one.returncode, one.stderr) == (0, b"")
    assert (two.stdout, two.stderr, two.returncode) == (one.stdout, one.stderr, one.returncode)
    if words[-1] == "json":
        typed = ["repeat-reminder", *words, str(few), *more, "-q"]
        assert shlex.split(json.loads(one.stdout)["command"]) == typed


def test_the_number_of_processes_changes_no_byte_of_the_page(corpus: Path, tmp_path: Path) -> None:
    target, pages = tmp_path / "tune.html", []
    for jobs in (["-j1"], ["--jobs=2"]):
        words = ("tune", corpus / "runs" / "stuck", "--bootstrap", "20", "--html", target)
        done = spawn(*words, *jobs)
        assert done.returncode == 0, done.stderr
        pages.append(target.read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("tune x -j 2 -q", "tune x -q"),
        ("tune -j2 x", "tune x"),
        ("tune --jobs 2 x", "tune x"),
        ("tune --jobs=2 x", "tune x"),
        ("tune -qj2 x", "tune -q x"),
        ("tune -qvj 2 x", "tune -qv x"),
        ("tune -fjson x", "tune -fjson x"),
        ("tune -j 2 -- -j 3", "tune -- -j 3"),
        ("tune 'a b' --json", "tune 'a b' --json"),
    ],
    ids=str,
)
def test_the_recorded_command_leaves_the_number_of_processes_out(typed: str, kept: str) -> None:
    assert without_jobs(typed) == kept
