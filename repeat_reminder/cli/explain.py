"""``repeat-reminder explain``: why a reminder fired, or did not, at one call."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from repeat_reminder.cli import options as opt


def explain(
    spot: Annotated[
        str,
        typer.Argument(
            metavar="FILE:LINE",
            help="A line of the call or of its result; FILE#CALL_ID, or FILE#N for the N-th call "
            "of its agent; with --nearest, FILE alone will do.",
            show_default=False,
        ),
    ],
    output_format: Annotated[
        opt.ExplainFormat | None,
        typer.Option(
            "-f",
            "--output-format",
            help="How to print it (default: full).",
            show_default=False,
        ),
    ] = None,
    nearest: Annotated[
        int,
        typer.Option(
            "--nearest",
            metavar="N",
            min=0,
            help="List the N closest misses too: calls that nearly were one run.",
            show_default=False,
        ),
    ] = 0,
    form: opt.From = "auto",
    sessions: opt.Sessions = None,
    agents: opt.Agents = None,
    strict: opt.Strict = False,
    max_line_bytes: opt.MaxLineBytes = None,
    max_bytes: opt.MaxBytes = None,
    policies: opt.Policies = None,
    answer: opt.Answer = None,
    config: opt.Config = None,
    thresholds: opt.Thresholds = None,
    include: opt.Include = None,
    exclude: opt.Exclude = None,
    preview_chars: opt.PreviewChars = None,
    ignore_args: opt.IgnoreArgs = None,
    output: opt.Output = None,
    color: opt.Color = opt.ColorWhen.AUTO,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Say why a reminder fired, or did not fire, at one call."""
    from repeat_reminder import explain as room
    from repeat_reminder.cli import shared
    from repeat_reminder.cli.output import look_of, suffix_notes, writing
    from repeat_reminder.config.mounting import guards_of
    from repeat_reminder.errors import UsageError
    from repeat_reminder.render.explain.explained import explanation_document
    from repeat_reminder.render.explain.explanation import explanation_lines
    from repeat_reminder.render.selection import Present, Selection
    from repeat_reminder.source import STDIN

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        asked = room.split(spot, lambda path: path == STDIN or _exists(path))
        whole = asked.line is None and asked.call_id is None
        if whole and not nearest:
            raise UsageError("which call?", path=asked.path, hint=room.WAYS)
        loaded = shared.load_policies(
            shared.PolicyOptions(
                policies=policies,
                answer=answer,
                config=config,
                thresholds=thresholds,
                include=include,
                exclude=exclude,
                preview_chars=preview_chars,
                ignore_args=ignore_args,
            )
        )
        console.problems(loaded.notes)
        if output_format is None:
            console.problems(suffix_notes(output, _format_of(output).value, [".json"]))
        guards = guards_of(loaded)
        header = shared.header_of(loaded, guards)
        inputs = shared.Inputs(
            paths=[asked.path], form=form, max_line_bytes=max_line_bytes, max_bytes=max_bytes
        )
        selection = Selection(sessions=tuple(sessions or ()), agents=tuple(agents or ()))
        target = room.Target(
            line=asked.line,
            call_id=asked.call_id,
            sessions=selection.sessions,
            agents=selection.agents,
        )
        explanation = room.explain(
            Present(selection).watch(console.watch(shared.one_log(inputs, console))),
            guards,
            None if whole else target,
            most_near=nearest,
        )
        look = look_of(
            None if output else sys.stdout.buffer,
            "utf-8" if output else sys.stdout.encoding,
            color,
        )
        with writing(output, inputs.paths, live=False) as writer:
            if (output_format or _format_of(output)) is opt.ExplainFormat.JSON:
                writer.write(explanation_document(explanation, header))
            else:
                for line in explanation_lines(explanation, header, look):
                    writer.line(line)
        console.exit()


def _exists(path: str) -> bool:
    """Tell whether a path is there; what cannot be one, too long or with a NUL, is not."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _format_of(output: str | None) -> opt.ExplainFormat:
    """Pick the format that an output file's name asks for."""
    is_json = output is not None and output.lower().endswith(".json")
    return opt.ExplainFormat.JSON if is_json else opt.ExplainFormat.FULL
