"""The rows of DSH's database as the records of its logs, session by session."""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from repeat_reminder import jsontext
from repeat_reminder.errors import FormatError
from repeat_reminder.events import Json, Problem, Severity
from repeat_reminder.formats import dsh
from repeat_reminder.formats.dsh_db.data import DataError, event_data
from repeat_reminder.formats.model import Format, Record, Shape
from repeat_reminder.source import Log
from repeat_reminder.source.containers import damage

if TYPE_CHECKING:
    import sqlite3

NEWEST: Final = 17
"""The newest schema that is read (``PRAGMA user_version``); 0 is a database without a number."""

HEADER: Final[dict[str, str]] = {
    "id": "id",
    "version": "version",
    "created_at": "createdAt",
    "cwd": "cwd",
    "parent_session": "parentSession",
    "seed_length": "seedLength",
    "origin": "origin",
    "delegation_depth": "delegationDepth",
    "agent_preset": "agentPreset",
}
"""Columns of ``sessions``, and what a log's header calls them."""

NEEDED: Final = {
    "sessions": frozenset({"id", "version"}),
    "events": frozenset({"session_id", "seq", "type", "data"}),
}
EVENT: Final = ("seq", "type", "time", "data", "surface_op", "ignorable")
"""Columns of ``events`` that are read; those not `NEEDED` came with later schemas."""

SESSIONS: Final = "SELECT {} FROM sessions ORDER BY {}id"
EVENTS: Final = "SELECT {} FROM events WHERE session_id = ? ORDER BY seq"
ORPHANS: Final = """
    SELECT count(*), count(DISTINCT session_id) FROM events
    WHERE session_id NOT IN (SELECT id FROM sessions)
"""


def parts(log: Log) -> Iterator[tuple[Log, Format] | Problem]:
    """Yield every session as a log of its own, those that were begun first before the others.

    Raises:
        FormatError: the schema is newer than those read, or another one.
        SourceError: the database is damaged as a whole.
    """
    import sqlite3  # noqa: PLC0415 - few logs are databases

    with closing(log.database()) as connection:
        connection.text_factory = _decoded
        try:
            known = _columns(connection, log.path)
            query = EVENTS.format(", ".join(name for name in EVENT if name in known["events"]))
            for header in list(_headers(connection, known["sessions"])):
                rows = _Session(log.path, connection, header, query)
                yield log, replace(dsh.FORMAT, shape=Shape.DATABASE, records=rows, numbered=True)
            yield from _orphans(connection, log.path)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            yield _damaged(log.path, error)


class _Session:
    """Gives the records of one session when they are asked for."""

    def __init__(
        self, path: str, connection: "sqlite3.Connection", header: Record, query: str
    ) -> None:
        self._path = path
        self._connection = connection
        self._header = header
        self._query = query

    def __call__(self, _: Log) -> Iterator[Record | Problem]:
        import sqlite3  # noqa: PLC0415 - few logs are databases

        yield self._header
        try:
            for row in _rows(self._connection, self._query, self._header["id"]):
                yield self._record(row)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            yield _damaged(self._path, error)

    def _record(self, row: dict[str, "_Value"]) -> Record | Problem:
        record: Record = {"type": _plain(row["type"]), "seq": _plain(row["seq"])}
        try:
            record["data"] = event_data(row["data"])
        except DataError as error:
            what = f"session {self._header['id']}, event {record['seq']}: {error}"
            return _problem(self._path, Severity.WARNING, "not-json", what)
        record["time"] = _plain(row.get("time"))
        if row.get("surface_op") is not None:
            record["surfaceOp"] = _json_or_text(_plain(row["surface_op"]))
        if row.get("ignorable"):
            record["ignorable"] = True
        return record


_Value = bytes | str | int | float | None
"""What a column holds."""


def _columns(connection: "sqlite3.Connection", path: str) -> dict[str, frozenset[str]]:
    """Return the columns of both tables."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > NEWEST:
        raise FormatError(
            f"a DSH database of schema {version}, newer than any that is read",
            path=path,
            hint=f"schemas up to {NEWEST} are read, and the zip archives that DSH exports",
        )
    known = {}
    for table, needed in NEEDED.items():
        found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        known[table] = frozenset(str(name) for (name,) in found)
        missing = sorted(needed - known[table])
        if missing:
            what = f"its table {table} has no column {missing[0]}"
            raise FormatError(f"a database of another schema: {what}", path=path)
    return known


def _headers(connection: "sqlite3.Connection", known: frozenset[str]) -> Iterator[Record]:
    names = [name for name in HEADER if name in known]
    first = "created_at, " if "created_at" in known else ""
    for row in _rows(connection, SESSIONS.format(", ".join(names), first)):
        header: Record = {"type": "session"}
        header |= {HEADER[name]: _plain(row[name]) for name in names if row[name] is not None}
        yield header


def _orphans(connection: "sqlite3.Connection", path: str) -> Iterator[Problem]:
    """Tell of events that no session has."""
    events, sessions = connection.execute(ORPHANS).fetchone()
    if events:
        what = f"{events:,} events of {sessions:,} sessions that the table sessions does not have"
        yield _problem(path, Severity.WARNING, "no-header", f"{what}; left out")


def _rows(
    connection: "sqlite3.Connection", query: str, *values: Json
) -> Iterator[dict[str, _Value]]:
    cursor = connection.execute(query, values)
    names = [name for name, *_ in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def _json_or_text(value: Json) -> Json:
    try:
        return jsontext.loads(value) if isinstance(value, str) else value
    except (jsontext.NotJson, jsontext.TooDeep):
        return value


def _decoded(data: bytes) -> str:
    return data.decode(errors="replace")


def _plain(value: _Value) -> Json:
    return _decoded(value) if isinstance(value, bytes) else value


def _damaged(path: str, error: "sqlite3.Error | UnicodeDecodeError") -> Problem:
    what = f"the database cannot be read on: {damage(error)}"
    return _problem(path, Severity.WARNING, "corrupt", what, "what came before it was replayed")


def _problem(
    path: str, severity: Severity, kind: str, message: str, hint: str | None = None
) -> Problem:
    return Problem(
        path=path,
        line=None,
        severity=severity,
        kind=kind,
        message=message,
        hint=hint,
        skipped=True,
    )
