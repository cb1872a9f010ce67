"""Where a command's data goes: standard output, or a file that is written whole or not at all."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from repeat_reminder.cli.options import ColorWhen
from repeat_reminder.errors import UsageError
from repeat_reminder.render.look import Look


class Writer(Protocol):
    """Takes the data of a command."""

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""

    def line(self, text: str) -> None:
        """Write a line of text in the output's encoding, what it cannot spell as an escape."""


class _StreamWriter:
    def __init__(self, stream: BinaryIO, encoding: str, *, flush: bool) -> None:
        self._stream = stream
        self._encoding = encoding
        self._flush = flush

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        if self._flush:
            self._stream.flush()

    def line(self, text: str) -> None:
        self.write(f"{text}\n".encode(self._encoding, "backslashreplace"))


@contextmanager
def writing(output: str | None, inputs: Sequence[str], *, live: bool) -> Iterator[Writer]:
    """Open the output of a command.

    Args:
        output: a file, or None for standard output. The file appears when all is written.
        inputs: the paths that are read; none of them may be the output.
        live: hand each piece out at once, for a reader that waits for it.

    Raises:
        UsageError: the file cannot be written, or is an input. An old file stays as it was.
    """
    if output is None:
        sys.stdout.flush()
        stream = sys.stdout.buffer
        yield _StreamWriter(stream, sys.stdout.encoding or "ascii", flush=live)
        stream.flush()
        return
    if any(_same_file(output, path) for path in inputs):
        raise UsageError("the output is one of the inputs", path=output, hint="name another file")
    with replacing(output) as stream:
        yield _StreamWriter(stream, "utf-8", flush=False)


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Write a file next to its place and move it there when it is whole.

    Raises:
        UsageError: it cannot be written.
    """
    target = Path(path)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            yield stream
        mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
        temporary = None
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", path=path) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def look_of(stream: BinaryIO | None, encoding: str | None, when: ColorWhen) -> Look:
    """Decide how text looks on an output (None: a file)."""
    is_terminal = stream is not None and stream.isatty()
    return Look(
        color=_color(when, is_terminal=is_terminal),
        ascii_only=(encoding or "ascii").lower().replace("-", "") != "utf8",
        width=shutil.get_terminal_size().columns if is_terminal else 80,
    )


def _color(when: ColorWhen, *, is_terminal: bool) -> bool:
    """``--color``, then NO_COLOR, FORCE_COLOR, TERM=dumb, then whether it is a terminal."""
    if when is not ColorWhen.AUTO:
        return when is ColorWhen.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and is_terminal
