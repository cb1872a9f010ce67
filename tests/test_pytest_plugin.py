"""The pytest plugin as a downstream project has it: the bytes and the files of ``check``."""

# ruff: noqa: RUF001 - the sign that reports count with

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checking import STUCK, Project
from tests.command import Ran, spawn

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]

STRICT = """
[tool.pytest]
strict = true
addopts = ["-ra", "--import-mode=importlib"]
filterwarnings = ["error"]
"""
SLOW_TO_START = ("hypothesispytest", "pytest_cov")
"""Plugins that are here for other tests."""
EVERY_SCENARIO = """
def test_placement(reminder_scenario, transcript_of, reminder_snapshot):
    assert transcript_of(reminder_scenario) == reminder_snapshot(name=reminder_scenario.name)
"""


class Apart(Project):
    """A project that is checked by a process of its own: pytester forgets imported modules."""

    def check(self, *words: str, env: dict[str, str] | None = None) -> Ran:
        """Run the command."""
        done = spawn("check", *words, env=env)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(pytester.path)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    (pytester.path / "pyproject.toml").write_text(STRICT)
    return Apart(pytester.path)


def outcome_of(pytester: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    """Run a test file in a process of its own."""
    folder = pytester.path / "tests"
    folder.mkdir(exist_ok=True)
    (folder / "test_it.py").write_text(text)
    return pytester.runpytest_subprocess(*words, *(f"-pno:{name}" for name in SLOW_TO_START))


# ---------------------------------------------------------------- snapshots


def test_the_same_bytes_as_check_for_every_fixture(
    pytester: pytest.Pytester, project: Project
) -> None:
    shutil.copytree(ROOT / "fixtures", project.fixtures)
    by_check = project.accepted().files()
    scenarios = sum(path.startswith("snapshots/") for path in by_check)
    shutil.rmtree(project.snapshots)
    done = outcome_of(pytester, EVERY_SCENARIO, "--snapshot-update")
    done.assert_outcomes(passed=scenarios)
    by_pytest = {path: data for path, data in project.files().items() if path in by_check}
    assert by_pytest == by_check
    assert {path.name for path in (ROOT / "snapshots").iterdir()} == {
        path.name for path in project.snapshots.iterdir()
    }
    for snapshot in project.snapshots.iterdir():
        assert snapshot.read_bytes() == (ROOT / "snapshots" / snapshot.name).read_bytes()
    assert outcome_of(pytester, EVERY_SCENARIO).ret == 0
    assert project.check().code == 0


def test_missing_and_changed_fail_and_an_update_writes_whole_files(
    pytester: pytest.Pytester, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "BUILD_NUMBER"):  # there pytest cuts nothing
        monkeypatch.delenv(name, raising=False)
    project.scenario("a")
    done = outcome_of(pytester, EVERY_SCENARIO)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*Snapshot 'a' does not exist!*", "*pytest --snapshot-update*"])
    assert not project.snapshots.exists()
    project.accepted().settings("thresholds = [4]" + STRICT)
    done = outcome_of(pytester, EVERY_SCENARIO)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*added    bash × 4 gentle*",
            "*policy   thresholds 3,5,8 → 4",
            "*cause    the settings changed*",
        ]
    )
    # Of a long message pytest shows eight lines: all that matters stands in them.
    done.stdout.fnmatch_lines(
        ["*(a.jsonl:9)*", "*accept with: pytest --snapshot-update*", "*truncated*"]
    )
    assert "Scenario(name=" not in done.stdout.str()
    assert "TranscriptOf object" not in done.stdout.str()
    done = outcome_of(pytester, EVERY_SCENARIO, "-vv")
    shown = [line for line in done.stdout.lines if line.startswith("E  ")]
    assert max(map(len, shown)) < 90
    done.stdout.fnmatch_lines(["*-*[[]3,5,8[]]*", "*+*[[]4[]]*", "*check shows all*"])
    outcome_of(pytester, EVERY_SCENARIO, "--snapshot-update").assert_outcomes(passed=1)
    assert project.check().code == 0
    assert [path.name for path in project.snapshots.iterdir()] == ["a.acp.jsonl"]


def test_an_update_of_new_ones_leaves_the_others(
    pytester: pytest.Pytester, project: Project
) -> None:
    project.scenario("a")
    old = project.accepted().snapshot("a").read_bytes()
    project.scenario("b", STUCK.say("b"))
    project.settings("thresholds = [4]" + STRICT)
    outcome_of(pytester, EVERY_SCENARIO, "--snapshot-update-new-only").assert_outcomes(
        passed=1, failed=1
    )
    assert project.snapshot("a").read_bytes() == old
    assert project.snapshot("b").exists()


PART = """
import pytest

def test_one(transcript_of, reminder_snapshot):
    assert transcript_of("fixtures/one.jsonl") == reminder_snapshot(name="one")

def test_fails_before_it_looks(reminder_snapshot):
    assert FAIL

def test_skipped(reminder_snapshot):
    pytest.skip("today")
"""


def test_unused_is_what_no_scenario_is_called(pytester: pytest.Pytester, project: Project) -> None:
    """A scenario that no test is about is still one, and its snapshot stays."""
    for name in ("one", "fails", "skipped", "elsewhere"):
        project.scenario(name)
    project.accepted()
    (project.snapshots / "README.md").write_text("x")
    outcome_of(pytester, PART.replace("FAIL", "True")).assert_outcomes(passed=2, skipped=1)
    project.snapshot("gone").write_bytes(b"x")
    done = outcome_of(pytester, PART.replace("FAIL", "True"), "--snapshot-details")
    assert done.ret == 1
    done.stdout.fnmatch_lines(["1 snapshot passed. 1 snapshot unused.", "*gone*"])
    done = outcome_of(pytester, PART.replace("FAIL", "False"), "--snapshot-update")
    done.assert_outcomes(passed=1, failed=1, skipped=1)
    assert sorted(path.name for path in project.snapshots.iterdir()) == [
        "README.md", "elsewhere.acp.jsonl", "fails.acp.jsonl", "one.acp.jsonl",
        "skipped.acp.jsonl",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words", [["-k", "one"], ["tests/test_it.py::test_one"]], ids=["keyword", "node"]
)
def test_a_filtered_run_flags_and_deletes_nothing(
    pytester: pytest.Pytester, project: Project, words: list[str]
) -> None:
    project.scenario("one")
    project.accepted().snapshot("gone").write_bytes(b"x")
    for update in ([], ["--snapshot-update"]):
        done = outcome_of(pytester, PART.replace("FAIL", "True"), *words, *update)
        assert done.ret == 0
        assert project.snapshot("gone").exists()


@pytest.mark.parametrize("update", [[], ["--snapshot-update"]], ids=["compare", "update"])
def test_under_xdist(pytester: pytest.Pytester, project: Project, update: list[str]) -> None:
    for name in "abcd":
        project.scenario(name, STUCK.say(name))
    if update:
        project.snapshots.mkdir()
    else:
        project.accepted()
    project.snapshot("gone").write_bytes(b"x")
    done = outcome_of(pytester, EVERY_SCENARIO, "-n", "2", *update)
    done.assert_outcomes(passed=4)
    assert done.ret == (0 if update else 1), "the orphan is seen from all workers together"
    assert project.snapshot("gone").exists() is not bool(update)
    if update:
        assert project.check().code == 0


def test_names_that_no_file_should_have(pytester: pytest.Pytester, project: Project) -> None:
    project.scenario("a")
    text = """
import pytest

@pytest.mark.parametrize("name", ["../x", "aux", "a:b"])
def test_name(name, reminder_snapshot):
    with pytest.raises(ValueError, match="no snapshot can be called"):
        assert b"" == reminder_snapshot(name=name)

def test_no_name(reminder_snapshot):
    with pytest.raises(ValueError, match="is pinned by name"):
        assert b"" == reminder_snapshot
"""
    outcome_of(pytester, text, "--snapshot-update").assert_outcomes(passed=4)
    assert not project.snapshots.exists()


def test_what_a_newer_version_wrote_is_not_overwritten(
    pytester: pytest.Pytester, project: Project
) -> None:
    project.scenario("a")
    snapshot = project.accepted().snapshot("a")
    newer = snapshot.read_bytes().replace(b'"schema":1', b'"schema":2')
    snapshot.write_bytes(newer)
    for words in ([], ["--snapshot-update"]):
        done = outcome_of(pytester, EVERY_SCENARIO, *words)
        done.assert_outcomes(failed=1)
        done.stdout.fnmatch_lines(["*written by a newer version*"])
    assert snapshot.read_bytes() == newer


def test_a_snapshot_whose_case_differs_is_missing(
    pytester: pytest.Pytester, project: Project
) -> None:
    project.scenario("curl")
    project.accepted().snapshot("curl").rename(project.snapshot("Curl"))
    outcome_of(pytester, EVERY_SCENARIO).assert_outcomes(failed=1)


def test_several_folders_of_scenarios(pytester: pytest.Pytester, project: Project) -> None:
    project.settings('fixtures = ["one/fixtures", "two/fixtures"]' + STRICT)
    for part in ("one", "two"):
        (project.folder / part / "fixtures").mkdir(parents=True)
        STUCK.write(project.folder / part / "fixtures" / f"{part}-session.jsonl")
    outcome_of(pytester, EVERY_SCENARIO, "--snapshot-update").assert_outcomes(passed=2)
    assert (project.folder / "two" / "snapshots" / "two-session.acp.jsonl").exists()
    assert project.check().code == 0
    assert outcome_of(pytester, EVERY_SCENARIO).ret == 0


# ---------------------------------------------------------------- scenarios


def test_scenarios_are_parameters_with_their_names(
    pytester: pytest.Pytester, project: Project
) -> None:
    project.scenario("curl-404", config="thresholds: [2]")
    project.scenario("b")
    text = """
def test_it(reminder_scenario, reminders_of):
    at = {"curl-404": [2], "b": [3, 5]}[reminder_scenario.name]
    assert reminders_of(reminder_scenario) == [("main", "bash", n) for n in at]
"""
    done = outcome_of(pytester, text, "-v")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["*test_it[[]b] PASSED*", "*test_it[[]curl-404] PASSED*"])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "*fixtures: no scenarios: a check of nothing is not a pass*"),
        (["a.jsonl", "a.ndjson"], "*is called a too, so they have one snapshot*"),
    ],
    ids=["none", "colliding"],
)
def test_scenarios_that_cannot_be_judged(
    pytester: pytest.Pytester, project: Project, files: list[str], message: str
) -> None:
    project.fixtures.mkdir()
    for file in files:
        STUCK.write(project.fixtures / file)
    done = outcome_of(pytester, EVERY_SCENARIO, "--snapshot-update")
    assert done.ret != 0
    done.stdout.fnmatch_lines([message])
    assert not project.snapshots.exists()


def test_settings_are_those_beside_the_tests(pytester: pytest.Pytester, project: Project) -> None:
    """Of several projects in one repository each has its own."""
    for part, thresholds in (("one", "[2]"), ("two", "[4]")):
        inner = Project(project.folder / part)
        inner.folder.mkdir()
        inner.settings(f"thresholds = {thresholds}")
        inner.scenario("s")
        (inner.folder / "tests").mkdir()
        (inner.folder / "tests" / f"test_{part}.py").write_text(EVERY_SCENARIO)
    pytester.runpytest_subprocess("--snapshot-update").assert_outcomes(passed=2)
    assert project.check("one/fixtures", "two/fixtures").code == 0


# ---------------------------------------------------------------- reminders, sessions


def test_reminders_of_every_kind_of_session(pytester: pytest.Pytester, project: Project) -> None:
    project.scenario("curl-404", config="argumentsPreviewChars: 9")
    project.settings("thresholds = [2]" + STRICT)
    text = """
import pytest
from pathlib import Path
from repeat_reminder import ConfigError

PATH = "fixtures/curl-404.jsonl"
BOTH = [("main", "bash", 3), ("main", "bash", 5)]

def test_a_path(reminders_of):
    assert reminders_of(PATH, thresholds=[3, 5]) == BOTH
    assert reminders_of(Path(PATH), thresholds=[3, 5]) == BOTH
    assert reminders_of(PATH) == [("main", "bash", 2)], "as the project says"

def test_from_another_folder(reminders_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert reminders_of(PATH, thresholds=(3, 5)) == BOTH

def test_settings(reminders_of):
    assert reminders_of(PATH, include=["grep"]) == []
    assert reminders_of(PATH, exclude=["ba*"]) == []
    assert reminders_of(PATH, policy="none") == []
    assert reminders_of(PATH, policy=["reminder"], ignore_args=["x"]) == [("main", "bash", 2)]
    with pytest.raises(ConfigError, match="thresholds"):
        reminders_of(PATH, thresholds=[1])
    with pytest.raises(TypeError):
        reminders_of(PATH, treshold=[1])

def test_preview(transcript_of):
    assert b'"argumentsPreviewChars":9' in transcript_of(PATH)
    assert b'"argumentsPreviewChars":7' in transcript_of(PATH, arguments_preview_chars=7)

def test_builder(reminders_of, session_builder):
    session = session_builder.user("go").call("bash", command="ls", times=5)
    assert reminders_of(session, thresholds=[3, 5]) == BOTH
    assert reminders_of(session) == [("main", "bash", 2)], "as the project says"
    assert reminders_of(session_builder) == []

def test_agents_and_resets(reminders_of, session_builder):
    session = session_builder.call("a").agent("sub").call("a").agent("main").call("a")
    assert reminders_of(session) == [("main", "a", 2)]
    assert reminders_of(session_builder.call("a").user("stop").call("a")) == []
    assert reminders_of(session_builder.call("a").say("hm").call("a")) == [("main", "a", 2)]
    assert reminders_of(session_builder.call("a").record(type="resume").call("a")) == []

def test_arguments(reminders_of, session_builder):
    same = session_builder.call("a", {"times": 2, "x": 1}).call("a", '{"x":1,"times":2}')
    assert reminders_of(same) == [("main", "a", 2)]
    assert reminders_of(session_builder.call("a", x=1).call("a", x=2)) == []
    assert reminders_of(session_builder.call("a", times=0)) == []

def test_a_builder_is_never_changed(session_builder):
    longer = session_builder.call("a")
    assert session_builder.to_jsonl().count(b"\\n") == 1
    assert longer.to_jsonl().count(b"\\n") == 3

def test_a_scenario_from_a_builder(reminders_of, session_builder, tmp_path):
    path = session_builder.call("a", times=2).write(tmp_path / "new.jsonl")
    assert reminders_of(path, thresholds=[2]) == [("main", "a", 2)]
"""
    outcome_of(pytester, text).assert_outcomes(passed=9)


@pytest.mark.usefixtures("project")
def test_reminders_need_no_syrupy(pytester: pytest.Pytester) -> None:
    text = """
def test_counts(reminders_of, session_builder):
    assert reminders_of(session_builder.call("a", times=3)) == [("main", "a", 3)]
"""
    outcome_of(pytester, text, "-p", "no:syrupy").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("conftest", "message"),
    [
        ("", "*reminder_snapshot: syrupy is switched off*"),
        ("import sys; sys.modules['syrupy'] = None", "*reminder_snapshot needs syrupy: pip*"),
        (
            "import pytest\n@pytest.fixture\ndef snapshot():\n    return 1",
            "*the fixture `snapshot` is not syrupy's*",
        ),
    ],
    ids=["off", "not-installed", "other-plugin"],
)
def test_a_snapshot_without_syrupy_says_what_is_missing(
    pytester: pytest.Pytester, project: Project, conftest: str, message: str
) -> None:
    project.scenario("a")
    pytester.makeconftest(conftest)
    done = outcome_of(pytester, EVERY_SCENARIO, "-p", "no:syrupy")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([message])


def test_loading_the_plugin_imports_nothing_heavy() -> None:
    code = """
import sys, pytest
before = set(sys.modules)
import repeat_reminder.pytest_plugin
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run(  # noqa: S603 - this very program
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["repeat_reminder", "repeat_reminder.pytest_plugin"]


@pytest.mark.usefixtures("project")
def test_a_run_that_uses_no_fixture_imports_nothing_more(pytester: pytest.Pytester) -> None:
    text = """
import sys

def test_it():
    ours = {name for name in sys.modules if name.startswith("repeat_reminder.")}
    assert ours == {"repeat_reminder.pytest_plugin"}
    assert not {"orjson", "yaml", "typer", "rich", "zstandard"} & set(sys.modules)
"""
    outcome_of(pytester, text).assert_outcomes(passed=1)


def test_the_fixtures_import_no_command_line(pytester: pytest.Pytester, project: Project) -> None:
    project.scenario("a")
    text = (
        EVERY_SCENARIO
        + """
def test_it(reminders_of, session_builder):
    import sys
    reminders_of(session_builder)
    assert not {"typer", "rich"} & set(sys.modules)
"""
    )
    outcome_of(pytester, text, "--snapshot-update").assert_outcomes(passed=2)
