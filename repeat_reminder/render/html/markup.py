"""HTML out of values: what is not `Markup` is text, and text is always escaped."""

from collections.abc import Iterable
from html import escape as _entities

from repeat_reminder.render.safe import escape


class Markup(str):
    """HTML that is safe to put into a page as it is."""

    __slots__ = ()


def show(value: object) -> Markup:
    """Return a text as HTML.

    What a browser would obey becomes an entity; what it would hide, or turn round, becomes a
    visible backslash escape, as on a terminal.
    """
    return Markup(_entities(escape(str(value))))


def tag(name: str, /, *content: object, **attributes: object) -> Markup:
    """Return an element.

    Args:
        name: of the element.
        content: `Markup` stays as it is, any other value is shown as text.
        attributes: ``class_`` is ``class``, other underscores are hyphens; None and False leave
            the attribute out, True gives it no value.
    """
    opening = "".join([name, *map(_attribute, attributes, attributes.values())])
    inside = "".join(part if isinstance(part, Markup) else show(part) for part in content)
    return Markup(f"<{opening}>" if name in _EMPTY else f"<{opening}>{inside}</{name}>")


_EMPTY = frozenset({"meta", "br", "hr"})
"""Elements that have no end tag."""


def join(parts: Iterable[Markup], between: str = "") -> Markup:
    """Put pieces together.

    Args:
        parts: HTML.
        between: shown as text, but for line ends, which stay what they are.
    """
    glue = between if between == "\n" else show(between)
    return Markup(glue.join(parts))


def lines(texts: Iterable[str]) -> Markup:
    """Return lines for an element that keeps line ends."""
    return join(map(show, texts), "\n")


def number(value: float) -> str:
    """Write a coordinate: a tenth of a pixel is exact enough, and short."""
    return f"{value:.1f}".removesuffix(".0")


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    key = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {key}"
    text = number(value) if isinstance(value, float) else value
    return f' {key}="{show(text)}"'
