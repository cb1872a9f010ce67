"""Exact statements about shares, and draws from binomial distributions."""

import math
import random
from collections.abc import Callable
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
    log, log_not = math.log(share), math.log1p(-share)
    return sum(
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(k + 1)
            - math.lgamma(trials - k + 1)
            + k * log
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
    scale = math.log1p(-share)
    at = hits = 0
    while True:
        at += int(math.log(1.0 - rng.random()) / scale) + 1
        if at > trials:
            return hits
        hits += 1


def _draw_rejecting(rng: random.Random, trials: int, share: float) -> int:
    """Draw by transformed rejection with squeeze, algorithm BTRS of Hörmann (1993)."""
    spread = math.sqrt(trials * share * (1 - share))
    slope = 1.15 + 2.53 * spread
    bend = -0.0873 + 0.0248 * slope + 0.01 * share
    inner = 0.92 - 4.2 / slope
    while True:
        place = rng.random() - 0.5
        edge = 0.5 - abs(place)
        if not edge:
            continue
        hits = math.floor((2 * bend / edge + slope) * place + trials * share + 0.5)
        level = rng.random()
        if not 0 <= hits <= trials:
            continue
        if edge >= 0.07 and level <= inner:  # noqa: PLR2004 - a constant of the method
            return hits
        level *= (2.83 + 5.1 / slope) * spread / (bend / edge**2 + slope)
        if level <= 0 or math.log(level) <= _log_odds(hits, trials, share):
            return hits


def _log_odds(hits: int, trials: int, share: float) -> float:
    """Return how likely a number of hits is beside the most likely one, as a logarithm."""
    mode = math.floor((trials + 1) * share)
    ways = math.lgamma(mode + 1) + math.lgamma(trials - mode + 1)
    ways -= math.lgamma(hits + 1) + math.lgamma(trials - hits + 1)
    return ways + (hits - mode) * math.log(share / (1 - share))
