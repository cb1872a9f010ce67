"""Intervals for what a report shows: one resampling serves all candidates."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from repeat_reminder.render.tune.figures import Interval
from repeat_reminder.render.tune.values import Candidate, CurvePoint
from repeat_reminder.tune.binomial import lower_bound
from repeat_reminder.tune.bootstrap import Memory, mean_intervals
from repeat_reminder.tune.scoring import Chosen, Scorer


def messages_of(session: Chosen, thresholds: Sequence[int]) -> int:
    """Return the messages that an ascending list sends in a session."""
    return sum([bisect_right(thresholds, len(run.rows)) for run in session.chained.runs])


def with_intervals(
    candidates: Sequence[Candidate],
    scorers: Sequence[Scorer],
    *,
    resamples: int,
    seed: int,
    memory: Memory | None = None,
) -> list[Candidate]:
    """Return the candidates with intervals for their messages and shares.

    Args:
        candidates: scored ones.
        scorers: for each, what it was scored by; all over the same sessions.
        resamples: how often to resample; 0 for no intervals.
        seed: the same seed gives the same intervals.
        memory: of intervals.
    """
    bounded = [
        replace(one, caught_at_least=lower_bound(one.caught, one.stuck)) if one.stuck else one
        for one in candidates
    ]
    if not resamples or not candidates:
        return bounded
    cost, stuck = _groups(candidates, scorers)
    shares = [column % 2 == 1 for column in range(2 * len(candidates))]
    found = mean_intervals(cost, shares, resamples=resamples, seed=seed, memory=memory)
    caught = mean_intervals(
        stuck, [True] * len(candidates), resamples=resamples, seed=seed, memory=memory
    )
    for at, one in enumerate(bounded):
        if found:
            low, high = found[2 * at]
            messages = Interval(low * one.sessions, high * one.sessions)
            bounded[at] = replace(
                bounded[at], messages_interval=messages, warned_interval=found[2 * at + 1]
            )
        if caught:
            bounded[at] = replace(bounded[at], caught_interval=caught[at])
    return bounded


def _groups(
    candidates: Sequence[Candidate], scorers: Sequence[Scorer]
) -> tuple[Counter[tuple[float, ...]], Counter[tuple[float, ...]]]:
    """Count sessions by what all candidates do to them: the cost group, and the stuck ones."""
    cost: Counter[tuple[float, ...]] = Counter()
    stuck: Counter[tuple[float, ...]] = Counter()
    known: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    """Messages by the lengths of all runs: most sessions are like others."""
    different = list({id(scorer): scorer for scorer in scorers}.values())
    for at, one in enumerate(scorers[0].sessions):
        lengths = tuple(
            [
                tuple([len(run.rows) for run in scorer.sessions[at].chained.runs])
                for scorer in different
            ]
        )
        if lengths not in known:
            known[lengths] = [
                messages_of(scorer.sessions[at], candidate.thresholds)
                for candidate, scorer in zip(candidates, scorers, strict=True)
            ]
        messages = known[lengths]
        if one.is_stuck:
            stuck[tuple([float(number > 0) for number in messages])] += 1
        else:
            cost[tuple([part for number in messages for part in (number, float(number > 0))])] += 1
    return cost, stuck


def curve(
    scorer: Scorer,
    firsts: Sequence[int],
    *,
    resamples: int,
    seed: int,
    memory: Memory | None = None,
) -> list[CurvePoint]:
    """Return what each first threshold alone would do, with bands for both figures."""
    points = [
        CurvePoint(first, scorer.cost.runs(first), scorer.cost.warned(first),
                   scorer.stuck.warned(first))
        for first in firsts
    ]  # fmt: skip
    if not resamples or not scorer.cost.sessions or not firsts:
        return points
    reached = [scorer.cost.sessions, *(point.sessions_warned for point in points), 0]
    # Sessions by how many of the first thresholds they reach: reaching one is reaching all below.
    groups: Counter[tuple[float, ...]] = Counter()
    for count, (one, other) in enumerate(pairwise(reached)):
        if one > other:
            groups[tuple([float(at < count) for at in range(len(firsts))])] += one - other
    bands = mean_intervals(
        groups, [True] * len(firsts), resamples=resamples, seed=seed, memory=memory
    )
    counts = _message_intervals(scorer, firsts, resamples=resamples, seed=seed, memory=memory)
    return [
        point._replace(low=band.low, high=band.high, messages_interval=count)
        for point, band, count in zip(points, bands, counts, strict=True)
    ]


def _message_intervals(
    scorer: Scorer, firsts: Sequence[int], *, resamples: int, seed: int, memory: Memory | None
) -> list[Interval]:
    """Return where the messages of each first threshold lie in as many sessions of this kind."""
    reach = scorer.cost
    columns = [reach.by_profile([first]) for first in firsts]
    groups: Counter[tuple[float, ...]] = Counter()
    for row, number in zip(zip(*columns, strict=True), reach.profiles.values(), strict=True):
        groups[row] += number
    groups[(0,) * len(firsts)] += reach.sessions - sum(reach.profiles.values())
    groups = +groups
    means = mean_intervals(
        groups, [False] * len(firsts), resamples=resamples, seed=seed, memory=memory
    )
    return [Interval(low * reach.sessions, high * reach.sessions) for low, high in means]
