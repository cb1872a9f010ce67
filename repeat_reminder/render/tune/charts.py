"""Small charts out of characters: bars that lie, and columns that stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from repeat_reminder.render.look import Look, Style
from repeat_reminder.render.safe import cells
from repeat_reminder.render.table import pad

_LYING: Final = " ▏▎▍▌▋▊▉█"
_STANDING: Final = " ▁▂▃▄▅▆▇█"
_ASCII: Final = " .......#"
"""By eighths; less than half of a cell is a dot, the rest is told by the number."""
_EIGHTHS: Final = 8
_HAIR: Final = 1e-9
"""Steps of a scale are not exact."""
COLUMN_CELLS: Final = 3
"""Cells of one column: the column, and what keeps it apart."""


def bar(share: float, width: int, look: Look) -> str:
    """Draw a lying bar; what is more than nothing is at least a sliver.

    Args:
        share: how much of the width, from 0 to 1.
        width: cells.
        look: Unicode or ASCII.
    """
    eighths = round(min(1.0, share) * width * _EIGHTHS)
    if share > 0:
        eighths = max(1, eighths)
    whole, rest = divmod(eighths, _EIGHTHS)
    if look.ascii_only:
        return "#" * (whole + (rest * 2 >= _EIGHTHS)) or ("." if eighths else "")
    return _LYING[-1] * whole + (_LYING[rest] if rest else "")


def bars(rows: Sequence[tuple[str, int]], width: int, look: Look) -> list[str]:
    """Draw labelled bars with their numbers, the largest over the whole width.

    Args:
        rows: labels, which are safe, and numbers.
        width: cells of a whole line.
        look: Unicode or ASCII.
    """
    if not rows:
        return []
    labels = max(cells(label) for label, _ in rows)
    numbers = [f"{number:,}" for _, number in rows]
    room = max(4, width - labels - max(map(len, numbers)) - 2)
    most = max(1, *(number for _, number in rows))
    return [
        f"{pad(label, labels, right=True)} {bar(number / most, room, look)} {text}".rstrip()
        for (label, number), text in zip(rows, numbers, strict=True)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A level that is drawn through a chart."""

    share: float
    text: str


def columns(
    points: Sequence[tuple[str, float]],
    look: Look,
    *,
    mark: Mark | None = None,
) -> list[str]:
    """Draw standing columns of shares, with a scale at the left and labels below.

    Args:
        points: labels of at most two cells, and shares from 0 to 1.
        look: Unicode or ASCII.
        mark: a level to compare with.
    """
    shares = [share for _, share in points]
    top, height = _scale_of(max([*shares, mark.share if mark else 0.0], default=0.0))
    lines = []
    for level in range(height, 0, -1):
        low, high = top * (level - 1) / height, top * level / height
        marked = mark is not None and low < mark.share - _HAIR <= high
        row = "".join(_cell(share, low, high, look, marked=marked) for share in shares)
        lines.append(f"{_scale(high)} {_axis(look)}{row}" + _tail(mark if marked else None, look))
        lines[-1] = lines[-1].rstrip()
    foot = ("-" if look.ascii_only else "─") * (COLUMN_CELLS * len(points))
    corner = "+" if look.ascii_only else "┼"
    labels = "".join(pad(pad(label, 2, right=True), COLUMN_CELLS) for label, _ in points)
    return [*lines, f"{_scale(0)} {corner}{foot}", f"{'':5} {labels}".rstrip()]


def _tail(mark: Mark | None, look: Look) -> str:
    return f" {look.paint(mark.text, Style.FAINT)}" if mark else ""


def _axis(look: Look) -> str:
    return "|" if look.ascii_only else "┤"


def _scale(share: float) -> str:
    return f"{share * 100:.3g}%".rjust(5)


def _cell(share: float, low: float, high: float, look: Look, *, marked: bool) -> str:
    filled = (share - low) / (high - low)
    eighths = max(0, min(_EIGHTHS, round(filled * _EIGHTHS)))
    if share > 0 and low == 0:
        eighths = max(1, eighths)
    signs = _ASCII if look.ascii_only else _STANDING
    sign = signs[eighths]
    line = "-" if look.ascii_only else "┈"
    if marked and not eighths:
        return line * COLUMN_CELLS
    gap = line if marked else " "
    return sign * (COLUMN_CELLS - 1) + gap


_SCALES: Final = ((0.06, 6), (0.12, 6), (0.3, 6), (0.6, 6), (1.0, 5))
"""Scales, and in how many round steps."""


def _scale_of(share: float) -> tuple[float, int]:
    return next(((top, steps) for top, steps in _SCALES if share <= top), _SCALES[-1])


def beside(left: Sequence[str], right: Sequence[str], at: int) -> list[str]:
    """Put two blocks of lines next to each other, the right one from a column on."""
    return [
        (pad(one, at) + other).rstrip() for one, other in zip_longest(left, right, fillvalue="")
    ]
