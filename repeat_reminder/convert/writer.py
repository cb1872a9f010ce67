"""Canonical logs from events: one session after the other, as lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from repeat_reminder.convert.owners import session_of
from repeat_reminder.convert.story import Story
from repeat_reminder.events import Event, SessionEnd, SessionId
from repeat_reminder.formats.model import Record
from repeat_reminder.jsontext import dumps


def canonical_lines(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield the events as a canonical log, one LF-ended line at a time.

    Reading it gives the same counts, resets, runs and landings, call by call. What it cannot say is
    left out: problems, and which lines things stood in.

    Args:
        events: one or many sessions in harness order, as `formats.reading.read_log` gives them.
    """
    for record in canonical_records(events):
        yield dumps(record) + b"\n"


@dataclass(slots=True)
class _Open:
    """A session that has begun."""

    story: Story = field(default_factory=Story)
    waiting: list[Record] = field(default_factory=list)
    """Its records, while an earlier session is not written to its end."""
    ended: bool = False


def canonical_records(events: Iterable[Event]) -> Iterator[Record]:
    """Yield the records of `canonical_lines`.

    A canonical log tells one session after the other. Where a log's sessions run side by side, the
    first is written as it comes and the others wait in memory for its end.
    """
    sessions: dict[SessionId, _Open] = {}
    for event in events:
        session_id = session_of(event)
        if session_id is None:
            continue
        session = sessions.setdefault(session_id, _Open())
        session.waiting += session.story.records(event)
        session.ended = isinstance(event, SessionEnd)
        yield from _ready(sessions)
    for session in sessions.values():
        yield from session.waiting


def _ready(sessions: dict[SessionId, _Open]) -> Iterator[Record]:
    """Hand out the records of the first session, and of those that follow it."""
    for session_id, session in list(sessions.items()):
        records, session.waiting = session.waiting, []
        yield from records
        if not session.ended:
            return
        del sessions[session_id]
