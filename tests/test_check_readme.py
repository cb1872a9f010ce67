"""What the README says about CI, tried: every snippet runs, every file it names is right."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from shutil import copy, which
from typing import Any, NamedTuple

import pytest
import yaml

from repeat_reminder import __version__
from repeat_reminder.check.explain import CRLF_HINT
from repeat_reminder.check.replaying import Overrides, load_for
from repeat_reminder.check.scenarios import scenario_at
from repeat_reminder.config import read_project
from tests.checking import STUCK, Project
from tests.command import run

ROOT = Path(__file__).parents[1]


class Snippet(NamedTuple):
    """A fenced block."""

    language: str
    text: str


def snippets() -> list[Snippet]:
    """Return the blocks of the section, in order."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## In your CI\n")[2].partition("\n## ")[0]
    return [
        Snippet(*found)
        for found in re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    ]


def snippet(language: str, first: str = "") -> str:
    """Return the one block of a language, or the one that begins so."""
    (text,) = (s.text for s in snippets() if s.language == language and s.text.startswith(first))
    return text


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with a recorded session, and the program on the path."""
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    copy(ROOT / "fixtures" / "two-tiers.jsonl", tmp_path / "session.jsonl")
    return Project(tmp_path)


def parsed(text: str) -> Any:  # noqa: ANN401 - YAML
    return yaml.safe_load(text)


def test_the_section_has_all_its_snippets() -> None:
    assert [snippet.language for snippet in snippets()] == [
        "sh", "toml", "yaml", "gitattributes", "gitignore", "console", "console",
        "yaml", "sh", "yaml", "python",
    ]  # fmt: skip


@pytest.mark.skipif(which("repeat-reminder", path=str(Path(sys.executable).parent)) is None,
                    reason="the program is not installed")  # fmt: skip
def test_the_commands_print_what_the_readme_says(project: Project) -> None:
    (project.folder / "pyproject.toml").write_text(snippet("toml"))
    for text in (s.text for s in snippets() if s.language == "console"):
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            done = subprocess.run(  # noqa: S602 - a line of the README, as a reader would type it
                command, shell=True, capture_output=True, check=False, cwd=project.folder
            )
            assert done.stdout.decode() == expected
            assert done.stderr == b""
            assert done.returncode == ("FAIL" in expected)


def test_the_settings_are_read(project: Project) -> None:
    (project.folder / "pyproject.toml").write_text(snippet("toml"))
    settings = read_project("pyproject.toml")
    assert settings is not None
    assert (settings.settings.fixtures, settings.settings.snapshots) == (("fixtures",), "snapshots")
    text = snippet("yaml", "# fixtures/")
    name = re.match(r"# fixtures/(.*)\.config\.yml\n", text)
    assert name is not None
    log = project.scenario(name[1], config=text)
    (mounted,) = load_for(scenario_at(str(log)), Overrides()).policies
    record = mounted.config.record()
    assert (record["thresholds"], record["exclude"]) == ([2, 4], ["todo_write"])


def test_line_ends_are_kept_by_what_the_error_says_too() -> None:
    assert f"`{snippet('gitattributes').strip()}`" in CRLF_HINT


def test_the_shell_command_runs(project: Project) -> None:
    project.scenario("a")
    project.accepted()
    words = snippet("sh", "repeat-reminder").split()
    assert words.pop(0) == "repeat-reminder"
    assert run(*words).code == 0
    assert (project.folder / "build" / "reminders.xml").exists()


def test_the_pytest_snippet_passes(project: Project) -> None:
    project.scenario("npm-test")
    project.accepted()
    (project.folder / "test_reminders.py").write_text(snippet("python"))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"]
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(  # noqa: S603 - this very program
        words, capture_output=True, check=False, cwd=project.folder, env=env
    )
    assert done.returncode == 0, done.stdout.decode()
    assert b"3 passed" in done.stdout


# ---------------------------------------------------------------- what the snippets refer to


def test_the_workflow_uses_inputs_that_the_action_has() -> None:
    steps = parsed(snippet("yaml", "# .github"))["jobs"]["reminders"]["steps"]
    (step,) = (step for step in steps if "repeat-reminder" in step["uses"])
    assert set(step["with"]) <= set(parsed((ROOT / "action.yml").read_text())["inputs"])


def test_the_hook_is_there_and_misses_no_deleted_scenario() -> None:
    (repo,) = parsed(snippet("yaml", "# .pre-commit"))["repos"]
    (hook,) = parsed((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [one["id"] for one in repo["hooks"]] == [hook["id"]]
    assert hook["always_run"] is True
    assert hook["pass_filenames"] is False


def test_what_is_installed_for_ci_reads_breaker_scenarios_too() -> None:
    """Nobody can install a package into a hook's or an action's own environment."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = needed["optional-dependencies"]
    (hook,) = parsed((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["additional_dependencies"] == extras["breaker"]
    (step,) = (step for step in ACTION["runs"]["steps"] if "pip install" in step["run"])
    assert '"$GITHUB_ACTION_PATH[breaker]"' in step["run"]
    install = snippet("sh", "pip install")
    (names,) = re.findall(r"repeat-reminder\[([a-z,]+)\] @ git\+https", install)
    assert set(names.split(",")) <= set(extras)
    assert install.strip().endswith(f'@v{__version__}"')


def test_the_table_of_inputs_is_that_of_the_action() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n### GitHub Actions\n")[2].partition("\n### ")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE) == list(ACTION["inputs"])


def test_the_hook_runs(project: Project) -> None:
    project.scenario("a")
    (hook,) = parsed((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = hook["entry"].split()
    assert program == "repeat-reminder"
    assert run(*words).code == 1
    project.accepted()
    assert run(*words).code == 0


ACTION = parsed((ROOT / "action.yml").read_text())


def test_no_input_of_the_action_can_be_a_piece_of_a_script() -> None:
    used = set()
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        text = str({**step.get("env", {}), "folder": step.get("working-directory", "")})
        used |= set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text))
    assert used == set(ACTION["inputs"])


@pytest.mark.skipif(which("bash") is None, reason="GitHub's runners have bash")
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({}, 0),
        ({"ARGUMENTS": "--thresholds\n4"}, 1),
        ({"ARGUMENTS": "-k\nnot a and not b c", "DIRECTORIES": "fixtures"}, 2),
        ({"DIRECTORIES": "fixtures\n\nother fixtures\n"}, 0),
        ({"DIRECTORIES": "$(touch injected)"}, 2),
        ({"JUNIT_XML": "build/it's.xml"}, 0),
    ],
    ids=["nothing", "arguments", "words-with-blanks", "folders", "injection", "junit"],
)
def test_the_action_checks(project: Project, inputs: dict[str, str], code: int) -> None:
    project.scenario("a")
    (project.folder / "other fixtures").mkdir()
    STUCK.write(project.folder / "other fixtures" / "b c.jsonl")
    assert run("check", "fixtures", "other fixtures", "--update").code == 0
    (step,) = (step for step in ACTION["runs"]["steps"] if step["name"] == "Check")
    env = {"DIRECTORIES": "", "ARGUMENTS": "", "JUNIT_XML": ""} | inputs
    assert env.keys() == step["env"].keys()
    if "DIRECTORIES" not in inputs:
        (project.snapshots / "b c.acp.jsonl").unlink()
    done = subprocess.run(  # noqa: S603 - a step of our own
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],  # noqa: S607 - the runner's own
        capture_output=True, check=False, env={**os.environ, **env},
    )  # fmt: skip
    assert done.returncode == code, done.stderr.decode()
    assert (b"::error" in done.stderr) is (code == 1)
    assert not (project.folder / "injected").exists()
    if "JUNIT_XML" in inputs:
        assert (project.folder / inputs["JUNIT_XML"]).exists()
