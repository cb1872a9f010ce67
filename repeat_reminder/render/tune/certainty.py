"""How sure the figures of a tuning report are, and what there is to gain."""

from collections.abc import Iterator
from math import isinf
from typing import Final

from repeat_reminder.render.look import plural
from repeat_reminder.render.tune.amounts import percent, percents, spent
from repeat_reminder.render.tune.figures import Interval
from repeat_reminder.render.tune.values import TuneReport

FEW_STUCK: Final = 30
"""Below this many stuck sessions, a share of them says little."""


def certainty(report: TuneReport) -> Iterator[str]:
    """Yield sentences about how far the figures can be trusted."""
    one = report.best or report.current
    name = "best" if report.best else "now"
    if one.messages_interval and one.warned_interval:
        yield (
            f"95% intervals of {name} (bootstrap {report.resamples:,}): messages "
            f"{_numbers(one.messages_interval)}, warned {percents(one.warned_interval)}"
        )
    if one.stuck and one.caught_at_least is not None and one.stuck <= FEW_STUCK:
        yield (
            f'only {plural(one.stuck, "stuck session")}: "{one.caught}/{one.stuck} caught" means '
            f"at least {percent(one.caught_at_least)} (95% lower bound)"
        )
    if one.messages_off_policy:
        yield (
            f"off-policy: {one.messages_off_policy:,} of {plural(one.messages, 'message')} of "
            f"{name} come behind a recorded reminder in their run, which the agent had read"
        )
    yield from _conformal(report)
    yield from _held_out(report)


def _numbers(interval: Interval) -> str:
    low, high = interval
    return "unbounded" if isinf(high) else f"{low:,.0f}-{high:,.0f}"


def _conformal(report: TuneReport) -> Iterator[str]:
    bound = report.conformal
    if bound is None:
        return
    alpha = percent(float(bound.alpha))
    endless = (
        f"; {plural(bound.endless, 'session')} with a run cut by a recorded reminder "
        f"{'counts' if bound.endless == 1 else 'count'} as endless"
        if bound.endless
        else ""
    )
    if bound.threshold is not None:
        yield (
            f"conformal first threshold at {alpha}: {bound.threshold} "
            f"(from {plural(bound.sessions, 'good session')}): a new one is warned with that "
            f"chance at most, on average over corpora{endless}"
        )
    elif bound.sessions < bound.needed:
        yield (
            f"no conformal first threshold at {alpha}: it takes {bound.needed:,} good sessions, "
            f"there are {bound.sessions:,}{endless}"
        )
    else:
        yield f"no conformal first threshold at {alpha}{endless}"


def _held_out(report: TuneReport) -> Iterator[str]:
    held = report.held_out
    if held is None:
        return
    one = held.candidate
    caught = f", caught {one.caught}/{one.stuck}" if one.stuck else ""
    band = f" ({percents(one.warned_interval)})" if one.warned_interval else ""
    yield (
        f"held out: chosen on {held.chosen_on:,} sessions; on the other {held.sessions:,} it warns "
        f"{one.sessions_warned:,}/{one.sessions:,} {percent(one.warned)}{band}{caught}"
    )


def spending(report: TuneReport) -> Iterator[str]:
    """Yield lines about what a reminder could save at most."""
    now, best = report.current, report.best
    if not now.spend_after.calls and not (best and best.spend_after.calls):
        return
    yield "spent after the first reminder of each run: the most that reminders could save"
    width = len("best")
    yield f"  {'now':<{width}}  {spent(now.spend_after)}"
    if best is not None and not best.is_now:
        yield f"  {'best':<{width}}  {spent(best.spend_after)}"
