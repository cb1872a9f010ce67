"""Amounts in words, short enough for a table."""

from repeat_reminder.render.look import plural
from repeat_reminder.render.tune.figures import Interval, Results, Spend

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_THOUSAND, _MILLION, _BILLION = 10**3, 10**6, 10**9
_EXACT = 10_000


def percent(share: float) -> str:
    """Write a share, rounded: ``38%``; what is not all or nothing is never called so."""
    rounded = round(share * 100)
    if rounded in (0, 100) and share not in (0, 1):
        return "<1%" if rounded == 0 else ">99%"
    return f"{rounded}%"


def percents(interval: Interval) -> str:
    """Write an interval of a share: ``15-22%``."""
    low, high = (f"{bound * 100:.0f}" for bound in interval)
    return f"{low}-{high}%"


def duration(seconds: float) -> str:
    """Write a time in two units at most: ``45 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    if seconds < _DAY:
        hours, rest = divmod(round(seconds / _MINUTE), _MINUTE)
        return f"{hours} h {rest:02} min"
    return f"{seconds / _DAY:,.1f} days"


def tokens(number: int) -> str:
    """Write a number of tokens: ``9,512``, ``41k``, ``1.2M``."""
    if number < _EXACT:
        return f"{number:,}"
    for unit, size in (("k", _THOUSAND), ("M", _MILLION), ("G", _BILLION)):
        if number < 1_000 * size or size == _BILLION:
            return f"{number / size:.3g}{unit}"
    return f"{number:,}"


def spent(spend: Spend) -> str:
    """Write what was spent, as far as it is known."""
    parts = [plural(spend.calls, "call")]
    if spend.seconds is not None:
        parts.append(duration(spend.seconds))
    if spend.tokens is not None:
        parts.append(f"{tokens(spend.tokens)} tokens")
    return ", ".join(parts)


def results_text(results: Results) -> str:
    """Say what the results of runs had in common: ``3 identical, 1 changing``."""
    counts = [
        (results.identical, "identical"),
        (results.volatile, "volatile"),
        (results.changing, "changing"),
        (results.unknown, "not recorded"),
    ]
    told = [f"{number:,} {word}" for number, word in counts if number]
    return ", ".join(told) or "none"


def median_text(value: float) -> str:
    """Write a median of whole numbers: ``5`` or ``5.5``."""
    return f"{value:g}"
