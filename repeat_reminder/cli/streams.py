"""The three standard streams, as they may be: closed, full, or somebody's who left."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import BinaryIO, Final, Protocol

from repeat_reminder.errors import UsageError

STANDARD_OUTPUT: Final = "standard output"
"""What messages call it."""


class _Stream(Protocol):
    def flush(self) -> None: ...
    def fileno(self) -> int: ...


class StreamWriter:
    """Takes bytes and lines; says of what cannot be written whose fault that is."""

    def __init__(self, stream: BinaryIO, encoding: str, *, name: str, flush: bool) -> None:
        """Write to a stream.

        Args:
            stream: takes the bytes.
            encoding: of lines.
            name: of the stream in messages.
            flush: hand each piece out at once.
        """
        self._stream = stream
        self._encoding = encoding
        self._name = name
        self._flush = flush

    def write(self, data: bytes) -> None:
        """Write bytes as they are.

        Raises:
            UsageError: there is no room for them, or nobody takes them.
        """
        try:
            self._stream.write(data)
            if self._flush:
                self._stream.flush()
        except OSError as error:
            raise self._failure(error) from error

    def line(self, text: str) -> None:
        """Write a line of text; what the encoding cannot spell becomes an escape.

        Raises:
            UsageError: as `write`.
        """
        self.write(f"{text}\n".encode(self._encoding, "backslashreplace"))

    def flush(self) -> None:
        """Hand out what was held back.

        Raises:
            UsageError: as `write`.
        """
        try:
            self._stream.flush()
        except OSError as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Hand out what was held back, and let the stream go.

        Raises:
            UsageError: as `write`.
        """
        try:
            self._stream.close()
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> OSError | UsageError:
        if isinstance(error, BrokenPipeError):
            return error
        if self._name == STANDARD_OUTPUT:
            return output_failure(error)
        return unwritable(self._name, error)


def unwritable(path: str, error: OSError) -> UsageError:
    """Make the error for a file that cannot be written."""
    return UsageError(f"cannot be written: {error.strerror or error}", path=path)


def output_failure(error: OSError) -> UsageError:
    """Make the error for standard output, and let go of it."""
    abandon(sys.stdout)
    closed = error.errno == errno.EBADF
    why = "it is closed" if closed else error.strerror or str(error)
    return UsageError(why, path=STANDARD_OUTPUT, hint="-o FILE writes a file" if closed else None)


def abandon(stream: _Stream) -> None:
    """Send the rest of a stream nowhere: Python would fail on it once more at its end."""
    with suppress(OSError, ValueError):  # a stream of a test has no number
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    with suppress(OSError, ValueError):
        stream.flush()


def fill_closed() -> None:
    """Put something in the place of standard streams that are closed.

    A file opened later would get the number of the closed one, and what is printed. What takes
    the place here refuses every use; messages that nobody can read are dropped.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    if sys.stdout is None:
        sys.stdout = _text(1)
    if sys.stderr is None:
        sys.stderr = _text(2)


def buffer_output() -> None:
    """Buffer standard output where Python does not (``PYTHONUNBUFFERED``): data is many pieces.

    Unbuffered each takes a call of the system, and some of it may be left unwritten.
    """
    if isinstance(sys.stdout.buffer, io.RawIOBase):
        told, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(sys.stdout.detach()), told, errors)


def _text(number: int) -> io.TextIOWrapper:
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace")
