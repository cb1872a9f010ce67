"""Shell completion: the script each shell gets, and what it answers."""

from pathlib import Path

import pytest

from tests.command import spawn

VARIABLE = "_REPEAT_REMINDER_COMPLETE"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell: str) -> None:
    done = spawn(
        "--show-completion", shell, env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    )
    assert done.returncode == 0, done.stderr
    assert VARIABLE in done.stdout.decode()
    assert "repeat-reminder" in done.stdout.decode()


def complete(line: str) -> list[str]:
    """Ask as bash does, the cursor at the end of the line."""
    words = line.split(" ")
    env = {VARIABLE: "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = spawn(env=env)
    assert done.stderr == b""
    return done.stdout.decode().split()


LINES = [
    pytest.param("repeat-reminder re", ["replay"], id="a-command"),
    pytest.param("repeat-reminder replay --par", ["--parity"], id="an-option"),
    pytest.param(
        "repeat-reminder replay -f ", ["full", "concise", "json", "jsonl", "acp"], id="a-choice"
    ),
    pytest.param("repeat-reminder explain s.jsonl:1 -f j", ["json"], id="the-rest-of-a-choice"),
    pytest.param("repeat-reminder replay --from can", ["canonical"], id="a-format"),
    pytest.param("repeat-reminder replay --policy re", ["reminder"], id="a-policy"),
    pytest.param("repeat-reminder formats --schema c", ["config", "check"], id="a-schema"),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_completions(line: str, expected: list[str]) -> None:
    assert complete(line) == expected


def test_installing_it_touches_the_users_own_files_only(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = spawn("--install-completion", "bash", env=env)
    assert done.returncode == 0, done.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert ".bashrc" in {path.name for path in written}
    assert any(VARIABLE in path.read_text() for path in written)
