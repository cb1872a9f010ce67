"""What a check leaves for the machinery of CI: files, and how paths are spelled there."""

import os
import platform
from datetime import datetime
from pathlib import Path

from repeat_reminder.cli.files import replacing
from repeat_reminder.cli.shared import Console
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.render.check import github
from repeat_reminder.render.check.junit import junit
from repeat_reminder.render.check.outcomes import Summary


def write_junit(summary: Summary, path: str, started: datetime) -> None:
    """Write JUnit XML, with the folders it needs.

    Raises:
        UsageError: it cannot be written.
    """
    document = junit(
        summary,
        timestamp=started.strftime("%Y-%m-%dT%H:%M:%S"),
        hostname=platform.node() or "localhost",
    )
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"cannot be written: {why}", path=path) from error
    with replacing(path) as stream:
        stream.write(document.encode())


def from_workspace(path: str) -> str:
    """Spell a path relative to the checkout, where annotations look for it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace:
        return path
    try:
        relative = os.path.relpath(Path(path).resolve(), Path(workspace).resolve())
    except ValueError:  # another drive
        return path
    return path if relative.startswith("..") else relative.replace(os.sep, "/")


def append_summary(summary: Summary, console: Console) -> None:
    """Add to the summary of the step, where a runner wants one.

    The step may have written to it before: what is left of its room is ours.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    target = Path(path)
    try:
        taken = target.stat().st_size if target.exists() else 0
        text = github.step_summary(summary, github.SUMMARY_BYTES - taken)
        with target.open("ab") as stream:
            stream.write(text.encode())
    except OSError as error:
        why = error.strerror or str(error)
        problem = Problem(
            path=path,
            line=None,
            severity=Severity.WARNING,
            kind="step-summary",
            message=f"the summary of the step cannot be written: {why}",
        )
        console.problems([problem])
