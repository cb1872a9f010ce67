"""One open log: look at its beginning, then read its lines or all of it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from msgspec import Struct

from repeat_reminder.errors import SourceError
from repeat_reminder.events import Problem
from repeat_reminder.source import containers
from repeat_reminder.source.damage import UnpackError
from repeat_reminder.source.lines import Drop, Line, Report, Splitter
from repeat_reminder.source.lookahead import Lookahead, capped
from repeat_reminder.source.magic import BOM, KIND_BYTES, kind, undecided
from repeat_reminder.source.names import STDIN, shown, size_text
from repeat_reminder.source.raw import (
    is_folder,
    is_regular,
    no_chunks,
    opened,
    raw_chunks,
    standard_input,
    unpacked,
)

if TYPE_CHECKING:
    import sqlite3
    import zipfile

HEAD_BYTES: Final = 1 << 16
PEEK_BYTES: Final = 1 << 22
"""Looking at the first lines goes about this far."""
READ_ONCE: Final = "a log can be read only once"


class Limits(Struct, frozen=True, kw_only=True):
    """How much is read before giving up. All in bytes of the unpacked text."""

    max_line_bytes: int = 256 << 20
    """A longer line is left out, with a warning."""
    max_bytes: int = 64 << 30
    """More than this is an error: a small file may unpack to petabytes."""
    max_document_bytes: int = 1 << 30
    """More than this is not held in memory at once."""


DEFAULT_LIMITS: Final = Limits()


def open_log(path: str, *, stdin: BinaryIO | None = None, limits: Limits = DEFAULT_LIMITS) -> "Log":
    """Open a log, whatever its compression; the file's content decides, not its name.

    Args:
        path: a file, a folder that is one log, or ``-`` for standard input.
        stdin: what ``-`` reads; ``sys.stdin.buffer`` if not given. It is not closed.
        limits: how much to read at most.

    Raises:
        SourceError: it does not exist, must not be read, or has a compression that this Python
            cannot unpack.
    """
    if path == STDIN:
        return Log(path, stdin or standard_input(), limits=limits)
    if is_folder(path):
        return Log(path, None, limits=limits)
    stream = opened(path)
    try:
        return Log(path, stream, limits=limits, close=stream.close)
    except BaseException:
        stream.close()
        raise


class Log:
    """A log that can be looked at, and read once, as lines or as a whole.

    Use it as a context manager.

    Attributes:
        path: as shown to the user.
        file: where a reader that needs the file itself finds it (it may be compressed); None
            where there is none: standard input, pipes.
        compression: ``gzip``, ``zstd``, ``bz2``, ``xz`` or None.
        kind: ``text``, ``sqlite``, ``zip``, ``folder``, or another kind that is no log:
            ``parquet``, ``utf-16``, ``utf-32``, ``pdf``, ``tar``, ``binary``, … (`magic.KINDS`).
        growing: a pipe or terminal: what is not there yet has to be waited for.
        limits: how much is read at most.
    """

    def __init__(
        self,
        path: str,
        stream: BinaryIO | None,
        *,
        limits: Limits,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """Look at the first bytes of a stream, or take a folder (no stream). See `open_log`."""
        self.path = shown(path)
        self.growing = stream is not None and not is_regular(stream)
        self.file = None if path == STDIN or self.growing else Path(path)
        self.compression: str | None = None
        self.kind = "folder"
        self.limits = limits
        self._close = close
        self._ahead = Lookahead(no_chunks(self.path))
        self._splitter: Splitter | None = None
        self._taken = False
        if stream is not None:
            self.compression, chunks = unpacked(raw_chunks(stream, self.path), self.path)
            self._ahead = Lookahead(capped(chunks, limits.max_bytes, self.path))
            self.kind = self._sniffed()

    def __enter__(self) -> Self:
        """Return the log."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._close()

    # ------------------------------------------------------------ looking

    def head(self, max_bytes: int = HEAD_BYTES) -> bytes:
        """Return the first bytes of the text without using them up.

        Of a growing log no more is waited for than the end of a line; `peek` waits for more.
        """
        found: list[bytes] = []
        with suppress(UnpackError):  # told when the log is read
            for chunk in self._ahead.each(max_bytes):
                found.append(chunk)
                if self.growing and b"\n" in chunk:
                    break
        return b"".join(found)[:max_bytes]

    def peek(self, lines: int, max_bytes: int = PEEK_BYTES) -> list[bytes]:
        """Return the first lines that are not blank, without using them up.

        Fewer come where the log or ``max_bytes`` ends before. A line that is cut there is left
        out, unless it is the first.

        Raises:
            SourceError: the compressed data is broken before its first line ends.
        """
        splitter = self._split(self._ahead.each(max_bytes), lambda _: None)
        found = [line for _, line in islice(chain.from_iterable(splitter.blocks()), lines)]
        fault = self._ahead.fault
        if not found and fault is not None and fault.cuts_line:
            raise SourceError(f"{fault.message} before its first line ends", path=self.path)
        cut = not splitter.ended_with_newline and not self._ahead.all_seen
        return found[:-1] if cut and len(found) > 1 else found

    def names(self) -> tuple[str, ...]:
        """Return what a container holds, sorted: tables, members of an archive, files of a folder.

        Raises:
            SourceError: it is damaged.
        """
        match self.kind:
            case "folder":
                return containers.files(self.path)
            case "zip":
                with self.archive() as archive:
                    return tuple(sorted(archive.namelist()))
            case "sqlite":
                return containers.tables(self.database())
            case _:
                return ()

    def archive(self) -> "zipfile.ZipFile":
        """Open a zip archive, also one that is compressed once more or comes from a pipe.

        Raises:
            SourceError: it is damaged.
        """
        return containers.archive(self._direct() or self.text(), self.path)

    def database(self) -> "sqlite3.Connection":
        """Open an SQLite database read-only, also one that is compressed or comes from a pipe.

        Raises:
            SourceError: it is damaged.
        """
        return containers.database(self._direct() or self.text(), self.path)

    # ------------------------------------------------------------ reading

    def lines(self, report: Report, drop: Drop | None = None) -> Iterator[Line]:
        """Yield the lines with their numbers from 1, without line ends, each as soon as it comes.

        Only LF and CRLF end a line. Blank lines are left out but counted. A last line without
        line end is given (see `ended_with_newline`), unless compressed data is cut off in it.

        Args:
            report: gets a `Problem` for what is left out: ``long-line``, ``torn``, ``corrupt``,
                ``trailing-data``.
            drop: asked about a line longer than 256 KiB, by its number and first 1,024 bytes; if it
                says True the line is left out in silence and costs no memory.

        Raises:
            SourceError: the file cannot be read on, or is larger than the limit.
            ValueError: the log was read before.
        """
        self._take()
        self._splitter = self._split(self._ahead.rest(), report, drop)
        return chain.from_iterable(self._splitter.blocks())

    def blocks(self, report: Report, drop: Drop | None = None) -> Iterator[Iterable[Line]]:
        """Yield the lines as they are, with their ends and blank ones too, many at a time.

        Args:
            report: as in `lines`.
            drop: as in `lines`.

        Raises:
            SourceError: as in `lines`.
            ValueError: as in `lines`.
        """
        self._take()
        self._splitter = self._split(self._ahead.rest(), report, drop, raw=True)
        return self._splitter.blocks()

    def text(self, report: Report | None = None) -> bytes:
        """Return the whole unpacked content, without a byte order mark.

        Args:
            report: gets a `Problem` if the compressed data is damaged; what was unpacked before
                is returned. With it the log is read; without, this is only a look, and the log
                can still be read.

        Raises:
            SourceError: it is too large to be held in memory, or cannot be read.
            ValueError: the log was read before.
        """
        most = self.limits.max_document_bytes
        if self._taken:
            raise ValueError(READ_ONCE)
        self._ahead.hold(most + 1)
        if self._ahead.size > most:
            raise SourceError(
                f"more than {size_text(most)} cannot be read as a whole",
                path=self.path,
                hint="a log of one object a line is read at any size",
            )
        whole = self._ahead.held()
        if report is not None:
            self._take()
            if self.damage is not None:
                report(self.damage)
            self._ahead.let_go()
        return whole

    @property
    def damage(self) -> Problem | None:
        """What is wrong with the compressed data, if looking at it came that far."""
        fault = self._ahead.fault
        if fault is None:
            return None
        held = self._ahead.held()
        partial = fault.cuts_line and not held.endswith(b"\n")
        return fault.problem(self.path, lines=held.count(b"\n"), partial=partial)

    @property
    def ended_with_newline(self) -> bool:
        """False if the last of the lines had no line end. Known when all have been read."""
        return self._splitter is None or self._splitter.ended_with_newline

    @property
    def line_count(self) -> int:
        """How many lines there were, blank and left out ones too. Known when all have been read."""
        return 0 if self._splitter is None else self._splitter.count

    # ------------------------------------------------------------ inside

    def _direct(self) -> Path | None:
        """Return the file if it can be used as it is."""
        return self.file if self.compression is None else None

    def _split(
        self,
        chunks: Iterator[bytes],
        report: Report,
        drop: Drop | None = None,
        *,
        raw: bool = False,
    ) -> Splitter:
        return Splitter(
            chunks,
            path=self.path,
            max_line_bytes=self.limits.max_line_bytes,
            report=report,
            drop=drop,
            raw=raw,
        )

    def _take(self) -> None:
        if self._taken:
            raise ValueError(READ_ONCE)
        self._taken = True

    def _sniffed(self) -> str:
        """Find out what the content is, and take its byte order mark off."""
        ahead = self._ahead
        ahead.hold(1 if self.growing else KIND_BYTES)
        while undecided(ahead.held()) and not ahead.ended:
            ahead.hold(ahead.size + 1)
        found = kind(ahead.held())
        ahead.strip(BOM)
        return found
