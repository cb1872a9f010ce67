"""``repeat-reminder formats``: which logs are read, and how they are recognised."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from repeat_reminder.cli import options as opt
from repeat_reminder.render.look import Look


def formats(
    detect: Annotated[
        str | None,
        typer.Option(
            "--detect",
            metavar="FILE",
            help="Say which reader takes this log, and on what evidence; - for stdin.",
            show_default=False,
        ),
    ] = None,
    schema: Annotated[
        opt.SchemaName | None,
        typer.Option(
            "--schema",
            help="Print the JSON Schema of an output, of the canonical log or of the config.",
            show_default=False,
        ),
    ] = None,
    output: opt.Output = None,
    color: opt.Color = opt.ColorWhen.AUTO,
    verbose: opt.Verbose = False,
) -> None:
    """List the readers and how each recognises its logs."""
    from repeat_reminder.cli import shared
    from repeat_reminder.cli.output import look_of, writing
    from repeat_reminder.errors import UsageError
    from repeat_reminder.schemas import schema as schema_text

    console = shared.Console(color=color, quiet=False, verbose=verbose, strict=False)
    with shared.reporting(console, verbose=verbose):
        if detect is not None and schema is not None:
            raise UsageError("--detect and --schema do not go together")
        look = look_of(
            None if output else sys.stdout.buffer,
            "utf-8" if output else sys.stdout.encoding,
            color,
        )
        with writing(output, [detect] if detect else [], live=False) as writer:
            if schema is not None:
                writer.write(schema_text(schema))
            else:
                for line in _lines(detect, look):
                    writer.line(line)
        console.readable = 1
        console.exit()


def _lines(detect: str | None, look: Look) -> Iterator[str]:
    """Yield the list of readers, or which of them takes a log."""
    from repeat_reminder.formats import FORMATS
    from repeat_reminder.formats.recognition import recognise
    from repeat_reminder.render.format_list import detection_lines, format_lines
    from repeat_reminder.source import open_log

    if detect is None:
        yield from format_lines(FORMATS, look)
        return
    with open_log(detect) as log:
        yield from detection_lines(log, recognise(log), look)
