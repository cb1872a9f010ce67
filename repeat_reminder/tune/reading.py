"""One file into its tables: the work that several processes share."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Event, Problem
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import read_log
from repeat_reminder.source import Limits, open_log
from repeat_reminder.tune.table import FileTable, SessionTable

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import BreakerConfig


class FileRead(NamedTuple):
    """What became of a file."""

    table: FileTable | None
    """None: it cannot be read."""
    problems: tuple[Problem, ...] = ()
    error: RepeatReminderError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReader:
    """Reads files one way; call it with a path. It can be sent to another process."""

    form: str | None = None
    """Name of the format; None recognises it by content."""
    limits: Limits = field(default_factory=Limits)
    breaker: "BreakerConfig | None" = None
    """Write down what this breaker would meet too."""

    def __call__(self, path: str) -> FileRead:
        """Read one file; a file that cannot be read is an error in the answer, not an exception."""
        chosen = None if self.form is None else by_name(self.form)
        found: list[SessionTable] = []
        problems: list[Problem] = []
        try:
            with open_log(path, limits=self.limits) as log:
                for item in self._tables(read_log(log, chosen)):
                    if isinstance(item, Problem):
                        problems.append(item)
                    else:
                        found.append(item)
        except RepeatReminderError as error:
            return FileRead(None, tuple(problems), error)
        return FileRead(FileTable(path=path, sessions=tuple(found)), tuple(problems))

    def _tables(self, events: Iterator[Event]) -> Iterator[SessionTable | Problem]:
        # Not needed where all is known: see `cache`.
        from repeat_reminder.tune.recorder import Recorder, tables  # noqa: PLC0415

        recorder = Recorder()
        if self.breaker is None:
            return tables(events, recorder)
        # It takes a URL parser along that the reminder has no use for.
        from repeat_reminder.tune.breaker_recorder import BreakerRecorder  # noqa: PLC0415

        return tables(events, recorder, BreakerRecorder(self.breaker, recorder))
