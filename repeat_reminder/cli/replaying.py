"""From paths to what a report shows: replay every log, here or in several processes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from repeat_reminder.cli.logs import crashed, failed, jobs_for, logs_of, size_of, unreadable
from repeat_reminder.cli.shared import Console, Inputs
from repeat_reminder.config import Loaded
from repeat_reminder.config.mounting import guards_from
from repeat_reminder.engine import replay, replay_batches, take_batches
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Item, Problem
from repeat_reminder.formats import by_name, formats
from repeat_reminder.formats.model import Format
from repeat_reminder.formats.reading import read_log, skim_log
from repeat_reminder.policies import Guard
from repeat_reminder.policies.answers import Answer
from repeat_reminder.render.header import Header
from repeat_reminder.render.replay.blind import with_blind_spots
from repeat_reminder.render.tally import Reported, essence
from repeat_reminder.source import Limits, open_log

Told = TypeVar("Told")


class _Read(Struct, frozen=True, kw_only=True):
    """What one process made of one log."""

    items: tuple[Reported, ...] = ()
    error: RepeatReminderError | None = None
    bug: Problem | None = None


class Replayer(Struct, frozen=True, kw_only=True):
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
            source = _Source(path, self.form, self.limits, every_line=self.every_line)
            made.extend(source.essence(guards, self.header))
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
    return _one_by_one(inputs, console, lambda source: source.items(guards, header))


def _one_by_one(
    inputs: Inputs, console: Console, told: Callable[["_Source"], Iterable[Told]]
) -> Iterator[Told | Problem]:
    notes, paths = logs_of(inputs)
    yield from notes
    for path in paths:
        try:
            yield from told(_Source(path, inputs.form, inputs.limits, every_line=inputs.every_line))
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
        yield from _one_by_one(inputs, console, lambda source: source.essence(guards, header))
        return
    from repeat_reminder.workers import Crash, each

    yield from notes
    tuple(formats())  # imports the readers here, once, and not in every process
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


class _Source(Struct, frozen=True):
    """One log, and how it is read."""

    path: str
    form: str
    limits: Limits
    every_line: bool

    def items(self, guards: Sequence[Guard], header: Header) -> Iterator[Item]:
        """Replay the log."""
        with open_log(self.path, limits=self.limits) as log:
            events = read_log(log, self._chosen(), every_line=self.every_line)
            yield from with_blind_spots(replay(events, guards), header.policies)

    def essence(self, guards: Sequence[Guard], header: Header) -> Iterator[Reported]:
        """Replay the log for what reports show, from as few parsed lines as that takes."""
        if self.every_line or not take_batches(guards):
            yield from essence(self.items(guards, header))
            return
        with open_log(self.path, limits=self.limits) as log:
            yield from essence(replay_batches(skim_log(log, self._chosen()), guards))

    def _chosen(self) -> Format | None:
        return None if self.form == "auto" else by_name(self.form)
