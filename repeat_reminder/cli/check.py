"""``repeat-reminder check``: reminder placement against its snapshots."""

from enum import StrEnum
from typing import Annotated

import typer

from repeat_reminder.cli import options as opt


class CheckFormat(StrEnum):
    """What a check can be printed as."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    GITHUB = "github"


class Diff(StrEnum):
    """Which kind of diff follows the headline of a failure."""

    UNIFIED = "unified"
    SEMANTIC = "semantic"
    NONE = "none"


Folders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DIR]...",
        help="Folders of scenarios (default: fixtures, or what pyproject.toml says).",
        show_default=False,
    ),
]
Snapshots = Annotated[
    str | None,
    typer.Option(
        "--snapshots",
        metavar="DIR",
        help="Where the snapshots are (default: snapshots beside the scenarios).",
        show_default=False,
    ),
]
Keyword = Annotated[
    str | None,
    typer.Option(
        "-k",
        metavar="EXPR",
        help='Only scenarios whose names match, as in pytest: "curl and not 404". Judges and '
        "deletes nothing unused.",
        show_default=False,
    ),
]
UpdateAll = Annotated[
    bool, typer.Option("--update", help="Write changed and new snapshots, delete unused ones.")
]
UpdateNew = Annotated[
    bool, typer.Option("--update-new", help="Write only snapshots that do not exist yet.")
]
Review = Annotated[
    bool, typer.Option("--review", help="Ask about each difference: accept, reject or skip it.")
]
AllowUnused = Annotated[
    bool, typer.Option("--allow-unused", help="Unused snapshots are no failure, and stay.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")]
DiffOption = Annotated[
    Diff, typer.Option("--diff", help="What follows the headline: raw lines, few words, nothing.")
]
MaxDiffLines = Annotated[
    int, typer.Option("--max-diff-lines", metavar="N", min=0, help="Of each diff; 0 for all.")
]
Format = Annotated[CheckFormat, typer.Option("-f", "--output-format", help="How to print it.")]
Junit = Annotated[
    str | None,
    typer.Option(
        "--junit-xml", metavar="FILE", help="Write JUnit XML as well.", show_default=False
    ),
]


def check(
    folders: Folders = None,
    snapshots: Snapshots = None,
    keyword: Keyword = None,
    update: UpdateAll = False,
    update_new: UpdateNew = False,
    review: Review = False,
    allow_unused: AllowUnused = False,
    fail_fast: FailFast = False,
    diff: DiffOption = Diff.UNIFIED,
    max_diff_lines: MaxDiffLines = 40,
    output_format: Format = CheckFormat.FULL,
    junit_xml: Junit = None,
    strict: opt.Strict = False,
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
    """Compare where reminders land with the snapshots that pin it.

    Settings are those of the command line, then NAME.config.yml beside a scenario, then the
    pyproject.toml beside the scenarios. Without --update nothing is written.
    """
    from repeat_reminder.cli import check_output, checking, shared

    console = shared.Console(color=color, quiet=quiet, verbose=verbose, strict=strict)
    with shared.reporting(console, verbose=verbose):
        asked = checking.Asked(
            folders=tuple(folders or ()),
            snapshots=snapshots,
            keyword=keyword,
            update=update,
            update_new=update_new,
            review=review,
            allow_unused=allow_unused,
            fail_fast=fail_fast,
            strict=strict,
            diff=diff.value,
            max_diff_lines=max_diff_lines,
            policy=shared.PolicyOptions(
                policies=policies,
                answer=answer,
                config=config,
                thresholds=thresholds,
                include=include,
                exclude=exclude,
                preview_chars=preview_chars,
                ignore_args=ignore_args,
            ),
        )
        shown = check_output.Shown(
            form=output_format, output=output, junit_xml=junit_xml, color=color, verbose=verbose
        )
        raise typer.Exit(checking.run(asked, shown, console, quiet=quiet))
