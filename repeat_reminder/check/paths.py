"""Paths as they stay as typed, and what is in folders."""

# ruff: noqa: PTH110, PTH112, PTH118, PTH119, PTH120, PTH208 - pathlib rewrites paths, here they stay as typed

import os

from repeat_reminder.check.names import SNAPSHOT_SUFFIX
from repeat_reminder.errors import SourceError
from repeat_reminder.source import stem
from repeat_reminder.source.names import shown


def name_of(path: str) -> str:
    """Return a file's name without known suffixes, a folder's as it is."""
    path = path.rstrip(f"/{os.sep}")
    return os.path.basename(path) if os.path.isdir(path) else stem(path)


def snapshot_names(folder: str) -> list[str]:
    """List the names that the snapshots of a folder have; none if there is no such folder.

    They are read from the folder itself, so that letter case counts on every file system.

    Raises:
        SourceError: the folder cannot be listed.
    """
    if not os.path.exists(folder):
        return []
    try:
        with os.scandir(folder) as entries:
            files = [one.name for one in entries if _is_snapshot(one.name) and one.is_file()]
    except OSError as error:
        raise _unlistable(folder, error) from error
    return sorted(name.removesuffix(SNAPSHOT_SUFFIX) for name in files)


def _is_snapshot(name: str) -> bool:
    return name.endswith(SNAPSHOT_SUFFIX) and not name.startswith(".")


def entries_of(folder: str) -> list[str]:
    """List what is visible in a folder, sorted.

    Raises:
        SourceError: it cannot be listed.
    """
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise _unlistable(folder, error) from error


def _unlistable(folder: str, error: OSError) -> SourceError:
    return SourceError((error.strerror or "cannot be listed").lower(), path=shown(folder))


def parent_of(folder: str) -> str:
    """Return the folder beside whose entries a folder stands."""
    if os.path.basename(folder) in ("", ".", ".."):
        return from_here(os.path.dirname(os.path.realpath(folder)))
    return os.path.dirname(folder) or "."


def join(folder: str, name: str) -> str:
    """Name an entry of a folder, with ``/`` on every system."""
    return shown(name if folder in ("", ".") else os.path.join(folder, name))


def from_here(folder: str) -> str:
    """Spell a folder relative to the current one where that is possible and not longer."""
    try:
        relative = os.path.relpath(folder)
    except ValueError:  # another drive
        return folder
    return min(relative, folder, key=len)
