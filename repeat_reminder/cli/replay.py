"""``repeat-reminder replay``: where each reminder would be injected."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from repeat_reminder.cli import options as opt

if TYPE_CHECKING:
    from collections.abc import Iterable


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
    parity: Annotated[
        bool,
        typer.Option(
            "--parity",
            help="Compare with the reminders that the log holds; exit with 1 unless all are "
            "predicted.",
        ),
    ] = False,
    form: opt.From = "auto",
    sessions: opt.Sessions = None,
    agents: opt.Agents = None,
    latest: opt.Latest = False,
    validate: opt.EveryLine = False,
    strict: opt.Strict = False,
    jobs: opt.Jobs = None,
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
    """Print where each reminder would be injected."""
    from repeat_reminder.cli import replaying, shared
    from repeat_reminder.cli.output import look_of, writing
    from repeat_reminder.cli.report import Report, format_notes, format_of
    from repeat_reminder.config.mounting import guards_of
    from repeat_reminder.render.replay.advice import policy_notes
    from repeat_reminder.render.selection import Present, Selection
    from repeat_reminder.render.tally import Reported, Tally

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        inputs = shared.Inputs(
            paths=paths,
            form=form,
            latest=latest,
            max_line_bytes=max_line_bytes,
            max_bytes=max_bytes,
            every_line=validate or strict,
        )
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
        form_out = output_format or format_of(output)
        console.problems(format_notes(output, output_format, form_out, all_calls=all_calls))
        guards = guards_of(loaded)
        selection = Selection(sessions=tuple(sessions or ()), agents=tuple(agents or ()))
        compared = None
        if parity:
            from repeat_reminder.parity import Parity

            compared = Parity(selection.covers)
        mounted = compared.mount(guards) if compared else guards
        report = Report(
            form=form_out,
            header=shared.header_of(loaded, guards),
            text=text,
            all_calls=all_calls,
            origins=verbose,
            parity=compared,
            look=look_of(
                None if output else sys.stdout.buffer,
                "utf-8" if output else sys.stdout.encoding,
                color,
            ),
        )
        everything = Tally()
        reported = Tally() if selection.chooses else everything
        told: Iterable[Reported]
        if selection.chooses or report.needs_every_item:
            items = replaying.replay_whole(inputs, mounted, report.header, console)
            items = compared.watch(items) if compared else items
            told = items
            if selection.chooses:
                told = selection.of(everything.watch(Present(selection).watch(items)))
        else:
            told = replaying.replay_essence(inputs, loaded, report.header, console, jobs)
        with writing(output, paths, live=inputs.live) as writer:
            report.write(console.watch(told), reported, writer)
        console.problems(policy_notes(everything, report.header.policies, reported))
        finding = exit_code and bool(reported.reminders)
        console.exit(finding=finding or not report.tell_parity(console))
