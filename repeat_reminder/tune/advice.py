"""What the data say about the current settings: each piece with its numbers and its places."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from repeat_reminder.policies.patterns import matches
from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.advice_values import (
    Advice,
    DeadStage,
    PollingTool,
    TransparencyTrap,
    UnmatchedPattern,
)
from repeat_reminder.tune.chained import Run
from repeat_reminder.tune.effect import reminder_effect
from repeat_reminder.tune.glue import EXAMPLES, in_the_middle, traps
from repeat_reminder.tune.likeness import Likeness
from repeat_reminder.tune.misses import volatile_arguments
from repeat_reminder.tune.results import results_of
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen

_SHOWN: Final = 8
POLLS: Final = 0.8
"""Share of a tool's runs with changing results from which on it polls."""


def advice(
    sessions: Sequence[Chosen], config: ReminderConfig, choice: Choice
) -> tuple[Advice, ...]:
    """Return all that is to be said, from the settings outwards.

    Args:
        sessions: chained under the current config.
        config: the current config.
        choice: its scope.
    """
    first = config.thresholds[0]
    between = in_the_middle(sessions, choice)
    glue = traps(sessions, between, choice, first)
    effect = reminder_effect(sessions, choice)
    return (
        *dead_stages(sessions, config.thresholds),
        *unmatched(sessions, config),
        *polling_tools(sessions, between, config, choice, glue),
        *glue,
        *volatile_arguments(sessions, choice, first),
        *([effect] if effect else []),
    )


def dead_stages(sessions: Sequence[Chosen], thresholds: Sequence[int]) -> Iterator[DeadStage]:
    """Find thresholds that no run reaches."""
    runs = [(run.length, one, run) for one in sessions for run in one.chained.runs]
    longest, one, run = max(runs, key=lambda found: found[0], default=(0, None, None))
    if one is None or run is None:
        longest = max((session.chained.longest for session in sessions), default=0)
        place = None
    else:
        place = one.table.place(run.rows[0])
    for threshold in thresholds:
        if threshold > longest:
            yield DeadStage(threshold, longest, place)


def unmatched(sessions: Sequence[Chosen], config: ReminderConfig) -> Iterator[UnmatchedPattern]:
    """Find patterns that match no tool: ``todo_write`` where the tool is ``TodoWrite``."""
    tools = sorted({tool for one in sessions for tool in one.table.tools})
    for key, patterns in (("include", config.include), ("exclude", config.exclude)):
        for pattern in patterns:
            if not any(matches(pattern, tool) for tool in tools):
                yield UnmatchedPattern(key, pattern, _meant(pattern, tools), tuple(tools[:_SHOWN]))


def _meant(pattern: str, tools: Sequence[str]) -> str | None:
    """Return the tool that a pattern probably means: letters in any case, any signs between."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a slip of the pen has a use for it

    folded = {_folded(tool): tool for tool in tools}
    close = get_close_matches(_folded(pattern), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def polling_tools(
    sessions: Sequence[Chosen],
    between: Sequence[AbstractSet[str]],
    config: ReminderConfig,
    choice: Choice,
    glue: Sequence[TransparencyTrap],
) -> Iterator[PollingTool]:
    """Find tools most of whose repeated calls had changing results.

    Tools that are excluded now are looked at as if they were not: was that right?

    Args:
        sessions: chained under the choice.
        between: for each session, what `in_the_middle` says of it.
        config: the current config.
        choice: its scope.
        glue: what each tool's exclusion would make.
    """
    first = config.thresholds[0]
    open_ = Choice(include=choice.include, ignore_args=choice.ignore_args)
    wider = (
        sessions
        if open_ == choice
        else [Chosen(one.table, chain(one.table, open_), one.is_stuck) for one in sessions]
    )
    by_tool: dict[str, list[tuple[Run, str]]] = {}
    for one in wider:
        for run in one.chained.runs:
            if run.length >= first:
                tool = one.table.tool_of(run.rows[0])
                by_tool.setdefault(tool, []).append((run, one.table.place(run.rows[0])))
    new_runs = {trap.tool: trap.new_runs for trap in glue}
    now = _messages(sessions, config.thresholds)
    caught = _caught(sessions, first)
    for tool, runs in sorted(by_tool.items(), key=lambda item: (-len(item[1]), item[0])):
        results = results_of(run for run, _ in runs)
        if results.changing < POLLS * results.runs:
            continue
        excluded = not choice.scope.tracks(tool)
        messages, late = now.total(), caught
        if not excluded:
            old, new = _changed(sessions, between, choice.without(tool), tool)
            before, after = (_messages(some, config.thresholds) for some in (old, new))
            messages += after.total() - before.total() + before[tool] - now[tool]
            late += _caught(new, first) - _caught(old, first)
        yield PollingTool(
            tool=tool,
            results=results,
            messages=sum(_of_run(run, config.thresholds) for run, _ in runs),
            messages_now=now.total(),
            messages_without=messages,
            caught_now=caught,
            caught_without=late,
            new_runs=new_runs.get(tool, 0),
            is_excluded=excluded,
            examples=tuple(
                [place for run, place in runs if run.likeness is Likeness.CHANGED][:EXAMPLES]
            ),
        )


def _changed(
    sessions: Sequence[Chosen], between: Sequence[AbstractSet[str]], narrower: Choice, tool: str
) -> tuple[list[Chosen], list[Chosen]]:
    """Return the sessions in which more changes without a tool than that its own runs go.

    The runs of others change only where it stands between equal calls. Stuck sessions are always
    among them: a session without any run may be caught too.

    Returns:
        The sessions as they are, and as they would be.
    """
    old = [
        one for one, inside in zip(sessions, between, strict=True) if one.is_stuck or tool in inside
    ]
    return old, [Chosen(one.table, chain(one.table, narrower), one.is_stuck) for one in old]


def _caught(sessions: Sequence[Chosen], first: int) -> int:
    return sum(one.is_stuck and one.chained.longest >= first for one in sessions)


def _messages(sessions: Sequence[Chosen], thresholds: Sequence[int]) -> Counter[str]:
    """Return the messages about each tool."""
    found: Counter[str] = Counter()
    for one in sessions:
        for run in one.chained.runs:
            found[one.table.tool_of(run.rows[0])] += _of_run(run, thresholds)
    return found


def _of_run(run: Run, thresholds: Sequence[int]) -> int:
    """Return the messages that a run causes."""
    return bisect_right(thresholds, len(run.rows))
