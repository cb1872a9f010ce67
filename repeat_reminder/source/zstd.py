"""Zstandard: frames one after the other, unpacked block by block.

Logs that grow are many frames: each write appends one. The library alone would stop at the first
fault without handing out what it had, and cannot tell a stream that ends from one that is cut;
following the frames' blocks (RFC 8878, section 3.1.1) gives both, and bounds the memory: a block
holds at most 128 KiB.
"""

from collections.abc import Iterator
from typing import Final

from zstandard import ZstdDecompressor, ZstdError, frame_header_size

from repeat_reminder.source.damage import corrupt, torn, trailing, zeroed
from repeat_reminder.source.magic import compression, cut_compression

NAME: Final = "zstd"
MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""Other magic numbers of zstd open a frame without content."""
HEAD: Final = 5
"""Magic number and descriptor: these tell how long the frame's header is."""
CHECKSUM_FLAG: Final = 4
CHECKSUM: Final = 4
LAST: Final = 1
"""Marks the last block of a frame."""
RLE: Final = 1
"""A block of this type is one byte, whatever size it unpacks to."""
TOGETHER: Final = 1 << 14
"""Bytes of small frames that are unpacked together."""
MOST_TOGETHER: Final = 64
"""Frames that are unpacked together: never more than 8 MiB come out."""


def zstd_chunks(raw: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack zstd frames, every block as soon as it is complete.

    Raises:
        UnpackError: the data is cut off or damaged; everything before that was yielded.
    """
    decompressor = ZstdDecompressor()
    intake = _Intake(raw)
    framed = False
    while intake.has(1):
        intake.has(len(MAGIC))
        opening = intake.peek(len(MAGIC))
        if opening == MAGIC:
            together = _small_frames(intake, decompressor)
            if together is None:
                yield from _frame(intake, decompressor)
            elif together:
                yield together
        elif compression(opening) == NAME:
            _skip(intake)
        elif not any(opening):
            raise zeroed(NAME)
        elif cut_compression(opening, NAME) == NAME:
            raise torn(NAME)
        else:
            raise trailing(NAME) if framed else corrupt(NAME, "unknown frame")
        framed = True


def _small_frames(intake: "_Intake", decompressor: ZstdDecompressor) -> bytes | None:
    """Unpack small frames that have come in one call; None if there are none, or one is damaged.

    Logs are full of them, and this is twice as fast as one by one.
    """
    packed = intake.peek(TOGETHER)
    end = _end_of_small_frames(packed)
    if not end:
        return None
    try:
        output = decompressor.decompressobj(read_across_frames=True).decompress(packed[:end])
    except ZstdError:
        return None  # block by block, what stands before the fault is not lost
    intake.take(end)
    return output


def _end_of_small_frames(packed: bytes) -> int:
    """Return where the last of the frames of one block ends that are here as a whole."""
    end = 0
    for _ in range(MOST_TOGETHER):
        head = packed[end : end + HEAD]
        if len(head) < HEAD or not head.startswith(MAGIC):
            break
        at = end + frame_header_size(head)
        block = int.from_bytes(packed[at : at + 3], "little")
        at += 3 + _body(block) + (CHECKSUM if head[-1] & CHECKSUM_FLAG else 0)
        if not block & LAST or at > len(packed):
            break
        end = at
    return end


def _body(block: int) -> int:
    """Return how many bytes follow a block's header."""
    return 1 if block >> 1 & 3 == RLE else block >> 3


def _frame(intake: "_Intake", decompressor: ZstdDecompressor) -> Iterator[bytes]:
    if not intake.has(HEAD):
        raise torn(NAME)
    head = intake.peek(HEAD)
    checksum = CHECKSUM if head[-1] & CHECKSUM_FLAG else 0
    decoder = decompressor.decompressobj()
    size, last = frame_header_size(head), False
    while not last:
        intake.has(size + 3)
        block = int.from_bytes(intake.peek(3, size), "little")
        last = bool(block & LAST)
        size += 3 + _body(block) + (checksum if last else 0)
        whole = intake.has(size)
        try:
            output = decoder.decompress(intake.take(size))
        except ZstdError as error:
            raise corrupt(NAME, str(error)) from error
        if output:
            yield output
        if not whole:
            raise torn(NAME)
        size = 0


def _skip(intake: "_Intake") -> None:
    """Pass over a frame without content; it may be longer than what fits in memory."""
    if not intake.has(8):
        raise torn(NAME)
    left = int.from_bytes(intake.take(8)[4:], "little")
    while left:
        if not intake.has(1):
            raise torn(NAME)
        left -= len(intake.take(left))


class _Intake:
    """The compressed bytes that have come but are not used yet."""

    def __init__(self, raw: Iterator[bytes]) -> None:
        self._raw = raw
        self._data = b""
        self._at = 0

    def has(self, size: int) -> bool:
        """Read on until ``size`` bytes are there; False if the data ends before."""
        while len(self._data) - self._at < size:
            more = next(self._raw, None)
            if more is None:
                return False
            self._data = self._data[self._at :] + more
            self._at = 0
        return True

    def peek(self, size: int, offset: int = 0) -> bytes:
        """Return bytes that are there, without using them; fewer at the end."""
        start = self._at + offset
        return self._data[start : start + size]

    def take(self, size: int) -> bytes:
        """Use up bytes that are there; fewer at the end."""
        taken = self._data[self._at : self._at + size]
        self._at += len(taken)
        return taken
