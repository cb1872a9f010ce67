"""Aligned columns of plain text, measured in terminal cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from repeat_reminder.render.look import Style
from repeat_reminder.render.safe import cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repeat_reminder.render.look import Look

INDENT = "  "


class Column(NamedTuple):
    """One column: its title, and how it stands."""

    title: str
    least: int = 0
    """Cells it takes at least, so that small tables look alike."""
    gap: int = 2
    """Blanks behind it."""
    right: bool = False


class Cell(NamedTuple):
    """A text that is safe already."""

    text: str
    style: Style | None = None


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill a safe text with blanks to a width in cells."""
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], look: Look) -> Iterator[str]:
    """Yield the titles and the rows, no wider than what is in them, without trailing blanks."""
    widths = [
        max(column.least, cells(column.title), *(cells(row[at].text) for row in rows))
        for at, column in enumerate(columns)
    ]
    for row in [[Cell(column.title, Style.FAINT) for column in columns], *rows]:
        yield INDENT + _line(columns, widths, row, look)


def _line(columns: Sequence[Column], widths: Sequence[int], row: Sequence[Cell], look: Look) -> str:
    parts: list[str] = []
    owed = ""
    for column, width, cell in zip(columns, widths, row, strict=True):
        if cell.text:
            blanks = " " * (width - cells(cell.text))
            before, after = (blanks, "") if column.right else ("", blanks)
            parts += owed, before, look.paint(cell.text, cell.style)
            owed = after + " " * column.gap
        else:
            owed += " " * (width + column.gap)
    return "".join(parts)
