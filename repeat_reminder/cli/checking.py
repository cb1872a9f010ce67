"""How the command ``check`` runs: options into a check, its findings to where they are wanted."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from repeat_reminder.check.diff import DiffMode, DiffStyle
from repeat_reminder.check.keyword import keyword
from repeat_reminder.check.replaying import Overrides
from repeat_reminder.check.report import Command
from repeat_reminder.check.run import Options, Update, check
from repeat_reminder.check.scenarios import scenarios_in
from repeat_reminder.check.suites import Suite, suites
from repeat_reminder.cli.check import CheckFormat
from repeat_reminder.cli.check_output import WIDEST, Shown, Telling, print_rest
from repeat_reminder.cli.ci_files import append_summary, from_workspace, write_junit
from repeat_reminder.cli.files import refuse_inputs
from repeat_reminder.cli.output import writing
from repeat_reminder.cli.review import Review
from repeat_reminder.cli.shared import Console, PolicyOptions, config_text
from repeat_reminder.errors import UsageError
from repeat_reminder.render.check import github
from repeat_reminder.render.check.words import advice, totals, ways_out


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
    diff_width: int = WIDEST
    """Characters of a line of a diff."""
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
            style=DiffStyle(
                mode=DiffMode(self.diff), most=self.max_diff_lines, width=self.diff_width
            ),
            clock=time.perf_counter,
            command=Command(
                words=("repeat-reminder", "check", *self._words()),
                settings=tuple(self._settings()),
                keyword=self.keyword,
            ),
        )

    def _words(self) -> Iterator[str]:
        """Spell again what an accepting command must have in common with this one."""
        yield from self.folders
        if self.snapshots is not None:
            yield from ("--snapshots", self.snapshots)

    def _settings(self) -> Iterator[str]:
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


def run(asked: Asked, shown: Shown, console: Console, *, quiet: bool) -> int:
    """Check, and print what was found.

    Returns:
        The exit code.

    Raises:
        RepeatReminderError: there is nothing to check, or something cannot be written.
    """
    options = replace(asked, diff_width=shown.diff_width).options()
    found = suites(asked.folders, snapshots=asked.snapshots)
    started = datetime.now(UTC)
    review = Review.on_terminal() if asked.review else None
    inputs = _inputs(found, asked)
    if shown.junit_xml is not None:
        refuse_inputs(shown.junit_xml, [*inputs, *_one(shown.output)])
    with writing(shown.output, inputs, live=shown.is_full) as writer:
        telling = Telling(console, shown, writer, live=shown.is_full and not review)
        report = check(found, options, tell=telling.tell, each=telling.each)
        telling.finish()
        if review:
            review.go(report, shown.look)
        summary = report.summary()
        print_rest(summary, shown, writer)
    if shown.junit_xml is not None:
        write_junit(summary, shown.junit_xml, started)
    if shown.form is CheckFormat.GITHUB:
        console.tell(github.annotations(summary, from_workspace))
        append_summary(summary, console)
    if shown.form is CheckFormat.CONCISE and not quiet:
        console.tell([totals(summary, shown.look), *advice(summary)])
        ways = ways_out(summary)
        console.tell(f"{what}:  {shown.look.safe(command)}" for what, command in ways)
    console.finish()
    return report.exit_code


def _inputs(found: Sequence[Suite], asked: Asked) -> list[str]:
    """List what is read, and the snapshots that may be written."""
    scenarios = scenarios_in(found)
    paths = [path for one in scenarios for path in (one.path, one.snapshot, *_one(one.config))]
    return [*paths, *_one(asked.policy.config)]
