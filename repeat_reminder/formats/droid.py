"""Factory Droid sessions: ``~/.factory/sessions/<project>/<session id>.jsonl``.

The first line is the header, ``session_start``; messages are `blocks` inside lines of type
``message``. Droid puts ``<system-reminder>`` blocks beside what a human says: the message is still
the human's.

Memory: what `Session` keeps.
"""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.events import Event
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.blocks import BlockMessages, is_of
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import MAIN, malformed, members, objects, started, text

NAME: Final = "droid"
HEADER: Final = "session_start"
COMPACTION: Final = "compaction_state"
INJECTED: Final = ("<system-reminder>", "<system-notification>")
TELLING: Final = frozenset({"tool_use", "tool_result"})


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: the header, or a message line with Anthropic's blocks."""
    for record in sample.records:
        kind = record.get("type")
        header = members(record.get("session")) or record
        if kind == HEADER and isinstance(header.get("id"), str):
            return "a session_start record with an id"
        if kind == "message" and "uuid" not in record:
            blocks = objects(members(record.get("message")).get("content"))
            if any(is_of(block, TELLING) for block in blocks):
                return "a record of type message with a tool_use or tool_result block"
    return None


class DroidReader:
    """Reads the lines of one file; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None
        self._messages: BlockMessages | None = None

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one line."""
        kind = record.get("type")
        if kind == HEADER:
            yield from self._header(line, members(record.get("session")) or record)
        elif kind == COMPACTION:
            yield from self._begun(line).compaction(MAIN, line)
        elif kind == "message":
            session, message = self._begun(line), record.get("message")
            if self._messages is None or not isinstance(message, dict):
                yield malformed(session, line, "a record of type message without a message")
                return
            time = time_of(record.get("timestamp"))
            yield from self._messages.message(line, message, time=time)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the file's last session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _header(self, line: int | None, header: Record) -> Iterator[Event]:
        """Begin a session; the same one again is a resume."""
        session_id = text(header.get("id"))
        session = self._session
        if session is not None and session.start.session == (session_id or self._origin.name):
            yield from session.resume(None, line)
            return
        yield from self.end(line - 1 if line else None)
        yield from self._begun(line, header).begin()

    def _begun(self, line: int | None, header: Record | None = None) -> Session:
        if self._session is None:
            known = header or {}
            start = started(self._origin, NAME, line, text(known.get("id")), cwd=known.get("cwd"))
            self._session = Session(start, ids_repeat=True, patience=PATIENCE)
            self._messages = BlockMessages(self._session, kind=NAME, injected=INJECTED)
        return self._session


FORMAT: Final = Format(
    name=NAME,
    title="Factory Droid session",
    where="~/.factory/sessions/<project>/<session id>.jsonl",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=DroidReader,
    lossy="subagents, exit codes",
)
