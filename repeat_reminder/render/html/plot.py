"""Scales, axes and frames: what all figures are drawn with.

A figure is drawn 460 units wide, which is about as many pixels on a desktop and fewer on a phone.
Colours, dashes and type sizes are classes: the stylesheet has them, for light, dark and paper.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from repeat_reminder.render.html.markup import Markup, join, tag

WIDTH: Final = 460
LEFT: Final = 52
RIGHT: Final = 448
LETTER: Final = 8.5
"""Width of a character at the largest type size."""
_HAIR: Final = 1e-9
"""Sums of steps are not exact."""
_STEPS: Final = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Where the data of a figure are drawn."""

    top: float
    bottom: float
    left: float = LEFT
    right: float = RIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Puts values where they are drawn."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        low, high = self._bent(self.low), self._bent(self.high)
        share = (self._bent(value) - low) / ((high - low) or 1)
        return self.start + share * (self.end - self.start)

    def _bent(self, value: float) -> float:
        return math.log(value) if self.log else value


def ticks(high: float, most: int = 5) -> list[float]:
    """Return round values from 0 to ``high`` at least."""
    if high <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(high / most))
    step = next(power * step for step in _STEPS if power * step * most >= high - _HAIR)
    return [step * at for at in range(math.ceil(high / step - _HAIR) + 1)]


def log_ticks(low: float, high: float) -> list[int]:
    """Return round values between two values above 0: powers of ten, and 2 and 5 if few fit."""
    decades = range(math.floor(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= 3 else (1,)  # noqa: PLR2004 - three decades
    return [v for power in decades for step in steps if low <= (v := step * 10**power) <= high]


def thinned(places: Sequence[float], labels: Sequence[str]) -> list[int]:
    """Return which labels along a line can stand without touching, from left to right."""
    kept: list[int] = []
    end = -math.inf
    for at, (place, label) in enumerate(zip(places, labels, strict=True)):
        half = LETTER * len(label) / 2
        if place - half >= end:
            kept.append(at)
            end = place + half + LETTER / 2
    return kept


# ---------------------------------------------------------------- pieces


TITLE: Final = 12.0
"""How far above its box the title of an axis stands."""


def y_axis(
    box: Box, places: Sequence[tuple[float, str]], title: str, *, above: float = TITLE
) -> Markup:
    """Draw lines across, with their labels at the left and what they count above."""
    parts = [tag("text", title, x=4, y=box.top - above, class_="axis-title")]
    for place, label in places:
        parts += [
            tag("line", x1=box.left, x2=box.right, y1=place, y2=place, class_="grid"),
            tag("text", label, x=box.left - 6, y=place + 4, class_="tick end"),
        ]
    return join(parts)


def x_axis(box: Box, places: Sequence[tuple[float, str]], title: str) -> Markup:
    """Draw the foot of a figure, with as many labels as fit."""
    kept = thinned([place for place, _ in places], [label for _, label in places])
    return join(
        [
            tag("line", x1=box.left, x2=box.right, y1=box.bottom, y2=box.bottom, class_="foot"),
            *(
                tag("text", places[at][1], x=places[at][0], y=box.bottom + 17, class_="tick mid")
                for at in kept
            ),
            tag("text", title, x=box.right, y=box.bottom + 35, class_="axis-title end")
            if title
            else Markup(),
        ]
    )


def row_height(box: Box, row: int) -> float:
    """Return where a row of labels stands; row 0 is the first one above the title of the axis."""
    return box.top - 34 - 19 * row


def uprights(
    box: Box, name: str, marks: Sequence[tuple[float, str]], *, row: int, kind: str
) -> Markup:
    """Draw lines from top to bottom, their labels in a row above the box.

    Args:
        box: where.
        name: what they are, written at the left of the row.
        marks: places and labels.
        row: number of the row of labels, from the box upwards.
        kind: class that says how.
    """
    kept = set(thinned([place for place, _ in marks], [label for _, label in marks]))
    height = row_height(box, row)
    parts = [tag("text", name, x=box.left - 6, y=height, class_=f"mark end {kind}-text")]
    for at, (place, label) in enumerate(marks):
        parts.append(
            tag("line", x1=place, x2=place, y1=height + 3, y2=box.bottom, class_=f"rule {kind}")
        )
        if at in kept:
            parts.append(tag("text", label, x=place, y=height, class_=f"mark mid {kind}-text"))
    return join(parts)


def across(box: Box, place: float, label: str) -> Markup:
    """Draw a line across: a constraint."""
    return join(
        [
            tag("line", x1=box.left, x2=box.right, y1=place, y2=place, class_="rule limit"),
            tag("text", label, x=box.right, y=place - 5, class_="mark end limit-text"),
        ]
    )


def steps(points: Sequence[tuple[float, float]]) -> str:
    """Return the path of stairs: each value holds until the next place."""
    first, *rest = points
    path = [f"M{first[0]:.1f} {first[1]:.1f}"]
    path += [f"H{x:.1f}V{y:.1f}" for x, y in rest]
    return "".join(path)


def drawing(bottom: float, label: str, *parts: Markup, top: float = 0) -> Markup:
    """Return a drawing; the table behind it says the same to who cannot see it."""
    box = f"0 {top:.0f} {WIDTH} {bottom - top:.0f}"
    return tag("svg", *parts, viewBox=box, role="img", aria_label=label)
