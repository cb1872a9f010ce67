"""How sure a figure is: resample the sessions many times, and see how far it moves."""

import random
import struct
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from operator import mul
from statistics import NormalDist
from typing import Final, Protocol

from repeat_reminder.render.tune.figures import Interval
from repeat_reminder.tune.binomial import Multinomial, lower_bound, upper_bound

RESAMPLES: Final = 1_000
LEVEL: Final = 0.95
"""How often an interval is to cover the truth."""
_NORMAL: Final = NormalDist()


class Memory(Protocol):
    """Keeps intervals from one run to the next: resampling is most of what a report takes."""

    def find(self, key: bytes) -> list[Interval] | None:
        """Return what was kept."""

    def keep(self, key: bytes, intervals: Sequence[Interval]) -> None:
        """Keep intervals for the next run."""


def mean_intervals(
    groups: Mapping[tuple[float, ...], int],
    shares: Sequence[bool],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    memory: Memory | None = None,
) -> list[Interval]:
    """Return an interval for the mean of every column, by the BCa bootstrap over sessions.

    Args:
        groups: rows of one value per column, and how many sessions have that row. Values are
            counts: whole numbers from 0.
        shares: which columns are of zeros and ones, so that their mean is a share.
        resamples: how often to resample.
        seed: the same seed gives the same intervals.
        memory: asked first; the same arguments give the same intervals.

    Returns:
        One interval per column. Where all sessions have the same value there is nothing to
        resample: of a share it is the exact binomial one, of any other value the value itself.
    """
    ordered = sorted(item for item in groups.items() if item[1])
    sessions = sum(count for _, count in ordered)
    if not sessions:
        return []
    if memory is None:
        return _bootstrapped(ordered, shares, resamples, seed)
    asked = repr((ordered, list(shares), resamples, seed, LEVEL))
    key = blake2b(asked.encode(), digest_size=16).digest()
    found = memory.find(key)
    if found is None:
        found = _bootstrapped(ordered, shares, resamples, seed)
        memory.keep(key, found)
    return found


def _bootstrapped(
    ordered: Sequence[tuple[tuple[float, ...], int]],
    shares: Sequence[bool],
    resamples: int,
    seed: int,
) -> list[Interval]:
    sessions = sum(count for _, count in ordered)
    columns = list(zip(*(row for row, _ in ordered), strict=True))
    counts = [count for _, count in ordered]
    rng = random.Random(seed)  # noqa: S311 - statistics, not secrets
    sums = _resampled_sums([row for row, _ in ordered], counts, resamples, rng)
    return [
        _interval(column, counts, [total / sessions for total in totals])
        if len(set(column)) > 1
        else _constant(column[0], sessions, is_share=is_share)
        for column, totals, is_share in zip(columns, sums, shares, strict=True)
    ]


def _resampled_sums(
    rows: Sequence[Sequence[float]], counts: Sequence[int], resamples: int, rng: random.Random
) -> list[tuple[int, ...]]:
    """Draw the sessions anew, so many times, and add up every column each time.

    All columns are added at once: a row is one long integer, with a field for each of its values
    that has room for the largest sum.
    """
    largest = sum(counts) * int(max(map(max, rows)))
    fields = struct.Struct(f"<{len(rows[0])}{'I' if largest < 1 << 32 else 'Q'}")
    packed = [int.from_bytes(fields.pack(*map(int, row)), "little") for row in rows]
    sample = Multinomial(counts)
    sums = (sum(map(mul, sample.draw(rng), packed)) for _ in range(resamples))
    each = (fields.unpack(one.to_bytes(fields.size, "little")) for one in sums)
    return list(zip(*each, strict=True))


def _interval(column: Sequence[float], counts: Sequence[int], means: list[float]) -> Interval:
    sessions = sum(counts)
    mean = sum(value * count for value, count in zip(column, counts, strict=True)) / sessions
    spread = [(value - mean, count) for value, count in zip(column, counts, strict=True)]
    square = sum(count * off**2 for off, count in spread)
    cube = sum(count * off**3 for off, count in spread)
    below = sum(value < mean for value in means) + sum(value == mean for value in means) / 2
    share = min(max(below / len(means), 1 / (2 * len(means))), 1 - 1 / (2 * len(means)))
    bias = _NORMAL.inv_cdf(share)
    skew = cube / (6 * square**1.5)
    ordered = sorted(means)
    return Interval(
        _quantile(ordered, _adjusted((1 - LEVEL) / 2, bias, skew)),
        _quantile(ordered, _adjusted((1 + LEVEL) / 2, bias, skew)),
    )


def _constant(value: float, sessions: int, *, is_share: bool) -> Interval:
    """Return what equal values tell: of shares, what so many equal trials leave open."""
    tail = (1 + LEVEL) / 2
    if is_share:
        hits = int(value) * sessions
        return Interval(lower_bound(hits, sessions, tail), upper_bound(hits, sessions, tail))
    return Interval(value, value)


def _adjusted(level: float, bias: float, skew: float) -> float:
    z = bias + _NORMAL.inv_cdf(level)
    return _NORMAL.cdf(bias + z / max(1 - skew * z, 1e-9))


def _quantile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    low = min(int(at), len(ordered) - 2)
    return ordered[low] + (at - low) * (ordered[low + 1] - ordered[low])
