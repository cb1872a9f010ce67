"""Figures beside the scores: lengths, tools, survival, sessions that change, what is missed."""

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Final

from repeat_reminder.render.tune.values import LengthRow, Missed, SessionChange, Survival, ToolShare
from repeat_reminder.tune.chained import Run
from repeat_reminder.tune.intervals import messages_of
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.results import results_of
from repeat_reminder.tune.scoring import Chosen, Scorer, first_hit, first_row

MOST_CHANGES: Final = 20
MOST_TOOLS: Final = 12
FARTHEST: Final = 64
"""Lengths up to which survival is told."""


def length_rows(scorer: Scorer, labels: Sequence[Label]) -> tuple[LengthRow, ...]:
    """Return how many runs have each length that there is, by the label of their session.

    Args:
        scorer: has the runs.
        labels: of its sessions, in their order.
    """
    counts: dict[Label, Counter[int]] = {label: Counter() for label in Label}
    for one, label in zip(scorer.sessions, labels, strict=True):
        counts[label].update(run.length for run in one.chained.runs)
    stuck, ok, unknown = counts[Label.STUCK], counts[Label.OK], counts[Label.UNKNOWN]
    return tuple(
        LengthRow(length, ok[length] + unknown[length], stuck[length], ok[length], unknown[length])
        for length in sorted({*stuck, *ok, *unknown})
    )


def tool_shares(
    now: Scorer, thresholds: Sequence[int], best: Scorer | None, best_thresholds: Sequence[int]
) -> tuple[ToolShare, ...]:
    """Return the messages that each tool causes in the cost group, now and under the best."""
    before = _by_tool(now, thresholds)
    after = _by_tool(best, best_thresholds) if best else {}
    runs: dict[str, list[Run]] = {}
    for one in now.sessions:
        for run in one.chained.runs:
            if run.length >= thresholds[0]:
                runs.setdefault(one.table.tool_of(run.rows[0]), []).append(run)
    none, none_best = (0,) * len(thresholds), (0,) * len(best_thresholds)
    shares = [
        ToolShare(
            tool,
            before.get(tool, none),
            after.get(tool, none_best) if best else None,
            results_of(runs.get(tool, ())),
        )
        for tool in {*before, *after}
    ]
    shares = [share for share in shares if sum(share.now) or sum(share.best or ())]
    return tuple(sorted(shares, key=lambda share: (-sum(share.now), share.tool)))


def _by_tool(scorer: Scorer, thresholds: Sequence[int]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for one in scorer.sessions:
        if one.is_stuck:
            continue
        for run in one.chained.runs:
            stages = found.setdefault(one.table.tool_of(run.rows[0]), [0] * len(thresholds))
            for at, threshold in enumerate(thresholds):
                stages[at] += run.length >= threshold
    return {tool: tuple(stages) for tool, stages in found.items()}


def survival(scorer: Scorer) -> tuple[Survival, ...]:
    """Return how many runs of each tool reach 2, 3, … calls; most runs first."""
    lengths: dict[str, Counter[int]] = {}
    for one in scorer.sessions:
        for run in one.chained.runs:
            lengths.setdefault(one.table.tool_of(run.rows[0]), Counter())[run.length] += 1
    curves = [
        Survival(
            tool,
            tuple(
                sum(number for length, number in counts.items() if length >= reached)
                for reached in range(2, min(max(counts), FARTHEST) + 1)
            ),
        )
        for tool, counts in lengths.items()
    ]
    return tuple(sorted(curves, key=lambda one: (-one.reach[0], one.tool))[:MOST_TOOLS])


def missed(best: Scorer, thresholds: Sequence[int]) -> tuple[Missed, ...]:
    """Return the stuck sessions that get no message."""
    return tuple(
        Missed(one.table.session, place_of(one), one.chained.longest)
        for one in best.sessions
        if one.is_stuck and one.chained.longest < max(thresholds[0], 2)
    )


def later(
    now: Scorer, thresholds: Sequence[int], best: Scorer, best_thresholds: Sequence[int]
) -> float | None:
    """Return how many calls later the first message comes, in the median stuck session."""
    delays = [
        after - before
        for one, other in zip(now.sessions, best.sessions, strict=True)
        if one.is_stuck
        and (before := first_hit(one, thresholds[0])) is not None
        and (after := first_hit(other, best_thresholds[0])) is not None
    ]
    return statistics.median(delays) if delays else None


def changes(
    now: Scorer,
    thresholds: Sequence[int],
    best: Scorer,
    best_thresholds: Sequence[int],
    labels: Sequence[str],
) -> tuple[SessionChange, ...]:
    """Return the sessions whose messages change most.

    Args:
        now: current scope.
        thresholds: current thresholds.
        best: best scope, over the same sessions.
        best_thresholds: best thresholds.
        labels: of the sessions, in their order.
    """
    found: list[SessionChange] = []
    for one, other, label in zip(now.sessions, best.sessions, labels, strict=True):
        before, after = messages_of(one, thresholds), messages_of(other, best_thresholds)
        if before != after:
            session, first = (other, best_thresholds[0]) if after else (one, thresholds[0])
            longest = (one if one.chained.runs else other).chained.longest
            found.append(_change(session, first, label, longest, (before, after)))
    found.sort(key=lambda one: (-abs(one.now - one.best), one.place))
    return tuple(found[:MOST_CHANGES])


def _change(
    one: Chosen, first: int, label: str, longest: int, messages: tuple[int, int]
) -> SessionChange:
    """Tell which call gets the session's first message: the one to have explained."""
    row = first_row(one, first)
    return SessionChange(
        session=one.table.session,
        place=one.table.path if row is None else one.table.place(row),
        label=label,
        tool="" if row is None else one.table.tool_of(row),
        preview=None if row is None else one.table.preview(one.table.key[row]),
        longest=longest,
        now=messages[0],
        best=messages[1],
    )


def longest_run(one: Chosen) -> Run | None:
    """Return the longest run, the first of several; None if nothing repeats."""
    return max(one.chained.runs, key=lambda run: (run.length, -run.rows[0]), default=None)


def place_of(one: Chosen) -> str:
    """Return where the longest run begins; else where the session is."""
    run = longest_run(one)
    return one.table.path if run is None else one.table.place(run.rows[0])
