"""The page of ``tune --html``: checked before anything is read, written whole or not at all."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from repeat_reminder.cli import shared
from repeat_reminder.cli.output import writing
from repeat_reminder.cli.tune_command import without_jobs
from repeat_reminder.errors import UsageError
from repeat_reminder.render.tune.values import TuneReport

if TYPE_CHECKING:
    from repeat_reminder.render.tune.breaker_values import BreakerReport

_KB: Final = 1_000


def check_page(path: str | None, output: str | None, *, is_reminder: bool) -> None:
    """See whether a page can be written, before hours of reading.

    Raises:
        UsageError: there is no folder for it, or no such page.
    """
    if path is None:
        return
    if not is_reminder:
        raise UsageError("--html is for the reminder", hint="-f json holds every figure")
    if path == output:
        raise UsageError("the page and the output are one file", path=path, hint="name two files")
    if not Path(path).parent.is_dir():
        raise UsageError("there is no such folder", path=str(Path(path).parent))


def write_page(
    report: "TuneReport | BreakerReport",
    path: str,
    inputs: shared.Inputs,
    console: shared.Console,
) -> None:
    """Write a report as a page, and say so.

    Raises:
        UsageError: it cannot be written. An old file stays as it was.
    """
    if not isinstance(report, TuneReport):
        return
    # Nobody else needs the figures drawn.
    from repeat_reminder.render.html import tune_page

    page = tune_page(replace(report, command=without_jobs(report.command)))
    with writing(path, inputs.paths, live=False) as writer:
        writer.write(page)
    console.say([f"wrote {console.look.safe(path)} ({len(page) / _KB:,.0f} KB, offline)"])


def without_arguments(
    report: "TuneReport | BreakerReport",
) -> "TuneReport | BreakerReport":
    """Return a report that quotes no argument of any call."""
    if not isinstance(report, TuneReport):
        return report
    return replace(report, changes=tuple(one._replace(preview=None) for one in report.changes))
