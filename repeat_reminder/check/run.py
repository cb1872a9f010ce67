"""A check from beginning to end: every scenario against its snapshot, then what is left over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from os.path import realpath
from pathlib import Path
from typing import Final

from repeat_reminder.check.diff import DiffStyle
from repeat_reminder.check.explain import explain
from repeat_reminder.check.keyword import Matches
from repeat_reminder.check.lines import refuse_newer
from repeat_reminder.check.names import SNAPSHOT_SUFFIX
from repeat_reminder.check.paths import snapshot_names
from repeat_reminder.check.replaying import Overrides, Tell, places_of, transcript_of
from repeat_reminder.check.report import Command, Report
from repeat_reminder.check.scenarios import Scenario, scenarios_in, unread_configs
from repeat_reminder.check.suites import Suite
from repeat_reminder.check.write import delete_snapshot, other_spelling, write_snapshot
from repeat_reminder.errors import RepeatReminderError, SourceError, UsageError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats.refusal import READERS_HINT
from repeat_reminder.render.check.outcomes import Outcome, Result, Unused, Written

_NO_SCENARIO: Final = (
    "repeat-reminder formats lists the readers; what is no recorded session belongs in another "
    "folder than the scenarios"
)


class Update(StrEnum):
    """What a check may write."""

    NOTHING = "nothing"
    NEW = "new"
    """Snapshots that do not exist yet."""
    ALL = "all"
    """New and changed ones; unused ones are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to check."""

    overrides: Overrides = field(default_factory=Overrides)
    matches: Matches | None = None
    """Which scenarios are meant; None for all."""
    update: Update = Update.NOTHING
    allow_unused: bool = False
    """Unused snapshots are no finding, and are not deleted."""
    fail_fast: bool = False
    strict: bool = False
    """A skipped line or file is an error."""
    style: DiffStyle = field(default_factory=DiffStyle)
    clock: Callable[[], float] = float
    """Seconds since some moment."""
    command: Command = field(default_factory=Command)


def _nothing(_: object) -> None:
    """Take no notice."""


def check(
    found: Sequence[Suite],
    options: Options,
    *,
    tell: Tell = _nothing,
    each: Callable[[Result], None] = _nothing,
) -> Report:
    """Judge the scenarios of suites; write only what an update asks for.

    Args:
        found: folders of scenarios and snapshots.
        options: how to check.
        tell: is told what is wrong with logs and settings.
        each: is told every result as soon as it is known.

    Raises:
        UsageError: there is no scenario: a check of nothing is not a pass.
        SourceError: a folder cannot be listed.
        WriteError: a snapshot cannot be written.
    """
    scenarios = scenarios_in(found)
    chosen = _chosen(found, scenarios, options.matches)
    report = Report(command=options.command, allow_unused=options.allow_unused)
    for scenario in chosen:
        result = judge(scenario, options, tell)
        report.results.append(result)
        each(result)
        if options.fail_fast and (result.failed or result.error):
            break
    whole = len(report.results) == len(scenarios) and not any(suite.only for suite in found)
    report.partial = options.matches is not None or not whole
    if not report.partial:
        for suite in found:
            for path, why in unread_configs(suite):
                tell(_unread(path, why))
        report.unused += _unused(found, scenarios, options, keep=report.broken)
    return report


def _chosen(
    found: Sequence[Suite], scenarios: Sequence[Scenario], matches: Matches | None
) -> list[Scenario]:
    if not scenarios:
        places = ", ".join(suite.fixtures for suite in found)
        hint = "put recorded sessions there, NAME.jsonl or folders with several logs"
        raise UsageError("no scenarios: a check of nothing is not a pass", path=places, hint=hint)
    chosen = [one for one in scenarios if matches is None or matches(one.name)]
    if not chosen:
        few = ", ".join(one.name for one in scenarios[:8])
        more = ", …" if len(scenarios) > len(scenarios[:8]) else ""
        raise UsageError("no scenario matches", path="-k", hint=f"there are: {few}{more}")
    return chosen


def judge(scenario: Scenario, options: Options, tell: Tell = _nothing) -> Result:
    """Judge one scenario, and write its snapshot if the update asks for it.

    Raises:
        WriteError: it cannot be written.
    """
    start = options.clock()
    try:
        result = _compared(scenario, options, tell)
    except RepeatReminderError as error:
        result = _result(scenario, Outcome.ERROR, error=_for_check(error))
    if _is_wanted(result.outcome, options.update):
        result = accept(result)
    return replace(result, seconds=options.clock() - start)


def _for_check(error: RepeatReminderError) -> RepeatReminderError:
    """Say of a file that no reader takes what helps here: a check picks no reader."""
    if error.hint is None or READERS_HINT not in error.hint:
        return error
    hint = error.hint.replace(READERS_HINT, _NO_SCENARIO)
    return type(error)(error.message, path=error.path, line=error.line, hint=hint)


def accept(result: Result) -> Result:
    """Write the transcript of a scenario that changed or is new.

    Raises:
        WriteError: it cannot be written.
    """
    if result.received is None:
        return result
    write_snapshot(result.snapshot, result.received)
    written = Written.ADDED if result.outcome is Outcome.MISSING else Written.MODIFIED
    return replace(result, written=written, received=None)


def discard(unused: Unused) -> Unused:
    """Delete a snapshot that belongs to no scenario.

    Raises:
        WriteError: it cannot be deleted.
    """
    delete_snapshot(unused.path)
    return replace(unused, written=Written.DELETED)


def _is_wanted(outcome: Outcome, update: Update) -> bool:
    if update is Update.ALL:
        return outcome in (Outcome.CHANGED, Outcome.MISSING)
    return update is Update.NEW and outcome is Outcome.MISSING


def _compared(scenario: Scenario, options: Options, tell: Tell) -> Result:
    if scenario.fault:
        raise scenario.fault
    new = _transcript(scenario, options, tell)
    old = _snapshot(scenario)
    if old is None:
        return _result(scenario, Outcome.MISSING, received=new, hint=_hint(scenario))
    if old == new:
        return _result(scenario, Outcome.OK)
    refuse_newer(old, scenario.snapshot)
    changed = _result(scenario, Outcome.CHANGED, received=new)
    if _is_wanted(Outcome.CHANGED, options.update):
        return changed
    places = partial(places_of, scenario, options.overrides)
    explanation = explain(old, new, scenario.snapshot, style=options.style, places=places)
    return replace(changed, explanation=explanation)


def _result(
    scenario: Scenario,
    outcome: Outcome,
    *,
    received: bytes | None = None,
    error: RepeatReminderError | None = None,
    hint: str | None = None,
) -> Result:
    return Result(
        name=scenario.name,
        path=scenario.path,
        snapshot=scenario.snapshot,
        outcome=outcome,
        received=received,
        error=error,
        hint=hint,
    )


def _transcript(scenario: Scenario, options: Options, tell: Tell) -> bytes:
    skipped: list[Problem] = []

    def heard(problem: Problem) -> None:
        tell(problem)
        if problem.skipped and not skipped:
            skipped.append(problem)

    new = transcript_of(scenario, options.overrides, heard)
    if skipped and options.strict:
        first = skipped[0]
        raise SourceError(first.message, path=first.path, line=first.line, hint=first.hint)
    return new


def _snapshot(scenario: Scenario) -> bytes | None:
    """Read a snapshot; None if no file has exactly its name, whatever the file system thinks."""
    folder = scenario.snapshot.rpartition("/")[0] or "."
    if scenario.name not in snapshot_names(folder):
        return None
    try:
        return Path(scenario.snapshot).read_bytes()
    except OSError as error:
        why = (error.strerror or "cannot be read").lower()
        raise SourceError(why, path=scenario.snapshot) from error


def _hint(scenario: Scenario) -> str | None:
    other = other_spelling(scenario.snapshot)
    return f"{other} is there, but its name is spelled differently" if other else None


def _unused(
    found: Sequence[Suite], scenarios: Sequence[Scenario], options: Options, *, keep: bool
) -> list[Unused]:
    """List the snapshots without a scenario, and delete them in a full update without errors."""
    known: dict[str, set[str]] = {}
    for one in scenarios:
        known.setdefault(realpath(one.snapshot.rpartition("/")[0] or "."), set()).add(one.name)
    folders = {realpath(suite.snapshots): suite.snapshots for suite in found}
    unused = [
        Unused(path="/".join([folder, f"{name}{SNAPSHOT_SUFFIX}"]))
        for real, folder in folders.items()
        for name in snapshot_names(folder)
        if name not in known.get(real, set())
    ]
    if options.update is Update.ALL and not options.allow_unused and not keep:
        return [discard(one) for one in unused]
    return unused


def _unread(path: str, why: str) -> Problem:
    return Problem(
        path=path,
        line=None,
        severity=Severity.WARNING,
        kind="unread-config",
        message=f"these settings are not read: {why}",
    )
