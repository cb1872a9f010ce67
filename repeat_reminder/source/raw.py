"""Opening files and standard input, and reading them as they come."""

# ruff: noqa: PTH112, PTH123 - pathlib rewrites paths, here they stay as typed

import os
import stat
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from typing import BinaryIO, Final

from repeat_reminder.errors import SourceError
from repeat_reminder.source.magic import COMPRESSIONS, compression, cut_compression
from repeat_reminder.source.names import compression_by_name, shown
from repeat_reminder.source.suggest import missing
from repeat_reminder.source.unpack import CHUNK, unpack

MAGIC_BYTES: Final = max(map(len, COMPRESSIONS))


def is_folder(path: str) -> bool:
    """Tell whether a path leads to a folder; what cannot be asked is none."""
    return os.path.isdir(path)


def opened(path: str) -> BinaryIO:
    """Open a file for reading, unbuffered.

    Raises:
        SourceError: there is no such file, or it must not be read.
    """
    try:
        return open(path, "rb", buffering=0)  # the log that gets it closes it
    except FileNotFoundError:
        raise missing(path) from None
    except (OSError, ValueError) as error:
        raise _failure(error, shown(path)) from error


def standard_input() -> BinaryIO:
    """Return the bytes of standard input.

    Raises:
        SourceError: the process has none.
    """
    if sys.stdin is None:
        raise SourceError("standard input is closed", path="-")
    return sys.stdin.buffer


def is_regular(stream: BinaryIO) -> bool:
    """Tell whether all of a stream is already there: a file, or bytes in memory."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):
        return True


def raw_chunks(stream: BinaryIO, path: str) -> Iterator[bytes]:
    """Yield what a stream has, as soon as it has something.

    Raises:
        SourceError: reading fails.
    """
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    try:
        while chunk := read(CHUNK):
            yield chunk
    except (OSError, ValueError) as error:
        raise _failure(error, path) from error


def no_chunks(path: str) -> Iterator[bytes]:
    """Stand in for the content of a folder.

    Raises:
        SourceError: always.
    """
    yield from ()
    raise SourceError("a folder has no lines", path=path)


def unpacked(raw: Iterator[bytes], path: str) -> tuple[str | None, Iterator[bytes]]:
    """Return the compression of a stream, found in its first bytes, and the stream unpacked.

    A pipe is waited for only while its bytes may still become a magic number.

    Raises:
        SourceError: reading fails, or this Python cannot unpack it.
    """
    head = b""
    while (name := compression(head)) is None and _may_become_one(head):
        more = next(raw, None)
        if more is None:
            name = cut_compression(head, compression_by_name(path)) if head else None
            break
        head += more
    return name, unpack(chain([head] if head else [], raw), name)


def _may_become_one(head: bytes) -> bool:
    return len(head) < MAGIC_BYTES and any(magic.startswith(head) for magic in COMPRESSIONS)


def _failure(error: OSError | ValueError, path: str) -> SourceError:
    if isinstance(error, PermissionError):
        return SourceError("permission denied", path=path)
    why = error.strerror if isinstance(error, OSError) else str(error)
    return SourceError(f"cannot be read: {(why or 'unknown error').lower()}", path=path)
