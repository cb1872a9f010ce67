"""What a first threshold does: sessions warned, stuck sessions caught, messages."""

from collections.abc import Callable
from typing import Final

from repeat_reminder.render.html.markup import Markup, join, tag
from repeat_reminder.render.html.parts import Figure, nothing
from repeat_reminder.render.html.plot import (
    Box,
    Scale,
    across,
    drawing,
    log_ticks,
    row_height,
    steps,
    ticks,
    uprights,
    x_axis,
    y_axis,
)
from repeat_reminder.render.tune.amounts import percent
from repeat_reminder.render.tune.figures import Interval
from repeat_reminder.render.tune.values import CurvePoint, TuneReport

_SHARES: Final = Box(top=97, bottom=233)
_COUNTS: Final = Box(top=277, bottom=377)
_FAR: Final = 30
"""Thresholds from which on they stand on a logarithmic scale."""
_HALF: Final = 0.5
"""A threshold is a whole number: it takes the room to both sides."""


def curve_figure(report: TuneReport) -> Figure:
    """Draw the effect of a single threshold, wherever it may be put."""
    legend = [("line cost-line", "sessions of the cost group warned"), ("band", "95% interval")]
    if report.corpus.stuck:
        legend.append(("line stuck-line", "stuck sessions caught"))
    legend.append(("line rule now", "now"))
    if report.best is not None and not report.best.is_now:
        legend.append(("line rule best", "best"))
    if report.constraints.any:
        legend.append(("line rule limit", "constraint"))
    return Figure(
        name="curve",
        title="What the first threshold costs",
        says=(
            "If reminders began at this many identical calls: the share of sessions that would "
            "get one, and the messages that this one threshold would send in the cost group."
        ),
        drawing=_drawing(report) if report.curve else nothing("No call is repeated."),
        legend=legend if report.curve else (),
        head=(
            "first threshold",
            "messages",
            "sessions warned",
            "share",
            "95%",
            "stuck caught",
            "messages, 95%",
        ),
        rows=[_row(point, report) for point in report.curve],
    )


def _row(point: CurvePoint, report: TuneReport) -> tuple[object, ...]:
    sessions, counts = report.current.sessions, point.messages_interval
    band = None
    if point.low is not None and point.high is not None:
        band = f"{percent(point.low)} to {percent(point.high)}"
    return (
        point.first,
        point.messages,
        point.sessions_warned,
        percent(point.sessions_warned / sessions) if sessions else None,
        band,
        f"{point.caught:,}/{report.corpus.stuck:,}" if report.corpus.stuck else None,
        None if counts is None else f"{counts.low:,.0f} to {counts.high:,.0f}",
    )


def _drawing(report: TuneReport) -> Markup:
    longest = max(report.lengths[-1].length, report.curve[-1].first) + _HALF
    x = Scale(
        low=2 - _HALF, high=longest, start=_SHARES.left, end=_SHARES.right, log=longest > _FAR
    )
    firsts = log_ticks(2, longest) if x.log else range(2, int(longest) + 1)
    labels = [(x(one), str(one)) for one in firsts]
    marks = _marks(report, x)
    return drawing(
        _COUNTS.bottom + 42,
        "Sessions warned and messages by first threshold",
        _shares(report, x),
        _counts(report, x),
        x_axis(_SHARES, [], ""),
        x_axis(_COUNTS, labels, "first threshold"),
        *marks,
        top=row_height(_SHARES, len(marks)),
    )


def _shares(report: TuneReport, x: Scale) -> Markup:
    y = Scale(low=0, high=1, start=_SHARES.bottom, end=_SHARES.top)
    sessions, stuck = report.current.sessions, report.corpus.stuck
    parts = [
        y_axis(_SHARES, [(y(one), percent(one)) for one in (0, 0.25, 0.5, 0.75, 1.0)], "sessions"),
        _band(report, x, y, _share_interval),
    ]
    if sessions:
        parts.append(_stairs(report, x, lambda one: y(one.sessions_warned / sessions), "cost-line"))
    if stuck:
        parts.append(_stairs(report, x, lambda one: y(one.caught / stuck), "stuck-line"))
    if report.constraints.max_warned is not None:
        share = float(report.constraints.max_warned)
        parts.append(across(_SHARES, y(share), f"at most {share * 100:.3g}%"))
    return join(parts)


def _counts(report: TuneReport, x: Scale) -> Markup:
    highs = [point.messages_interval.high for point in report.curve if point.messages_interval]
    places = ticks(max([*highs, *(point.messages for point in report.curve)]), 4)
    y = Scale(low=0, high=places[-1], start=_COUNTS.bottom, end=_COUNTS.top)
    parts = [
        y_axis(_COUNTS, [(y(one), f"{one:,.3g}") for one in places], "messages"),
        _band(report, x, y, lambda point: point.messages_interval),
        _stairs(report, x, lambda one: y(one.messages), "cost-line"),
    ]
    limit = report.constraints.max_messages
    if limit is not None and limit * report.current.sessions <= places[-1]:
        parts.append(
            across(_COUNTS, y(limit * report.current.sessions), f"at most {limit:g} per session")
        )
    return join(parts)


def _stairs(
    report: TuneReport, x: Scale, place: Callable[[CurvePoint], float], kind: str
) -> Markup:
    """Draw a line that changes only where a threshold makes a difference."""
    points = [(x(point.first - _HALF), place(point)) for point in report.curve]
    return tag("path", d=steps([*points, (x.end, points[-1][1])]), class_=kind)


def _share_interval(point: CurvePoint) -> Interval | None:
    if point.low is None or point.high is None:
        return None
    return Interval(point.low, point.high)


def _band(
    report: TuneReport, x: Scale, y: Scale, interval: Callable[[CurvePoint], Interval | None]
) -> Markup:
    """Draw the interval of a figure, where there is one."""
    edges = [x(point.first - _HALF) for point in report.curve] + [x.end]
    return join(
        tag(
            "rect",
            x=left,
            width=right - left,
            y=y(found.high),
            height=y(found.low) - y(found.high),
            class_="band",
        )
        for point, left, right in zip(report.curve, edges, edges[1:], strict=False)
        if (found := interval(point)) is not None
    )


def _marks(report: TuneReport, x: Scale) -> list[Markup]:
    """Draw where the current, the best and the conformal first threshold are."""
    whole = Box(top=_SHARES.top, bottom=_COUNTS.bottom)

    def mark(first: int, name: str, row: int, kind: str) -> Markup:
        place = x(min(max(first, x.low), x.high))
        return uprights(whole, name, [(place, str(first))], row=row, kind=kind)

    parts = [mark(report.current.thresholds[0], "now", 0, "now")]
    if report.best is not None and not report.best.is_now:
        parts.append(mark(report.best.thresholds[0], "best", len(parts), "best"))
    if report.conformal is not None and report.conformal.threshold is not None:
        parts.append(mark(report.conformal.threshold, "alpha", len(parts), "limit"))
    return parts
