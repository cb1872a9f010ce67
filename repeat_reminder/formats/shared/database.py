"""Chats in an SQLite database: a table of sessions, and one of messages that name theirs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Final

from repeat_reminder import jsontext
from repeat_reminder.errors import FormatError, SourceError
from repeat_reminder.events import Json
from repeat_reminder.formats.model import Record
from repeat_reminder.source import Log
from repeat_reminder.source.containers import damage

if TYPE_CHECKING:
    import sqlite3

WITHOUT_ROW: Final = """
    SELECT DISTINCT session_id AS id FROM messages
    WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = session_id) ORDER BY id
"""
"""Sessions that only their messages name."""


def stored_chats(
    log: Log,
    *,
    columns: Mapping[str, frozenset[str]],
    sessions: str,
    messages: Callable[[frozenset[str]], str],
) -> Iterator[Record]:
    """Yield for each session ``{"session": row}``, then its messages' rows.

    The database is only read; its texts may be any bytes.

    Args:
        log: the database.
        columns: what the tables ``sessions`` and ``messages`` need to have.
        sessions: the query for sessions.
        messages: from the columns of ``messages`` to the query for those of one session.

    Raises:
        FormatError: a column is missing.
        SourceError: the database is damaged; what came before that was yielded.
    """
    import sqlite3  # noqa: PLC0415 - few logs are databases

    with closing(log.database()) as connection:
        connection.text_factory = _decoded
        try:
            known = {table: _columns(connection, table) for table in columns}
            _require(log, columns, known)
            query = messages(known["messages"])
            for listed in (sessions, WITHOUT_ROW):
                for session in _rows(connection, listed):
                    yield {"session": session}
                    yield from _rows(connection, query, session.get("id"))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            why = f"the database cannot be read on: {damage(error)}"
            raise SourceError(why, path=log.path) from error


def json_value(stored: Json) -> Json:
    """Read a column that holds JSON text; what is none is nothing."""
    try:
        return jsontext.loads(stored) if isinstance(stored, str) else None
    except (jsontext.NotJson, jsontext.TooDeep):
        return None


def _require(
    log: Log, columns: Mapping[str, frozenset[str]], known: Mapping[str, frozenset[str]]
) -> None:
    for table, needed in columns.items():
        missing = sorted(needed - known[table])
        if missing:
            what = f"its table {table} has no column {missing[0]}"
            raise FormatError(f"a database of another schema: {what}", path=log.path)


def _columns(connection: "sqlite3.Connection", table: str) -> frozenset[str]:
    found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return frozenset(str(name) for (name,) in found)


def _rows(connection: "sqlite3.Connection", query: str, *values: Json) -> Iterator[Record]:
    cursor = connection.execute(query, values)
    names = [name for name, *_ in cursor.description]
    for row in cursor:
        yield dict(zip(names, map(_plain, row), strict=True))


def _decoded(data: bytes) -> str:
    return data.decode(errors="replace")


def _plain(value: bytes | str | float | None) -> Json:
    return _decoded(value) if isinstance(value, bytes) else value
