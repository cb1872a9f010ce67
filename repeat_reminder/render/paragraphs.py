"""Sentences that do not run over the edge."""

from collections.abc import Iterator, Sequence
from typing import Final

from repeat_reminder.render.look import Look
from repeat_reminder.render.safe import cells

LEAST: Final = 40


def paragraph(text: str, look: Look, *, indent: str = "", hanging: str = "  ") -> Iterator[str]:
    """Yield a safe text as lines that fit, broken at blanks.

    Args:
        text: without line ends.
        look: how wide.
        indent: stands before the first line.
        hanging: stands before the others, behind the indent.
    """
    width = max(LEAST, look.width)
    line = indent
    blank = ""
    for word in text.split(" "):
        if blank and cells(line) + 1 + cells(word) > width:
            yield line
            line, blank = f"{indent}{hanging}{word}", " "
        else:
            line, blank = f"{line}{blank}{word}", " "
    yield line


def places(found: Sequence[str], look: Look, *, indent: str) -> Iterator[str]:
    """Yield where something stands, as many on a line as fit; of one too long its end."""
    width = max(LEAST, look.width) - len(indent)
    lines = [""]
    for one in found:
        shown = look.end(one, width - 1)
        if lines[-1] and cells(lines[-1]) + len(", ") + cells(shown) > width - 1:
            lines[-1] += ","
            lines.append("")
        lines[-1] += f", {shown}" if lines[-1] else shown
    for at, line in enumerate(lines if found else ()):
        yield (" " * len(indent) if at else indent) + line
