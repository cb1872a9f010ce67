"""Chunks of bytes to numbered lines, in memory bounded by the longest line that is wanted."""

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from operator import itemgetter
from typing import Final, TypeAlias

from repeat_reminder.events import Problem, Severity
from repeat_reminder.source.damage import UnpackError
from repeat_reminder.source.names import size_text

Report: TypeAlias = Callable[[Problem], None]
"""Gets what the user should know about the input."""
Drop: TypeAlias = Callable[[int, bytes], bool]
"""Tells from the number and the beginning of a giant line that the rest is of no interest."""
Line: TypeAlias = tuple[int, bytes]

GIANT: Final = 1 << 18
"""A longer line is a giant: it may be dropped while it is read."""
GIANT_HEAD: Final = 1 << 10
"""Bytes of a giant line by which it is judged."""
BLANK: Final = b" \t\r"
LEFT_OUT: Final = b"\n"
"""In place of a raw line that is left out: what comes before it is told before that is."""
LAST_BLANK: Final = 0x20
"""No byte above this begins a blank line."""

_without_newline = itemgetter(slice(None, -1))


def without_end(line: bytes) -> bytes:
    """Return a line without its LF or CRLF."""
    return line[:-2] if line.endswith(b"\r\n") else line.removesuffix(b"\n")


class Splitter:
    """One pass over the lines of a log. Only LF and CRLF end a line.

    Lines are found and numbered by C code, chunk by chunk; Python code runs once a chunk, and for
    each line only where a chunk holds a CR, a line that begins with a blank, or a giant.
    """

    def __init__(  # noqa: PLR0913 - the text, how to cut it, and whom to tell
        self,
        chunks: Iterator[bytes],
        *,
        path: str,
        max_line_bytes: int,
        report: Report,
        drop: Drop | None = None,
        raw: bool = False,
    ) -> None:
        """Take in what the lines are made of.

        Args:
            chunks: non-empty pieces of the text, cut anywhere.
            path: the file, for problems.
            max_line_bytes: longer lines are left out and reported; their line end does not count.
            report: gets the problems.
            drop: see `Drop`; lines that it picks are left out in silence.
            raw: give the lines as they are, with their ends, blank ones too, and `LEFT_OUT`.
        """
        self.count = 0
        """Lines read so far, blank and left out ones included; may run ahead of those given."""
        self.ended_with_newline = True
        """False once the last line has turned out to have no line end."""
        self._chunks = chunks
        self._path = path
        self._limit = max_line_bytes
        self._report = report
        self._drop = drop if max_line_bytes > GIANT else None
        self._raw = raw
        self._attention = min(GIANT, max_line_bytes)
        self._carry = BytesIO()
        self._asked = False
        self._skipping = False

    def blocks(self) -> Iterator[Iterable[Line]]:
        """Yield the numbered lines, as many at a time as have come.

        Raises:
            SourceError: the file cannot be read on.
        """
        try:
            for chunk in self._chunks:
                yield from self._split(chunk)
        except UnpackError as error:
            partial = error.cuts_line and self._open
            if not partial:
                yield self._last()
            self._report(error.problem(self._path, lines=self.count, partial=partial))
        else:
            yield self._last()

    @property
    def _open(self) -> bool:
        """A line has begun and not ended."""
        return self._skipping or self._carry.tell() > 0

    def _split(self, chunk: bytes) -> Iterator[Iterable[Line]]:
        pieces = BytesIO(chunk).readlines()
        tail = b"" if pieces[-1].endswith(b"\n") else pieces.pop()
        if pieces and self._open:
            yield self._complete(pieces.pop(0))
        if pieces:
            first = self.count + 1
            self.count += len(pieces)
            small = len(chunk) <= self._attention
            if self._raw and small:
                yield enumerate(pieces, first)
            elif small and b"\r" not in chunk and min(pieces)[0] > LAST_BLANK:
                yield enumerate(map(_without_newline, pieces), first)
            else:
                yield self._checked(pieces, first)
        if tail and not self._skipping:
            self._keep(tail)

    def _checked(self, pieces: list[bytes], first: int) -> Iterator[Line]:
        for number, piece in enumerate(pieces, first):
            line = piece if self._raw else without_end(piece)
            if self._wanted(number, line):
                yield number, line
            elif self._raw:
                yield number, LEFT_OUT

    def _keep(self, tail: bytes) -> None:
        """Hold the beginning of a line until the rest comes, or skip the line."""
        self._carry.write(tail)
        size = self._carry.tell() - 1  # the last byte may be the CR of a CRLF
        if size > GIANT and not self._asked:
            self._asked = True
            head = self._carry.getbuffer()[:GIANT_HEAD].tobytes()
            if self._dropped(self.count + 1, head):
                self._skip()
                return
        if size > self._limit:
            self._too_long(self.count + 1)
            self._skip()

    def _skip(self) -> None:
        self._carry = BytesIO()
        self._skipping = True

    def _complete(self, rest: bytes) -> Iterable[Line]:
        """End the open line."""
        self.count += 1
        if self._skipping:
            self._skipping = self._asked = False
            return ((self.count, LEFT_OUT),) if self._raw else ()
        self._carry.write(rest)
        line = self._carry.getvalue()
        return self._given(line if self._raw else without_end(line))

    def _last(self) -> Iterable[Line]:
        """End a line that has no line end, if there is one."""
        if not self._open:
            return ()
        self.ended_with_newline = False
        self.count += 1
        return () if self._skipping else self._given(self._carry.getvalue())

    def _given(self, line: bytes) -> Iterable[Line]:
        self._carry = BytesIO()
        asked, self._asked = self._asked, False
        if self._wanted(self.count, line, asked=asked):
            return ((self.count, line),)
        return ((self.count, LEFT_OUT),) if self._raw else ()

    def _wanted(self, number: int, line: bytes, *, asked: bool = False) -> bool:
        if len(line) > GIANT and not asked and self._dropped(number, line[:GIANT_HEAD]):
            return False
        if len(without_end(line) if self._raw else line) > self._limit:
            self._too_long(number)
            return False
        return self._raw or bool(line.strip(BLANK))

    def _dropped(self, number: int, head: bytes) -> bool:
        return self._drop is not None and self._drop(number, head)

    def _too_long(self, number: int) -> None:
        self._report(
            Problem(
                path=self._path,
                line=number,
                severity=Severity.WARNING,
                kind="long-line",
                message=f"the line is longer than {size_text(self._limit)}; skipped",
                hint="--max-line-bytes raises the limit",
                skipped=True,
            )
        )
