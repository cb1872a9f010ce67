"""How plain lines look: colour or none, Unicode or ASCII, how wide."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from repeat_reminder.render.safe import cells, escape, shorten


class Style(StrEnum):
    """What a piece of a line is; the value is its SGR parameter."""

    TITLE = "1"
    FAINT = "2"
    ERROR = "1;31"
    WARNING = "33"
    NOTE = "36"


class Glyphs(NamedTuple):
    """Characters beyond letters that the reports draw with."""

    dot: str
    times: str
    ellipsis: str
    bar: str
    between: str
    arrow: str


UNICODE = Glyphs("●", "\N{MULTIPLICATION SIGN}", "…", "│", "·", "→")
ASCII = Glyphs("*", "x", "...", "|", "-", "->")


class Look(Struct, frozen=True, kw_only=True):
    """How to write for one output."""

    color: bool = False
    ascii_only: bool = False
    """For an output that is not UTF-8: other glyphs, and escapes for all other text."""
    width: int = 80
    """Columns; texts that may be cut end before the last one."""

    @property
    def glyphs(self) -> Glyphs:
        """Return the characters to draw with."""
        return ASCII if self.ascii_only else UNICODE

    def safe(self, text: str) -> str:
        """Show a text from a log, everything hidden or obeyed as an escape."""
        return escape(text, ascii_only=self.ascii_only)

    def cut(self, text: str, width: int) -> str:
        """Show the beginning of a text from a log, in at most ``width`` cells."""
        return shorten(self.safe(text), width, ellipsis=self.glyphs.ellipsis)

    def end(self, text: str, width: int) -> str:
        """Show the end of a text from a log: ids begin alike and differ there."""
        shown = self.safe(text)
        if cells(shown) <= width:
            return shown
        reverse = shorten(shown[::-1], width - cells(self.glyphs.ellipsis), ellipsis="")
        return self.glyphs.ellipsis + reverse[::-1]

    def paint(self, text: str, style: Style | None) -> str:
        """Colour a text that is safe already."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.color and style and text else text

    def join(self, *parts: str) -> str:
        """Put a mark between the parts that are not empty."""
        return f" {self.glyphs.between} ".join(part for part in parts if part)


def plural(number: int, noun: str, many: str | None = None) -> str:
    """Say how many, with thousands set off: ``1 call``, ``1,482 calls``."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"
