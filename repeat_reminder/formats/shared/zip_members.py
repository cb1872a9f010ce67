"""Reading members of a zip archive, also those packed with zstd, which zipfile alone cannot."""

import io
import zlib
from typing import TYPE_CHECKING, Final

from repeat_reminder.source.log import DEFAULT_LIMITS

if TYPE_CHECKING:
    import zipfile

ZSTD: Final = 93
"""The method's number in the ZIP format (APPNOTE 4.4.5)."""
LOCAL_HEADER: Final = 30
"""Bytes before the name; the lengths of name and extra field are its last four."""
MOST: Final = DEFAULT_LIMITS.max_document_bytes


class MemberError(Exception):
    """A member that cannot be read: damaged, encrypted, or too large."""


def read_member(archive: "zipfile.ZipFile", name: str, most: int = MOST) -> bytes:
    """Unpack one member; of several with the name it is the last one written.

    Raises:
        MemberError: it cannot be unpacked, or is larger than ``most`` bytes.
    """
    try:
        info = archive.getinfo(name)
        if info.compress_type == ZSTD:
            data = _unpacked_zstd(archive, info, most)
        else:
            with archive.open(info) as member:
                data = member.read(most + 1)
    except MemberError:
        raise
    except Exception as error:  # damage makes zipfile raise whatever it meets
        raise MemberError(str(error) or "it ends too early") from error
    if len(data) > most:
        raise MemberError(f"it is larger than {most:,} bytes")
    return data


def _unpacked_zstd(archive: "zipfile.ZipFile", info: "zipfile.ZipInfo", most: int) -> bytes:
    """Unpack by hand. A large member is several frames."""
    import zstandard  # noqa: PLC0415 - few members are packed so

    packed = io.BytesIO(_packed(archive, info))
    unpacker = zstandard.ZstdDecompressor()
    try:
        data = unpacker.stream_reader(packed, read_across_frames=True).read(most + 1)
    except zstandard.ZstdError as error:
        raise MemberError(str(error)) from error
    if len(data) <= most and zlib.crc32(data) != info.CRC:
        raise MemberError("its checksum is wrong")
    return data


def _packed(archive: "zipfile.ZipFile", info: "zipfile.ZipInfo") -> bytes:
    file = archive.fp
    if file is None:
        raise MemberError("the archive is closed")
    file.seek(info.header_offset)
    header = file.read(LOCAL_HEADER)
    name, extra = int.from_bytes(header[-4:-2], "little"), int.from_bytes(header[-2:], "little")
    file.seek(info.header_offset + LOCAL_HEADER + name + extra)
    return file.read(info.compress_size)
