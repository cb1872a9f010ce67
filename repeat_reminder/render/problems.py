"""Problems and errors as lines for standard error: where, what, and what helps.

Everything is counted, not everything is told in full. Of warnings and errors each file's first
three of a kind are, then one line counts the rest. A note fails nothing and a corpus may have
thousands, so of notes the first three of a kind are told for the whole run.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from repeat_reminder.events import Severity
from repeat_reminder.formats.one_log import LEFT_OUT
from repeat_reminder.render.look import Look, Style, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repeat_reminder.errors import RepeatReminderError
    from repeat_reminder.events import Problem

UNREADABLE: Final = "unreadable"
"""Kind of a problem that left out a whole file of many."""
IN_FULL: Final = 3
_STYLES: Final = {
    Severity.ERROR: Style.ERROR,
    Severity.WARNING: Style.WARNING,
    Severity.NOTE: Style.NOTE,
}
_LOUDNESS: Final = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


class _Kind(Struct):
    """Problems of one kind: of one file, or notes of the whole run."""

    severity: Severity
    name: str
    seen: int = 0
    more_files: int = 0
    """Files with some that are only counted."""
    more_path: str | None = None
    """The latest of them."""


class ProblemLog:
    """Counts problems, and gives the lines to print for each as it comes."""

    def __init__(
        self,
        look: Look = Look(),  # noqa: B008 - frozen
        *,
        verbose: bool = False,
        least: Severity = Severity.NOTE,
        strict: bool = False,
    ) -> None:
        """Begin at zero.

        Args:
            look: colour and glyphs.
            verbose: tell every problem in full.
            least: what is below this is counted and not told.
            strict: skipped lines are errors already, so no hint says that they could be.
        """
        self.counts: Counter[Severity] = Counter()
        self.skipped_lines = 0
        self.skipped_files = 0
        self._look = look
        self._verbose = verbose
        self._strict = strict
        self._told = _LOUDNESS[_LOUDNESS.index(least) :]
        self._kinds: dict[tuple[Severity, str], _Kind] = {}
        self._path: str | None = None
        """The file whose warnings and errors are held."""
        self._hints: dict[str, str] = {}
        """By kind, the last hint told: it is not repeated."""

    def add(self, problem: Problem) -> Iterator[str]:
        """Count a problem and return its lines: one or two, or none."""
        self.counts[problem.severity] += 1
        if problem.kind == UNREADABLE:
            self.skipped_files += 1
        else:
            self.skipped_lines += problem.skipped
        lines: list[str] = []
        if problem.path != self._path:
            lines += self._folded(Severity.ERROR, Severity.WARNING)
            self._path = problem.path
        if problem.severity in self._told and self._counts_as_one_of_few(problem):
            message = _placed(problem.path, problem.line, problem.message)
            lines += self._lines(problem.severity, message, self._new_hint(problem))
        return iter(lines)

    def error(self, error: RepeatReminderError) -> Iterator[str]:
        """Count an error that made a whole file unreadable, and return its lines."""
        self.counts[Severity.ERROR] += 1
        self.skipped_files += error.path is not None
        return iter(
            [*self._folded(Severity.ERROR, Severity.WARNING), *error_lines(error, self._look)]
        )

    def finish(self) -> Iterator[str]:
        """Return what is left to tell; the last line totals what was skipped.

        Nothing is said where nothing was skipped and there was no warning or error.
        """
        lines = list(self._folded(*_LOUDNESS))
        loud = self.counts[Severity.ERROR] + self.counts[Severity.WARNING]
        if self.skipped_lines or self.skipped_files or loud:
            skipped = [plural(self.skipped_lines, "line")]
            skipped += [plural(self.skipped_files, "file")] if self.skipped_files else []
            counts = [
                plural(self.counts[severity], severity.value)
                for severity in reversed(_LOUDNESS)
                if self.counts[severity]
            ]
            lines.append(self._look.join(f"{' and '.join(skipped)} skipped", ", ".join(counts)))
        return iter(lines)

    def _counts_as_one_of_few(self, problem: Problem) -> bool:
        kind = self._kinds.setdefault(
            (problem.severity, problem.kind), _Kind(problem.severity, problem.kind)
        )
        kind.seen += 1
        told = self._verbose or kind.seen <= IN_FULL
        if not told and kind.more_path != problem.path:
            kind.more_path = problem.path
            kind.more_files += 1
        return told

    def _folded(self, *severities: Severity) -> Iterator[str]:
        """Give up the kinds of some severities; of each that was not told in full, say how many."""
        for key in [key for key in self._kinds if key[0] in severities]:
            kind = self._kinds.pop(key)
            rest = kind.seen - IN_FULL
            if rest <= 0 or self._verbose:
                continue
            where = (kind.more_path or "") if kind.more_files == 1 else ""
            files = f" in {kind.more_files:,} files" if kind.more_files > 1 else ""
            what = kind.name.replace("-", " ")
            message = _placed(where, None, f"and {rest:,} more{files} ({what})")
            yield from self._lines(kind.severity, message, None)

    def _lines(self, severity: Severity, message: str, hint: str | None) -> Iterator[str]:
        return _message_lines(severity, message, hint, self._look)

    def _new_hint(self, problem: Problem) -> str | None:
        hint = problem.hint
        if hint is not None and self._strict:
            hint = hint.removesuffix(".").removesuffix(LEFT_OUT).rstrip()
        if not hint or self._hints.get(problem.kind) == hint:
            return None
        self._hints[problem.kind] = hint
        return hint


def problem_lines(problem: Problem, look: Look) -> Iterator[str]:
    """Yield a problem in full, as `ProblemLog` tells the first of its kind."""
    message = _placed(problem.path, problem.line, problem.message)
    return _message_lines(problem.severity, message, problem.hint, look)


def error_lines(error: RepeatReminderError, look: Look) -> Iterator[str]:
    """Yield ``error: path:line: what is wrong``, and the hint below it if there is one."""
    return _message_lines(Severity.ERROR, str(error), error.hint, look)


def _message_lines(severity: Severity, message: str, hint: str | None, look: Look) -> Iterator[str]:
    yield f"{look.paint(f'{severity.value}:', _STYLES[severity])} {look.safe(message)}"
    if hint is not None:
        yield f"{look.paint('hint:', Style.FAINT)} {look.safe(hint)}"


def _placed(path: str, line: int | None, message: str) -> str:
    place = path if line is None else f"{path}:{line}"
    return f"{place}: {message}" if place else message
