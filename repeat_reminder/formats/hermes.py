"""Hermes Agent's database, ``~/.hermes/state.db``: chat messages in rows (`chat`).

Every row of ``sessions`` is a session; one that goes on after a compaction names the earlier as its
parent. A step is one assistant row. A user row is a human's unless it begins as the harness's own
prompts do.

Where the schema keeps what a compaction replaced, the rows that it carried over stand twice, equal
in everything but their id: the first one counts.

Memory: what `Session` keeps.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Json
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.chat import ChatMessages
from repeat_reminder.formats.shared.content import texts_of, time_of
from repeat_reminder.formats.shared.database import json_value, stored_chats
from repeat_reminder.formats.shared.human import injected_source, is_injected
from repeat_reminder.formats.shared.lenient import MAIN, started, text
from repeat_reminder.source import Log

NAME: Final = "hermes"
TABLES: Final = frozenset({"sessions", "messages"})
OTHERS: Final = frozenset({"goose_db_version", "files"})
"""Tables of Crush, which has the same two."""

REVIEW: Final = "Review the conversation above and"
SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
INJECTED: Final = (
    *(REVIEW, *SUMMARIES),
    *("[System: This session is about to be automatically reset", "[ASYNC DELEGATION BATCH"),
    *("[IMPORTANT: Background process", "[Continuing toward your standing goal]"),
    "[Your active task list was preserved across context compression]",
)
"""How the texts begin that the harness writes in the user's role."""

ENCODED: Final = ("\x00json:", "\x01json:")
"""What stands before content that is no plain text."""

COLUMNS: Final = {
    "sessions": frozenset({"id", "started_at"}),
    "messages": frozenset({"id", "session_id", "role", "content", "tool_calls"}),
}
KEEPS_COPIES: Final = frozenset({"active", "timestamp", "tool_call_id"})
SESSIONS: Final = "SELECT * FROM sessions ORDER BY started_at, id"
MESSAGES: Final = "SELECT * FROM messages WHERE session_id = ? ORDER BY id"
FIRST_COPIES: Final = """
    SELECT * FROM messages WHERE id IN (
        SELECT min(id) FROM messages WHERE session_id = ?
        GROUP BY timestamp, role, content, tool_call_id, tool_calls
    ) ORDER BY id
"""

_UNIQUE: Final = re.compile(r"\d{8}_\d{6}_[0-9a-f]{6,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids with a random part: a time and hexadecimal digits, or a UUID."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: its tables, without those that tell another agent's database."""
    names = frozenset(sample.names)
    if sample.kind != "sqlite" or not names >= TABLES or names & OTHERS:
        return None
    if "state_meta" in names or any(name.startswith("messages_fts") for name in names):
        return "tables sessions and messages with the full-text index"
    return None if "schema_version" in names else "tables sessions and messages"


def records(log: Log) -> Iterator[Record]:
    """Yield for each session ``{"session": row}``, then its messages.

    Raises:
        FormatError: the tables have other columns.
        SourceError: the database is damaged.
    """
    return stored_chats(log, columns=COLUMNS, sessions=SESSIONS, messages=_messages_query)


def _messages_query(columns: frozenset[str]) -> str:
    return FIRST_COPIES if columns >= KEEPS_COPIES else MESSAGES


class HermesReader:
    """Reads rows; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin with a database."""
        self._origin = origin
        self._session: Session | None = None
        self._messages: ChatMessages | None = None

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one message; ``{"session": row}`` begins a session."""
        row = record.get("session")
        if isinstance(row, dict) or self._session is None or self._messages is None:
            yield from self.end(line)
            yield from self._begin(line, row if isinstance(row, dict) else {})
        if isinstance(row, dict) or self._session is None or self._messages is None:
            return
        message: Record = {
            "role": record.get("role"),
            "content": _content(record.get("content")),
            "tool_calls": json_value(record.get("tool_calls")),
            "tool_call_id": record.get("tool_call_id"),
            "name": record.get("tool_name"),
            "timestamp": record.get("timestamp"),
        }
        texts = texts_of(message["content"])
        if message["role"] == "user" and texts and is_injected(texts[0], INJECTED):
            yield from _injected(self._session, line, texts, time_of(message["timestamp"]))
        else:
            yield from self._messages.message(line, message)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the open session."""
        session, self._session = self._session, None
        if session is not None:
            yield from session.end(line)

    def _begin(self, line: int | None, row: Record) -> Iterator[Event]:
        session_id = text(row.get("id"))
        parent = text(row.get("parent_session_id"))
        start = started(self._origin, NAME, line, session_id, cwd=row.get("cwd"), parent=parent)
        unique = session_id is not None and _UNIQUE.fullmatch(session_id) is not None
        self._session = Session(
            replace(start, unique_id=unique), ids_repeat=True, patience=PATIENCE
        )
        self._messages = ChatMessages(self._session)
        yield from self._session.begin()


def _injected(
    session: Session, line: int | None, texts: tuple[str, ...], time: float | None
) -> Iterator[Event]:
    if is_injected(texts[0], SUMMARIES):
        yield from session.compaction(MAIN, line)
    source = injected_source(NAME, texts, INJECTED)
    yield from session.user(MAIN, line, texts, source=source, resets=False, time=time)


def _content(stored: Json) -> Json:
    if isinstance(stored, str) and stored.startswith(ENCODED):
        return json_value(stored[len(ENCODED[0]) :])
    return stored


FORMAT: Final = Format(
    name=NAME,
    title="Hermes Agent database",
    where="~/.hermes/state.db",
    shape=Shape.DATABASE,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=HermesReader,
    records=records,
    lossy=(
        "lines, exit codes, which call failed; after a compaction older versions write the last "
        "messages into the next session too"
    ),
)
