"""``repeat-reminder replay``: where each reminder would be injected."""

import sys
from typing import Annotated

import typer

from repeat_reminder.cli import options as opt


def replay(
    paths: opt.Paths,
    output_format: Annotated[
        opt.ReplayFormat | None,
        typer.Option(
            "-f",
            "--output-format",
            envvar=f"{opt.ENV}OUTPUT_FORMAT",
            help="How to print it (default: full).",
            show_default=False,
            show_envvar=False,
        ),
    ] = None,
    text: Annotated[
        opt.TextAmount, typer.Option("--text", help="How much of each message to show.")
    ] = opt.TextAmount.FIRST_LINE,
    all_calls: Annotated[
        bool, typer.Option("--all-calls", help="json, jsonl: a record for every settled call.")
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 if a reminder fired.")
    ] = False,
    form: opt.From = "auto",
    sessions: opt.Sessions = None,
    agents: opt.Agents = None,
    latest: opt.Latest = False,
    strict: opt.Strict = False,
    max_line_bytes: opt.MaxLineBytes = None,
    max_bytes: opt.MaxBytes = None,
    policies: opt.Policies = None,
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
    """Print where each reminder would be injected."""
    from repeat_reminder.cli import shared
    from repeat_reminder.cli.output import look_of, writing
    from repeat_reminder.cli.report import Report, format_of
    from repeat_reminder.config.mounting import guards_of
    from repeat_reminder.render.advice import policy_notes
    from repeat_reminder.render.selection import Selection
    from repeat_reminder.render.tally import Tally

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        inputs = shared.Inputs(
            paths=paths,
            form=form,
            latest=latest,
            max_line_bytes=max_line_bytes,
            max_bytes=max_bytes,
        )
        loaded = shared.load_policies(
            shared.PolicyOptions(
                policies=policies,
                config=config,
                thresholds=thresholds,
                include=include,
                exclude=exclude,
                preview_chars=preview_chars,
                ignore_args=ignore_args,
            )
        )
        console.problems(loaded.notes)
        guards = guards_of(loaded)
        report = Report(
            form=output_format or format_of(output),
            header=shared.header_of(loaded, guards),
            text=text,
            all_calls=all_calls,
            origins=verbose,
            look=look_of(
                None if output else sys.stdout.buffer,
                "utf-8" if output else sys.stdout.encoding,
                color,
            ),
        )
        everything, reported = Tally(), Tally()
        items = everything.watch(console.watch(shared.replay_logs(inputs, guards, console)))
        selected = Selection(sessions=tuple(sessions or ()), agents=tuple(agents or ())).of(items)
        with writing(output, paths, live=inputs.live) as writer:
            report.write(selected, reported, writer)
        console.problems(policy_notes(everything, report.header.policies))
        console.exit(finding=exit_code and bool(reported.reminders))
