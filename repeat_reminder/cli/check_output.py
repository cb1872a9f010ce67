"""Where the findings of ``check`` go: each as soon as it is known, and what is left at the end."""

import sys
from dataclasses import dataclass, field

from repeat_reminder import __version__
from repeat_reminder.cli.check import CheckFormat
from repeat_reminder.cli.options import ColorWhen
from repeat_reminder.cli.output import Writer, look_of
from repeat_reminder.cli.shared import Console
from repeat_reminder.events import Problem, Severity
from repeat_reminder.render.check import github
from repeat_reminder.render.check import text as check_text
from repeat_reminder.render.check.outcomes import Outcome, Result, Summary
from repeat_reminder.render.check.records import check_document
from repeat_reminder.render.look import Look

WIDEST, NARROWEST = 400, 40
"""Characters of a line of a diff: for programs, and on a narrow terminal."""


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
    def diff_width(self) -> int:
        """Return how long a line of a diff may be: it has an indent and a sign before it."""
        if self.form in (CheckFormat.JSON, CheckFormat.CONCISE):
            return WIDEST
        return max(NARROWEST, self.look.width - 4)

    @property
    def is_full(self) -> bool:
        """Tell whether every result is printed as soon as it is known."""
        return self.form in (CheckFormat.FULL, CheckFormat.GITHUB)


@dataclass(slots=True)
class Telling:
    """Tells of scenarios one by one: what is wrong in a log is part of what is pinned.

    So it is told only of one that fails or is accepted, or if it is asked for.
    """

    console: Console
    shown: Shown
    writer: Writer
    live: bool
    """Print each result as soon as it is known."""
    told: check_text.Told = field(default_factory=check_text.Told)
    _held: list[Problem] = field(default_factory=list)

    def tell(self, problem: Problem) -> None:
        """Hear of a problem; fixtures are full of notes on purpose, so those only if asked."""
        if self.shown.verbose:
            self._say(problem)
        elif problem.severity is not Severity.NOTE:
            self._held.append(problem)

    def each(self, result: Result) -> None:
        """Tell of a scenario, now that it is judged."""
        if result.outcome is Outcome.OK:
            self._held.clear()
        self._release()
        if self.live:
            look, verbose = self.shown.look, self.shown.verbose
            for line in check_text.results(result, look, self.told, verbose=verbose):
                self.writer.line(line)

    def finish(self) -> None:
        """Tell what is about no scenario, and of which scenarios too little was told."""
        self._release()
        if self.live and not self.shown.verbose:
            for line in self.told.rest(self.shown.look):
                self.writer.line(line)

    def _release(self) -> None:
        for problem in self._held:
            self._say(problem)
        self._held.clear()

    def _say(self, problem: Problem) -> None:
        self.console.tell(map(github.inert, self.console.log.add(problem)))


def print_rest(summary: Summary, shown: Shown, writer: Writer) -> None:
    """Print what is left to tell when everything is judged."""
    if shown.form is CheckFormat.JSON:
        writer.write(check_document(summary, __version__))
        return
    printed = check_text.closing if shown.is_full else check_text.concise
    for line in printed(summary, shown.look):
        writer.line(line)
