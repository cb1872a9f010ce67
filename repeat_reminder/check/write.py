"""The only place where a check writes: whole files, each old or new at any moment."""

# ruff: noqa: PTH101, PTH103, PTH104, PTH105, PTH108, PTH110, PTH116, PTH118, PTH120, PTH121 - os tells what pathlib hides

import os
import stat
from secrets import token_hex

from repeat_reminder.check.names import SNAPSHOT_SUFFIX, folded
from repeat_reminder.check.paths import snapshot_names
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.source.names import shown

_TEMPORARY = ".repeat-reminder-"
"""A file left behind by a killed run is hidden, and no snapshot."""


class WriteError(RepeatReminderError):
    """A snapshot cannot be written or deleted; the old one is as it was."""


def write_snapshot(path: str, data: bytes) -> None:
    """Write a snapshot beside its place and move it there when it is whole.

    A link is followed. The permissions of an old file are kept. A file whose name differs only in
    letter case, where that is no difference, gets the right name.

    Raises:
        WriteError: it cannot be written.
    """
    temporary: str | None = None
    try:
        folder = os.path.dirname(path) or "."
        os.makedirs(folder, exist_ok=True)
        _respell(path)
        target = os.path.realpath(path)
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
        name = os.path.join(os.path.dirname(target), f"{_TEMPORARY}{token_hex(8)}")
        # As an ordinary new file it gets the permissions that the umask allows.
        handle = os.open(
            name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
        temporary = name
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise _fault("written", path, error) from error
    finally:
        if temporary is not None:
            os.unlink(temporary)


def delete_snapshot(path: str) -> None:
    """Delete a snapshot.

    Raises:
        WriteError: it cannot be deleted.
    """
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _fault("deleted", path, error) from error


def other_spelling(path: str) -> str | None:
    """Return the snapshot beside whose name differs from this one's only in case or accents."""
    folder, name = os.path.split(path)
    name = name.removesuffix(SNAPSHOT_SUFFIX)
    for other in snapshot_names(folder or "."):
        if other != name and folded(other) == folded(name):
            return shown(os.path.join(folder, f"{other}{SNAPSHOT_SUFFIX}"))
    return None


def _respell(path: str) -> None:
    """Rename a file that is found under this name although it has another."""
    if os.path.exists(path):
        other = other_spelling(path)
        if other is not None and os.path.samefile(other, path):
            os.rename(other, path)


def _fault(done: str, path: str, error: OSError) -> WriteError:
    hint = None
    if isinstance(error, PermissionError):
        hint = (
            "the folder or the file is read-only: snapshots are updated in a checkout of your own"
        )
    return WriteError(
        f"cannot be {done}: {(error.strerror or str(error)).lower()}", path=path, hint=hint
    )
