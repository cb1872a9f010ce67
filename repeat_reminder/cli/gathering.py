"""From paths to tables: what ``tune`` and ``stats`` do before they think."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from repeat_reminder.cli.caching import NOT_CACHED, Caching, opened
from repeat_reminder.cli.logs import crashed, jobs_for, logs_of, size_of, unreadable
from repeat_reminder.cli.shared import Console, Inputs
from repeat_reminder.events import Problem
from repeat_reminder.formats import by_name
from repeat_reminder.render.look import plural
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.table import FileTable

if TYPE_CHECKING:
    from repeat_reminder.cli.progress import Bar
    from repeat_reminder.policies.breaker import BreakerConfig
    from repeat_reminder.tune.cache import TableCache
    from repeat_reminder.workers import Crash

WORTH_A_BAR: Final = 8 << 20
"""Bytes from which people want to see how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was read."""

    tables: tuple[FileTable, ...]
    skipped_lines: int
    skipped_files: int
    """Files in which lines were skipped, or that could not be read."""
    cached: bool = False
    """Whether the cache was asked, and could be used."""


def gather(
    inputs: Inputs,
    console: Console,
    *,
    jobs: int | None,
    quiet: bool,
    breaker: "BreakerConfig | None" = None,
    caching: Caching = NOT_CACHED,
) -> Gathered:
    """Read all logs into tables, and tell what is wrong with them, in the order of the paths.

    Args:
        inputs: what to read.
        console: is told; counts the files that could be read.
        jobs: processes; None for as many as are worth it.
        quiet: show no bar.
        breaker: a breaker whose view of the sessions is wanted too.
        caching: what to do with the cache of run tables.

    Raises:
        RepeatReminderError: the only log cannot be read, or no log is found.
        KeyboardInterrupt: after it was told how far the reading came.
    """
    form = None if inputs.form == "auto" else by_name(inputs.form).name
    notes, paths = logs_of(inputs)
    console.problems(notes)
    reader = FileReader(form=form, limits=inputs.limits, breaker=breaker)
    reads: list[FileRead] = []
    with opened(caching, reader, console) as cache:
        known = cache.find(paths)
        new = [path for path, read in zip(paths, known, strict=True) if read is None]
        sizes = [size_of(path) for path in new]
        with _told(sizes, console, quiet=quiet) as bar:
            read_now = _read(reader, new, sizes, jobs_for(new, sizes, jobs), bar)
            for path, read in zip(paths, _merged(paths, known, read_now, cache), strict=True):
                if read.error is not None and len(paths) == 1:
                    raise read.error
                lost = (unreadable(path, read.error),) if read.error is not None else ()
                _tell((*read.problems, *lost), bar, console)
                reads.append(read)
    return _gathered(reads, console, cached=cache.in_use)


def _read(
    reader: FileReader, paths: Sequence[str], sizes: Sequence[int], jobs: int, bar: "Bar"
) -> Iterator[FileRead]:
    """Read logs, in several processes if that is worth it."""
    if not paths:
        return
    from repeat_reminder.workers import Crash, each

    outcomes = each(reader, paths, jobs=jobs, weights=sizes, done=bar.done)
    for path, outcome in zip(paths, outcomes, strict=True):
        yield _crashed(path, outcome) if isinstance(outcome, Crash) else outcome


def _merged(
    paths: Sequence[str],
    known: Sequence[FileRead | None],
    others: Iterator[FileRead],
    cache: "TableCache",
) -> Iterator[FileRead]:
    """Yield what each log came to: it is known, or the next of the others, which are kept."""
    for path, read in zip(paths, known, strict=True):
        if read is not None:
            yield read
            continue
        new = next(others)
        cache.keep(path, new)
        yield new
    next(others, None)  # there are no more: processes are let go


def _tell(problems: Sequence[Problem], bar: "Bar", console: Console) -> None:
    if problems:
        with bar.hidden():
            console.problems(problems)


def _gathered(reads: Sequence[FileRead], console: Console, *, cached: bool) -> Gathered:
    tables = tuple([read.table for read in reads if read.table is not None])
    console.readable += len(tables)
    skipped = [sum(problem.skipped for problem in read.problems) for read in reads]
    return Gathered(
        tables=tables,
        skipped_lines=sum(skipped),
        skipped_files=sum(
            bool(lines or read.table is None) for lines, read in zip(skipped, reads, strict=True)
        ),
        cached=cached,
    )


def _crashed(path: str, crash: "Crash") -> FileRead:
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
