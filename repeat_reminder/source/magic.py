"""What the first bytes of a file say: how it is compressed, and what is in it."""

from typing import Final

COMPRESSIONS: Final[dict[bytes, str]] = {
    b"\x1f\x8b\x08": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{bytes([first, 0x2A, 0x4D, 0x18]): "zstd" for first in range(0x50, 0x60)},
    **{
        b"BZh%d%b" % (level, block): "bz2"
        for level in range(1, 10)
        for block in (b"1AY&SY", b"\x17rE8P\x90")
    },
    b"\xfd7zXZ\x00": "xz",
}
"""Skippable frames may open a zstd file; bz2 is told from text by its first block."""

KINDS: Final[dict[bytes, str]] = {
    b"SQLite format 3\x00": "sqlite",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"PAR1": "parquet",
    b"%PDF-": "pdf",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"ARROW1": "arrow",
    b"Obj\x01": "avro",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\x04\x22\x4d\x18": "lz4",
    b"\x89PNG": "png",
    b"\x89HDF": "hdf5",
    **COMPRESSIONS,
}
"""Checked in this order. A compression here is one inside another, which is not unpacked."""

BOM: Final = b"\xef\xbb\xbf"
TAR_AT: Final = 257
KIND_BYTES: Final = 512
"""More is not looked at."""
NUL_BYTES: Final = 64
"""A zero byte this early makes data binary. Later ones may be a hole that a crash left in a log."""


def compression(head: bytes) -> str | None:
    """Return the compression whose magic number the bytes begin with."""
    return _named(head, COMPRESSIONS)


def cut_compression(whole: bytes, promised: str | None) -> str | None:
    """Return the compression of a file that ends inside its magic number.

    Args:
        whole: all there is, at least a byte.
        promised: the compression that the file's name promises; it decides for bytes that could
            be text.
    """
    for magic, name in COMPRESSIONS.items():
        if magic.startswith(whole) and (name == promised or not whole.isascii()):
            return name
    return None


def undecided(head: bytes) -> bool:
    """Tell whether the next bytes may complete a magic number. Text is decided at once."""
    magics = (*KINDS, BOM)
    return any(magic.startswith(head) and len(magic) > len(head) for magic in magics)


def kind(head: bytes) -> str:
    """Return what unpacked data is: ``text`` unless its first bytes say otherwise."""
    named = _named(head, KINDS)
    if named is not None:
        return named
    if head[TAR_AT : TAR_AT + 5] == b"ustar":
        return "tar"
    start = head[:NUL_BYTES]
    if b"\x00" not in start:
        return "text"
    even, odd = start[::2], start[1::2]
    return "utf-16" if _only_one_has_letters(even, odd) else "binary"


def _only_one_has_letters(even: bytes, odd: bytes) -> bool:
    """Tell UTF-16 without a mark: of ASCII text every second byte is zero, and no other one."""
    return (not any(odd) and all(even)) or (not any(even) and all(odd))


def _named(head: bytes, table: dict[bytes, str]) -> str | None:
    return next((name for magic, name in table.items() if head.startswith(magic)), None)
