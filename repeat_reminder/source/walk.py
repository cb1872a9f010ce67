"""Walking folders and globs: hidden entries are skipped, symbolic links cannot loop."""

# ruff: noqa: PTH112, PTH118, PTH207 - pathlib rewrites paths, here they stay as typed

import glob
import os
from collections.abc import Callable, Iterator
from typing import TypeAlias

Entries: TypeAlias = "list[os.DirEntry[str]]"
Failed: TypeAlias = Callable[[str, OSError], None]
"""Is told of a folder that cannot be listed, and why."""


def folders(
    root: str, failed: Failed, is_leaf: Callable[[str], bool]
) -> Iterator[tuple[str, Entries]]:
    """Yield a folder and all below it, each once, with its visible entries.

    Args:
        root: the folder as named; it may itself be hidden.
        failed: called for a folder that cannot be listed; the others go on.
        is_leaf: True for a folder that is one thing as a whole: yielded without entries.
    """
    seen: set[str] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            real = os.path.realpath(folder)
        except OSError as error:  # we stand in a folder that was deleted
            failed(folder, error)
            continue
        if real in seen:
            continue
        seen.add(real)
        entries = [] if is_leaf(folder) else _entries(folder, failed)
        yield folder, entries
        waiting += [entry.path for entry in reversed(entries) if is_folder(entry)]


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder or a link to one; a link to itself is none."""
    return os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir()


def _entries(folder: str, failed: Failed) -> Entries:
    try:
        with os.scandir(folder) as found:
            visible = [entry for entry in found if not entry.name.startswith(".")]
    except OSError as error:
        failed(folder, error)
        return []
    return sorted(visible, key=lambda entry: entry.name)


def expand(pattern: str, failed: Failed) -> Iterator[str]:
    """Yield the paths that a glob matches, sorted; ``**`` stands for any depth of folders.

    The standard ``**`` follows links that loop, and with two of them takes for ever, so the
    folders of a ``**`` are walked here. A ``**`` at the end stands for the folder before it.
    """
    parts = pattern.replace(os.sep, "/").split("/")
    if "**" not in parts:
        yield from (f"./{path}" if path == "-" else path for path in sorted(glob.glob(pattern)))
        return
    deep = parts.index("**")
    above, below = "/".join(parts[:deep]), [part for part in parts[deep + 1 :] if part != "**"]
    for start in _starts(above or "/" * bool(deep)):
        if not below:
            yield start
            continue
        for folder, _ in folders(start, failed, lambda _: False):
            inside = folder if above or deep else folder.removeprefix(".").removeprefix("/")
            yield from expand(os.path.join(glob.escape(inside), *below), failed)


def _starts(above: str) -> list[str]:
    """Return the folders in which a ``**`` begins."""
    return [path for path in sorted(glob.glob(above)) if os.path.isdir(path)] if above else ["."]
