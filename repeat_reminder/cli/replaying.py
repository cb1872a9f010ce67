"""From paths to what a report shows: replay every log, here or in several processes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from repeat_reminder.cli.logs import crashed, failed, jobs_for, logs_of, size_of, unreadable
from repeat_reminder.cli.shared import Console, Inputs
from repeat_reminder.config import Loaded
from repeat_reminder.config.mounting import guards_from
from repeat_reminder.engine import replay
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Item, Problem
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies import Guard
from repeat_reminder.policies.answers import Answer
from repeat_reminder.render.header import Header
from repeat_reminder.render.replay.blind import with_blind_spots
from repeat_reminder.render.tally import Reported, essence
from repeat_reminder.source import Limits, open_log

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What one process made of one log."""

    items: tuple[Reported, ...] = ()
    error: RepeatReminderError | None = None
    bug: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Replays one log in a process of its own; it is handed to that process."""

    form: str
    limits: Limits
    every_line: bool
    configs: tuple[object, ...]
    answer: Answer
    header: Header

    def __call__(self, path: str) -> _Read:
        """Return what reports show of a log."""
        guards = guards_from(self.configs, self.answer)
        made: list[Reported] = []
        try:
            items = _replayed(path, self.form, self.limits, guards, every_line=self.every_line)
            made.extend(essence(with_blind_spots(items, self.header.policies)))
            return _Read(items=tuple(made))
        except RepeatReminderError as error:
            return _Read(items=tuple(made), error=error)
        except Exception as error:  # noqa: BLE001 - a bug that one log shows keeps no other back
            return _Read(items=tuple(made), bug=failed(path, error))


def replay_whole(
    inputs: Inputs, guards: Sequence[Guard], header: Header, console: Console
) -> Iterator[Item]:
    """Replay every log in this process; of many, one that cannot be read stops none.

    Raises:
        RepeatReminderError: the only log cannot be read, or no log is found.
    """
    return _one_by_one(inputs, guards, header, console, lambda items: items)


def _one_by_one(
    inputs: Inputs,
    guards: Sequence[Guard],
    header: Header,
    console: Console,
    told: Callable[[Iterable[Item]], Iterable[Told]],
) -> Iterator[Told | Problem]:
    notes, paths = logs_of(inputs)
    yield from notes
    for path in paths:
        try:
            items = _replayed(
                path, inputs.form, inputs.limits, guards, every_line=inputs.every_line
            )
            yield from told(with_blind_spots(items, header.policies))
            console.readable += 1
        except RepeatReminderError as error:
            if len(paths) == 1:
                raise
            yield unreadable(path, error)
        except Exception as error:  # a bug that one log shows keeps no other back
            if len(paths) == 1:
                raise
            console.bugs += 1
            yield failed(path, error)


def replay_essence(
    inputs: Inputs, loaded: Loaded, header: Header, console: Console, jobs: int | None
) -> Iterator[Reported]:
    """Replay the logs in several processes where it pays; what comes is the same for any number.

    Raises:
        RepeatReminderError: as `replay_whole`.
    """
    notes, paths = logs_of(inputs)
    sizes = [size_of(path) for path in paths]
    work = Replayer(
        form=inputs.form,
        limits=inputs.limits,
        every_line=inputs.every_line,
        configs=tuple(one.config for one in loaded.policies),
        answer=loaded.answer,
        header=header,
    )
    count = jobs_for(paths, sizes, jobs)
    if count == 1:
        guards = guards_from(work.configs, work.answer)
        yield from _one_by_one(inputs, guards, header, console, essence)
        return
    from repeat_reminder.workers import Crash, each

    yield from notes
    for path, done in zip(paths, each(work, paths, jobs=count, weights=sizes), strict=True):
        read = _Read(bug=crashed(path, done)) if isinstance(done, Crash) else done
        yield from read.items
        if read.bug is not None:
            console.bugs += 1
            yield read.bug
        elif read.error is not None:
            yield unreadable(path, read.error)
        else:
            console.readable += 1


def _replayed(
    path: str, form: str, limits: Limits, guards: Sequence[Guard], *, every_line: bool
) -> Iterator[Item]:
    chosen = None if form == "auto" else by_name(form)
    with open_log(path, limits=limits) as log:
        yield from replay(read_log(log, chosen, every_line=every_line), guards)
