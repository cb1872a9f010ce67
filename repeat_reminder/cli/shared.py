"""What commands do alike: mount policies, open logs, report what is wrong, choose the exit code."""

import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import typer
from msgspec import Struct

from repeat_reminder import __version__
from repeat_reminder.cli.options import AnswerTo, ColorWhen
from repeat_reminder.cli.output import look_of
from repeat_reminder.cli.streams import abandon
from repeat_reminder.config import ConfigText, Loaded, answered, find_project, load, policies_in
from repeat_reminder.errors import ConfigError, RepeatReminderError, UsageError
from repeat_reminder.events import Event, Json, Problem, Severity
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import is_log_folder
from repeat_reminder.policies import Guard
from repeat_reminder.policies.answers import ANSWERS, Answer
from repeat_reminder.render.header import Header, Mounted
from repeat_reminder.render.problems import ProblemLog, error_lines
from repeat_reminder.render.tally import Reported
from repeat_reminder.source import STDIN, Limits, discover, open_log
from repeat_reminder.source.raw import standard_input

DONE, FINDING, USAGE, BUG = 0, 1, 2, 3
_Seen = TypeVar("_Seen", bound=Reported)


class Inputs(Struct, frozen=True, kw_only=True):
    """Which logs to read, and how."""

    paths: Sequence[str]
    form: str = "auto"
    latest: bool = False
    max_line_bytes: int | None = None
    max_bytes: int | None = None
    every_line: bool = True
    """Parse also the lines that are proved to give no event."""

    @property
    def limits(self) -> Limits:
        """Return how much to read at most."""
        given = {"max_line_bytes": self.max_line_bytes, "max_bytes": self.max_bytes}
        return Limits(**{key: value for key, value in given.items() if value is not None})

    @property
    def live(self) -> bool:
        """Tell whether something is read as it grows."""
        return STDIN in self.paths


class PolicyOptions(Struct, frozen=True, kw_only=True):
    """The policy options as they were typed."""

    policies: Sequence[str] | None = None
    answer: AnswerTo | None = None
    config: str | None = None
    thresholds: str | None = None
    include: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    preview_chars: str | None = None
    ignore_args: Sequence[str] | None = None

    @property
    def command_line(self) -> dict[str, Json]:
        """Return the overrides by DSH's key."""
        given: dict[str, Json] = {
            "thresholds": self.thresholds,
            "include": None if self.include is None else list(self.include),
            "exclude": None if self.exclude is None else list(self.exclude),
            "argumentsPreviewChars": self.preview_chars,
            "ignoreArgs": None if self.ignore_args is None else list(self.ignore_args),
        }
        return {key: value for key, value in given.items() if value is not None}

    @property
    def operator(self) -> Answer | None:
        """Return what the operator says, if that was typed."""
        return next((answer for answer in ANSWERS if answer == self.answer), None)


class Console:
    """Standard error: notes, warnings and errors, told in few words; and the exit code."""

    def __init__(self, *, color: ColorWhen, quiet: bool, verbose: bool, strict: bool) -> None:
        """Look at the terminal once."""
        self.look = look_of(sys.stderr.buffer, sys.stderr.encoding, color)
        self.bugs = 0
        """Logs that a fault of ours kept from being read."""
        self.log = ProblemLog(
            self.look,
            verbose=verbose,
            least=Severity.ERROR if quiet else Severity.NOTE,
            strict=strict,
        )
        self._quiet = quiet
        self._strict = strict
        self.readable = 0

    def tell(self, lines: Iterable[str]) -> None:
        """Print lines that are safe to print; the data matters more than room for messages."""
        for line in lines:
            try:
                print(line, file=sys.stderr)  # the one place that prints
            except BrokenPipeError:
                raise
            except OSError:
                abandon(sys.stderr)

    def problems(self, problems: Iterable[Problem]) -> None:
        """Tell problems that stand in no log."""
        for problem in problems:
            self.tell(self.log.add(problem))

    def error(self, error: RepeatReminderError) -> None:
        """Tell why the command stops."""
        self.tell(error_lines(error, self.look))

    def watch(self, items: Iterable[_Seen]) -> Iterator[_Seen]:
        """Tell the problems that go by."""
        for item in items:
            if isinstance(item, Problem):
                self.tell(self.log.add(item))
            yield item

    def say(self, lines: Iterable[str]) -> None:
        """Print lines that are safe to print, unless nobody wants to hear more than errors."""
        if not self._quiet:
            self.tell(lines)

    def finish(self) -> None:
        """Tell what was only counted."""
        self.say(self.log.finish())

    def exit(self, *, finding: bool = False) -> None:
        """End the command.

        Raises:
            typer.Exit: with the code that the run earned.
        """
        self.finish()
        skipped = self.log.skipped_lines + self.log.skipped_files
        failed = self.log.counts[Severity.ERROR] or not self.readable
        if self._strict and skipped and not failed:
            self.tell(["error: --strict: skipped lines and files are errors"])
        if self.bugs:
            raise typer.Exit(BUG)
        if failed or (self._strict and skipped):
            raise typer.Exit(USAGE)
        raise typer.Exit(FINDING if finding else DONE)


@contextmanager
def reporting(console: Console, *, verbose: bool = False) -> Iterator[None]:
    """Turn every failure into a message and an exit code; a traceback is shown to nobody.

    Raises:
        typer.Exit: 2 for what the user can mend, 3 for a bug.
    """
    try:
        yield
    except RepeatReminderError as error:
        console.error(error)
        raise typer.Exit(USAGE) from None
    except BrokenPipeError:
        # Where SIGPIPE does not exist; stdout must not be flushed again at exit.
        abandon(sys.stdout)
        raise typer.Exit(141) from None
    except (typer.Exit, typer.Abort, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - the last resort, so that a bug is told as one
        why = str(error)
        console.tell([f"error: internal error: {type(error).__name__}: {why!a}"])
        if verbose:
            traceback.print_exc()
        else:
            console.tell(["hint: this is a bug in repeat-reminder; -v shows where"])
        raise typer.Exit(BUG) from None


def load_policies(options: PolicyOptions) -> Loaded:
    """Read the settings of the policies from everywhere they may come from.

    If no policy is asked for, those are mounted that the config file has rows or blocks for.

    Raises:
        UsageError, ConfigError: as `repeat_reminder.config.load`.
    """
    config = None
    if options.config is not None:
        config = config_text(options.config)
    named = options.policies or (policies_in(config) if config is not None else ())
    loaded = load(
        tuple(named),
        command_line=options.command_line,
        environment=os.environ,
        config=config,
        project=find_project(),
    )
    return answered(loaded, options.operator)


def config_text(path: str) -> ConfigText:
    """Read the file of ``--config``; ``-`` is standard input.

    Raises:
        ConfigError: it cannot be read, or is empty.
        SourceError: there is no standard input.
    """
    if path != STDIN:
        return ConfigText.of(path)
    data = standard_input().read()
    if not data:
        raise ConfigError("standard input is empty", path=STDIN)
    return ConfigText(path=STDIN, data=data)


def header_of(loaded: Loaded, guards: Sequence[Guard]) -> Header:
    """Return what a report says of itself."""
    mounted = (
        Mounted(
            name=guard.name,
            config=guard.config_record(),
            origin=one.origins,
            answer=loaded.answer if guard.gates else None,
        )
        for guard, one in zip(guards, loaded.policies, strict=True)
    )
    return Header(version=__version__, policies=tuple(mounted))


def one_log(inputs: Inputs, console: Console) -> Iterator[Event]:
    """Read the events of the one log that the paths name.

    Raises:
        RepeatReminderError: it cannot be read, or there are several.
    """
    chosen = None if inputs.form == "auto" else by_name(inputs.form)
    notes: list[Problem] = []
    paths = discover(inputs.paths, is_log_folder=is_log_folder, report=notes.append)
    yield from notes
    if len(paths) > 1:
        hint = f"name one of them: {paths[0]}, {paths[1]}, …"
        raise UsageError(f"there are {len(paths):,} logs here", path=inputs.paths[0], hint=hint)
    with open_log(paths[0], limits=inputs.limits) as log:
        yield from read_log(log, chosen)
        console.readable += 1
