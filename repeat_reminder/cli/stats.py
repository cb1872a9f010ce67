"""``repeat-reminder stats``: what is in this corpus."""

import sys
from typing import Annotated

import typer

from repeat_reminder.cli import options as opt


def stats(
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
    by: Annotated[opt.StatsBy, typer.Option("--by", help="Group the figures.")] = opt.StatsBy.TOOL,
    labels: opt.Labels = None,
    label_from: opt.LabelFrom = None,
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
    config: opt.Config = None,
    include: opt.Include = None,
    exclude: opt.Exclude = None,
    ignore_args: opt.IgnoreArgs = None,
    output: opt.Output = None,
    color: opt.Color = opt.ColorWhen.AUTO,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Say what is in this corpus: calls, runs, tools, polling, what loops cost."""
    from repeat_reminder import __version__
    from repeat_reminder.cli import asking, shared
    from repeat_reminder.cli.caching import Caching
    from repeat_reminder.cli.gathering import gather
    from repeat_reminder.cli.output import look_of, writing
    from repeat_reminder.cli.tune_command import without_jobs
    from repeat_reminder.render.tune.stats import stats_lines
    from repeat_reminder.render.tune.stats_records import stats_csv, stats_json
    from repeat_reminder.tune.corpus import check_selection, corpus_of, selected
    from repeat_reminder.tune.overview import By, stats_report
    from repeat_reminder.tune.request import Request

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        loaded = shared.load_policies(
            shared.PolicyOptions(
                policies=["reminder"],
                config=config,
                include=include,
                exclude=exclude,
                ignore_args=ignore_args,
            )
        )
        console.problems(loaded.notes)
        inputs = shared.Inputs(
            paths=paths,
            form=form,
            latest=latest,
            max_line_bytes=max_line_bytes,
            max_bytes=max_bytes,
        )
        caching = Caching(use=not no_cache, clear=clear_cache, verify=verify_cache)
        read = gather(inputs, console, jobs=jobs, quiet=quiet, caching=caching)
        if not read.tables:
            console.exit()
        whole = corpus_of(read.tables)
        marks = asking.labels_of(whole, labels, label_from)
        check_selection(whole, sessions or (), agents or ())
        corpus, kept = selected(whole, sessions or (), agents or ())
        shown_as = output_format or opt.table_format_of(output)
        request = Request(
            config=asking.reminder_of(loaded)[0],
            version=__version__,
            command=without_jobs(opt.typed()),
            skipped_lines=read.skipped_lines,
            skipped_files=read.skipped_files,
            in_full=shown_as is opt.TableFormat.JSON,
        )
        report = stats_report(corpus, [marks[at] for at in kept], request, By(by.value))
        with writing(output, paths, live=False) as writer:
            match shown_as:
                case opt.TableFormat.JSON:
                    writer.write(stats_json(report))
                case opt.TableFormat.CSV:
                    writer.write(stats_csv(report))
                case opt.TableFormat.FULL:
                    look = look_of(
                        None if output else sys.stdout.buffer,
                        "utf-8" if output else sys.stdout.encoding,
                        color,
                    )
                    for line in stats_lines(report, look):
                        writer.line(line)
        console.exit()
