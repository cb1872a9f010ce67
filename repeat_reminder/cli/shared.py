"""What commands do alike: mount policies, open logs, report what is wrong, choose the exit code."""

import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from repeat_reminder import __version__
from repeat_reminder.cli.options import ColorWhen
from repeat_reminder.cli.output import look_of
from repeat_reminder.config import ConfigText, Loaded, find_project, load
from repeat_reminder.engine import replay
from repeat_reminder.errors import ConfigError, RepeatReminderError
from repeat_reminder.events import Item, Json, Problem, Severity
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies import Guard
from repeat_reminder.render.header import Header, Mounted
from repeat_reminder.render.problems import UNREADABLE, ProblemLog, error_lines
from repeat_reminder.source import STDIN, Limits, discover, latest, open_log

DONE, FINDING, USAGE, BUG = 0, 1, 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Which logs to read, and how."""

    paths: Sequence[str]
    form: str = "auto"
    latest: bool = False
    max_line_bytes: int | None = None
    max_bytes: int | None = None

    @property
    def limits(self) -> Limits:
        """Return how much to read at most."""
        given = {"max_line_bytes": self.max_line_bytes, "max_bytes": self.max_bytes}
        return Limits(**{key: value for key, value in given.items() if value is not None})

    @property
    def live(self) -> bool:
        """Tell whether something is read as it grows."""
        return STDIN in self.paths


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """The policy options as they were typed."""

    policies: Sequence[str] | None = None
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


class Console:
    """Standard error: notes, warnings and errors, told in few words; and the exit code."""

    def __init__(self, *, color: ColorWhen, quiet: bool, verbose: bool, strict: bool) -> None:
        """Look at the terminal once."""
        self._look = look_of(sys.stderr.buffer, sys.stderr.encoding, color)
        self.log = ProblemLog(
            self._look, verbose=verbose, least=Severity.ERROR if quiet else Severity.NOTE
        )
        self._quiet = quiet
        self._strict = strict
        self.readable = 0

    def tell(self, lines: Iterable[str]) -> None:
        """Print lines that are safe to print."""
        for line in lines:
            print(line, file=sys.stderr)  # the one place that prints

    def problems(self, problems: Iterable[Problem]) -> None:
        """Tell problems that stand in no log."""
        for problem in problems:
            self.tell(self.log.add(problem))

    def error(self, error: RepeatReminderError) -> None:
        """Tell why the command stops."""
        self.tell(error_lines(error, self._look))

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """Tell the problems that go by."""
        for item in items:
            if isinstance(item, Problem):
                self.tell(self.log.add(item))
            yield item

    def finish(self) -> None:
        """Tell what was only counted."""
        lines = self.log.finish()
        if not self._quiet:
            self.tell(lines)

    def exit(self, *, finding: bool = False) -> None:
        """End the command.

        Raises:
            typer.Exit: with the code that the run earned.
        """
        self.finish()
        skipped = self.log.skipped_lines + self.log.skipped_files
        failed = self.log.counts[Severity.ERROR] or not self.readable
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(141) from None
    except (typer.Exit, typer.Abort, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - the last resort, so that a bug is told as one
        console.tell([f"error: internal error: {type(error).__name__}: {error!a}"])
        if verbose:
            traceback.print_exc()
        else:
            console.tell(["hint: this is a bug in repeat-reminder; -v shows where"])
        raise typer.Exit(BUG) from None


def load_policies(options: PolicyOptions) -> Loaded:
    """Read the settings of the policies from everywhere they may come from.

    Raises:
        UsageError, ConfigError: as `repeat_reminder.config.load`.
    """
    config = None
    if options.config is not None:
        config = _config_text(options.config)
    return load(
        tuple(options.policies or ()),
        command_line=options.command_line,
        environment=os.environ,
        config=config,
        project=find_project(),
    )


def _config_text(path: str) -> ConfigText:
    if path != STDIN:
        return ConfigText.of(path)
    data = sys.stdin.buffer.read()
    if not data:
        raise ConfigError("standard input is empty", path=STDIN)
    return ConfigText(path=STDIN, data=data)


def header_of(loaded: Loaded, guards: Sequence[Guard]) -> Header:
    """Return what a report says of itself."""
    mounted = (
        Mounted(name=guard.name, config=guard.config_record(), origin=one.origins)
        for guard, one in zip(guards, loaded.policies, strict=True)
    )
    return Header(version=__version__, policies=tuple(mounted))


def replay_logs(inputs: Inputs, guards: Sequence[Guard], console: Console) -> Iterator[Item]:
    """Replay every log, one after the other; of many, one that cannot be read stops none.

    Raises:
        RepeatReminderError: the only log cannot be read, or no log is found.
    """
    chosen = None if inputs.form == "auto" else by_name(inputs.form)
    notes: list[Problem] = []
    paths = discover(inputs.paths, report=notes.append)
    yield from notes
    if inputs.latest:
        paths = [latest(paths)]
    for path in paths:
        try:
            with open_log(path, limits=inputs.limits) as log:
                yield from replay(read_log(log, chosen), guards)
                console.readable += 1
        except RepeatReminderError as error:
            if len(paths) == 1:
                raise
            yield _unreadable(path, error)


def _unreadable(path: str, error: RepeatReminderError) -> Problem:
    return Problem(
        path=error.path or path,
        line=error.line,
        severity=Severity.WARNING,
        kind=UNREADABLE,
        message=error.message,
        hint=error.hint,
        skipped=True,
    )
