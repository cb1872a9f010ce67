"""Which records of a log are the session's own: a fork begins with a copy of its parent's."""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.events import Event, Problem, SessionStart, Severity
from repeat_reminder.formats.dsh.inbox import Inbox
from repeat_reminder.formats.dsh.shapes import members
from repeat_reminder.formats.dsh.story import TOLD, Story
from repeat_reminder.formats.dsh.vocabulary import KNOWN
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Session

END_SEED: Final = "session/end-seed"
UNANNOUNCED: Final = (
    "inherited records end here, which the header does not announce: those before were counted"
)


class Plain:
    """A log that inherits nothing: every record is its own."""

    quiet = True
    """Records that make no events need not be seen: none is counted."""

    def __init__(self, start: SessionStart) -> None:
        """Begin behind the header; the start is given out by whoever made it."""
        self._start = start
        self._begin(None)

    @property
    def told(self) -> Story | None:
        """The story, where each record's events are given out at once."""
        return self._story if self.quiet else None

    def is_silent(self, kind: str) -> bool:
        """Tell whether records of a type give nothing."""
        return self.quiet and kind in KNOWN and kind not in TOLD

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one record."""
        if _ends_inherited(record):
            yield self.problem(line, Severity.WARNING, "late-fork", UNANNOUNCED)
        yield from self._own(line, record)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the session."""
        yield from self._story.end(line)

    def problem(
        self,
        line: int | None,
        severity: Severity,
        kind: str,
        message: str,
        *,
        skipped: bool = False,
    ) -> Problem:
        """Make a problem of this session's file."""
        return self._session.problem(line, severity, kind, message, skipped=skipped)

    def _begin(self, inbox: Inbox | None) -> None:
        self._session = Session(self._start, ids_repeat=True, begun=True)
        self._story = Story(self._session, inbox)

    def _own(self, line: int | None, record: Record) -> Iterator[Event]:
        kind = record.get("type")
        if not isinstance(kind, str):
            what = "a record without a type"
            yield self.problem(line, Severity.WARNING, "malformed", what, skipped=True)
            return
        yield from self._story.record(line, kind, record)
        if kind not in KNOWN and record.get("ignorable") is not True:
            what = f"unknown record type {kind!r}; skipped"
            yield self.problem(line, Severity.NOTE, "unknown-type", what, skipped=True)


class Prefix(Plain):
    """A log of version 0: its header says how many logical events are inherited."""

    def __init__(self, start: SessionStart, inherited: int) -> None:
        """Begin behind the header."""
        super().__init__(start)
        self._inherited = inherited
        self.quiet = inherited <= 0

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Skip what is inherited."""
        if self.quiet:
            yield from super().record(line, record)
            return
        self._inherited -= members(record)
        self.quiet = self._inherited <= 0


class Fork(Plain):
    """A log that may be a fork: the last inherited end of a seed tells, so all is held till then.

    What follows the last mark is a session of its own: only messages that wait are taken over.
    """

    def __init__(self, start: SessionStart) -> None:
        """Begin behind the header."""
        super().__init__(start)
        self._held: list[Event] = []

    @property
    def told(self) -> Story | None:
        """None: events are held."""
        return None

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Hold what the record gives."""
        if _ends_inherited(record):
            self._held.clear()
            self._begin(self._story.inbox())
        else:
            self._held += self._own(line, record)
        yield from ()

    def end(self, line: int | None) -> Iterator[Event]:
        """Give out what was held, and end the session."""
        held, self._held = self._held, []
        yield from held
        yield from super().end(line)


def _ends_inherited(record: Record) -> bool:
    data = record.get("data")
    return (
        record.get("type") == END_SEED and isinstance(data, dict) and data.get("inherited") is True
    )
