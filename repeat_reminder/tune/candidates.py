"""Which configurations are worth a look, which are best, and which nothing else outdoes."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from fractions import Fraction

from msgspec.structs import replace

from repeat_reminder.render.tune.figures import Constraints
from repeat_reminder.render.tune.values import Candidate
from repeat_reminder.tune.conformal import LOWEST
from repeat_reminder.tune.scoring import Scorer


class Objective(StrEnum):
    """What to look for among the configurations that meet the constraints."""

    EARLY = "early"
    """The smallest first threshold."""
    QUIET = "quiet"
    """The fewest messages."""


def half_rule(runs: Callable[[int], int], first: int, levels: int) -> tuple[int, ...]:
    """Return as many levels, each the first length that at most half as many runs reach.

    Args:
        runs: how many runs have a length or more.
        first: the first threshold.
        levels: how many thresholds.
    """
    thresholds = [first]
    while len(thresholds) < levels:
        length = thresholds[-1] + 1
        while 2 * runs(length) > runs(thresholds[-1]):
            length += 1
        thresholds.append(length)
    return tuple(thresholds)


def first_thresholds(scorer: Scorer) -> list[int]:
    """Return the first thresholds that make a difference and are not dead.

    What a threshold does changes only behind a length that a run has, so the others would be the
    same configuration under a larger number.
    """
    lengths = set(scorer.cost.lengths) | set(scorer.stuck.lengths)
    firsts = {LOWEST, *(length + 1 for length in lengths)}
    return sorted(first for first in firsts if first <= scorer.longest)


def pool(scorer: Scorer, levels: int) -> list[tuple[int, ...]]:
    """Return the lists to score: every first threshold, with 1 to ``levels`` levels."""
    lists = [
        half_rule(scorer.runs, first, count)
        for first in first_thresholds(scorer)
        for count in range(levels, 0, -1)
    ]
    return list(dict.fromkeys(lists))


# ---------------------------------------------------------------- constraints


def unmet(candidate: Candidate, constraints: Constraints, lowest: int | None) -> tuple[str, ...]:
    """Return the names of the constraints that a candidate breaks.

    Args:
        candidate: with its figures.
        constraints: what is asked.
        lowest: the conformal first threshold; None if there is none for this alpha.
    """
    broken: list[str] = []
    most = constraints.max_warned
    if most is not None and candidate.sessions_warned > most * candidate.sessions:
        broken.append("max-warned")
    if constraints.max_messages is not None and candidate.per_session > constraints.max_messages:
        broken.append("max-messages-per-session")
    least = constraints.require_caught
    if least is not None and candidate.caught < least * candidate.stuck:
        broken.append("require-caught")
    if constraints.alpha is not None and (lowest is None or candidate.thresholds[0] < lowest):
        broken.append("alpha")
    return tuple(broken)


def best(candidates: Sequence[Candidate], objective: Objective, levels: int) -> Candidate | None:
    """Return the best of the candidates that meet all constraints; None if none does.

    Early: the smallest first threshold, with as many levels as the current config; of several
    scopes the one that excludes least, then the one with the fewest messages. Quiet: the fewest
    messages; of equals the earliest, then the one with most levels.
    """
    fit = [one for one in candidates if one.unmet == ()]
    if objective is Objective.EARLY:
        fit = [one for one in fit if len(one.thresholds) == levels]
        return min(fit, key=_earliness, default=None)
    return min(fit, key=_loudness, default=None)


def _earliness(one: Candidate) -> tuple[int, int, int]:
    return one.thresholds[0], len(one.also_excluded), one.messages


def _loudness(one: Candidate) -> tuple[int, int, int, int]:
    return one.messages, len(one.also_excluded), one.thresholds[0], -len(one.thresholds)


# ---------------------------------------------------------------- the front


def front(candidates: Sequence[Candidate]) -> list[bool]:
    """Tell which candidates no other one outdoes.

    One outdoes another if it is better in one respect and worse in none: fewer messages, fewer
    sessions warned, more stuck sessions caught, an earlier first threshold, more levels.
    """
    return undominated([_merits(one) for one in candidates])


def undominated(merits: Sequence[tuple[float, ...]]) -> list[bool]:
    """Tell which of some merits no other outdoes; in each place the smaller is the better."""
    different = set(merits)
    return [not any(_outdoes(other, own) for other in different) for own in merits]


def _merits(one: Candidate) -> tuple[float, ...]:
    """Return what counts, each the smaller the better."""
    live = sum(length not in one.dead for length in one.thresholds)
    return one.messages, one.sessions_warned, -one.caught, one.thresholds[0], -live


def _outdoes(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(own <= its for own, its in zip(one, other, strict=True))


def marked(candidates: Iterable[Candidate], chosen: Candidate | None) -> list[Candidate]:
    """Mark the front and the best."""
    many = list(candidates)
    return [
        replace(one, is_front=is_front, is_best=one is chosen)
        for one, is_front in zip(many, front(many), strict=True)
    ]


def share_text(share: Fraction) -> str:
    """Write a share as people type it: ``20%``."""
    return f"{float(share * 100):g}%"
