"""Compressed logs: the same lines, and of broken ones every whole line."""

import bz2
import gzip
import lzma
import os
import random
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from repeat_reminder.errors import SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.source import Limits, Log, open_log, unpack

Pack: TypeAlias = Callable[[bytes], bytes]


def zstd_checked(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def zstd_streamed(data: bytes) -> bytes:
    """One frame of many blocks, without a size in its header."""
    packer = zstandard.ZstdCompressor().compressobj()
    blocks = [
        packer.compress(data[at : at + 40]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for at in range(0, len(data), 40)
    ]
    return b"".join(blocks) + packer.flush()


PACKS: dict[str, Pack] = {
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "zstd with checksum": zstd_checked,
    "zstd in blocks": zstd_streamed,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
packs = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)

NOISE = random.Random(7)  # noqa: S311 - test data
LINES = [b'{"n":%d,"x":"%s"}' % (n, NOISE.randbytes(9).hex().encode()) for n in range(60)]
CONTENT = b"\n".join([*LINES, b""])
FRAMES = [zstd_checked(line + b"\n") for line in LINES]


NO_FILE = os.open(os.devnull, os.O_RDONLY)


class Pieces(BytesIO):
    """A pipe that gives its content in pieces of its own choice."""

    def __init__(self, pieces: list[bytes]) -> None:
        """Take what to give."""
        super().__init__()
        self._pieces: Iterator[bytes] = filter(None, pieces)

    def fileno(self) -> int:
        """Look like something that is not all there."""
        return NO_FILE

    def read1(self, size: int | None = -1, /) -> bytes:
        """Give the next piece, whatever size is asked for."""
        del size
        return next(self._pieces, b"")


def opened(data: bytes, piece: int | None = None) -> Log:
    """Open packed bytes as a stream, in pieces of one size."""
    size = piece or len(data) or 1
    return open_log("-", stdin=Pieces([data[at : at + size] for at in range(0, len(data), size)]))


def read(data: bytes, piece: int | None = None) -> tuple[list[bytes], list[Problem]]:
    problems: list[Problem] = []
    with opened(data, piece) as log:
        return [line for _, line in log.lines(problems.append)], problems


@packs
@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_packed_lines_are_the_lines(pack: Pack, piece: int) -> None:
    assert read(pack(CONTENT), piece) == (LINES, [])


@packs
@pytest.mark.parametrize("piece", [1, 5, 4096])
def test_streams_one_after_the_other_are_one_log(pack: Pack, piece: int) -> None:
    parts = [pack(CONTENT[at : at + 100]) for at in range(0, len(CONTENT), 100)]
    assert read(b"".join([pack(b""), *parts[:5], pack(b""), *parts[5:]]), piece) == (LINES, [])


@packs
def test_an_empty_stream_is_an_empty_log(pack: Pack) -> None:
    assert read(pack(b"")) == ([], [])


@given(
    parts=st.lists(st.sampled_from([b"a", b"{}\n", b"\r\n", b"\n", b"\xe2\x80\xa8"]), max_size=30),
    sizes=st.lists(st.integers(0, 6), max_size=6),
    pack=st.sampled_from(list(PACKS.values())),
    piece=st.integers(1, 50),
)
def test_lines_do_not_depend_on_streams_and_pieces(
    parts: list[bytes], sizes: list[int], pack: Pack, piece: int
) -> None:
    content, packed = b"".join(parts), b""
    rest = parts
    for size in sizes:
        packed += pack(b"".join(rest[:size]))
        rest = rest[size:]
    packed += pack(b"".join(rest))
    with open_log("-", stdin=BytesIO(content)) as plain, opened(packed, piece) as log:
        expected = list(plain.lines(lambda _: None))
        assert list(log.lines(lambda problem: pytest.fail(problem.message))) == expected
        assert log.ended_with_newline == plain.ended_with_newline
        assert log.line_count == plain.line_count


@packs
def test_a_log_cut_anywhere_gives_its_first_lines(pack: Pack) -> None:
    half = CONTENT.index(b"\n", 1000) + 1
    first, second = pack(CONTENT[:half]), pack(CONTENT[half:])
    whole = first + second
    for end in range(10, len(whole)):
        lines, problems = read(whole[:end])
        assert lines == LINES[: len(lines)]
        if end >= len(first):
            assert len(lines) >= CONTENT[:half].count(b"\n")
        torn = [] if end == len(first) else [("torn", Severity.WARNING)]
        assert [(p.kind, p.severity) for p in problems] == torn


def test_a_cut_block_gives_the_blocks_before_it() -> None:
    packed = zstd_streamed(CONTENT)
    counts = [len(read(packed[:end])[0]) for end in range(10, len(packed))]
    assert counts == sorted(counts)
    assert len(set(counts)) > 50


@pytest.mark.parametrize(
    ("name", "data", "compression"),
    [
        ("a.jsonl.zst", b"\x28", "zstd"),
        ("a.jsonl", b"\x28\xb5\x2f", "zstd"),
        ("a.jsonl.gz", b"\x1f", "gzip"),
        ("a.jsonl", b"\x1f\x8b", "gzip"),
        ("a.jsonl.bz2", b"BZh9", "bz2"),
        ("a.jsonl", b"BZh9", None),
        ("a.jsonl.xz", b"\xfd7z", "xz"),
        ("a.jsonl.zst", b"BZh9", None),
        ("a.jsonl.zst", b"", None),
        ("a.jsonl", b"(", None),
    ],
    ids=[
        "the suffix decides for what could be text",
        "bytes that are no text",
        "gzip, one byte",
        "gzip, two bytes",
        "bz2 by suffix",
        "bz2 could be text",
        "xz",
        "another suffix",
        "empty",
        "text",
    ],
)
def test_a_file_cut_in_its_magic_number(
    tmp_path: Path, name: str, data: bytes, compression: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    problems: list[Problem] = []
    with open_log(str(path)) as log:
        assert log.compression == compression
        lines = list(log.lines(problems.append))
    assert lines == ([] if compression or not data else [(1, data)])
    assert [p.kind for p in problems] == (["torn"] if compression else [])


@given(data=st.data(), pack=st.sampled_from(list(PACKS.values())))
@settings(max_examples=300)
def test_damage_never_invents_a_line_in_silence(data: st.DataObject, pack: Pack) -> None:
    packed = bytearray(pack(CONTENT))
    at = data.draw(st.integers(10, len(packed) - 1))
    packed[at] ^= data.draw(st.integers(1, 255))
    lines, problems = read(bytes(packed))
    assert lines == LINES or problems or pack is zstandard.compress or pack is zstd_streamed
    assert all(p.kind in {"torn", "corrupt", "trailing-data"} for p in problems)
    assert len(problems) <= 1


def test_what_is_said_of_torn_data() -> None:
    whole = zstandard.compress(CONTENT)
    problems = read(whole + zstandard.compress(b"x" * 99)[:-3])[1]
    assert problems == [
        Problem(
            path="-",
            line=60,
            severity=Severity.WARNING,
            kind="torn",
            message="the zstd data is cut off",
            hint=(
                "the writer was still running or was killed; the 60 whole lines before it are kept"
            ),
        )
    ]


def test_what_is_said_of_a_line_cut_in_torn_data() -> None:
    packed = zstd_streamed(CONTENT)
    lines, problems = read(packed[:-20])
    assert len(lines) > 50
    (problem,) = problems
    assert problem.line == len(lines) + 1
    assert problem.skipped
    assert problem.message == (
        f"the zstd data is cut off; line {len(lines) + 1} is incomplete and was left out"
    )


@packs
def test_torn_before_the_first_line_has_no_line(pack: Pack) -> None:
    lines, (problem,) = read(pack(CONTENT)[:12])
    assert (lines, problem.kind) == ([], "torn")
    with (
        opened(pack(CONTENT)[:12]) as log,
        pytest.raises(SourceError, match="before its first line"),
    ):
        log.peek(5)


@pytest.mark.parametrize(
    "tail", [b"not compressed\n", b"{}", CONTENT], ids=["text", "short text", "the log itself"]
)
@packs
def test_other_data_behind_the_end_is_told(pack: Pack, tail: bytes) -> None:
    lines, problems = read(pack(CONTENT[:-1]) + tail)
    assert lines == LINES
    assert [(p.kind, p.severity) for p in problems] == [("trailing-data", Severity.WARNING)]


@pytest.mark.parametrize(
    ("pack", "kinds"),
    [
        (gzip.compress, []),
        (bz2.compress, []),
        (lzma.compress, []),
        (zstandard.compress, ["torn"]),
    ],
    ids=["gzip pads", "bz2", "xz pads", "zstd does not: a power cut"],
)
@pytest.mark.parametrize("zeros", [1, 4, 512])
def test_zero_bytes_behind_the_end(pack: Pack, kinds: list[str], zeros: int) -> None:
    lines, problems = read(pack(CONTENT) + bytes(zeros))
    assert (lines, [p.kind for p in problems]) == (LINES, kinds)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (flipped(gzip.compress(CONTENT), -8), 60),
        (gzip.compress(CONTENT) + flipped(gzip.compress(CONTENT), 3), 60),
        (flipped(zstd_checked(CONTENT), -1), 0),
        (zstd_checked(CONTENT) + flipped(zstd_checked(CONTENT), -1), 60),
        (b"".join([*FRAMES[:9], flipped(FRAMES[9], -1), *FRAMES[10:]]), 9),
        (bz2.compress(CONTENT) + flipped(bz2.compress(CONTENT), 30), 60),
        (lzma.compress(CONTENT) + flipped(lzma.compress(CONTENT), 90), 60),
        (b"\x1f\x8b\x08nonsense that is no gzip", 0),
        (b"\x28\xb5\x2f\xfdnonsense that is no zstd", 0),
    ],
    ids=[
        "gzip: a wrong checksum costs nothing",
        "gzip: the second stream",
        "zstd: a wrong checksum costs its last block",
        "zstd: the second frame",
        "zstd: one of many frames",
        "bz2: the second stream",
        "xz: the second stream",
        "gzip in name only",
        "zstd in name only",
    ],
)
def test_damaged_data_gives_what_stands_before(data: bytes, kept: int) -> None:
    lines, problems = read(data)
    assert lines == LINES[:kept]
    assert [(p.kind, p.severity) for p in problems] == [("corrupt", Severity.ERROR)]
    assert f"the {kept} whole lines before it are kept" in (problems[0].hint or "")


def test_gzip_gives_all_before_the_damaged_byte() -> None:
    packed = gzip.compress(CONTENT)
    for at in range(60, len(packed) - 8, 11):
        cut = len(read(packed[:at])[0])
        assert len(read(flipped(packed, at))[0]) >= cut


def test_gzip_gives_all_that_can_be_unpacked() -> None:
    packed = gzip.compress(b"ab\n" * 200_000)
    # Near 284 a chunk is full while all that was read has been taken in.
    for end in (*range(20, len(packed) - 8, 50), *range(280, 290)):
        whole = zlib.decompressobj(31).decompress(packed[:end]).count(b"\n")
        assert len(read(packed[:end])[0]) == whole


def test_xz_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "XZ_MEMORY", 1 << 16)
    lines, problems = read(lzma.compress(CONTENT))
    assert lines == []
    assert [p.message for p in problems] == [
        "the xz data cannot be unpacked: memory usage limit exceeded"
    ]


def test_a_zstd_window_that_takes_too_much_memory_is_said() -> None:
    packer = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=29, compression_level=1)
    ).compressobj()
    lines, problems = read(packer.compress(CONTENT) + packer.flush())
    assert lines == []
    assert [p.message for p in problems] == [
        "the zstd data cannot be unpacked: frame requires too much memory for decoding"
    ]


def test_a_torn_line_is_never_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(zstd_streamed(CONTENT)[:-20])
    with open_log(str(path)) as log:
        whole = log.peek(99)
        assert whole == LINES[: len(whole)]
        assert not log.text().endswith(b"\n")
        assert log.peek(99, max_bytes=10) == whole


def test_whole_documents_tell_of_damage() -> None:
    problems: list[Problem] = []
    with opened(zstd_streamed(CONTENT)[:-20]) as log:
        look = log.text()
        assert log.damage is not None
        assert log.text(problems.append) == look
    assert CONTENT.startswith(look)
    assert [p.kind for p in problems] == ["torn"]


def skippable(size: int, number: int = 0) -> bytes:
    return struct.pack("<II", 0x184D2A50 + number, size) + bytes(size)


@pytest.mark.parametrize("piece", [1, 3, 4096])
def test_zstd_frames_without_content_are_passed_over(piece: int) -> None:
    half = CONTENT.index(b"\n", 500) + 1
    frames = [skippable(700), zstandard.compress(CONTENT[:half]), skippable(0, 15)]
    data = b"".join([*frames, zstandard.compress(CONTENT[half:]), skippable(3, 7)])
    assert read(data, piece) == (LINES, [])
    assert read(data[:-1], piece)[0] == LINES
    assert [p.kind for p in read(data[:-1], piece)[1]] == ["torn"]
    assert [p.kind for p in read(data[:-9], piece)[1]] == ["torn"]


def test_a_frame_of_many_kinds_of_blocks() -> None:
    """Raw, run-length and compressed blocks, more than one buffer of each."""
    content = b"\n".join(
        [NOISE.randbytes(400_000).replace(b"\n", b"."), b"x" * 600_000, CONTENT * 300, b""]
    )
    lines = content.split(b"\n")[:-1]
    assert read(zstd_checked(content)) == ([line for line in lines if line], [])


BOMB = 1 << 27


def zeros_zstd(size: int) -> bytes:
    """Frames that unpack to zeros, 128 KiB for every 4 bytes of file."""
    blocks = size >> 17
    head = b"\x28\xb5\x2f\xfd\x00\x58"
    block = struct.pack("<I", (1 << 17 << 3) | 2)[:3] + b"0"
    last = struct.pack("<I", (1 << 17 << 3) | 3)[:3] + b"0"
    return head + block * (blocks - 1) + last


@pytest.mark.parametrize(
    "bomb",
    [
        gzip.compress(b"0" * BOMB, 9),
        zeros_zstd(BOMB),
        bz2.compress(b"0" * BOMB),
        lzma.compress(b"0" * BOMB, preset=0),
    ],
    ids=["gzip", "zstd", "bz2", "xz"],
)
def test_a_bomb_ends_at_the_limit_in_bounded_memory(bomb: bytes) -> None:
    limits = Limits(max_bytes=BOMB - 1, max_line_bytes=1 << 20)
    problems: list[Problem] = []
    tracemalloc.start()
    try:
        with (
            open_log("-", stdin=BytesIO(bomb), limits=limits) as log,
            pytest.raises(SourceError, match="more than 134,217,727 bytes") as caught,
        ):
            list(log.lines(problems.append))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.hint == "--max-bytes raises the limit"
    assert peak < 16 << 20
    assert [p.kind for p in problems] == ["long-line"]


def test_a_missing_module_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bz2", None)
    packed = bz2.compress(CONTENT)
    with pytest.raises(SourceError, match="this Python was built without bz2"):
        open_log("-", stdin=BytesIO(packed))
