"""How far a long run is: a bar on standard error, on a terminal only."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PAUSE: Final = 0.1
"""Seconds between two drawings: drawing takes longer than reading a small file."""


class Bar:
    """Counts what is done, and shows it if there is somebody to see it."""

    def __init__(self, sizes: Sequence[int], shown: "tuple[Progress, TaskID] | None") -> None:
        """Start at nothing."""
        self._sizes = sizes
        self._shown = shown
        self.count = 0
        """Items done."""
        self._drawn = 0.0

    def done(self, at: int) -> None:
        """Take note of an item that is done."""
        self.count += 1
        if self._shown is not None:
            progress, task = self._shown
            progress.update(task, advance=self._sizes[at], files=self.count)
            if time.monotonic() - self._drawn >= _PAUSE or self.count == len(self._sizes):
                self._drawn = time.monotonic()
                progress.refresh()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Make room for lines on standard error."""
        if self._shown is None:
            yield
            return
        progress, _ = self._shown
        progress.stop()
        yield
        progress.start()


@contextmanager
def bar_of(sizes: Sequence[int], *, wanted: bool) -> Iterator[Bar]:
    """Show a bar for items of some sizes, which vanishes when all is done.

    It is redrawn by the ones who do the work, not by a thread: processes are forked beside it.
    """
    if not wanted:
        yield Bar(sizes, None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    progress = Progress(
        TextColumn("reading"),
        BarColumn(),
        TextColumn(f"{{task.fields[files]:,}} of {len(sizes):,} files"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
        auto_refresh=False,
    )
    with progress:
        task = progress.add_task("reading", total=sum(sizes), files=0)
        yield Bar(sizes, None if progress.disable else (progress, task))
