"""``check`` as a CI engineer uses it: what fails, what is written, what is left alone."""

# ruff: noqa: RUF001 - the sign that reports count with

import gzip
import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from repeat_reminder.policies.breaker import urls
from repeat_reminder.pytest_plugin.sessions import SessionBuilder
from repeat_reminder.render.check.words import TYPED_ONLY
from tests.checking import STUCK, Project
from tests.closed_schemas import faults
from tests.command import run, spawn

ROOT = Path(__file__).parents[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


def pinned(snapshot: Path) -> list[str]:
    """Return what a snapshot's reminders are about."""
    updates = [json.loads(line)["params"]["update"] for line in snapshot.read_bytes().splitlines()]
    notes = [update.get("_meta", {}).get("repeat-reminder/injected") for update in updates]
    return [note["source"]["summary"] for note in notes if note]


# ---------------------------------------------------------------- what is a failure


def test_the_scenarios_of_this_project_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = run("check")
    number = len(list((ROOT / "snapshots").glob("*.acp.jsonl")))
    assert (done.code, done.out, done.err) == (0, f"{number} scenarios: {number} ok\n", "")


def test_a_missing_snapshot_fails_and_is_not_written(project: Project) -> None:
    project.scenario("curl-404")
    before = project.files()
    done = project.check()
    assert done.code == 1
    assert "there is no snapshots/curl-404.acp.jsonl" in done.out
    assert project.files() == before


def test_a_changed_snapshot_fails_and_stays(project: Project) -> None:
    project.scenario("curl-404")
    before = project.accepted().files()
    done = project.check("--thresholds", "4")
    assert done.code == 1
    assert "policy   thresholds 3,5,8 → 4" in done.out
    assert project.files() == before


def test_an_unused_snapshot_fails_unless_it_is_allowed(project: Project) -> None:
    project.scenario("curl-404")
    project.accepted().snapshot("gone").write_text("x")
    done = project.check()
    assert (done.code, "1 snapshot unused" in done.out) == (1, True)
    assert "delete it with:  repeat-reminder check --update\n" in done.out
    done = project.check("--allow-unused")
    assert (done.code, "1 snapshot unused (allowed)" in done.out) == (0, True)
    assert project.check("--update", "--allow-unused").code == 0
    assert project.snapshot("gone").exists()


def test_a_readme_among_the_snapshots_is_none(project: Project) -> None:
    project.scenario("curl-404")
    project.accepted()
    for name in ("README.md", ".hidden.acp.jsonl", "old.acp.json"):
        (project.snapshots / name).write_text("x")
    (project.snapshots / "folder.acp.jsonl").mkdir()
    assert project.check().code == 0
    assert project.check("--update").out == "1 scenario: 1 ok\n"


@pytest.mark.parametrize(
    ("folders", "words", "message"),
    [
        ([], [], "error: fixtures: no such folder"),
        (["fixtures"], [], "fixtures: no scenarios: a check of nothing is not a pass"),
        (["fixtures"], ["fixture"], "error: fixture: no such file or folder"),
        (["a", "b"], ["a", "b"], "a, b: no scenarios"),
    ],
    ids=["no-folder", "empty-folder", "misspelt-folder", "empty-folders"],
)
def test_a_check_of_nothing_is_no_pass(
    project: Project, folders: list[str], words: list[str], message: str
) -> None:
    for folder in folders:
        (project.folder / folder).mkdir()
    done = project.check(*words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_filter_that_matches_nothing_names_what_there_is(project: Project) -> None:
    project.scenario("curl-404")
    done = project.check("-k", "culr")
    assert done.code == 2
    assert "-k: no scenario matches" in done.err
    assert "there are: curl-404" in done.err


# ---------------------------------------------------------------- what is written


def test_an_update_says_what_it_did_and_the_next_check_is_clean(project: Project) -> None:
    project.scenario("kept")
    project.scenario("changed")
    project.accepted().snapshot("gone").write_text("x")
    project.scenario("changed", STUCK.call("bash", command="npm test"))
    project.scenario("new")
    kept = project.snapshot("kept").stat().st_mtime_ns
    done = project.check("--update")
    assert done.code == 0
    assert done.out.splitlines() == [
        "M  snapshots/changed.acp.jsonl",
        "A  snapshots/new.acp.jsonl",
        "D  snapshots/gone.acp.jsonl",
        "3 scenarios: 1 ok, 1 new, 1 updated · 1 snapshot deleted",
    ]
    assert project.snapshot("kept").stat().st_mtime_ns == kept
    assert project.check().out == "3 scenarios: 3 ok\n"


def test_update_new_writes_only_what_was_not_there(project: Project) -> None:
    project.scenario("changed")
    project.accepted().snapshot("gone").write_text("x")
    project.scenario("changed", STUCK.call("bash", command="npm test"))
    project.scenario("new")
    old = project.snapshot("changed").read_bytes()
    done = project.check("--update-new", "--diff", "none")
    assert done.code == 1
    assert "A  snapshots/new.acp.jsonl" in done.out
    assert "2 scenarios: 1 failed, 1 new · 1 snapshot unused" in done.out
    assert project.snapshot("changed").read_bytes() == old
    assert project.snapshot("gone").exists()


@pytest.mark.parametrize(
    "words", [["-k", "one"], ["fixtures/one.jsonl"]], ids=["keyword", "one-file"]
)
def test_a_filtered_run_judges_and_deletes_nothing_unused(
    project: Project, words: list[str]
) -> None:
    project.scenario("one")
    project.scenario("two")
    project.accepted().snapshot("gone").write_text("x")
    done = project.check(*words)
    assert done.code == 0
    assert done.out == "1 scenario: 1 ok · unused snapshots not looked for\n"
    assert project.check(*words, "--update").code == 0
    assert project.snapshot("gone").exists()
    assert project.snapshot("two").exists()


def test_fail_fast_stops_and_judges_nothing_unused(project: Project) -> None:
    project.scenario("a")
    project.scenario("b")
    done = project.check("--fail-fast")
    assert done.code == 1
    assert "1 scenario: 1 missing · unused snapshots not looked for" in done.out
    assert "b.acp.jsonl" not in done.out


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("curl", ["curl-200", "curl-404"]),
        ("CURL", ["curl-200", "curl-404"]),
        ("curl and not 404", ["curl-200"]),
        ("404 or grep", ["curl-404", "grep"]),
        ("not (404 or grep)", ["curl-200"]),
    ],
)
def test_the_filter_is_that_of_pytest(project: Project, expression: str, chosen: list[str]) -> None:
    for name in ("curl-404", "curl-200", "grep"):
        project.scenario(name)
    done = project.check("-k", expression, "-f", "json")
    assert [one["name"] for one in json.loads(done.out)["scenarios"]] == chosen


@pytest.mark.parametrize("expression", ["", "a or", "and", "(a", "a b", "not", "a)"])
def test_a_broken_filter_is_a_usage_error(project: Project, expression: str) -> None:
    project.scenario("a")
    done = project.check("-k", expression)
    assert done.code == 2
    assert done.err.startswith("error: -k: ")


@pytest.mark.parametrize(
    "words", [["--update", "--update-new"], ["--review", "--update"]], ids=" ".join
)
def test_ways_of_accepting_do_not_go_together(project: Project, words: list[str]) -> None:
    project.scenario("a")
    done = project.check(*words)
    assert done.code == 2
    assert "do not go together" in done.err
    assert not project.snapshots.exists()


def test_the_command_that_is_shown_accepts_the_change(project: Project) -> None:
    project.scenario("a")
    project.scenario("b c")
    project.scenario("$(touch x)", STUCK.call("bash"))
    project.accepted()
    words = ["--thresholds", "2", "--include", "ba*", "--snapshots", "snapshots", "fixtures"]
    done = project.check(*words, "--diff", "none")
    assert done.code == 1
    command = done.out.partition("if every check is run with them, accept with:  ")[2]
    assert project.check(*shlex.split(command.splitlines()[0])[2:]).code == 0
    assert project.check(*words).code == 0


def test_typed_settings_are_accepted_once_a_file_has_them(project: Project) -> None:
    """A snapshot that was accepted under settings of one command line fails the next check."""
    project.scenario("a")
    project.accepted()
    done = project.check("--thresholds", "3,4", "--diff", "none")
    assert TYPED_ONLY in done.out.splitlines()
    command = done.out.partition("then accept with:  ")[2].splitlines()[0]
    assert command == "repeat-reminder check --update"
    project.settings("thresholds = [3, 4]")
    assert TYPED_ONLY not in project.check().out
    assert project.check(*shlex.split(command)[2:]).code == 0
    assert project.check().code == 0


def test_an_update_under_typed_settings_says_that_the_next_check_fails(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    assert TYPED_ONLY in project.check("--thresholds", "3,4", "--update").out
    assert project.check().code == 1
    assert TYPED_ONLY not in project.check("--update").out
    assert TYPED_ONLY not in project.check("--thresholds", "3,5,8").out, "nothing to accept"


def test_the_command_that_is_shown_accepts_no_more_than_failed(project: Project) -> None:
    project.scenario("a")
    project.accepted().scenario("b")
    done = project.check()
    assert "accept with:  repeat-reminder check --update -k b\n" in done.out


def test_one_broken_scenario_stops_no_other_and_deletes_nothing(project: Project) -> None:
    project.scenario("good")
    project.scenario("broken").write_text("<html>")
    project.snapshots.mkdir()
    project.snapshot("gone").write_text("x")
    done = project.check("--update")
    assert done.code == 2
    assert "A  snapshots/good.acp.jsonl" in done.out
    assert "fixtures/broken.jsonl: not JSON Lines: it looks like an HTML page" in done.out
    assert project.snapshot("gone").exists()
    assert not project.snapshot("broken").exists()


def test_an_output_file_appears_whole(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    for form, first in (("full", "FAIL  a ─"), ("concise", "snapshots/a"), ("json", '{"schema"')):
        done = project.check("-o", "out.txt", "-f", form, "--thresholds", "4", "-q")
        assert (done.code, done.out, done.err) == (1, "", "")
        assert (project.folder / "out.txt").read_text().startswith(first)
    assert "A" not in project.check("-v").out
    assert "ok    a\n" in project.check("-v").out


def test_an_output_file_is_no_scenario(project: Project) -> None:
    log = project.scenario("a")
    before = log.read_bytes()
    for output in ("fixtures/a.jsonl", "snapshots/a.acp.jsonl"):
        project.check("--update")
        done = project.check("-o", output)
        assert (done.code, "one of the inputs" in done.err) == (2, True)
    assert log.read_bytes() == before


def test_skipped_lines_are_told_where_they_matter_and_fail_a_strict_run(project: Project) -> None:
    """What is wrong in a log is part of what a snapshot pins: of one that passes it is no news."""
    log = project.scenario("torn")
    log.write_bytes(log.read_bytes() + b'{"type":"tool_')
    project.scenario("whole")
    warning = "warning: fixtures/torn.jsonl:14: not valid JSON"
    assert warning in project.check().err, "missing"
    assert warning in project.check("--update").err, "accepted"
    done = project.check()
    assert (done.code, done.err) == (0, "")
    assert warning in project.check("-v").err
    assert warning in project.check("--thresholds", "4").err
    assert project.check("--thresholds", "4", "-q").err == ""
    assert project.check("--strict").code == 2


# ---------------------------------------------------------------- scenarios and settings


def test_a_scenario_is_a_file_of_any_compression_or_a_folder(project: Project) -> None:
    plain = project.scenario("plain").read_bytes()
    (project.fixtures / "packed.ndjson.gz").write_bytes(gzip.compress(plain))
    family = project.fixtures / "family"
    family.mkdir()
    head = b'{"type":"session","schema":"repeat-reminder/session@1","id":"%s"%s}\n'
    calls = plain.partition(b"\n")[2]
    (family / "a-child.jsonl").write_bytes(
        head % (b"child-1", b',"parent_session":"root-1"') + calls
    )
    (family / "root.jsonl").write_bytes(head % (b"root-1", b"") + calls)
    (project.fixtures / "README.md").write_text("No scenario.")
    (project.fixtures / ".hidden.jsonl").write_bytes(plain)
    project.accepted()
    assert sorted(project.snapshots.iterdir()) == [
        project.snapshot(name) for name in ("family", "packed", "plain")
    ]
    assert project.snapshot("packed").read_bytes() == project.snapshot("plain").read_bytes()
    assert pinned(project.snapshot("family")) == ["bash × 3", "bash × 5"] * 2
    assert b'"{{sessionId:2}}"' in project.snapshot("family").read_bytes().splitlines()[-1]


@pytest.mark.parametrize(
    ("project_says", "scenario_says", "typed", "at"),
    [
        ("", "", [], ["bash × 3", "bash × 5"]),
        ("thresholds = [4]", "", [], ["bash × 4"]),
        ("thresholds = [4]", "thresholds: [2]", [], ["bash × 2"]),
        ("thresholds = [4]", "thresholds: [2]", ["--thresholds", "5"], ["bash × 5"]),
        ("exclude = ['bash']", "thresholds: [2]", [], []),
        ("exclude = ['bash']", "exclude: []", ["--thresholds", "2"], ["bash × 2"]),
        ("", "thresholds: [2]", ["--policy", "none"], []),
        ("policy = 'none'", "", [], []),
        ("policy = 'none'", "thresholds: [2]", ["--policy", "reminder"], ["bash × 2"]),
    ],
    ids=[
        "defaults", "project", "scenario-over-project", "command-line-over-all", "by-key",
        "by-key-from-three", "no-policy", "project-mounts-none", "policy-typed",
    ],
)  # fmt: skip
def test_what_is_nearer_wins_key_by_key(
    project: Project, project_says: str, scenario_says: str, typed: list[str], at: list[str]
) -> None:
    project.scenario("a", config=scenario_says)
    project.settings(project_says)
    shell = {"REPEAT_REMINDER_THRESHOLDS": "2,3,4", "REPEAT_REMINDER_OUTPUT_FORMAT": "jsonl"}
    assert project.check("--update", *typed, env=shell).code == 0
    assert pinned(project.snapshot("a")) == at


def test_a_config_file_is_laid_over_those_of_the_scenarios(project: Project) -> None:
    project.scenario("a", config="thresholds: [2]\nargumentsPreviewChars: 7")
    (project.folder / "try.yml").write_text("thresholds: [4, 5]")
    assert project.check("--update", "--config", "try.yml").code == 0
    assert pinned(project.snapshot("a")) == ["bash × 4", "bash × 5"]
    assert b'"argumentsPreviewChars":7' in project.snapshot("a").read_bytes()


def test_a_scenario_mounts_what_its_settings_are_for(project: Project) -> None:
    project.scenario("a", config="- id: repeat-tool-breaker\n  config: {warnAt: 2}")
    assert project.check("--update").code == 0
    assert b'"name":"breaker"' in project.snapshot("a").read_bytes().splitlines()[0]


def test_folders_come_from_the_settings_of_the_project(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.scenario("a")
    (project.folder / "tests").mkdir()
    project.fixtures.rename(project.folder / "tests" / "agent")
    project.settings('fixtures = "tests/agent"\nsnapshots = "tests/pinned"\nthresholds = [4]')
    assert project.check("--update").out.startswith("A  tests/pinned/a.acp.jsonl\n")
    monkeypatch.chdir(project.folder / "tests")
    assert project.check().out == "1 scenario: 1 ok\n"
    assert project.check("agent").out == project.check("agent/").out == "1 scenario: 1 ok\n"
    monkeypatch.chdir(project.folder / "tests" / "agent")
    assert project.check(".").out == "1 scenario: 1 ok\n"
    monkeypatch.chdir(project.folder / "tests")
    assert project.check("agent", "--snapshots", "elsewhere").code == 1


def test_several_folders_keep_their_snapshots_apart(project: Project) -> None:
    for part in ("one", "two"):
        (project.folder / part / "fixtures").mkdir(parents=True)
        STUCK.write(project.folder / part / "fixtures" / "same.jsonl")
    done = project.check("one/fixtures", "two/fixtures", "--update")
    assert done.out.splitlines()[:2] == [
        "A  one/snapshots/same.acp.jsonl",
        "A  two/snapshots/same.acp.jsonl",
    ]
    done = project.check("one/fixtures", "two/fixtures", "--snapshots", "both")
    assert done.code == 2
    assert "two/fixtures/same.jsonl is called same too" in done.out


def test_bad_settings_are_told_with_their_line(project: Project) -> None:
    project.scenario("good")
    project.scenario("bad", config="\nthreshold: [2]")
    done = project.check("--update")
    assert done.code == 2
    assert "fixtures/bad.config.yml:2: threshold: unknown key" in done.out
    assert "did you mean thresholds?" in done.out
    assert project.snapshot("good").exists()


def test_notes_on_settings_and_logs_are_told_if_asked(project: Project) -> None:
    """Scenarios are full of oddities on purpose; what they come to is pinned."""
    row = "- id: repeat-tool-breaker\n  config: {warnAt: 2, pathAliases: {}}"
    project.scenario("a", config=row)
    assert project.accepted().check().err == ""
    assert "pathAliases: this key has no effect" in project.check("-v").err


def test_settings_that_nobody_reads_are_told(project: Project) -> None:
    project.scenario("curl-404")
    (project.fixtures / "culr-404.config.yml").write_text("thresholds: [2]")
    (project.fixtures / "curl-404.config.yaml").write_text("thresholds: [2]")
    done = project.accepted().check()
    assert done.code == 0
    assert "fixtures/culr-404.config.yml: these settings are not read" in done.err
    assert "call it curl-404.config.yml" in done.err


# ---------------------------------------------------------------- reports


def test_a_failure_explains_itself(project: Project) -> None:
    """The headline, the cause, a bounded diff, and the way out, in this order."""
    project.scenario("curl-404")
    project.accepted()
    done = project.check("--thresholds", "3,4", "--max-diff-lines", "3")
    lines = done.out.splitlines()
    assert lines[0] == f"FAIL  curl-404 {'─' * 40} fixtures/curl-404.jsonl"
    assert lines[1:6] == [
        "  added    bash × 4 detailed   after call_4   (curl-404.jsonl:9)",
        "  removed  bash × 5 detailed   was after call_5",
        "  policy   thresholds 3,5,8 → 3,4",
        "  cause    the settings changed; the session is the same",
        "  --- snapshots/curl-404.acp.jsonl   +++ this run",
    ]
    assert lines[6] == "  @@ -1,3 +1,3 @@"
    assert [line[:3] for line in lines[7:9]] == ["  -", "  +"]
    assert ["[3,5,8]" in lines[7], "[3,4]" in lines[8]] == [True, True]
    assert max(map(len, lines[:10])) < 80
    assert lines[9].endswith("more lines (--max-diff-lines 0 shows all)")
    command = "repeat-reminder check --thresholds 3,4 --update"
    assert lines[10:] == [
        "1 scenario: 1 failed",
        TYPED_ONLY,
        "then accept with:  repeat-reminder check --update",
        f"if every check is run with them, accept with:  {command}",
    ]


def test_where_only_settings_differ_no_reminder_moved(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    words = ["--thresholds", "3,5,9"]
    assert project.check(*words, "--diff", "none").out.splitlines()[1:4] == [
        "  placement: no reminder moved",
        "  policy   thresholds 3,5,8 → 3,5,9",
        "  cause    the settings changed; the session is the same",
    ]
    concise = project.check(*words, "-f", "concise").out
    assert "changed a: no reminder moved; policy thresholds 3,5,8 → 3,5,9" in concise
    assert "no reminder moved" not in project.check("--thresholds", "3").out


def test_the_diff_of_one_cause_is_shown_once(project: Project) -> None:
    for name in "abc":
        project.scenario(name, config="exclude: [x]" if name == "b" else "")
    project.accepted()
    project.scenario("c", STUCK.say("more"))
    project.scenario("d", STUCK)
    project.check("--update", "-k", "d")
    done = project.check("--thresholds", "3")
    assert done.out.count("@@ -1,") == 2, "of the settings, and of the session"
    assert "  diff     left out: the same settings changed in a (-k or -v shows it)" in done.out
    assert done.out.count("  removed  bash × 5") == 4, "what moved is told of each"
    assert project.check("--thresholds", "3", "-v").out.count("@@ -1,") == 4


def test_an_error_of_many_scenarios_is_told_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcdefgh":
        project.scenario(name, config="policy: breaker" if name != "b" else "")
    project.scenario("c", config="policy: breakr")
    for name in "abcdefgh":
        project.scenario(name, STUCK.call("bash", command="curl http://x/"))
    monkeypatch.setitem(sys.modules, "can_ada", None)
    urls.whatwg_parser.cache_clear()
    done = project.check("--update")
    urls.whatwg_parser.cache_clear()
    assert done.code == 2
    assert done.out.count("needs the package can_ada") == 1
    assert "the error of a in 5 more scenarios: d, e, f, g, h\n" in done.out
    assert "9 scenarios" not in done.out
    assert "8 scenarios: 7 in error, 1 new" in done.out
    assert "fixtures/c.config.yml" in done.out, "another error is told"


def test_a_file_that_is_no_log_gets_a_hint_that_can_be_followed(project: Project) -> None:
    project.scenario("a").write_text('{"hello": 1}\n{"hello": 2}\n')
    done = project.check()
    assert done.code == 2
    assert "unknown log format" in done.out
    assert "--from" not in done.out
    assert "belongs in another folder than the scenarios" in done.out


def test_no_command_of_the_help_is_made_up(project: Project) -> None:
    done = project.check("--help")
    examples = [line.strip() for line in done.out.splitlines() if "  repeat-reminder " in line]
    assert len(examples) == 3
    for name in ("curl-404", "b"):
        project.scenario(name)
    project.accepted()
    for line in examples:
        assert project.check(*shlex.split(line.partition("   ")[0])[2:]).code == 0


def test_a_diff_in_few_words(project: Project) -> None:
    project.scenario("a")
    done = project.accepted().check("--thresholds", "3", "--diff", "semantic")
    assert '   call_5 bash {"command":"npm test"}' in done.out.splitlines()
    assert max(map(len, done.out.partition("these settings")[0].splitlines())) < 80
    assert "  ->> bash × 5 detailed for call_5: Repeated tool call detected:" in done.out
    assert "+++" not in project.check("--thresholds", "3", "--diff", "none").out


def test_concise_is_a_line_for_each_finding(project: Project) -> None:
    project.scenario("a")
    project.accepted().scenario("b")
    project.snapshot("gone").write_text("x")
    what = "policy thresholds 3,5,8 → 3; removed bash × 5 detailed was after call_5"
    done = project.check("--thresholds", "3", "-f", "concise")
    assert done.out.splitlines() == [
        f"snapshots/a.acp.jsonl:1: changed a: {what}",
        "fixtures/b.jsonl: missing b: there is no snapshots/b.acp.jsonl",
        "snapshots/gone.acp.jsonl: unused: no scenario has this name",
    ]
    assert "2 scenarios: 1 failed, 1 missing · 1 snapshot unused" in done.err
    assert project.check("-f", "concise", "-q").err == ""


def test_json_has_it_all(project: Project) -> None:
    project.scenario("a")
    project.scenario("broken").write_text("<html>")
    project.check("--update")
    found = json.loads(project.check("--thresholds", "3", "-f", "json").out)
    assert list(found) == [
        "schema", "tool", "scenarios", "unused", "totals", "partial", "accept", "accept_settled",
        "delete", "exit_code",
    ]  # fmt: skip
    assert found["schema"] == "repeat-reminder/check@1"
    assert faults("check", found) == []
    assert found["accept"] == "repeat-reminder check --thresholds 3 --update -k a"
    assert found["accept_settled"] == "repeat-reminder check --update -k a"
    assert found["totals"] == {
        "scenarios": 2, "ok": 0, "changed": 1, "missing": 0, "error": 1,
        "unused": 0, "added": 0, "modified": 0, "deleted": 0,
    }  # fmt: skip
    changed, broken = found["scenarios"]
    assert changed["explanation"]["cause"] == "policy"
    assert changed["explanation"]["changes"][0] == {
        "kind": "removed",
        "subject": {
            "plugin": "repeat-tool-reminder", "tool": "bash", "count": 5, "label": "detailed"
        },
        "what": None,
        "before": "after call_5",
        "after": None,
        "line": 14,
        "log": None,
    }  # fmt: skip
    assert broken["error"]["path"] == "fixtures/broken.jsonl"
    assert found["exit_code"] == 2


def test_ascii_where_the_output_is_not_utf8(project: Project) -> None:
    project.scenario("a", SessionBuilder().call("bücher", q="字", times=3))
    project.accepted().scenario("a", SessionBuilder().call("bücher", q="字", times=4))
    done = spawn("check", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert b"b\\xfccher" in done.stdout
