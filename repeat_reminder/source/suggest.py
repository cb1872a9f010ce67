"""Errors for paths that name nothing, with what was probably meant."""

# ruff: noqa: PTH110, PTH112, PTH118, PTH207, PTH208 - pathlib rewrites paths, here they stay as typed

import glob
import os
from itertools import islice

from repeat_reminder.errors import SourceError
from repeat_reminder.source.names import shown

MOST_SIBLINGS = 10_000
"""More names than this are not compared: a hint must not take seconds."""


def missing(path: str) -> SourceError:
    """Make the error for a path that does not exist."""
    return SourceError("no such file or folder", path=shown(path), hint=_hint(path))


def unmatched(pattern: str) -> SourceError:
    """Make the error for a glob that finds nothing."""
    return SourceError("no file matches this pattern", path=shown(pattern), hint=_hint(pattern))


def without_logs(folder: str, patterns: str) -> SourceError:
    """Make the error for a folder in which no file looks like a log."""
    return SourceError("no logs in this folder", path=shown(folder), hint=_inside(folder, patterns))


def _inside(folder: str, patterns: str) -> str:
    """Say what a folder holds instead of logs."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    if not names:
        return "the folder is empty"
    hidden = (os.path.join(folder, name) for name in names if name.startswith("."))
    inner = next(filter(os.path.isdir, hidden), None)
    if inner is not None:
        return f"hidden folders are skipped unless named: did you mean {shown(inner)}?"
    few = ", ".join(names[:3]) + (", …" if len(names) > len(names[:3]) else "")
    return f"it holds {few}; searched for {patterns}; a file that is named is always read"


def _hint(path: str) -> str | None:
    close = _nearest(path)
    if close:
        return f"did you mean {' or '.join(close)}?"
    if path.startswith("~"):
        return "the shell leaves ~ alone inside quotes: write the home folder out"
    return None


def _nearest(path: str) -> list[str]:
    """Return existing paths that differ in the first part of ``path`` that does not exist."""
    import difflib  # noqa: PLC0415 - only an error needs it

    parent, name = os.path.split(path.rstrip(f"/{os.sep}"))
    rest: list[str] = []
    while parent and not os.path.isdir(parent):
        rest.insert(0, name)
        above, name = os.path.split(parent)
        if above == parent:
            return []
        parent = above
    try:
        with os.scandir(parent or ".") as entries:
            siblings = [entry.name for entry in islice(entries, MOST_SIBLINGS)]
    except (OSError, ValueError):
        return []
    found = (os.path.join(parent, close) for close in difflib.get_close_matches(name, siblings))
    return [shown(_deepest(base, rest)) for base in found]


def _deepest(base: str, rest: list[str]) -> str:
    """Append the rest of the path, which may be a glob, if that exists."""
    whole = os.path.join(base, *rest)
    there = os.path.exists(whole) or (glob.has_magic(whole) and any(glob.iglob(whole)))
    return whole if there else base
