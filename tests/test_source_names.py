"""What names and first bytes say: session names, folder patterns, kinds, sizes."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import zstandard

from repeat_reminder.source import LOG_PATTERNS, open_log, stem
from repeat_reminder.source.names import matcher, shown, size_text


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("x.jsonl", "x"),
        ("logs/x.jsonl.zst", "x"),
        ("x.traj.json", "x"),
        ("x.JSONL.GZ", "x"),
        ("session.v3.jsonl.zstd", "session.v3"),
        ("a.acp.jsonl.zst", "a.acp"),
        ("x.messages.json", "x.messages"),
        ("run-1.2.eval", "run-1.2"),
        ("state.db", "state"),
        ("notes.txt", "notes.txt"),
        ("no-suffix", "no-suffix"),
        (".jsonl", ".jsonl"),
        ("conversations/7f/", "7f"),
        ("-", "stdin"),
    ],
)
def test_stem_drops_known_suffixes_only(path: str, name: str) -> None:
    assert stem(path) == name


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.jsonl", True),
        ("a.ndjson.xz", True),
        ("a.json.bz2", True),
        ("A.JSONL.Zst", True),
        ("a.traj", True),
        ("a.eval", True),
        ("opencode.db", True),
        ("a.jsonl.bak", False),
        ("a.jsonl.gz.gz", False),
        ("a.gz", False),
        ("jsonl", False),
        ("a.md", False),
        ("a\n.jsonl", True),
    ],
)
def test_folder_search_takes_log_names(name: str, *, found: bool) -> None:
    assert matcher(LOG_PATTERNS)(name) is found


def test_no_patterns_match_nothing() -> None:
    assert not matcher([])("")
    assert not matcher([])("a.jsonl")


@pytest.mark.parametrize(
    ("path", "separator", "text"),
    [
        ("logs\\a.jsonl", "\\", "logs/a.jsonl"),
        ("logs/a\\b.jsonl", "/", "logs/a\\b.jsonl"),
    ],
    ids=["windows", "a backslash is a letter elsewhere"],
)
def test_paths_are_shown_with_slashes(path: str, separator: str, text: str) -> None:
    assert shown(path, separator) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (256 << 20, "256 MiB"),
        (64 << 30, "64 GiB"),
        (1 << 40, "1 TiB"),
        (1025, "1,025 bytes"),
        (2048, "2 KiB"),
        (0, "0 bytes"),
    ],
)
def test_sizes_are_spelled_exactly(size: int, text: str) -> None:
    assert size_text(size) == text


JSON = b'{"type":"tool_call","name":"grep","arguments":{}}\n'


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (JSON, "text"),
        (b"", "text"),
        (b"\xef\xbb\xbf" + JSON, "text"),
        (b"<!doctype html>", "text"),
        (b"P", "text"),
        (b"SQLite format", "text"),
        (b"SQLite format 3\x00" + bytes(84), "sqlite"),
        (b"PK\x03\x04\x14\x00", "zip"),
        (b"PK\x05\x06" + bytes(18), "zip"),
        (b"PAR1\x15\x04", "parquet"),
        (b"%PDF-1.7\n", "pdf"),
        (JSON.decode().encode("utf-16"), "utf-16"),
        (JSON.decode().encode("utf-16-le"), "utf-16"),
        (JSON.decode().encode("utf-16-be"), "utf-16"),
        (JSON.decode().encode("utf-32"), "utf-32"),
        (b"dir/a.jsonl".ljust(257, b"\x00") + b"ustar\x0000", "tar"),
        (b"\x00\x01\x02\x03", "binary"),
        (JSON * 2 + bytes(4096), "text"),
        (b"\x04\x22\x4d\x18rest", "lz4"),
    ],
    ids=[
        "json",
        "empty",
        "a byte order mark",
        "html is text",
        "the beginning of a magic number",
        "a magic number that ends too early",
        "sqlite",
        "zip",
        "an empty zip",
        "parquet",
        "pdf",
        "utf-16 with a mark",
        "utf-16 little-endian",
        "utf-16 big-endian",
        "utf-32",
        "tar",
        "zero bytes at once",
        "zero bytes later are a hole in a log",
        "lz4",
    ],
)
def test_kind_is_told_by_content(content: bytes, kind: str) -> None:
    with open_log("-", stdin=BytesIO(content)) as log:
        assert (log.kind, log.compression) == (kind, None)
        assert log.head() == content.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.xz", "a.txt", "a"])
@pytest.mark.parametrize(
    ("pack", "compression"),
    [
        (gzip.compress, "gzip"),
        (zstandard.compress, "zstd"),
        (bz2.compress, "bz2"),
        (lzma.compress, "xz"),
        (bytes, None),
    ],
    ids=["gzip", "zstd", "bz2", "xz", "plain"],
)
def test_magic_bytes_beat_the_suffix(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes], compression: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(pack(JSON))
    with open_log(str(path)) as log:
        assert (log.kind, log.compression, log.file) == ("text", compression, path)
        assert log.text() == JSON


def test_one_compression_inside_another_is_a_kind() -> None:
    with open_log("-", stdin=BytesIO(zstandard.compress(gzip.compress(JSON)))) as log:
        assert (log.kind, log.compression) == ("gzip", "zstd")


def test_a_tar_archive_is_seen_through_its_compression() -> None:
    tar = b"dir/a.jsonl".ljust(257, b"\x00") + b"ustar\x0000"
    with open_log("-", stdin=BytesIO(gzip.compress(tar))) as log:
        assert (log.kind, log.compression) == ("tar", "gzip")
