"""``repeat-reminder tune``: choose thresholds and scope from recorded sessions."""

from typing import Annotated

import typer

from repeat_reminder.cli import options as opt

CONSTRAINTS = "Constraints"


def tune(
    paths: opt.Paths,
    output_format: Annotated[
        opt.TableFormat | None,
        typer.Option(
            "-f",
            "--output-format",
            help="How to print it (default: full).",
            show_default=False,
        ),
    ] = None,
    emit: Annotated[
        opt.EmitAs | None,
        typer.Option(
            "--emit",
            help="Print nothing but the best config; patch: a diff of the --config file, which "
            "keeps its comments.",
            show_default=False,
        ),
    ] = None,
    labels: opt.Labels = None,
    label_from: opt.LabelFrom = None,
    max_warned: Annotated[
        str | None,
        typer.Option(
            "--max-warned",
            metavar="SHARE",
            help="Sessions of the cost group (all not labelled stuck) that may be warned: 20%.",
            show_default=False,
        ),
    ] = None,
    max_messages: Annotated[
        float | None,
        typer.Option(
            "--max-messages-per-session",
            metavar="N",
            min=0,
            help="Messages per session of the cost group, on average.",
            show_default=False,
        ),
    ] = None,
    require_caught: Annotated[
        str | None,
        typer.Option(
            "--require-caught",
            metavar="SHARE",
            help="Stuck sessions that must get a message: 100%.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha",
            metavar="SHARE",
            help="Highest chance that a new good session is warned (split conformal): 5%.",
            show_default=False,
        ),
    ] = None,
    objective: Annotated[
        opt.TuneObjective,
        typer.Option(
            "--objective",
            help="Of what meets the constraints: the smallest first threshold, or the fewest "
            "messages.",
        ),
    ] = opt.TuneObjective.EARLY,
    tried: Annotated[
        list[str] | None,
        typer.Option(
            "--try",
            metavar="N,N,...",
            help="Score these thresholds too (repeatable); breaker: KEY=VALUE,... of one config.",
            show_default=False,
        ),
    ] = None,
    try_exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--try-exclude",
            metavar="PATTERN",
            help="Score everything without these tools too (repeatable: each, and all together).",
            show_default=False,
        ),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="KEY=V,V,...",
            help="Breaker: values of one key, such as limits.exact=8,12 (repeatable: all "
            "combinations).",
            show_default=False,
        ),
    ] = None,
    hold_out: Annotated[
        str | None,
        typer.Option(
            "--hold-out",
            metavar="SHARE",
            help="Choose without these sessions, and check the choice on them: 30%.",
            show_default=False,
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            "--bootstrap", metavar="N", min=0, help="Resamples for the intervals; 0 for none."
        ),
    ] = 1_000,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Of resamples and held-out sessions.")
    ] = 0,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write the report as one page too: figures and tables, no network.",
            show_default=False,
        ),
    ] = None,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Leave the arguments of calls out, of the page too."),
    ] = False,
    form: opt.From = "auto",
    sessions: opt.Sessions = None,
    agents: opt.Agents = None,
    latest: opt.Latest = False,
    strict: opt.Strict = False,
    jobs: opt.Jobs = None,
    no_cache: opt.NoCache = False,
    clear_cache: opt.ClearCache = False,
    verify_cache: opt.VerifyCache = False,
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
    """Choose thresholds and scope from recorded sessions, with the evidence."""
    from repeat_reminder.cli import shared
    from repeat_reminder.cli.caching import Caching
    from repeat_reminder.cli.tuning import Asked, Wanted, run

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        asked = Asked(
            labels=labels,
            label_from=label_from,
            max_warned=max_warned,
            max_messages=max_messages,
            require_caught=require_caught,
            alpha=alpha,
            objective=objective.value,
            tried=tried or (),
            try_exclude=try_exclude or (),
            sweep=sweep or (),
            hold_out=hold_out,
            resamples=bootstrap,
            seed=seed,
            sessions=sessions or (),
            agents=agents or (),
        )
        inputs = shared.Inputs(
            paths=paths,
            form=form,
            latest=latest,
            max_line_bytes=max_line_bytes,
            max_bytes=max_bytes,
        )
        settings = shared.PolicyOptions(
            policies=policies,
            answer=answer,
            config=config,
            thresholds=thresholds,
            include=include,
            exclude=exclude,
            preview_chars=preview_chars,
            ignore_args=ignore_args,
        )
        wanted = Wanted(
            form=output_format or opt.table_format_of(output),
            emit=emit,
            output=output,
            color=color,
            origins=verbose,
            jobs=jobs,
            quiet=quiet,
            caching=Caching(use=not no_cache, clear=clear_cache, verify=verify_cache),
            html=html,
            redact=redact,
        )
        met = run(inputs, settings, asked, wanted, console)
        console.exit(finding=not met)
