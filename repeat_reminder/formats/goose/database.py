"""Goose's database, ``sessions.db``: its sessions, and their messages as Goose orders them."""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.database import json_value, stored_chats
from repeat_reminder.source import Log

TABLES: Final = frozenset({"schema_version", "sessions", "messages"})
OTHERS: Final = frozenset({"goose_db_version", "state_meta", "files"})
"""Tables of other agents' databases that have the same ones too (Crush's migrations are run by
another tool called goose)."""

COLUMNS: Final = {
    "sessions": frozenset({"id", "created_at"}),
    "messages": frozenset({"id", "session_id", "role", "content_json", "created_timestamp"}),
}
SESSIONS: Final = "SELECT * FROM sessions ORDER BY created_at, id"
MESSAGES: Final = "SELECT * FROM messages WHERE session_id = ? ORDER BY created_timestamp, id"


def is_goose(tables: frozenset[str]) -> bool:
    """Tell whether tables are those of Goose's database."""
    others = any(name in OTHERS or name.startswith("messages_fts") for name in tables)
    return tables >= TABLES and not others


def database_records(log: Log) -> Iterator[Record]:
    """Yield for each session ``{"session": row}``, then its messages as the older files have them.

    Raises:
        FormatError: the tables have other columns.
        SourceError: the database is damaged.
    """
    found = stored_chats(log, columns=COLUMNS, sessions=SESSIONS, messages=lambda _: MESSAGES)
    for record in found:
        yield record if "session" in record else _message(record)


def _message(row: Record) -> Record:
    return {
        "role": row.get("role"),
        "created": row.get("created_timestamp"),
        "content": json_value(row.get("content_json")),
        "metadata": json_value(row.get("metadata_json")),
    }
