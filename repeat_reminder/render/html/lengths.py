"""The run-length histogram."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from repeat_reminder.render.html.markup import Markup, join, tag
from repeat_reminder.render.html.parts import Figure, nothing
from repeat_reminder.render.html.plot import (
    Box,
    Scale,
    drawing,
    log_ticks,
    uprights,
    x_axis,
    y_axis,
)
from repeat_reminder.render.tune.values import LengthRow, TuneReport

SINGLE: Final = 24
"""Lengths up to which each has a bar of its own, if there are many."""
_WIDER: Final = 1.3
"""How much longer each bin behind is than the one before it."""
_FOOT: Final = 0.7
"""Where the scale begins, so that a bar of one run can be seen."""
_BOX: Final = Box(top=78, bottom=250)


class Bin(NamedTuple):
    """Runs of some lengths."""

    low: int
    high: int
    ok: int
    unknown: int
    stuck: int

    @property
    def total(self) -> int:
        """Return all of them."""
        return self.ok + self.unknown + self.stuck

    @property
    def label(self) -> str:
        """Return its lengths."""
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


def bins(rows: Sequence[LengthRow]) -> list[Bin]:
    """Put lengths into bins without a gap: single lengths, and wider ones far out."""
    longest = rows[-1].length
    edges = list(range(2, min(longest, SINGLE) + 1))
    while edges[-1] < longest and longest > SINGLE:
        edges.append(max(edges[-1] + 1, math.ceil(edges[-1] * _WIDER)))
    lasts = [edge - 1 for edge in edges[1:]] + [max(longest, edges[-1])]
    return [
        Bin(
            low,
            high,
            sum(row.ok for row in rows if low <= row.length <= high),
            sum(row.unknown for row in rows if low <= row.length <= high),
            sum(row.stuck for row in rows if low <= row.length <= high),
        )
        for low, high in zip(edges, lasts, strict=True)
    ]


def lengths_figure(report: TuneReport) -> Figure:
    """Draw how many runs have each length, by label, with the thresholds."""
    kinds = [(kind, f"runs in sessions {name}") for _, kind, name in _kinds(report)]
    legend = kinds if _labelled(report) else [("cost", "runs")]
    return Figure(
        name="lengths",
        title="How long runs get",
        says=(
            "Runs of identical calls by their number of calls. A threshold sends a message for "
            "every run at the right of its line. The scale is logarithmic: compare the tops of the "
            "bars; the parts of a bar share its height as they share its runs."
        ),
        drawing=_drawing(report) if report.lengths else nothing("No call is repeated."),
        legend=legend if report.lengths else (),
        head=("calls", "runs, cost group", "labelled stuck", "labelled ok", "not labelled"),
        rows=report.lengths,
    )


def _labelled(report: TuneReport) -> bool:
    return bool(report.corpus.stuck or report.corpus.ok)


def _kinds(report: TuneReport) -> list[tuple[str, str, str]]:
    """Return the parts of a bar from its foot on: the label, its class, and what to call it."""
    return [
        ("ok", "cost", "labelled ok"),
        ("unknown", "unlabelled" if _labelled(report) else "cost", "without a label"),
        ("stuck", "stuck", "labelled stuck"),
    ]


def _drawing(report: TuneReport) -> Markup:
    found = bins(report.lengths)
    most = max(one.total for one in found)
    kinds = _kinds(report)
    y = Scale(low=_FOOT, high=max(most, 2), start=_BOX.bottom, end=_BOX.top, log=True)
    pitch = (_BOX.right - _BOX.left) / len(found)
    centres = [_BOX.left + (at + 0.5) * pitch for at in range(len(found))]
    marks = [_uprights(report.current.thresholds, found, pitch, name="now", row=0)]
    if report.best is not None and not report.best.is_now:
        marks.append(_uprights(report.best.thresholds, found, pitch, name="best", row=1))
    return drawing(
        _BOX.bottom + 42,
        "Histogram of run lengths",
        y_axis(_BOX, [(y(one), f"{one:,}") for one in log_ticks(1, max(most, 2))], "runs"),
        join(_bar(one, x, pitch, y, kinds) for one, x in zip(found, centres, strict=True)),
        x_axis(
            _BOX,
            [(x, one.label) for one, x in zip(found, centres, strict=True)],
            "calls in the run",
        ),
        *marks,
        top=0 if len(marks) > 1 else 19,
    )


def _bar(
    one: Bin, centre: float, pitch: float, y: Scale, kinds: Sequence[tuple[str, str, str]]
) -> Markup:
    if not one.total:
        return Markup()
    width = pitch * 0.78
    numbers = {"ok": one.ok, "unknown": one.unknown, "stuck": one.stuck}
    told = [f"{numbers[label]:,} {name}" for label, _, name in kinds if numbers[label]]
    parts, foot = [], y.start
    for label, kind, _ in kinds:
        height = (y.start - y(one.total)) * numbers[label] / one.total
        foot -= height
        if height:
            x = centre - width / 2
            parts.append(tag("rect", x=x, y=foot, width=width, height=height, class_=kind))
    return tag("g", tag("title", f"{one.label} calls: runs in sessions {', '.join(told)}"), *parts)


def _uprights(
    thresholds: Sequence[int], found: Sequence[Bin], pitch: float, *, name: str, row: int
) -> Markup:
    """Draw a line before the bin of each threshold; those behind the last bin are dead."""
    marks = [
        (_BOX.left + pitch * sum(one.high < threshold for one in found), str(threshold))
        for threshold in thresholds
    ]
    return uprights(_BOX, name, marks, row=row, kind=name)
