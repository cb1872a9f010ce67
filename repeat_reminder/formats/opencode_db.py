"""opencode's database, ``opencode.db``; Kilo Code's ``kilo.db`` has the same tables.

Every row of ``session`` is a session with a chain of its own; messages and parts come in the order
of ``time_created`` and ``id``. What the rows hold is read by `opencode`.

Memory: one message with its parts, and what `Session` keeps of one session.
"""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Final

from repeat_reminder import jsontext
from repeat_reminder.errors import SourceError
from repeat_reminder.events import Json, Problem, Severity
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Record, Sample, Shape
from repeat_reminder.formats.opencode import OpencodeReader
from repeat_reminder.source import Log
from repeat_reminder.source.containers import damage

if TYPE_CHECKING:
    import sqlite3

NAME: Final = "opencode-db"
TABLES: Final = frozenset({"session", "message", "part"})

SESSIONS: Final = "SELECT id, parent_id, directory FROM session ORDER BY time_created, id"
MESSAGES: Final = (
    "SELECT id, CAST(data AS BLOB) FROM message WHERE session_id = ? ORDER BY time_created, id"
)
PARTS: Final = (
    "SELECT id, CAST(data AS BLOB) FROM part WHERE message_id = ? ORDER BY time_created, id"
)


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a database with the three tables."""
    if sample.kind == "sqlite" and set(sample.names) >= TABLES:
        return "a database with the tables session, message and part"
    return None


def records(log: Log) -> Iterator[Record | Problem]:
    """Yield each session's ``info`` and its messages, as an export has them.

    Raises:
        SourceError: the database is damaged, or its tables have other columns.
    """
    import sqlite3  # noqa: PLC0415 - few logs are databases

    with closing(log.database()) as database:
        database.text_factory = partial(str, encoding="utf-8", errors="replace")
        try:
            yield from _sessions(database, log.path)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            why = f"not a usable database: {damage(error)}"
            raise SourceError(why, path=log.path) from error


def _sessions(database: "sqlite3.Connection", path: str) -> Iterator[Record | Problem]:
    for session_id, parent, directory in database.execute(SESSIONS):
        yield {"info": {"id": session_id, "parentID": parent, "directory": directory}}
        for message_id, data in database.execute(MESSAGES, (session_id,)):
            info = _loaded(data, path, f"message {message_id}")
            if isinstance(info, Problem):
                yield info
                continue
            parts: list[Json] = []
            for part_id, body in database.execute(PARTS, (message_id,)):
                part = _loaded(body, path, f"part {part_id}")
                if isinstance(part, Problem):
                    yield part
                else:
                    parts.append(part)
            yield {"info": info, "parts": parts}


def _loaded(data: bytes | None, path: str, what: str) -> "Json | Problem":
    """Read the JSON of a row."""
    try:
        return jsontext.loads(data or b"")
    except jsontext.NotJson as error:
        return Problem(
            path=path,
            line=None,
            severity=Severity.WARNING,
            kind="not-json",
            message=f"{what} is not valid JSON: {error.reason}",
            skipped=True,
        )


FORMAT: Final = Format(
    name=NAME,
    title="opencode database",
    where="~/.local/share/opencode/opencode.db; Kilo Code: kilo.db",
    shape=Shape.DATABASE,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=partial(OpencodeReader, form=NAME),
    records=records,
    lossy="lines, resumes",
)
