"""From paths to tables: what ``tune`` and ``stats`` do before they think."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from repeat_reminder.cli.shared import Console, Inputs
from repeat_reminder.errors import RepeatReminderError, UsageError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import is_log_folder
from repeat_reminder.render.look import plural
from repeat_reminder.render.problems import UNREADABLE
from repeat_reminder.source import STDIN, discover, latest
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.table import FileTable
from repeat_reminder.workers import Crash, each

if TYPE_CHECKING:
    from repeat_reminder.cli.progress import Bar
    from repeat_reminder.policies.breaker import BreakerConfig

WORTH_PROCESSES: Final = 16 << 20
"""Bytes from which several processes are worth their start, if nobody says how many."""
WORTH_A_BAR: Final = 8 << 20
"""Bytes from which people want to see how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was read."""

    tables: tuple[FileTable, ...]
    skipped_lines: int
    skipped_files: int
    """Files in which lines were skipped, or that could not be read."""


def gather(
    inputs: Inputs,
    console: Console,
    *,
    jobs: int | None,
    quiet: bool,
    breaker: "BreakerConfig | None" = None,
) -> Gathered:
    """Read all logs into tables, and tell what is wrong with them, in the order of the paths.

    Args:
        inputs: what to read.
        console: is told; counts the files that could be read.
        jobs: processes; None for as many as are worth it.
        quiet: show no bar.
        breaker: a breaker whose view of the sessions is wanted too.

    Raises:
        RepeatReminderError: the only log cannot be read, or no log is found.
        KeyboardInterrupt: after it was told how far the reading came.
    """
    form = None if inputs.form == "auto" else by_name(inputs.form).name
    notes: list[Problem] = []
    paths = discover(inputs.paths, is_log_folder=is_log_folder, report=notes.append)
    console.problems(notes)
    if inputs.latest:
        paths = [latest(paths)]
    sizes = [_size(path) for path in paths]
    reader = FileReader(form=form, limits=inputs.limits, breaker=breaker)
    reads: list[FileRead] = []
    with _told(sizes, console, quiet=quiet) as bar:
        outcomes = each(reader, paths, jobs=_jobs(paths, sizes, jobs), weights=sizes, done=bar.done)
        for path, outcome in zip(paths, outcomes, strict=True):
            read = _crashed(path, outcome) if isinstance(outcome, Crash) else outcome
            if read.error is not None and len(paths) == 1:
                raise read.error
            crashed = isinstance(outcome, Crash)
            severity = Severity.ERROR if crashed else Severity.WARNING
            _tell((*read.problems, *_unreadable(path, read.error, severity)), bar, console)
            reads.append(read)
    return _gathered(reads, console)


def _tell(problems: Sequence[Problem], bar: "Bar", console: Console) -> None:
    if problems:
        with bar.hidden():
            console.problems(problems)


def _gathered(reads: Sequence[FileRead], console: Console) -> Gathered:
    tables = tuple([read.table for read in reads if read.table is not None])
    console.readable += len(tables)
    skipped = [sum(problem.skipped for problem in read.problems) for read in reads]
    return Gathered(
        tables=tables,
        skipped_lines=sum(skipped),
        skipped_files=sum(
            bool(lines or read.error) for lines, read in zip(skipped, reads, strict=True)
        ),
    )


def _size(path: str) -> int:
    try:
        return 0 if path == STDIN else Path(path).stat().st_size
    except OSError:
        return 0


def _jobs(paths: Sequence[str], sizes: Sequence[int], jobs: int | None) -> int:
    """Choose how many processes; standard input can only be read in this one."""
    if STDIN in paths:
        return 1
    if jobs is not None:
        return jobs
    return (os.cpu_count() or 1) if sum(sizes) >= WORTH_PROCESSES else 1


def _crashed(path: str, crash: Crash) -> FileRead:
    error = UsageError(
        f"reading it failed: {crash.reason}",
        path=path,
        hint="this is a bug in repeat-reminder, or the machine is out of memory (-j 1 needs less)",
    )
    return FileRead(None, (), error)


def _unreadable(
    path: str, error: RepeatReminderError | None, severity: Severity
) -> Iterator[Problem]:
    if error is not None:
        yield Problem(
            path=error.path or path,
            line=error.line,
            severity=severity,
            kind=UNREADABLE,
            message=error.message,
            hint=error.hint,
            skipped=True,
        )


@contextmanager
def _told(sizes: Sequence[int], console: Console, *, quiet: bool) -> "Iterator[Bar]":
    """Show how far the reading is, and say it if the user stops it."""
    from repeat_reminder.cli.progress import bar_of

    with bar_of(sizes, wanted=not quiet and sum(sizes) >= WORTH_A_BAR) as bar:
        try:
            yield bar
        except KeyboardInterrupt:
            with bar.hidden():
                files = plural(len(sizes), "file")
                console.tell([f"interrupted: {bar.count:,} of {files} read; nothing was written"])
            raise
