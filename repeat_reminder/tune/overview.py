"""The overview of a corpus: every figure of ``stats``."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.stats_values import Count, GroupRow, LongRun, StatsReport
from repeat_reminder.tune.chained import Cut, Run
from repeat_reminder.tune.corpus import Corpus
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.report import choice_of, corpus_figures
from repeat_reminder.tune.request import Request
from repeat_reminder.tune.results import results_of
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen
from repeat_reminder.tune.spend import Spending
from repeat_reminder.tune.streaks import streaks
from repeat_reminder.tune.table import NO_KEY, SessionTable

LONGEST_RUNS: Final = 10
LOOP: Final = 3
"""Calls from which a run counts as a loop, and after which its cost does."""


class By(StrEnum):
    """What to group figures by."""

    TOOL = "tool"
    AGENT = "agent"
    SESSION = "session"
    LABEL = "label"
    FORMAT = "format"


def stats_report(corpus: Corpus, labels: Sequence[Label], request: Request, by: By) -> StatsReport:
    """Work out the overview.

    Args:
        corpus: all sessions.
        labels: one for each session.
        request: whose config gives the scope.
        by: what to group by.
    """
    choice = choice_of(request.config)
    sessions = [
        Chosen(table, chain(table, choice), label is Label.STUCK)
        for table, label in zip(corpus.sessions, labels, strict=True)
    ]
    runs = [(one.table, run) for one in sessions for run in one.chained.runs]
    failures = sorted(
        (streak for table in corpus.sessions for streak in streaks(table)),
        key=lambda one: (-one.length, one.place),
    )
    return StatsReport(
        version=request.version,
        command=request.command,
        corpus=corpus_figures(corpus, labels, sessions, request),
        scope=_scope(request.config),
        formats=dict(sorted(Counter(table.format for table in corpus.sessions).items())),
        agents=sum(len(table.agents) for table in corpus.sessions),
        unfinished=sum(table.unfinished for table in corpus.sessions),
        human_messages=sum(table.resets for table in corpus.sessions),
        recorded_reminders=sum(len(table.recorded) for table in corpus.sessions),
        duplicates=sum(table.duplicates for table in corpus.sessions),
        lines=sum(table.lines for table in corpus.sessions),
        failed=sum(sum(table.failed) for table in corpus.sessions),
        lengths=_counts(run.length for _, run in runs),
        results=results_of(run for _, run in runs if run.length >= LOOP),
        longest=longest_runs(runs),
        streaks=_counts(streak.length for streak in failures),
        longest_streaks=tuple(failures[:LONGEST_RUNS]),
        spend=Spending(runs).after(LOOP),
        by=by.value,
        groups=groups(sessions, labels, choice, by),
    )


def _scope(config: ReminderConfig) -> dict[str, Json]:
    return {
        "include": list(config.include),
        "exclude": list(config.exclude),
        "ignoreArgs": list(config.ignore_args),
    }


def _counts(lengths: Iterable[int]) -> tuple[Count, ...]:
    return tuple(Count(*item) for item in sorted(Counter(lengths).items()))


def longest_runs(runs: Sequence[tuple[SessionTable, Run]]) -> tuple[LongRun, ...]:
    """Return the longest runs, with their places."""
    found = sorted(
        runs, key=lambda one: (-one[1].length, one[0].path, one[0].session, one[1].rows[0])
    )
    return tuple(_long_run(table, run) for table, run in found[:LONGEST_RUNS])


def _long_run(table: SessionTable, run: Run) -> LongRun:
    row = run.rows[0]
    return LongRun(
        length=run.length,
        place=table.place(row),
        session=table.session,
        agent=table.agent_of(row),
        tool=table.tool_of(row),
        results=_RESULTS[run.likeness],
        cut=_CUTS[run.cut],
        preview=table.preview(table.key[row]),
    )


_RESULTS: Final = ("changing", "volatile", "identical", "unknown")
"""By `Likeness`."""
_CUTS: Final = {Cut.NONE: None, Cut.LOG: "log", Cut.REMINDER: "reminder"}


# ---------------------------------------------------------------- groups


@dataclass(slots=True)
class _Group:
    sessions: set[int] = field(default_factory=set)
    calls: int = 0
    tracked: int = 0
    failed: int = 0
    runs: list[tuple[SessionTable, Run]] = field(default_factory=list)


def groups(
    sessions: Sequence[Chosen], labels: Sequence[Label], choice: Choice, by: By
) -> tuple[GroupRow, ...]:
    """Return the figures by tool, agent, session, label or format; most repeats first."""
    found: dict[str, _Group] = {}
    ids = Counter(one.table.session for one in sessions)
    homonyms = {name for name, number in ids.items() if number > 1}
    for at, (one, label) in enumerate(zip(sessions, labels, strict=True)):
        table, name_of = one.table, _namer(one.table, label, by, homonyms)
        tracked = choice.tracked(table.tools)
        for row, (tool, key) in enumerate(zip(table.tool, table.key, strict=True)):
            group = found.setdefault(name_of(row), _Group())
            group.sessions.add(at)
            group.calls += 1
            group.tracked += tracked[tool] and key != NO_KEY
            group.failed += table.failed[row]
        for run in one.chained.runs:
            found[name_of(run.rows[0])].runs.append((table, run))
    rows = [_row(name, group) for name, group in found.items()]
    return tuple(sorted(rows, key=lambda row: (-row.repeats, -row.calls, row.name)))


def _namer(table: SessionTable, label: Label, by: By, homonyms: set[str]) -> Callable[[int], str]:
    match by:
        case By.TOOL:
            return table.tool_of
        case By.AGENT:
            return table.agent_of
        case By.SESSION:
            same = table.session in homonyms
            return lambda _row: f"{table.session} {table.path}" if same else table.session
        case By.LABEL:
            return lambda _row: label.value
        case By.FORMAT:
            return lambda _row: table.format


def _row(name: str, group: _Group) -> GroupRow:
    loops = [run for _, run in group.runs if run.length >= LOOP]
    return GroupRow(
        name=name,
        sessions=len(group.sessions),
        calls=group.calls,
        tracked=group.tracked,
        failed=group.failed,
        runs=len(group.runs),
        runs_of_three=len(loops),
        longest=max((run.length for _, run in group.runs), default=min(group.tracked, 1)),
        repeats=sum(run.length - 1 for _, run in group.runs),
        results=results_of(loops),
        spend=Spending(group.runs).after(LOOP),
    )
