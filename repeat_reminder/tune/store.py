"""The file that run tables are kept in: SQLite, opened for moments, never needed.

Every write is one short transaction, so several processes may use the file at once, and one that
is killed leaves it as it was before its write. Connections are short-lived: none is open while
processes are forked.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from repeat_reminder.tune.encoding import VERSION

if TYPE_CHECKING:
    import sqlite3

NAME: Final = "run-tables"
MOST: Final = 512 << 20
"""Bytes of the file from which on the oldest entries go."""
MOST_OF_ONE: Final = MOST // 8
"""Bytes of an entry that is not worth its place."""
PATIENCE: Final = 5.0
"""Seconds to wait for another process that writes."""
PRAGMAS: Final[tuple[str, ...]] = ()
"""Said to every connection; tests make trouble with it."""
_MARK: Final = 0x52525430 + VERSION
"""Says that a database is one of these."""
_TABLES: Final = """CREATE TABLE IF NOT EXISTS tables (
    key BLOB PRIMARY KEY, ends BLOB NOT NULL, whole BLOB, sum BLOB NOT NULL, read BLOB NOT NULL
)"""
_FIND: Final = "SELECT key, ends, whole, sum, read FROM tables WHERE key IN"
_AT_ONCE: Final = 128
"""Entries that are found by one statement, and held at a time."""
_OLDEST: Final = """DELETE FROM tables WHERE rowid IN (
    SELECT rowid FROM tables ORDER BY rowid LIMIT (SELECT count(*) / 4 + 1 FROM tables)
)"""


class Unusable(Exception):  # noqa: N818 - it is no error of the run
    """The file cannot be used; says why."""


class Entry(NamedTuple):
    """A row: what stands for a file, and what it came to."""

    key: bytes
    ends: bytes
    whole: bytes | None
    read: bytes


class Store:
    """The file in a folder. Nothing is made before something is put into it."""

    def __init__(self, folder: Path) -> None:
        """Name the file; entries of another version stand in another one."""
        self.folder = folder
        self.path = folder / f"{NAME}-{VERSION}.sqlite3"

    def get(self, keys: Sequence[bytes]) -> Iterator[Entry | None]:
        """Yield the entry of each key, None where there is none.

        Raises:
            Unusable: the file is damaged, locked or not ours.
        """
        if not keys or not self._exists():
            yield from (None for _ in keys)
            return
        with self._opened() as database:
            # Without a mark nothing was ever written: who wanted to was killed.
            is_empty = not _pragma(database, "user_version")
            for begin in range(0, len(keys), _AT_ONCE):
                asked = keys[begin : begin + _AT_ONCE]
                find = f"{_FIND} ({', '.join('?' * len(asked))})"
                found = {} if is_empty else {row[0]: row for row in database.execute(find, asked)}
                for key in asked:
                    yield _entry(*found[key]) if key in found else None

    def put(self, entries: Iterable[Entry]) -> None:
        """Keep entries, in place of older ones with their keys.

        Raises:
            Unusable: the file cannot be made or written, is damaged, locked or not ours.
        """
        rows = [(*one[:3], _sum(one), one.read) for one in entries if len(one.read) <= MOST_OF_ONE]
        if not rows:
            return
        self._make()
        with self._opened() as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(_TABLES)
            database.execute(f"PRAGMA user_version = {_MARK}")
            database.executemany("REPLACE INTO tables VALUES (?, ?, ?, ?, ?)", rows)
            while _size(database) > MOST:
                database.execute(_OLDEST)
            database.execute("COMMIT")

    def clear(self) -> None:
        """Remove the file, and those of other versions.

        Raises:
            Unusable: it cannot be removed.
        """
        try:
            for path in self.folder.glob(f"{NAME}-*"):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise Unusable(_reason(error)) from error

    def _exists(self) -> bool:
        try:
            return bool(self.path.stat().st_size)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise Unusable(_reason(error)) from error

    def _make(self) -> None:
        """Make an empty file; what people asked their agents is for nobody else to read."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise Unusable(_reason(error)) from error

    @contextmanager
    def _opened(self) -> "Iterator[sqlite3.Connection]":
        try:
            import sqlite3  # noqa: PLC0415 - not needed where nothing is kept
        except ImportError as error:
            raise Unusable("this Python has no SQLite") from error
        try:
            target = f"{self.path.absolute().as_uri()}?mode=rw"
            with closing(
                sqlite3.connect(target, uri=True, timeout=PATIENCE, isolation_level=None)
            ) as database:
                for pragma in PRAGMAS:
                    database.execute(pragma)
                (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                if tables and _pragma(database, "user_version") != _MARK:
                    raise Unusable("it is of another version, or of another program")
                yield database
        except (sqlite3.Error, OSError, OverflowError, UnicodeDecodeError) as error:
            raise Unusable(_reason(error)) from error


def _entry(key: object, ends: object, whole: object, check: object, read: object) -> Entry:
    """Look at a row: SQLite does not notice a flipped bit, and takes any type."""
    match (key, ends, whole, read):
        case (bytes(key), bytes(ends), bytes() | None as whole, bytes(read)):
            entry = Entry(key, ends, whole, read)
            if _sum(entry) == check:
                return entry
        case _:
            pass
    raise Unusable("an entry is damaged")


def _sum(entry: Entry) -> bytes:
    whole = blake2b(b"".join((entry.key, entry.ends, entry.whole or b"")), digest_size=16)
    whole.update(entry.read)
    return whole.digest()


def _size(database: "sqlite3.Connection") -> int:
    """Return the bytes in use: what was deleted is used again before the file grows."""
    pages = _pragma(database, "page_count") - _pragma(database, "freelist_count")
    return pages * _pragma(database, "page_size")


def _pragma(database: "sqlite3.Connection", name: str) -> int:
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])


def _reason(error: Exception) -> str:
    why = error.strerror if isinstance(error, OSError) else None
    return (why or str(error) or type(error).__name__).lower()
