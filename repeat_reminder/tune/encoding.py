"""What one log came to, as bytes for the cache of run tables, and back.

MessagePack with a type for everything: what does not fit the types is damaged, and nothing that is
read is ever run. A column is its typecode and its numbers as they lie in memory.
"""

from array import array
from typing import Final

import msgspec

from repeat_reminder.errors import FormatError
from repeat_reminder.events import Problem
from repeat_reminder.tune.reading import FileRead
from repeat_reminder.tune.sound import is_sound
from repeat_reminder.tune.table import FileTable

VERSION: Final = 1
"""Of the tables that are stored.

Raise it with every change of what a file comes to: a field of a table or a `Problem` that is added,
dropped, or means something else; a rule of the recorder; the way things are stored. A change in a
reader needs no new version: a release has a new version of the package, and a changed
installation other files (`cache.readers`).
"""
PART: Final = "unreadable-part"
"""Kind of the problem that a log inside a log cannot be read, for whatever reason."""
_TYPECODES: Final = frozenset("BIQd")


class Damaged(Exception):  # noqa: N818 - a state of the data, not of the program
    """Bytes that are none of ours."""


class _Refusal(msgspec.Struct, frozen=True, array_like=True):
    """A `FormatError`."""

    message: str
    path: str | None
    line: int | None
    hint: str | None


class Stored(msgspec.Struct, frozen=True, array_like=True):
    """A `FileRead` as it is stored."""

    table: FileTable | None
    problems: tuple[Problem, ...]
    refusal: _Refusal | None


def encode(read: FileRead) -> bytes | None:
    """Return what a file came to as bytes.

    Returns:
        None for what is not kept: a log, or a part of one, that could not be read and may be
        readable tomorrow though the file stays as it is; text that is no Unicode (half of a
        surrogate pair); and numbers of more than 64 bits.
    """
    if any(problem.kind == PART for problem in read.problems):
        return None
    error, refusal = read.error, None
    if isinstance(error, FormatError):
        refusal = _Refusal(error.message, error.path, error.line, error.hint)
    elif error is not None or read.table is None:
        return None
    try:
        return _ENCODER.encode(Stored(read.table, read.problems, refusal))
    except (UnicodeEncodeError, OverflowError):
        return None


def decode(data: bytes) -> FileRead:
    """Return what a file came to.

    Raises:
        Damaged: these bytes were not made by `encode`.
    """
    try:
        stored = _DECODER.decode(data)
    except (msgspec.MsgspecError, ValueError) as fault:
        raise Damaged(str(fault)) from fault
    error = None
    if stored.refusal is not None:
        told = stored.refusal
        error = FormatError(told.message, path=told.path, line=told.line, hint=told.hint)
    if (stored.table is None) != (error is not None):
        raise Damaged("neither a table nor an error")
    if stored.table is not None and not all(map(is_sound, stored.table.sessions)):
        raise Damaged("the columns of a table do not go together")
    return FileRead(stored.table, stored.problems, error)


def _packed(value: object) -> bytes:
    if not isinstance(value, array):
        raise NotImplementedError(type(value).__name__)
    return value.typecode.encode() + value.tobytes()


def _unpacked(kind: type, data: object) -> object:
    """Make a column; other types than columns do not come here."""
    code = chr(data[0]) if isinstance(data, bytes) and data else ""
    if kind is not array or not isinstance(data, bytes) or code not in _TYPECODES:
        raise ValueError("no column")
    return array(code, data[1:])


_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_packed)
_DECODER: Final = msgspec.msgpack.Decoder(Stored, dec_hook=_unpacked)
