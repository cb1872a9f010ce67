"""Where a command's data goes: standard output, or a file that is written whole or not at all."""

import os
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from repeat_reminder.cli.files import refuse_inputs, replacing
from repeat_reminder.cli.options import ColorWhen
from repeat_reminder.cli.streams import STANDARD_OUTPUT, StreamWriter
from repeat_reminder.events import Problem, Severity
from repeat_reminder.render.look import Look


class Writer(Protocol):
    """Takes the data of a command."""

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""

    def line(self, text: str) -> None:
        """Write a line of text in the output's encoding, what it cannot spell as an escape."""


@contextmanager
def writing(output: str | None, inputs: Sequence[str], *, live: bool) -> Iterator[Writer]:
    """Open the output of a command.

    Args:
        output: a file, or None for standard output. The file appears when all is written.
        inputs: the paths that are read; none of them may be the output.
        live: hand each piece out at once, for a reader that waits for it.

    Raises:
        UsageError: it cannot be written, or is an input. An old file stays as it was.
    """
    if output is None:
        encoding = sys.stdout.encoding or "ascii"
        writer = StreamWriter(sys.stdout.buffer, encoding, name=STANDARD_OUTPUT, flush=live)
        writer.flush()
        yield writer
        writer.flush()
        return
    refuse_inputs(output, inputs)
    with replacing(output) as writer:
        yield writer


PLAIN_SUFFIXES: Final = ("", ".txt", ".log", ".text", ".out")
"""Endings of names under which a text for people is no surprise."""


def suffix_notes(output: str | None, form: str, known: Collection[str]) -> Iterator[Problem]:
    """Say what is written if a file's name ends as that of another format.

    Args:
        output: the file; None for standard output.
        form: what is written.
        known: the endings that pick a format.
    """
    suffix = Path(output).suffix.lower() if output else ""
    if form == "full" and suffix not in (*PLAIN_SUFFIXES, *known):
        message = f"{output}: the text for people is written: no format has the suffix {suffix}"
        yield note("unknown-suffix", message, f"-f picks a format; so do {', '.join(known)}")


def note(kind: str, message: str, hint: str) -> Problem:
    """Make a note about the command line."""
    return Problem(
        path="", line=None, severity=Severity.NOTE, kind=kind, message=message, hint=hint
    )


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
