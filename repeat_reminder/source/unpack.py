"""Decompression as a stream of chunks: every whole byte before a fault, then the fault."""

import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

from repeat_reminder.errors import SourceError
from repeat_reminder.source.damage import corrupt, torn, trailing

CHUNK: Final = 1 << 18
"""Bytes per read and, at most, per piece of a gzip, bz2 or xz stream."""
XZ_MEMORY: Final = 1 << 28
"""``xz -9`` needs a quarter of this; a hostile file could ask for 4 GiB."""


def unpack(raw: Iterator[bytes], compression: str | None) -> Iterator[bytes]:
    """Unpack a stream as it comes: what can be unpacked is never held back.

    Args:
        raw: non-empty pieces as read.
        compression: a name of `magic.COMPRESSIONS`, or None for data that is not packed.

    Raises:
        UnpackError: the data is cut off or damaged; everything before that was yielded.
        SourceError: this Python lacks the module.
    """
    if compression is None:
        return raw
    if compression == "zstd":
        from repeat_reminder.source.zstd import (  # noqa: PLC0415 - few logs need the library
            zstd_chunks,
        )

        return zstd_chunks(raw)
    try:
        return _members(raw, compression, _codec(compression))
    except ImportError as error:
        raise SourceError(f"this Python was built without {error.name}") from error


class _Decoder(Protocol):
    """What decompressors of one stream have in common."""

    @property
    def eof(self) -> bool:
        """The stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Nothing more comes out without more data."""

    @property
    def unused_data(self) -> bytes:
        """What follows the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Take in ``data`` and give at most ``max_length`` bytes; the rest comes next time."""


class _Codec(NamedTuple):
    """How one compression is unpacked."""

    decoder: Callable[[], _Decoder]
    faults: tuple[type[Exception], ...]
    magic: bytes


def _codec(compression: str) -> _Codec:
    if compression == "gzip":
        return _Codec(_Gzip, (zlib.error,), b"\x1f\x8b")
    if compression == "bz2":
        import bz2  # noqa: PLC0415 - few logs need it, and some Pythons lack it

        return _Codec(bz2.BZ2Decompressor, (OSError, ValueError), b"BZh")
    import lzma  # noqa: PLC0415 - the same

    def decoder() -> _Decoder:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)

    return _Codec(decoder, (lzma.LZMAError,), b"\xfd7zXZ\x00")


def _members(raw: Iterator[bytes], name: str, codec: _Codec) -> Iterator[bytes]:
    """Unpack streams that stand one after the other, as ``cat a.gz b.gz`` makes them.

    Zero bytes between and after them are padding.
    """
    decoder: _Decoder | None = None
    for piece in raw:
        data = piece
        while decoder is not None or (data := data.lstrip(b"\x00")):
            if decoder is None:
                if not codec.magic.startswith(data[: len(codec.magic)]):
                    raise trailing(name)
                decoder = codec.decoder()
            try:
                output = decoder.decompress(data, CHUNK)
            except codec.faults as error:
                raise corrupt(name, str(error)) from error
            if output:
                yield output
            data = b""
            if decoder.eof:
                data, decoder = decoder.unused_data, None
            elif decoder.needs_input:
                break
    if decoder is not None:
        raise torn(name)


class _Gzip:
    """One gzip stream. Unlike ``zlib`` alone it gives what stands before a fault."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._fault: zlib.error | None = None
        self._full = False

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        return self._fault is None and not self._full and not self._inflate.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Give what can be given; the fault is raised by the next call.

        Raises:
            zlib.error: the data is damaged.
        """
        if self._fault is not None:
            raise self._fault
        data = self._inflate.unconsumed_tail + data
        before = self._inflate.copy()
        try:
            output = self._inflate.decompress(data, max_length)
        except zlib.error as error:
            self._fault = error
            return _salvage(before, data)
        self._full = len(output) == max_length
        return output


def _salvage(inflate: "zlib._Decompress", data: bytes) -> bytes:
    """Unpack as much of damaged data as possible, by halving what is taken in.

    ``zlib`` drops all it unpacked in the call that meets the fault.
    """
    output = b""
    step = len(data)
    while step:
        trial = inflate.copy()
        try:
            output += trial.decompress(data[:step])
        except zlib.error:
            step //= 2
        else:
            inflate, data = trial, data[step:]
            step = min(step, len(data))
    return output
