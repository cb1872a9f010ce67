"""Advice, and how far the figures can be trusted."""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.render.html.markup import Markup, tag
from repeat_reminder.render.look import Look, plural
from repeat_reminder.render.tune.advice import advice_lines
from repeat_reminder.render.tune.amounts import percent, percents
from repeat_reminder.render.tune.values import TuneReport

_WIDE: Final = Look(width=1_000_000)
"""The browser breaks lines."""
_PLACES: Final = "    "
"""How lines of places begin."""


def advice_section(report: TuneReport) -> Markup:
    """Return what the sessions say beyond thresholds; nothing if they say nothing."""
    lines = list(advice_lines(report.advice, report.current.thresholds[0], _WIDE))
    items = [
        tag("p" if line.startswith(_PLACES) else "h3", line.strip(),
            class_="place" if line.startswith(_PLACES) else "advice")
        for line in lines[1:]
        if line.strip()
    ]  # fmt: skip
    if not items:
        return Markup()
    return tag("section", tag("h2", "Advice from these sessions"), *items, id="advice")


def method_section(report: TuneReport) -> Markup:
    """Return how the figures came about, and what they do not say."""
    caveats = list(_caveats(report))
    return tag(
        "section",
        tag("h2", "Method and caveats"),
        tag("ul", *(tag("li", sentence) for sentence in (*caveats, *_METHOD))),
        id="method",
    )


_METHOD: Final = (
    (
        "A run is a chain of calls of one agent with the same tool and the same arguments, with no "
        "other tracked call and no human message between them. A list of thresholds sends one "
        "message for each threshold that a run reaches."
    ),
    (
        "Sessions that are not labelled stuck are the cost group: work that a message would "
        "interrupt. Sessions without a label belong to it too."
    ),
    (
        "Whole configurations were scored on the recorded sessions. What an agent would have done "
        "after a message is not in the recording: what was spent after first reminders is the most "
        "that reminders could save, not what they would."
    ),
    "Identical results are evidence of a loop, changing ones of polling; neither is proof.",
)


def _caveats(report: TuneReport) -> Iterator[str]:
    corpus = report.corpus
    if not corpus.stuck:
        yield (
            "No session is labelled stuck, so nothing here tells what a configuration catches. "
            "Label some with --labels or --label-from."
        )
    elif report.current.caught_at_least is not None:
        one = report.best or report.current
        yield (
            f"There {'is' if one.stuck == 1 else 'are'} {plural(one.stuck, 'stuck session')}: "
            f'"{one.caught} of {one.stuck} caught" means at least '
            f"{percent(one.caught_at_least or 0.0)} (exact binomial 95% lower bound)."
        )
    if report.resamples and report.current.warned_interval is not None:
        yield (
            f"Intervals: percentiles of {report.resamples:,} bootstrap resamples of whole "
            f"sessions (seed {report.seed})."
        )
    else:
        yield "There are no intervals: too few sessions, or --bootstrap 0."
    if corpus.off_policy:
        yield (
            f"Sessions that hold recorded reminders which the agent had read: "
            f"{corpus.off_policy:,}. Runs cut there: {corpus.cut_by_reminder:,}."
        )
    if corpus.cut_by_log:
        yield (
            f"Runs that reach the end of the log, and may have been longer than what was recorded: "
            f"{corpus.cut_by_log:,}."
        )
    yield from _bounds(report)


def _bounds(report: TuneReport) -> Iterator[str]:
    """Say what the conformal threshold and the held-out sessions tell."""
    bound, held = report.conformal, report.held_out
    if bound is not None:
        alpha = percent(float(bound.alpha))
        yield (
            f"No conformal first threshold at {alpha}: {bound.sessions:,} good sessions, of which "
            f"{bound.endless:,} count as endless; {bound.needed:,} are needed at least."
            if bound.threshold is None
            else f"Conformal first threshold at {alpha}: {bound.threshold}, from "
            f"{plural(bound.sessions, 'good session')}. If new sessions are like these, a new good "
            "one is warned with that chance at most, on average over corpora."
        )
    if held is not None:
        one = held.candidate
        band = f" (95%: {percents(one.warned_interval)})" if one.warned_interval else ""
        caught = f", and catches {one.caught:,} of {one.stuck:,}" if one.stuck else ""
        yield (
            f"Held out: chosen on {plural(held.chosen_on, 'session')}; on the other "
            f"{held.sessions:,} the best configuration warns {one.sessions_warned:,} of "
            f"{one.sessions:,}, {percent(one.warned)}{band}{caught}."
        )
