"""The ``data`` column of DSH's database: JSON text, or from some size on a zstd frame of it."""

import io
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Json
from repeat_reminder.source.log import DEFAULT_LIMITS

MAGIC: Final = b"\x28\xb5\x2f\xfd"
MOST: Final = DEFAULT_LIMITS.max_document_bytes
"""A few bytes may unpack to any size: more than this is not held."""


DEPTH: Final = jsontext.MAX_DEPTH + 16
"""Arguments in it may be a few levels down."""


class DataError(Exception):
    """A column that holds no JSON; says why."""


def event_data(stored: bytes | str | float | None, most: int = MOST) -> Json:
    """Read an event's data, with the sign of every ``-0`` kept.

    Raises:
        DataError: it cannot be unpacked, is larger than ``most`` bytes, or is not JSON.
    """
    if isinstance(stored, bytes) and stored.startswith(MAGIC):
        stored = _unpacked(stored, most)
    if not isinstance(stored, bytes | str):
        raise DataError("its data is no text")
    try:
        return jsontext.loads_exact(stored, max_depth=DEPTH)
    except jsontext.NotJson as error:
        raise DataError(f"its data is not valid JSON: {error.reason}") from error


def _unpacked(frame: bytes, most: int) -> bytes:
    import zstandard  # noqa: PLC0415 - only large rows are packed

    try:
        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(frame))
        data = reader.read(most + 1)
    except zstandard.ZstdError as error:
        raise DataError(f"its data cannot be unpacked: {error}") from error
    if len(data) > most:
        raise DataError(f"its data is larger than {most:,} bytes")
    return data
