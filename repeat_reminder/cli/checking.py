"""How the command ``check`` runs: options into a check, its findings to where they are wanted."""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from repeat_reminder import __version__
from repeat_reminder.check.diff import DiffMode, DiffStyle
from repeat_reminder.check.keyword import keyword
from repeat_reminder.check.replaying import Overrides
from repeat_reminder.check.report import Command
from repeat_reminder.check.run import Options, Update, check
from repeat_reminder.check.scenarios import scenarios_in
from repeat_reminder.check.suites import Suite, suites
from repeat_reminder.cli.check import CheckFormat
from repeat_reminder.cli.ci_files import append_summary, from_workspace, write_junit
from repeat_reminder.cli.options import ColorWhen
from repeat_reminder.cli.output import Writer, look_of, writing
from repeat_reminder.cli.review import Review
from repeat_reminder.cli.shared import Console, PolicyOptions, config_text
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.render import check_text, github
from repeat_reminder.render.check_records import check_document
from repeat_reminder.render.check_words import totals, ways_out
from repeat_reminder.render.look import Look
from repeat_reminder.render.outcomes import Result, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to check, as it was typed."""

    folders: tuple[str, ...] = ()
    snapshots: str | None = None
    keyword: str | None = None
    update: bool = False
    update_new: bool = False
    review: bool = False
    allow_unused: bool = False
    fail_fast: bool = False
    strict: bool = False
    diff: str = DiffMode.UNIFIED
    max_diff_lines: int = 0
    policy: PolicyOptions

    def options(self) -> Options:
        """Return how to check.

        Raises:
            UsageError: options do not go together, or ``-k`` breaks a rule.
            ConfigError: the file of ``--config`` cannot be read.
        """
        ways = {"--update": self.update, "--update-new": self.update_new, "--review": self.review}
        given = [way for way, asked in ways.items() if asked]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} do not go together", hint="choose one")
        return Options(
            overrides=Overrides(
                policies=tuple(self.policy.policies or ()),
                values=self.policy.command_line,
                config=None if self.policy.config is None else config_text(self.policy.config),
                answer=self.policy.operator,
            ),
            matches=None if self.keyword is None else keyword(self.keyword),
            update=Update.ALL if self.update else Update.NEW if self.update_new else Update.NOTHING,
            allow_unused=self.allow_unused,
            fail_fast=self.fail_fast,
            strict=self.strict,
            style=DiffStyle(mode=DiffMode(self.diff), most=self.max_diff_lines),
            clock=time.perf_counter,
            command=Command(
                words=("repeat-reminder", "check", *self._words()), keyword=self.keyword
            ),
        )

    def _words(self) -> Iterator[str]:
        """Spell again what an accepting command must have in common with this one."""
        yield from self.folders
        if self.snapshots is not None:
            yield from ("--snapshots", self.snapshots)
        options = self.policy
        for option, values in (
            ("--policy", options.policies),
            ("--answer", _one(options.answer)),
            ("--config", _one(options.config)),
            ("--thresholds", _one(options.thresholds)),
            ("--include", options.include),
            ("--exclude", options.exclude),
            ("--arguments-preview-chars", _one(options.preview_chars)),
            ("--ignore-args", options.ignore_args),
        ):
            for value in values or ():
                yield from (option, value)


def _one(value: str | None) -> Sequence[str]:
    return () if value is None else (value,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Where the findings go, and how they look there."""

    form: CheckFormat
    output: str | None
    junit_xml: str | None
    color: ColorWhen
    verbose: bool

    @property
    def look(self) -> Look:
        """Return how to write text."""
        if self.output is not None:
            return look_of(None, "utf-8", self.color)
        return look_of(sys.stdout.buffer, sys.stdout.encoding, self.color)

    @property
    def is_full(self) -> bool:
        """Tell whether every result is printed as soon as it is known."""
        return self.form in (CheckFormat.FULL, CheckFormat.GITHUB)


def run(asked: Asked, shown: Shown, console: Console, *, quiet: bool) -> int:
    """Check, and print what was found.

    Returns:
        The exit code.

    Raises:
        RepeatReminderError: there is nothing to check, or something cannot be written.
    """
    options = asked.options()
    found = suites(asked.folders, snapshots=asked.snapshots)
    started = datetime.now(UTC)
    review = Review.on_terminal() if asked.review else None
    with writing(shown.output, _inputs(found), live=shown.is_full) as writer:
        each = partial(_print_result, shown, writer) if shown.is_full and not review else _nothing
        report = check(found, options, tell=partial(_tell, console, shown.verbose), each=each)
        if review:
            review.go(report, shown.look)
        summary = report.summary()
        _print_rest(summary, shown, writer)
    if shown.junit_xml is not None:
        write_junit(summary, shown.junit_xml, started)
    if shown.form is CheckFormat.GITHUB:
        console.tell(github.annotations(summary, from_workspace))
        append_summary(summary, console)
    if shown.form is CheckFormat.CONCISE and not quiet:
        console.tell([totals(summary, shown.look)])
        ways = ways_out(summary)
        console.tell(f"{what}:  {shown.look.safe(command)}" for what, command in ways)
    console.finish()
    return report.exit_code


def _nothing(_: Result) -> None:
    """Print nothing yet."""


def _inputs(found: Sequence[Suite]) -> list[str]:
    return [path for one in scenarios_in(found) for path in (one.path, one.snapshot)]


def _tell(console: Console, verbose: bool, problem: Problem) -> None:
    """Tell what is wrong; fixtures are full of notes on purpose, so those only if asked."""
    if verbose or problem.severity is not Severity.NOTE:
        console.tell(map(github.inert, console.log.add(problem)))


def _print_result(shown: Shown, writer: Writer, result: Result) -> None:
    for line in check_text.full_result(result, shown.look, verbose=shown.verbose):
        writer.line(line)


def _print_rest(summary: Summary, shown: Shown, writer: Writer) -> None:
    if shown.form is CheckFormat.JSON:
        writer.write(check_document(summary, __version__))
        return
    printed = check_text.closing if shown.is_full else check_text.concise
    for line in printed(summary, shown.look):
        writer.line(line)
