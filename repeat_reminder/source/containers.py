"""Files that hold other files or tables: opened, never interpreted."""

import contextlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

from repeat_reminder.errors import SourceError

if TYPE_CHECKING:
    import sqlite3
    import zipfile

JOURNAL_MODE: Final = slice(18, 20)
"""Where an SQLite file says how it is journalled (file format, section 1.3.3)."""
TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
NO_WAL: Final = b"\x01\x01"


def files(folder: str) -> tuple[str, ...]:
    """Return the names of the visible files in a folder, sorted.

    Raises:
        SourceError: the folder cannot be listed.
    """
    try:
        names = [entry.name for entry in Path(folder).iterdir()]
    except OSError as error:
        why = error.strerror or "cannot be listed"
        raise SourceError(why.lower(), path=folder) from error
    return tuple(sorted(name for name in names if not name.startswith(".")))


def archive(content: Path | bytes, path: str) -> "zipfile.ZipFile":
    """Open a zip archive.

    Raises:
        SourceError: it is damaged.
    """
    import zipfile  # noqa: PLC0415 - few logs are archives

    try:
        return zipfile.ZipFile(io.BytesIO(content) if isinstance(content, bytes) else content)
    except Exception as error:  # damage makes zipfile raise whatever it meets
        why = str(error) or type(error).__name__
        raise SourceError(f"not a usable zip archive: {why}", path=path) from error


def database(content: Path | bytes, path: str) -> "sqlite3.Connection":
    """Open an SQLite database so that nothing is ever written.

    A harness may have the file open, and its last records may stand in a write-ahead log beside
    it, so the file is opened as it is if that works.

    Raises:
        SourceError: it is damaged.
    """
    import sqlite3  # noqa: PLC0415 - few logs are databases

    problem: sqlite3.Error | ValueError | None = None
    for target in _targets(content):
        try:
            connection = sqlite3.connect(target, uri=True)
        except sqlite3.Error as error:
            problem = error
            continue
        connection.text_factory = _decoded
        try:
            if isinstance(content, bytes):
                connection.deserialize(_without_wal(content))
            connection.execute(TABLES).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            connection.close()
            problem = error
        else:
            return connection
    raise SourceError(f"not a usable database: {damage(problem)}", path=path) from problem


def damage(error: Exception | None) -> str:
    """Say what is wrong with a database.

    The words of SQLite quote names from the file; Python fails on those that are no UTF-8.
    """
    return "its names are damaged" if isinstance(error, UnicodeDecodeError) else str(error)


def _decoded(data: bytes) -> str:
    return data.decode(errors="replace")


def _targets(content: Path | bytes) -> tuple[str, ...]:
    """Return what to connect to. ``immutable`` is for a file in a folder that is read-only."""
    if isinstance(content, bytes):
        return (":memory:",)
    uri = content.absolute().as_uri()
    return f"{uri}?mode=ro", f"{uri}?immutable=1"


def _without_wal(content: bytes) -> bytes:
    """Clear the mark of a write-ahead log, which a database in memory cannot have."""
    return content[: JOURNAL_MODE.start] + NO_WAL + content[JOURNAL_MODE.stop :]


def tables(connection: "sqlite3.Connection") -> tuple[str, ...]:
    """Return the names of the tables of a database from `database`, sorted, and close it."""
    with contextlib.closing(connection):
        return tuple(str(name) for (name,) in connection.execute(TABLES))
