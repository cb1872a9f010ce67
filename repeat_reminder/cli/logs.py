"""Which logs a command reads, how many processes that is worth, and what went wrong with one."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from repeat_reminder.cli.shared import Inputs
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats.recognition import is_log_folder
from repeat_reminder.render.problems import UNREADABLE
from repeat_reminder.source import STDIN, discover, latest

if TYPE_CHECKING:
    from repeat_reminder.workers import Crash

INTERNAL: Final = "internal-error"
"""Kind of the problem that a log shows a bug of ours."""
WORTH_PROCESSES: Final = 16 << 20
"""Bytes from which several processes are worth their start, if nobody says how many."""


def logs_of(inputs: Inputs) -> tuple[list[Problem], list[str]]:
    """Find the logs that are meant, and what is to be told about the search.

    Raises:
        SourceError: no log is found.
    """
    notes: list[Problem] = []
    paths = discover(inputs.paths, is_log_folder=is_log_folder, report=notes.append)
    return notes, [latest(paths)] if inputs.latest else paths


def size_of(path: str) -> int:
    """Return the bytes of a file; 0 where nobody knows."""
    try:
        return 0 if path == STDIN else Path(path).stat().st_size
    except OSError:
        return 0


def jobs_for(paths: Sequence[str], sizes: Sequence[int], jobs: int | None) -> int:
    """Choose how many processes; standard input can only be read in this one."""
    if STDIN in paths or len(paths) == 1:
        return 1
    if jobs is not None:
        return jobs
    return (os.cpu_count() or 1) if sum(sizes) >= WORTH_PROCESSES else 1


def crashed(path: str, crash: "Crash") -> Problem:
    """Make the problem for a log whose process died."""
    hint = "this is a bug in repeat-reminder, or the machine is out of memory (-j 1 needs less)"
    return _internal(path, crash.reason, hint)


def failed(path: str, error: Exception) -> Problem:
    """Make the problem for a log of many that shows a bug of ours."""
    why = str(error)
    reason = f"{type(error).__name__}: {why!a}"
    return _internal(path, reason, "this is a bug in repeat-reminder; -v with this log shows where")


def _internal(path: str, reason: str, hint: str) -> Problem:
    return Problem(
        path=path,
        line=None,
        severity=Severity.ERROR,
        kind=INTERNAL,
        message=f"internal error: {reason}",
        hint=hint,
    )


def unreadable(path: str, error: RepeatReminderError) -> Problem:
    """Make the problem for a log of many that cannot be read."""
    return Problem(
        path=error.path or path,
        line=error.line,
        severity=Severity.WARNING,
        kind=UNREADABLE,
        message=error.message,
        hint=error.hint,
        skipped=True,
    )
