"""Pieces of the page that are no drawing: figures' frames, tables, legends, code to copy."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from repeat_reminder.render.html.markup import Markup, join, lines, tag

SWATCH: Final = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing, what it says in words, and the numbers behind it."""

    name: str
    """Its id in the page."""
    title: str
    says: str
    drawing: Markup
    """Or a sentence that says why there is none."""
    legend: Sequence[tuple[str, str]] = ()
    """Class and meaning; a class that begins with ``line`` is drawn as one."""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = field(default=())

    def html(self) -> Markup:
        """Return the figure with its table."""
        return tag(
            "figure",
            tag("h2", self.title),
            tag("figcaption", self.says),
            self.drawing,
            _legend(self.legend),
            self._numbers() if self.rows else "",
            id=self.name,
        )

    def _numbers(self) -> Markup:
        return tag(
            "details",
            tag("summary", "Numbers"),
            scrolling(table(self.head, self.rows), f"Numbers: {self.title}"),
        )


def nothing(why: str) -> Markup:
    """Say why there is no figure."""
    return tag("p", why, class_="empty")


def _legend(entries: Sequence[tuple[str, str]]) -> Markup:
    if not entries:
        return Markup()
    return tag(
        "ul",
        *(tag("li", _swatch(kind), tag("span", meaning)) for kind, meaning in entries),
        class_="legend",
    )


def _swatch(kind: str) -> Markup:
    if kind.startswith("line"):
        mark = tag("line", x1=0, x2=SWATCH, y1=6, y2=6, class_=kind.removeprefix("line "))
    else:
        mark = tag("rect", x=5, y=0, width=12, height=12, class_=kind)
    return tag("svg", mark, viewBox=f"0 0 {SWATCH} 12", class_="swatch", aria_hidden="true")


def table(head: Sequence[str], rows: Iterable[Sequence[object]], **attributes: object) -> Markup:
    """Return a table; numbers stand at the right, and the first column names the row."""
    return tag(
        "table",
        tag("thead", tag("tr", *(tag("th", title, scope="col") for title in head))),
        tag("tbody", *(tag("tr", *map(_cell, range(len(row)), row)) for row in rows)),
        **attributes,
    )


def _cell(at: int, value: object) -> Markup:
    shown = f"{value:,}" if isinstance(value, int) else "\N{EN DASH}" if value is None else value
    if at == 0:
        return tag("th", shown, scope="row")
    return tag("td", shown, class_="number" if isinstance(value, int | float) else None)


def scrolling(content: Markup, name: str, kind: str = "scroll") -> Markup:
    """Let something wide scroll by itself; the keyboard can reach it."""
    return tag("div", content, class_=kind, role="region", aria_label=name, tabindex=0)


def code(texts: Iterable[str], name: str, what: str) -> Markup:
    """Return text to copy; the script puts a button beside it.

    Args:
        texts: lines.
        name: an id in the page.
        what: what the button copies, for who cannot see where it stands.
    """
    return tag(
        "div",
        tag("pre", tag("code", lines(texts), id=name), tabindex=0),
        class_="copy",
        data_copy=name,
        data_what=what,
    )


def facts(entries: Iterable[tuple[str, object]]) -> Markup:
    """Return names and values."""
    return tag(
        "dl",
        join(tag("div", tag("dt", name), tag("dd", value)) for name, value in entries),
        class_="facts",
    )
