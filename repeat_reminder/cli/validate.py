"""``repeat-reminder validate``: whether a log is usable, and everything that is wrong with it."""

import sys
from typing import Annotated

import typer

from repeat_reminder.cli import options as opt


def validate(
    paths: opt.Paths,
    output_format: Annotated[
        opt.ValidateFormat | None,
        typer.Option(
            "-f",
            "--output-format",
            help="How to print it (default: full).",
            show_default=False,
        ),
    ] = None,
    form: opt.From = "auto",
    latest: opt.Latest = False,
    strict: opt.Strict = False,
    max_line_bytes: opt.MaxLineBytes = None,
    max_bytes: opt.MaxBytes = None,
    output: opt.Output = None,
    color: opt.Color = opt.ColorWhen.AUTO,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Say whether logs are usable, with every problem, its line and a hint."""
    from repeat_reminder.cli import shared
    from repeat_reminder.cli.output import look_of, writing
    from repeat_reminder.cli.validating import Validation, format_of

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        inputs = shared.Inputs(
            paths=paths,
            form=form,
            latest=latest,
            max_line_bytes=max_line_bytes,
            max_bytes=max_bytes,
        )
        validation = Validation(
            form=output_format or format_of(output),
            look=look_of(
                None if output else sys.stdout.buffer,
                "utf-8" if output else sys.stdout.encoding,
                color,
            ),
            strict=strict,
            quiet=quiet,
        )
        with writing(output, paths, live=inputs.live) as writer:
            validation.write(inputs, writer)
        raise typer.Exit(validation.exit_code)
