"""Writing a file of the user's: what it replaces, and what it must not replace."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from repeat_reminder.cli.streams import StreamWriter, unwritable
from repeat_reminder.errors import RepeatReminderError, UsageError
from repeat_reminder.formats.recognition import is_log_folder
from repeat_reminder.source import STDIN, discover

OPENED: Final = ("/dev/", "/proc/")
"""Names here stand for what is open or attached, and are no places of files."""
NAME: Final = 64
"""Characters of its name that a file has while it is not whole; names have a limit."""


@contextmanager
def replacing(path: str) -> Iterator[StreamWriter]:
    """Write a file next to its place and move it there when it is whole.

    A link is followed. What is no regular file (a pipe, a device) is written to as it stands.

    Raises:
        UsageError: it cannot be written.
    """
    mode = _mode(path)
    direct = path.startswith(OPENED) or (mode is not None and not stat.S_ISREG(mode))
    with _written_to(path) if direct else _replaced(path, mode) as writer:
        yield writer


def _mode(path: str) -> int | None:
    """Return the mode of what is there; None if nothing is.

    Raises:
        UsageError: it cannot be a file.
    """
    if not path:
        raise UsageError("the name of the output is empty", hint="leave -o away to print it")
    if path == STDIN:
        raise UsageError("this needs a file", path=path, hint="./- is a file of that name")
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise unwritable(path, error) from error
    except ValueError as error:
        raise UsageError(f"cannot be written: {error}", path=path) from error
    if path.endswith(("/", os.sep)) or (mode is not None and stat.S_ISDIR(mode)):
        raise UsageError("this is a folder, not a file", path=path, hint="name a file in it")
    return mode


@contextmanager
def _written_to(path: str) -> Iterator[StreamWriter]:
    try:
        stream = os.fdopen(os.open(path, os.O_WRONLY | os.O_TRUNC), "wb")
    except OSError as error:
        raise unwritable(path, error) from error
    with _filled(stream, path) as writer:
        yield writer


@contextmanager
def _replaced(path: str, mode: int | None) -> Iterator[StreamWriter]:
    import tempfile

    try:
        target = Path(os.path.realpath(path))
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:NAME]}.", dir=target.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        with _filled(os.fdopen(handle, "wb"), path) as writer:
            yield writer
        try:
            Path(temporary).chmod(0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
            Path(temporary).replace(target)
        except OSError as error:
            raise unwritable(path, error) from error
    finally:
        Path(temporary).unlink(missing_ok=True)  # if it is still there


@contextmanager
def _filled(stream: BinaryIO, path: str) -> Iterator[StreamWriter]:
    """Hand a file out to be written, and close it."""
    writer = StreamWriter(stream, "utf-8", name=path, flush=False)
    try:
        yield writer
        writer.close()
    finally:
        with suppress(OSError):  # it was told already, or something worse is
            stream.close()


def refuse_inputs(path: str, inputs: Sequence[str]) -> None:
    """See, before anything is done, that a file to be written is none of those that are read.

    Args:
        path: the file.
        inputs: what is read: files, folders, globs, ``-``.

    Raises:
        UsageError: it is one of them, or can be no file.
    """
    _mode(path)
    if any(_same_file(path, one) for one in inputs) or (
        _is_file(path) and any(_same_file(path, one) for one in _logs(inputs))
    ):
        raise UsageError("the output is one of the inputs", path=path, hint="name another file")


def _logs(inputs: Sequence[str]) -> Sequence[str]:
    """Return the logs that folders and globs stand for; whoever reads them tells what is wrong."""
    logs: list[str] = []
    for one in inputs:
        if one != STDIN and not _is_file(one):
            with suppress(RepeatReminderError):
                logs += discover([one], is_log_folder=is_log_folder, report=lambda _: None)
    return logs


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def _same_file(one: str, other: str) -> bool:
    """Compare the files behind two names; neither need exist yet."""
    if other == STDIN:
        return False
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return _real(one) == _real(other)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # it stands in a folder that was deleted, or can be no path
        return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
