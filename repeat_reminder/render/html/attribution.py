"""Who gets reminded: messages by tool and stage, now and under the best configuration."""

from collections.abc import Sequence
from typing import Final

from repeat_reminder.render.html.markup import Markup, join, tag
from repeat_reminder.render.html.parts import Figure, nothing
from repeat_reminder.render.html.plot import LEFT, RIGHT, drawing
from repeat_reminder.render.safe import escape, shorten
from repeat_reminder.render.tune.amounts import results_text
from repeat_reminder.render.tune.values import ToolShare, TuneReport

MOST_TOOLS: Final = 10
"""Tools that are drawn; the table has the others too."""
NAME_CELLS: Final = 40
STAGES: Final = 5
"""Shades; later stages share the last."""
_BAR, _NAME, _GAP = 17.0, 22.0, 10.0
_ROOM: Final = 42.0
"""For the number behind a bar."""


def attribution_figure(report: TuneReport) -> Figure:
    """Draw the messages that calls of each tool cause, one shade per threshold."""
    tools = report.tools[:MOST_TOOLS]
    names = [f"{at}. threshold" for at in range(1, len(report.current.thresholds) + 1)]
    legend = [(f"stage s{min(at, STAGES - 1)}", name) for at, name in enumerate(names[:STAGES])]
    return Figure(
        name="attribution",
        title="Who gets reminded",
        says=(
            "Messages in the cost group by tool; each shade is a stage, the lightest the first. "
            + (_best_says(report))
        ),
        drawing=_drawing(report, tools) if tools else nothing("Nothing would be reminded."),
        legend=legend if tools else (),
        head=("tool", "results of its runs", "messages now", "by stage", "under best", "by stage"),
        rows=[_row(share) for share in report.tools],
    )


def _best_says(report: TuneReport) -> str:
    if report.best is None or report.best.is_now:
        return ""
    return "The upper bar is now, the lower one the best configuration."


def _row(share: ToolShare) -> tuple[object, ...]:
    best = share.best
    return (
        share.tool,
        results_text(share.results),
        sum(share.now),
        " + ".join(map(str, share.now)),
        None if best is None else sum(best),
        None if best is None else " + ".join(map(str, best)),
    )


def _drawing(report: TuneReport, tools: Sequence[ToolShare]) -> Markup:
    both = report.best is not None and not report.best.is_now
    height = _NAME + _BAR * (2 if both else 1) + _GAP
    most = max(1, *(max(sum(share.now), sum(share.best or ())) for share in tools))
    scale = (RIGHT - LEFT - _ROOM) / most
    rows = []
    for at, share in enumerate(tools):
        top = height * at + _NAME
        name = shorten(escape(share.tool), NAME_CELLS)
        rows.append(tag("text", name, x=4, y=top - 6, class_="name"))
        rows.append(_bar("now", share.now, top, scale))
        if both and share.best is not None:
            rows.append(_bar("best", share.best, top + _BAR, scale))
    return drawing(height * len(tools), "Messages by tool and stage", *rows)


def _bar(word: str, stages: Sequence[int], top: float, scale: float) -> Markup:
    parts = [tag("text", word, x=LEFT - 6, y=top + 12, class_=f"mark end {word}-text")]
    x = float(LEFT)
    for at, messages in enumerate(stages):
        if not messages:
            continue
        width = messages * scale
        told = tag("title", f"{at + 1}. threshold: {messages:,} messages")
        kind = f"stage s{min(at, STAGES - 1)}"
        parts.append(
            tag("rect", told, x=x, y=top, width=max(1.0, width - 1), height=_BAR - 2, class_=kind)
        )
        x += width
    parts.append(tag("text", f"{sum(stages):,}", x=x + 5, y=top + 12, class_="tick"))
    return join(parts)
