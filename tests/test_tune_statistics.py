"""Bounds keep what they promise, on corpora whose truth is known."""

import math
import random
from collections import Counter
from fractions import Fraction

import pytest

from repeat_reminder.tune.binomial import draw, lower_bound, upper_bound
from repeat_reminder.tune.bootstrap import mean_intervals
from repeat_reminder.tune.conformal import conformal, needed


def longest_runs(rng: random.Random, sessions: int) -> list[float]:
    """Longest runs of good sessions: most have none, a few are long."""
    return [1 + int(rng.expovariate(0.6)) for _ in range(sessions)]


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 4)])
def test_new_good_sessions_are_warned_with_probability_alpha_at_most(alpha: Fraction) -> None:
    rng = random.Random(11)  # noqa: S311 - not for secrets
    splits = 3_000
    warned = 0.0
    for _ in range(splits):
        corpus = longest_runs(rng, 80)
        rng.shuffle(corpus)
        seen, new = corpus[:40], corpus[40:]
        threshold = conformal(seen, alpha).threshold
        assert threshold is not None
        warned += sum(length >= threshold for length in new) / len(new)
    # Standard error of a mean of shares, each of which spreads less than a single session does.
    error = 3 * math.sqrt(float(alpha) / splits)
    assert warned / splits <= float(alpha) + error


def test_the_conformal_rank_is_exact() -> None:
    nineteen = list(range(1, 20))
    assert conformal(nineteen, Fraction(1, 20)).threshold == 20
    assert conformal(nineteen[:18], Fraction(1, 20)).threshold is None
    assert conformal(nineteen, Fraction(1, 10)).threshold == 19
    assert conformal([0, 0, 0], Fraction(1, 2)).threshold == 2


@pytest.mark.parametrize("percent", [1, 5, 10, 20, 33, 50])
def test_it_takes_as_many_sessions_as_it_says(percent: int) -> None:
    alpha = Fraction(percent, 100)
    least = needed(alpha)
    assert conformal([1] * least, alpha).threshold == 2
    assert conformal([1] * (least - 1), alpha).threshold is None


def test_a_session_cut_by_a_reminder_is_longer_than_any_threshold() -> None:
    found = conformal([1] * 18 + [math.inf], Fraction(1, 20))
    assert (found.threshold, found.endless) == (None, 1)
    assert conformal([1] * 39 + [math.inf], Fraction(1, 20)).threshold == 2


# ---------------------------------------------------------------- bootstrap


def coverage(sessions: int, truth: float, sample: str, corpora: int = 300) -> float:
    rng = random.Random(5)  # noqa: S311 - not for secrets
    covered = 0
    for number in range(corpora):
        values: Counter[tuple[float, ...]] = Counter()
        for _ in range(sessions):
            share = sample == "share"
            value = rng.random() < truth if share else int(rng.expovariate(1 / 1.5))
            values[(float(value),)] += 1
        (interval,) = mean_intervals(values, [sample == "share"], resamples=400, seed=number)
        covered += interval.low - 1e-9 <= truth <= interval.high + 1e-9
    return covered / corpora


@pytest.mark.parametrize(
    ("sessions", "truth", "sample"),
    [(120, 0.3, "share"), (200, 0.08, "share"), (40, 0.5, "share"), (100, 0.0, "messages")],
)
def test_intervals_cover_the_truth(sessions: int, truth: float, sample: str) -> None:
    if sample == "messages":
        # The mean of the whole part of an exponential value.
        truth = 1 / math.expm1(1 / 1.5)
    assert coverage(sessions, truth, sample) >= 0.9


def test_where_nothing_varies_a_share_still_has_an_interval() -> None:
    none, everything, number = mean_intervals({(0.0, 1.0, 3.0): 40}, [True, True, False])
    assert list(none) == pytest.approx([0, 1 - 0.025 ** (1 / 40)])
    assert list(everything) == pytest.approx([0.025 ** (1 / 40), 1])
    assert number == (3, 3)


def test_the_same_seed_gives_the_same_intervals() -> None:
    groups: dict[tuple[float, ...], int] = {(0.0,): 30, (1.0,): 9, (4.0,): 2}
    one = mean_intervals(groups, [False], seed=3)
    assert one == mean_intervals(dict(reversed(groups.items())), [False], seed=3)
    assert one != mean_intervals(groups, [False], seed=4)


def test_no_sessions_no_intervals() -> None:
    assert mean_intervals({}, [True]) == []


# ---------------------------------------------------------------- binomial


def test_twelve_of_twelve_means_at_least_78_percent() -> None:
    assert lower_bound(12, 12) == pytest.approx(0.05 ** (1 / 12), abs=1e-9)
    assert f"{lower_bound(12, 12):.0%}" == "78%"


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        # Clopper-Pearson at 97.5 % each side, as printed tables have it.
        (0, 10, 0.0, 0.3085),
        (5, 10, 0.1871, 0.8129),
        (3, 50, 0.0125, 0.1655),
        (10, 10, 0.6915, 1.0),
    ],
)
def test_exact_bounds(hits: int, trials: int, low: float, high: float) -> None:
    assert lower_bound(hits, trials, 0.975) == pytest.approx(low, abs=5e-5)
    assert upper_bound(hits, trials, 0.975) == pytest.approx(high, abs=5e-5)


@pytest.mark.parametrize(
    ("trials", "share"), [(50, 0.02), (400, 0.3), (90, 0.93), (7, 0.5), (20_000, 0.25), (21, 0.5)]
)
def test_draws_have_the_mean_and_the_spread_of_the_distribution(trials: int, share: float) -> None:
    rng = random.Random(2)  # noqa: S311 - not for secrets
    draws = [draw(rng, trials, share) for _ in range(4_000)]
    mean = sum(draws) / len(draws)
    spread = sum((one - mean) ** 2 for one in draws) / len(draws)
    expected = trials * share * (1 - share)
    assert mean == pytest.approx(trials * share, abs=4 * math.sqrt(expected / len(draws)))
    assert spread == pytest.approx(expected, rel=0.15)
    assert all(0 <= one <= trials for one in draws)


@pytest.mark.parametrize(("trials", "share"), [(21, 0.5), (60, 0.2), (9, 0.4)])
def test_draws_follow_the_distribution(trials: int, share: float) -> None:
    rng = random.Random(8)  # noqa: S311 - not for secrets
    number = 20_000
    counts = Counter(draw(rng, trials, share) for _ in range(number))
    expected = {
        hits: number * math.comb(trials, hits) * share**hits * (1 - share) ** (trials - hits)
        for hits in range(trials + 1)
    }
    usual = [hits for hits in expected if expected[hits] >= 20]
    square = sum((counts[hits] - expected[hits]) ** 2 / expected[hits] for hits in usual)
    # The chi-square statistic has a mean of so many degrees and twice that variance.
    assert square <= len(usual) + 4 * math.sqrt(2 * len(usual))


def test_certain_draws() -> None:
    rng = random.Random(2)  # noqa: S311 - not for secrets
    assert [draw(rng, 9, share) for share in (0.0, 1.0)] == [0, 9]
    assert draw(rng, 0, 0.5) == 0
