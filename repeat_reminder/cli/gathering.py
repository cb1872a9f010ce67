"""From paths to tables: what ``tune`` and ``stats`` do before they think."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from repeat_reminder.cli.logs import crashed, jobs_for, logs_of, size_of, unreadable
from repeat_reminder.cli.shared import Console, Inputs
from repeat_reminder.events import Problem
from repeat_reminder.formats import by_name
from repeat_reminder.render.look import plural
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.table import FileTable
from repeat_reminder.workers import Crash, each

if TYPE_CHECKING:
    from repeat_reminder.cli.progress import Bar
    from repeat_reminder.policies.breaker import BreakerConfig

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
    notes, paths = logs_of(inputs)
    console.problems(notes)
    sizes = [size_of(path) for path in paths]
    reader = FileReader(form=form, limits=inputs.limits, breaker=breaker)
    reads: list[FileRead] = []
    with _told(sizes, console, quiet=quiet) as bar:
        jobs = jobs_for(paths, sizes, jobs)
        outcomes = each(reader, paths, jobs=jobs, weights=sizes, done=bar.done)
        for path, outcome in zip(paths, outcomes, strict=True):
            read = _crashed(path, outcome) if isinstance(outcome, Crash) else outcome
            if read.error is not None and len(paths) == 1:
                raise read.error
            lost = (unreadable(path, read.error),) if read.error is not None else ()
            _tell((*read.problems, *lost), bar, console)
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
            bool(lines or read.table is None) for lines, read in zip(skipped, reads, strict=True)
        ),
    )


def _crashed(path: str, crash: Crash) -> FileRead:
    return FileRead(None, (crashed(path, crash),), None)


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
