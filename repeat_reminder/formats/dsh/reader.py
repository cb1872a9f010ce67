"""The reader of DSH logs: the header, and what version it names."""

from collections.abc import Iterable, Iterator
from typing import Final

from repeat_reminder.errors import FormatError
from repeat_reminder.events import Event, SessionId, SessionStart, Severity
from repeat_reminder.formats.dsh.lineage import Fork, Plain, Prefix
from repeat_reminder.formats.dsh.shapes import text, whole
from repeat_reminder.formats.model import Origin, Record, Skimmer

NAME: Final = "dsh"
HEADER: Final = "session"
NEWEST: Final = 4
"""The newest format version that is read; all before it are."""
NO_HEADER: Final = "the log does not begin with a session header; its session has the file's name"


class Reader:
    """Turns DSH records into events; see `formats.model.Reader`.

    A log of version 0 is streamed; of a fork the first ``seedLength`` logical events are skipped.
    From version 1 on only the last inherited ``session/end-seed`` tells where a fork's own records
    begin. So of a log that may be a fork (its header says ``isSeeded``, or names a parent without
    denying that) the events are held until its end: memory grows with what its messages and
    results take, and nothing of it is given out while it is being written. All others are streamed.
    """

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a log."""
        self._origin = origin
        self._session: Plain | None = None

    @property
    def needs_every_line(self) -> bool:
        """Whether inherited events are counted, or a session has still to begin."""
        return self._session is None or not self._session.quiet

    def skimmer(self) -> Skimmer:
        """See `formats.model.Skimmable`."""
        # What is declared there takes its time, and few commands skim.
        from repeat_reminder.formats.dsh.plain import DshSkimmer  # noqa: PLC0415

        return DshSkimmer(lambda: None if self._session is None else self._session.told)

    def record(self, line: int | None, record: Record) -> Iterable[Event]:
        """Map one record.

        Raises:
            FormatError: a header names a version newer than those read.
        """
        kind = record.get("type")
        if kind == HEADER:
            return self._header(line, record)
        if self._session is None:
            return self._headless(line, record)
        # Most lines are chunks of a stream and give nothing: they shall not cost a generator.
        if isinstance(kind, str) and self._session.is_silent(kind):
            return ()
        return self._session.record(line, record)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the last session of the log."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _header(self, line: int | None, record: Record) -> Iterator[Event]:
        """Begin a session; a second header in one log ends the first."""
        yield from self.end(line - 1 if line else None)
        version = whole(record.get("version")) or 0
        if version > NEWEST:
            raise FormatError(
                f"a DSH log of version {version}, newer than any that is read",
                path=self._origin.path,
                line=line,
                hint=f"versions 0 to {NEWEST} are read; older copies beside it hold less",
            )
        start = self._start(line, record)
        seeded = record.get("isSeeded")
        if version == 0:
            self._session = Prefix(start, whole(record.get("seedLength")) or 0)
        elif seeded is True or (start.parent is not None and seeded is not False):
            self._session = Fork(start)
        else:
            self._session = Plain(start)
        yield start

    def _headless(self, line: int | None, record: Record) -> Iterator[Event]:
        """Begin a session whose header was lost."""
        start = self._start(line, {})
        self._session = Plain(start)
        yield start
        yield self._session.problem(line, Severity.WARNING, "no-header", NO_HEADER)
        yield from self._session.record(line, record)

    def _start(self, line: int | None, header: Record) -> SessionStart:
        given = text(header.get("id"))
        return SessionStart(
            session=SessionId(given or self._origin.name),
            line=line,
            format=NAME,
            path=self._origin.path,
            compression=self._origin.compression,
            cwd=text(header.get("cwd")),
            # In a committed fixture {{sessionId}} stands for anybody's.
            unique_id=bool(given) and not str(given).startswith("{{"),
            parent=text(header.get("parentSession")),
        )
