"""The Pareto front: what each configuration costs against what it catches."""

import math
from typing import Final

from repeat_reminder.render.html.markup import Markup, join, tag
from repeat_reminder.render.html.parts import Figure, nothing
from repeat_reminder.render.html.plot import Box, Scale, drawing, ticks, x_axis, y_axis
from repeat_reminder.render.tune.amounts import percent
from repeat_reminder.render.tune.values import Candidate, TuneReport

_BOX: Final = Box(top=48, bottom=250, right=434)
_SMALLEST, _LARGEST = 3.0, 13.0
"""Radii of the circles."""
_NOTED = 7.0
"""Least radius of the two marks that have a name."""
_WORD = 15.0
"""Height of a name."""
_QUARTERS: Final = (0, 0.25, 0.5, 0.75, 1.0)


def shown(report: TuneReport) -> list[Candidate]:
    """Return what the page tells of: the current, the best, the named ones and the front."""
    told = [
        one
        for one in report.candidates
        if one.is_now or one.is_best or one.is_named or one.is_front
    ]
    return sorted(told, key=lambda one: (not one.is_now, not one.is_best, not one.is_named))


def name_of(one: Candidate) -> str:
    """Return the thresholds, and what is excluded beside."""
    name = ", ".join(map(str, one.thresholds))
    return f"{name} without {', '.join(one.also_excluded)}" if one.also_excluded else name


def front_figure(report: TuneReport) -> Figure:
    """Draw every configuration of the front; without labels messages take the place of catches."""
    stuck = report.current.stuck
    says = "Farther left warns fewer sessions that need no reminder; "
    says += (
        "farther up catches more that do. "
        if stuck
        else "farther down says less. No session is labelled stuck, so nothing tells what each "
        "would catch. "
    )
    legend = [("cost front", "on the front: nothing else is better in every respect")]
    legend += [("now-mark", "now")]
    if report.best is not None and not report.best.is_now:
        legend.append(("best-mark", "best"))
    if report.constraints.max_warned is not None or (stuck and report.constraints.require_caught):
        legend.append(("line rule limit", "constraint"))
    return Figure(
        name="front",
        title="What each configuration trades",
        says=f"{says}The larger a mark, the more messages.",
        drawing=_drawing(report)
        if report.current.sessions
        else nothing("Every session is labelled stuck, so there is none that warnings would cost."),
        legend=legend if report.current.sessions else (),
        head=("configuration", "sessions warned", "stuck caught", "messages"),
        rows=[
            (
                name_of(one),
                percent(one.warned),
                f"{one.caught:,}/{one.stuck:,}" if one.stuck else None,
                one.messages,
            )
            for one in shown(report)
        ],
    )


def _drawing(report: TuneReport) -> Markup:
    stuck = report.current.stuck
    many = shown(report)
    x = Scale(low=0, high=1, start=_BOX.left, end=_BOX.right)
    places = list(_QUARTERS) if stuck else ticks(max(one.per_session for one in many), 4)
    y = Scale(low=0, high=places[-1], start=_BOX.bottom, end=_BOX.top)
    marks = [(y(one), percent(one) if stuck else f"{one:.3g}") for one in places]
    title = "stuck sessions caught" if stuck else "messages per session"
    # Large ones first, so that none is hidden; the two that matter on top of all.
    many.sort(key=lambda one: (one.is_now or one.is_best, -one.messages, one.thresholds))
    most = max(1, *(one.messages for one in many))
    return drawing(
        _BOX.bottom + 42,
        "Configurations by sessions warned and stuck sessions caught",
        y_axis(_BOX, marks, title, above=28),
        x_axis(_BOX, [(x(one), percent(one)) for one in _QUARTERS], "sessions warned"),
        _limits(report, x, y),
        join(_mark(one, x, y, most) for one in many),
    )


def _limits(report: TuneReport, x: Scale, y: Scale) -> Markup:
    parts = []
    warned, caught = report.constraints.max_warned, report.constraints.require_caught
    if warned is not None:
        at = x(float(warned))
        parts.append(tag("line", x1=at, x2=at, y1=_BOX.top, y2=_BOX.bottom, class_="rule limit"))
    if caught is not None and report.current.stuck:
        at = y(float(caught))
        parts.append(tag("line", x1=_BOX.left, x2=_BOX.right, y1=at, y2=at, class_="rule limit"))
    return join(parts)


def _mark(one: Candidate, x: Scale, y: Scale, most: int) -> Markup:
    """Draw a configuration: a circle; the current one a square, the best one a diamond."""
    across, down = x(one.warned), y(one.caught / one.stuck if one.stuck else one.per_session)
    size = _SMALLEST + (_LARGEST - _SMALLEST) * math.sqrt(one.messages / most)
    if one.is_now or one.is_best:
        size = max(size, _NOTED)
    told = f"{name_of(one)}: {one.messages:,} messages, warns {percent(one.warned)}"
    told += f", catches {one.caught:,}/{one.stuck:,}" if one.stuck else ""
    if one.is_best and not one.is_now:
        edge = f"M{across:.1f} {down - size:.1f}l{size:.1f} {size:.1f} {-size:.1f} {size:.1f} "
        shape = tag("path", tag("title", told), d=f"{edge}{-size:.1f} {-size:.1f}z",
                    class_="best-mark")  # fmt: skip
    elif one.is_now:
        shape = tag("rect", tag("title", told), x=across - size, y=down - size, width=2 * size,
                    height=2 * size, class_="now-mark")  # fmt: skip
    else:
        return tag("circle", tag("title", told), cx=across, cy=down, r=size, class_="cost front")
    word = "now" if one.is_now else "best"
    # At the foot, a name below would stand among the numbers of the axis.
    below = down + size + _WORD < _BOX.bottom
    place = down + size + _WORD if below else down - size - _WORD / 3
    label = tag("text", word, x=across, y=place, class_=f"mark mid {word}-text")
    return join([shape, label])
