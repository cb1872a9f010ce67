"""The readers there are, for people: how each recognises its logs, and how sure we are of it."""

from collections.abc import Iterable, Iterator
from typing import Final

from repeat_reminder.formats import Detection
from repeat_reminder.formats.model import Format, Status
from repeat_reminder.render.look import Look, Style
from repeat_reminder.render.safe import shorten
from repeat_reminder.source import Log

_MEANING: Final = {
    Status.PROVEN: "checked against recorded sessions",
    Status.SPECIFIED: "written from the writer's source or schema",
    Status.UNPROVEN: "written from second-hand descriptions",
}
_LABEL: Final = 10


def format_lines(formats: Iterable[Format], look: Look) -> Iterator[str]:
    """Yield a block for each reader, without line ends."""
    for form in formats:
        yield f"{look.paint(form.name, Style.TITLE)}  {look.safe(form.title)}"
        yield _row("known by", form.signs, look)
        yield _row("where", form.where, look)
        yield _row("stored as", form.shape.value, look)
        if form.lossy:
            yield _row("lacks", form.lossy, look)
        yield _row("status", f"{form.status.value}: {_MEANING[form.status]}", look)
        yield ""
    yield "The first reader that recognises a log reads it; --from NAME picks one."


def detection_lines(log: Log, detection: Detection, look: Look) -> Iterator[str]:
    """Yield which reader takes a log, and on what evidence."""
    form = detection.format
    yield f"{look.safe(log.path)}: {look.paint(form.name, Style.TITLE)}"
    yield _row("reader", form.title, look)
    yield _row("evidence", detection.evidence, look)
    yield _row("status", f"{form.status.value}: {_MEANING[form.status]}", look)
    if log.compression:
        yield _row("packed as", log.compression, look)


def _row(title: str, text: str, look: Look) -> str:
    head = f"  {title:<{_LABEL}}"
    return look.paint(head, Style.FAINT) + shorten(look.safe(text), 10 * look.width)
