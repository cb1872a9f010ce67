"""Survival: the share of a tool's runs that reach each length."""

from typing import Final

from repeat_reminder.render.html.markup import Markup, join, show, tag
from repeat_reminder.render.html.parts import Figure, nothing
from repeat_reminder.render.html.plot import Box, Scale, drawing, log_ticks, steps, x_axis, y_axis
from repeat_reminder.render.safe import escape, shorten
from repeat_reminder.render.tune.amounts import percent
from repeat_reminder.render.tune.values import Survival, TuneReport

MOST_LINES: Final = 6
"""Tools with a line of their own; the table has the others too."""
NAME_CELLS: Final = 32
FARTHEST: Final = 64
"""Calls up to which the tune room counts."""
_BOX: Final = Box(top=38, bottom=240)
_FAR: Final = 24
_QUARTERS: Final = (0, 0.25, 0.5, 0.75, 1.0)


def survival_figure(report: TuneReport) -> Figure:
    """Draw how fast the runs of each tool end by themselves."""
    many = report.survival
    rows = [
        (length, *(_share(one, length) for one in many))
        for length in range(2, max((len(one.reach) for one in many), default=0) + 2)
    ]
    return Figure(
        name="survival",
        title="Which tools keep going",
        says=(
            "Of the runs of each tool, in all sessions: the share that reaches so many calls. A "
            "line that stays high is a tool whose calls are repeated for long once they are."
        ),
        drawing=_drawing(many[:MOST_LINES]) if many else nothing("No call is repeated."),
        legend=[(f"line tool t{at}", _name(one)) for at, one in enumerate(many[:MOST_LINES])],
        head=("calls", *(one.tool for one in many)),
        rows=rows,
    )


def _name(one: Survival) -> Markup:
    name = tag("bdi", shorten(escape(one.tool), NAME_CELLS))
    return join([name, show(f" ({one.reach[0]:,})")])


def _share(one: Survival, length: int) -> str | None:
    if length - 2 >= len(one.reach):
        return None
    return f"{percent(one.reach[length - 2] / one.reach[0])} ({one.reach[length - 2]:,})"


def _drawing(many: tuple[Survival, ...]) -> Markup:
    longest = max(len(one.reach) for one in many) + 2
    x = Scale(low=2, high=longest, start=_BOX.left, end=_BOX.right, log=longest > _FAR)
    y = Scale(low=0, high=1, start=_BOX.bottom, end=_BOX.top)
    places = log_ticks(2, longest) if x.log else range(2, longest + 1)
    return drawing(
        _BOX.bottom + 42,
        "Share of runs that reach each number of calls, by tool",
        y_axis(_BOX, [(y(one), percent(one)) for one in _QUARTERS], "runs"),
        x_axis(_BOX, [(x(one), str(one)) for one in places], "calls"),
        join(_line(one, at, x, y) for at, one in enumerate(many)),
    )


def _line(one: Survival, at: int, x: Scale, y: Scale) -> Markup:
    points = [(x(length), y(runs / one.reach[0])) for length, runs in enumerate(one.reach, 2)]
    # The longest runs end here, unless the count does.
    last = y(0) if len(one.reach) <= FARTHEST - 2 else points[-1][1]
    end = (x(len(one.reach) + 2), last)
    return tag("path", tag("title", one.tool), d=steps([*points, end]), class_=f"tool t{at}")
