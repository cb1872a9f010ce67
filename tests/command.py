"""Runs the command line in this process, and in one of its own where that matters."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from repeat_reminder.cli import app


class Ran(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str


def run(*words: str | Path, stdin: bytes | None = None, env: dict[str, str] | None = None) -> Ran:
    """Run ``repeat-reminder`` with these words, in this process."""
    done = CliRunner().invoke(
        app,
        [str(word) for word in words],
        input=stdin,
        env=env,
        prog_name="repeat-reminder",
    )
    return Ran(done.exit_code, done.stdout, done.stderr)


def spawn(
    *words: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run it as a process of its own."""
    return subprocess.run(  # noqa: S603 - this very program
        [sys.executable, "-m", "repeat_reminder", *map(str, words)],
        input=stdin,
        capture_output=True,
        env=env,
        check=False,
    )
