"""By what a file is known again: size, time of change, and a digest of its head and tail."""

import os
import stat
from hashlib import blake2b
from typing import Final, NamedTuple

ENDS: Final = 2 << 10
"""Bytes that are looked at, at the beginning and at the end."""
_BLOCK: Final = 1 << 20
_DATABASE: Final = b"SQLite format 3\0"
_NOT_TEXT: Final = getattr(os, "O_BINARY", 0)


class Stamp(NamedTuple):
    """Equal stamps mean the same content; without `whole`, almost certainly."""

    ends: bytes
    whole: bytes | None


def stamp_of(path: str, *, whole: bool = False) -> Stamp | None:
    """Look at a file.

    Args:
        path: the file; links are followed.
        whole: read all of it, so that nothing can have changed in between.

    Returns:
        None if it cannot be known again by itself: standard input, pipes, folders; databases,
        whose newest records may stand in a file beside them; what cannot be read.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - called for each of thousands
            return None
        file = os.open(path, os.O_RDONLY | _NOT_TEXT)
    except (OSError, ValueError):
        return None
    try:
        return _stamp(file, whole=whole)
    except OSError:
        return None
    finally:
        os.close(file)


def _stamp(file: int, *, whole: bool) -> Stamp | None:
    status = os.fstat(file)
    head = os.read(file, ENDS)
    if head.startswith(_DATABASE):
        return None
    ends = blake2b(b"%d %d " % (status.st_size, status.st_mtime_ns), digest_size=16)
    ends.update(head)
    if status.st_size > ENDS:
        os.lseek(file, max(ENDS, status.st_size - ENDS), os.SEEK_SET)
        ends.update(os.read(file, ENDS))
    return Stamp(ends.digest(), _all_of(file) if whole else None)


def _all_of(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    content = blake2b(digest_size=16)
    while block := os.read(file, _BLOCK):
        content.update(block)
    return content.digest()
