"""The cache of run tables: what a log came to last time, if neither it nor its reader has changed.

It makes no difference but in time: where it cannot be used it is not, and says so once.
"""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from repeat_reminder import __version__
from repeat_reminder.events import Problem, Severity
from repeat_reminder.tune.encoding import VERSION, Damaged, decode, encode
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.stamps import Stamp, stamp_of
from repeat_reminder.tune.store import Entry, Store, Unusable

UNUSED: Final = "cache-not-used"
"""Kind of the note that the cache cannot be used."""
BATCH: Final = 256
"""Entries that are written at once: what a run that is killed has read is not all lost."""
BATCH_BYTES: Final = 16 << 20


class TableCache:
    """The cache as one run sees it: ask for all logs, then hand in what was read.

    Attributes:
        fault: why the cache is not used, or is used no more.
    """

    def __init__(self, store: Store | None, reader: FileReader, *, whole: bool = False) -> None:
        """Look at nothing yet.

        Args:
            store: where entries are kept; None to keep nothing and to find nothing.
            reader: reads what is not found.
            whole: do not trust a file's size, time, head and tail: compare all of it.
        """
        self.fault: Problem | None = None
        self._store = store
        self._reader = reader
        self._whole = whole
        self._stamps: dict[str, tuple[bytes, Stamp]] = {}
        """By path: the key and the state of each log that was not found."""
        self._waiting: list[Entry] = []

    @property
    def in_use(self) -> bool:
        """Tell whether something is found or kept."""
        return self._store is not None

    def find(self, paths: Sequence[str]) -> list[FileRead | None]:
        """Return what is known of each log: None for those that have to be read."""
        if self._store is None:
            return [None] * len(paths)
        how = _how(self._reader)
        for path in paths:
            stamp = stamp_of(path, whole=self._whole)
            if stamp is not None:
                with suppress(OSError):  # the current folder is gone
                    self._stamps[path] = _key(path, how), stamp
        found: dict[str, FileRead] = {}
        try:
            entries = self._store.get([key for key, _ in self._stamps.values()])
            with _keeping_all():
                for (path, (_, stamp)), entry in zip(self._stamps.items(), entries, strict=True):
                    if entry is not None and _is_same(entry, stamp):
                        found[path] = decode(entry.read)
        except (Unusable, Damaged) as error:
            self._give_up(str(error))
        return [found.get(path) for path in paths]

    def keep(self, path: str, read: FileRead) -> None:
        """Keep what a log came to, unless it has changed since it was looked for."""
        key, before = self._stamps.pop(path, (b"", None))
        if self._store is None or before is None:
            return
        data = encode(read)
        now = stamp_of(path)
        if data is not None and now is not None and now.ends == before.ends:
            self._waiting.append(Entry(key, before.ends, before.whole, data))
        if len(self._waiting) >= BATCH or sum(len(one.read) for one in self._waiting) > BATCH_BYTES:
            self.write()

    def write(self) -> None:
        """Write down what was handed in."""
        waiting, self._waiting = self._waiting, []
        if self._store is not None:
            try:
                self._store.put(waiting)
            except Unusable as error:
                self._give_up(str(error))

    def _give_up(self, why: str) -> None:
        if self._store is not None:
            self.fault = unused(str(self._store.path), why)
            self._store = None


def unused(path: str, why: str) -> Problem:
    """Make the note that the cache is not used."""
    return Problem(
        path=path,
        line=None,
        severity=Severity.NOTE,
        kind=UNUSED,
        message=f"the cache of run tables is not used: {why}",
        hint="--clear-cache begins a new one, --no-cache does without",
    )


@contextmanager
def _keeping_all() -> Iterator[None]:
    """Look for no garbage: nothing is dropped here, and looking takes as long as the work.

    What was made lives to the end of the run, so it is not looked through later either.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.freeze()
            gc.enable()


def _is_same(entry: Entry, stamp: Stamp) -> bool:
    return entry.ends == stamp.ends and stamp.whole in (None, entry.whole)


def _key(path: str, how: str) -> bytes:
    """Return what an entry is found by: which log, as it was named (tables say it), read how."""
    named = "\0".join((os.path.abspath(path), path, how))  # noqa: PTH100 - Path costs ten times that
    return blake2b(named.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _how(reader: FileReader) -> str:
    """Return all that decides, beside the file, what it comes to."""
    return f"{program()} {reader!r}"


def program() -> str:
    """Return all that decides what the same data come to."""
    python = f"{sys.byteorder} {sys.version_info.major}.{sys.version_info.minor}"
    return f"{VERSION} {__version__} {python} {readers()}"


def readers() -> str:
    """Return a digest of the sizes and times of this package's own files.

    A version says nothing of an installation that is worked on.
    """
    found = blake2b(digest_size=8)
    with suppress(OSError):  # not a folder: an archive, of which the version has to be enough
        for entry in _modules(Path(__file__).parents[1]):
            status = entry.stat()
            found.update(b"%d %d " % (status.st_size, status.st_mtime_ns) + os.fsencode(entry.path))
    return found.hexdigest()


def _modules(folder: str | Path) -> "Iterator[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir() and not entry.name.startswith("_"):
                yield from _modules(entry.path)
            elif entry.name.endswith(".py"):
                yield entry
