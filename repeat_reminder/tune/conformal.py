"""The first threshold that a new good session stays below, with a stated probability.

Split-conformal prediction on the longest runs of good sessions. If the new session is exchangeable
with them, it is warned with probability alpha at most: on average over corpora, not in each.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from repeat_reminder.render.tune.values import Conformal

LOWEST = 2
"""The smallest run that is a repetition."""


def conformal(longest: Sequence[float], alpha: Fraction) -> Conformal:
    """Compute the threshold.

    Args:
        longest: the longest run of each good session; `math.inf` where a recorded reminder cut a
            run, so that nobody knows how long it would have become.
        alpha: the probability, between 0 and 1, exact.
    """
    ordered = sorted(longest)
    endless = sum(map(math.isinf, ordered))
    rank = math.ceil((len(ordered) + 1) * (1 - alpha))
    found = ordered[rank - 1] if 1 <= rank <= len(ordered) else math.inf
    if rank < 1:
        found = 0
    return Conformal(
        alpha=alpha,
        sessions=len(ordered),
        threshold=None if math.isinf(found) else max(LOWEST, int(found) + 1),
        needed=needed(alpha),
        endless=endless,
    )


def needed(alpha: Fraction) -> int:
    """Return the smallest number of sessions that can support a threshold at all."""
    return math.ceil(1 / alpha) - 1 if alpha else 0
