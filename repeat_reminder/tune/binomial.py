"""Exact statements about shares, and draws from binomial distributions."""

import random
from collections.abc import Callable, Sequence
from math import exp, floor, lgamma, log, log1p, sqrt
from typing import Final


def lower_bound(hits: int, trials: int, confidence: float = 0.95) -> float:
    """Return the share that lies below the true one with this confidence (Clopper-Pearson)."""
    if hits == 0 or trials == 0:
        return 0.0
    return _bisect(lambda share: _at_least(hits, trials, share) < 1 - confidence)


def upper_bound(hits: int, trials: int, confidence: float = 0.95) -> float:
    """Return the share that lies above the true one with this confidence (Clopper-Pearson)."""
    return 1 - lower_bound(trials - hits, trials, confidence)


def _at_least(hits: int, trials: int, share: float) -> float:
    """Return the chance of so many hits or more."""
    if share >= 1:
        return 1.0
    log_hit, log_not = log(share), log1p(-share)
    return sum(
        exp(
            lgamma(trials + 1)
            - lgamma(k + 1)
            - lgamma(trials - k + 1)
            + k * log_hit
            + (trials - k) * log_not
        )
        for k in range(hits, trials + 1)
    )


def _bisect(too_low: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if too_low(middle):
            low = middle
        else:
            high = middle
    return low


def draw(rng: random.Random, trials: int, share: float) -> int:
    """Draw how many of some trials hit; exact, in a time that is the same for any number."""
    if share > 1 / 2:
        return trials - draw(rng, trials, 1 - share)
    if share <= 0 or trials <= 0:
        return 0
    if trials * share < _FEW_HITS:
        return _draw_gaps(rng, trials, share)
    return _draw_rejecting(rng, trials, share)


_FEW_HITS: Final = 10
"""Hits that are expected, from which on the constants of the rejection method hold."""


def _draw_gaps(rng: random.Random, trials: int, share: float) -> int:
    """Draw the gaps instead: between two hits there are geometrically many misses."""
    scale = log1p(-share)
    at = hits = 0
    while True:
        at += int(log(1.0 - rng.random()) / scale) + 1
        if at > trials:
            return hits
        hits += 1


class Multinomial:
    """Draws as many items as there are, with replacement, and counts them by group."""

    def __init__(self, counts: Sequence[int]) -> None:
        """Work out what all draws have in common.

        Args:
            counts: how many items are in each group, all above 0.
        """
        self._items = left = sum(counts)
        self._steps: list[tuple[float, float]] = []
        """For each group but the last: its share of what is left, and the scale of the gaps."""
        for count in counts[:-1]:
            share = count / left
            self._steps.append((share, log1p(-share)))
            left -= count

    def draw(self, rng: random.Random) -> list[int]:
        """Draw once: as `draw` for each group, which stands here once more for groups of few hits.

        They are nearly all, and a call for each would take most of the time.
        """
        uniform = rng.random
        left = self._items
        drawn: list[int] = []
        for share, scale in self._steps:
            if not left:
                break
            if share > 1 / 2 or left * share >= _FEW_HITS:
                hits = draw(rng, left, share)
                left -= hits
            elif (gap := log(1.0 - uniform()) / scale) >= left:
                hits = 0
            else:
                hits, at = 1, int(gap) + 1
                while (at := at + int(log(1.0 - uniform()) / scale) + 1) <= left:
                    hits += 1
                left -= hits
            drawn.append(hits)
        drawn += [0] * (len(self._steps) - len(drawn))
        drawn.append(left)
        return drawn


def _draw_rejecting(rng: random.Random, trials: int, share: float) -> int:
    """Draw by transformed rejection with squeeze, algorithm BTRS of Hörmann (1993)."""
    spread = sqrt(trials * share * (1 - share))
    slope = 1.15 + 2.53 * spread
    bend = -0.0873 + 0.0248 * slope + 0.01 * share
    inner = 0.92 - 4.2 / slope
    while True:
        place = rng.random() - 0.5
        edge = 0.5 - abs(place)
        if not edge:
            continue
        hits = floor((2 * bend / edge + slope) * place + trials * share + 0.5)
        level = rng.random()
        if not 0 <= hits <= trials:
            continue
        if edge >= 0.07 and level <= inner:  # noqa: PLR2004 - a constant of the method
            return hits
        level *= (2.83 + 5.1 / slope) * spread / (bend / edge**2 + slope)
        if level <= 0 or log(level) <= _log_odds(hits, trials, share):
            return hits


def _log_odds(hits: int, trials: int, share: float) -> float:
    """Return how likely a number of hits is beside the most likely one, as a logarithm."""
    mode = floor((trials + 1) * share)
    ways = lgamma(mode + 1) + lgamma(trials - mode + 1)
    ways -= lgamma(hits + 1) + lgamma(trials - hits + 1)
    return ways + (hits - mode) * log(share / (1 - share))
