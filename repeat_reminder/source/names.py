"""What file names say: which look like logs, and what a log is called."""

# ruff: noqa: PTH119, PTH122 - pathlib rewrites paths, here they stay as typed

import os
import re
from collections.abc import Callable, Collection
from fnmatch import translate
from typing import Final

STDIN: Final = "-"
"""The path that means standard input."""

LOG_SUFFIXES: Final = (
    ".jsonl", ".ndjson", ".json", ".log", ".traj", ".eval", ".zip", ".db", ".sqlite", ".sqlite3",
)  # fmt: skip

LOG_PATTERNS: Final = tuple(f"*{suffix}" for suffix in LOG_SUFFIXES)
"""What a folder is searched for; each pattern also finds its compressed files."""

COMPRESSION_SUFFIXES: Final = {
    ".gz": "gzip",
    ".zst": "zstd",
    ".zstd": "zstd",
    ".bz2": "bz2",
    ".xz": "xz",
}


def stem(path: str) -> str:
    """Return a file's name without its known suffixes: ``logs/x.traj.json.zst`` is ``x``.

    Other suffixes stay (``x.acp.jsonl`` is ``x.acp``), and so does a name that is all suffix.
    """
    if path == STDIN:
        return "stdin"
    name = os.path.basename(path.rstrip(f"/{os.sep}"))
    known = (*COMPRESSION_SUFFIXES, *LOG_SUFFIXES)
    while True:
        root, suffix = os.path.splitext(name)
        if suffix.lower() not in known:
            return name
        name = root


def compression_by_name(path: str) -> str | None:
    """Return the compression that a file's suffix promises; its content may differ."""
    return COMPRESSION_SUFFIXES.get(os.path.splitext(path)[1].lower())


def matcher(patterns: Collection[str]) -> Callable[[str], bool]:
    """Return a test for file names: one of the patterns fits, with or without a compression.

    Letter case does not matter.
    """
    packed = "|".join(re.escape(suffix) for suffix in COMPRESSION_SUFFIXES)
    fits = re.compile("|".join(translate(pattern.lower()) for pattern in patterns) or r"(?!)")
    unpacked = re.compile(rf"(?:{packed})\Z")

    def matches(name: str) -> bool:
        return fits.match(unpacked.sub("", name.lower())) is not None

    return matches


def shown(path: str, separator: str = os.sep) -> str:
    """Return a path as it is shown and stored: with ``/`` on every system."""
    return path if separator == "/" else path.replace(separator, "/")


def size_text(size: int) -> str:
    """Spell a number of bytes: ``256 MiB`` where that is exact, else ``1,000 bytes``."""
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size and size % (1 << power) == 0:
            return f"{size >> power:,} {unit}"
    return f"{size:,} bytes"
