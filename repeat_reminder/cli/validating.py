"""How a validation is run and printed, and what its exit code is."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import assert_never

from repeat_reminder import __version__
from repeat_reminder.cli.options import ValidateFormat
from repeat_reminder.cli.output import Writer
from repeat_reminder.cli.shared import DONE, FINDING, USAGE, Inputs
from repeat_reminder.errors import RepeatReminderError, SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats import by_name
from repeat_reminder.formats.recognition import is_log_folder
from repeat_reminder.render import validation
from repeat_reminder.render.look import Look
from repeat_reminder.render.validation import Totals
from repeat_reminder.source import discover, latest, open_log
from repeat_reminder.validate import LogReport, unreadable, validate


@dataclass(slots=True, kw_only=True)
class Validation:
    """A validation of logs."""

    form: ValidateFormat
    look: Look
    strict: bool = False
    quiet: bool = False
    totals: Totals = field(default_factory=Totals)
    opened: int = 0
    """Logs that could be opened, whatever was in them."""

    @property
    def exit_code(self) -> int:
        """Return 1 if an error was found, 2 if no log could be opened."""
        if not self.opened:
            return USAGE
        return FINDING if self.totals.problems[Severity.ERROR] else DONE

    def write(self, inputs: Inputs, writer: Writer) -> None:
        """Validate the logs and print what is found.

        Raises:
            RepeatReminderError: there are no logs to validate.
        """
        found = self._loud(self.totals.watch(self._found(inputs)))
        match self.form:
            case ValidateFormat.FULL:
                for line in validation.full(found, self.totals, self.look):
                    writer.line(line)
            case ValidateFormat.CONCISE:
                for line in validation.concise(found, self.look):
                    writer.line(line)
            case ValidateFormat.GITHUB:
                for line in validation.github(found, self.look):
                    writer.line(line)
            case ValidateFormat.JSONL:
                for data in validation.jsonl(found, self.totals, __version__):
                    writer.write(data)
            case ValidateFormat.JSON:
                writer.write(validation.json_document(found, self.totals, __version__))
            case _:
                assert_never(self.form)

    def _found(self, inputs: Inputs) -> Iterator[Problem | LogReport]:
        chosen = None if inputs.form == "auto" else by_name(inputs.form)
        notes: list[Problem] = []
        paths = discover(inputs.paths, is_log_folder=is_log_folder, report=notes.append)
        yield from notes
        for path in [latest(paths)] if inputs.latest else paths:
            try:
                with open_log(path, limits=inputs.limits) as log:
                    yield from validate(log, chosen, strict=self.strict)
                    self.opened += 1
            except RepeatReminderError as error:
                self.opened += not isinstance(error, SourceError)
                yield from unreadable(path, error)

    def _loud(self, found: Iterator[Problem | LogReport]) -> Iterator[Problem | LogReport]:
        """Leave out notes and warnings if asked to."""
        for each in found:
            if not (self.quiet and isinstance(each, Problem) and each.severity != Severity.ERROR):
                yield each


def format_of(output: str | None) -> ValidateFormat:
    """Pick the format that an output file's name asks for."""
    suffix = PurePath(output or "").suffix.lower()
    return _SUFFIXES.get(suffix, ValidateFormat.FULL)


_SUFFIXES = {
    ".jsonl": ValidateFormat.JSONL,
    ".ndjson": ValidateFormat.JSONL,
    ".json": ValidateFormat.JSON,
}
