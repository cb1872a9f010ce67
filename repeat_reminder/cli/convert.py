"""``repeat-reminder convert``: a log as a canonical log or a transcript, cut out and redacted."""

from typing import Annotated

import typer

from repeat_reminder.cli import options as opt


def convert(
    path: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A log, or - for stdin.", show_default=False),
    ],
    to: Annotated[
        opt.ConvertFormat | None,
        typer.Option(
            "--to",
            help="canonical (default): a log that replays alike; acp: a transcript without any "
            "reminder.",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[
        str | None,
        typer.Option(
            "--slice",
            metavar="A:B",
            help="Keep lines A to B, in whole steps; calls A to B of logs without lines.",
            show_default=False,
        ),
    ] = None,
    around: Annotated[
        int | None,
        typer.Option(
            "--around", metavar="LINE", min=1, help="Keep what is near a line.", show_default=False
        ),
    ] = None,
    context: Annotated[
        int, typer.Option("--context", metavar="N", min=0, help="--around: lines on each side.")
    ] = 20,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="Replace texts, arguments, ids and paths by placeholders, equal ones by equal "
            "ones. Names of tools and arguments stay.",
        ),
    ] = False,
    form: opt.From = "auto",
    sessions: opt.Sessions = None,
    agents: opt.Agents = None,
    strict: opt.Strict = False,
    max_line_bytes: opt.MaxLineBytes = None,
    max_bytes: opt.MaxBytes = None,
    output: opt.Output = None,
    color: opt.Color = opt.ColorWhen.AUTO,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Convert a log to the canonical log or to an ACP transcript."""
    from repeat_reminder.cli import converting, shared
    from repeat_reminder.cli.output import writing

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        conversion = converting.Conversion(
            to=to or converting.format_of(output),
            wanted=converting.slice_of(lines, around, context),
            redact=redact,
            sessions=tuple(sessions or ()),
            agents=tuple(agents or ()),
        )
        inputs = shared.Inputs(
            paths=[path], form=form, max_line_bytes=max_line_bytes, max_bytes=max_bytes
        )
        events = console.watch(shared.one_log(inputs, console))
        with writing(output, [path], live=inputs.live) as writer:
            for line in conversion.lines(events, path, console.problems):
                writer.write(line)
        console.exit()
