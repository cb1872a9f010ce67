"""What interventions are about and what they say, as short or as whole as asked for."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from repeat_reminder.render.look import Style
from repeat_reminder.render.replay.rows import NAME_CELLS
from repeat_reminder.render.safe import cells, first_line
from repeat_reminder.render.table import INDENT, pad
from repeat_reminder.render.wording import fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repeat_reminder.events import Intervention
    from repeat_reminder.render.look import Look

NARROWEST = 20
"""Cells that an excerpt takes even where there are fewer columns."""


class Texts(StrEnum):
    """How much of each message to show."""

    NONE = "none"
    FIRST_LINE = "first-line"
    FULL = "full"


def excerpts(said: Sequence[Intervention], look: Look, texts: Texts) -> Iterator[str]:
    """Yield for each intervention its call on one line, and the message below it.

    Args:
        said: interventions of one session, at least one.
        look: how to write.
        texts: with `Texts.FULL` nothing is cut, with `Texts.NONE` there is nothing.
    """
    if texts is Texts.NONE:
        return
    places = [_place(one) for one in said]
    agents = [look.cut(one.call.agent.id, NAME_CELLS) for one in said]
    place_width, agent_width = max(map(len, places)), max(map(cells, agents))
    margin = " " * (len(INDENT) + place_width + len(INDENT))
    bar = look.paint(look.glyphs.bar, Style.FAINT)
    for place, agent, one in zip(places, agents, said, strict=True):
        head = f"{INDENT}{pad(place, place_width)}{INDENT}{pad(agent, agent_width)}{INDENT}"
        subject = _subject(one, look)
        yield head + (subject if texts is Texts.FULL else _fit(subject, head, look))
        for text in _quoted(one, look, texts):
            shown = text if texts is Texts.FULL else _fit(text, f"{margin}{look.glyphs.bar} ", look)
            yield f"{margin}{bar} {shown}".rstrip()


def _place(said: Intervention) -> str:
    return f":{said.call.line}" if said.call.line is not None else f"#{said.call.index}"


def _subject(said: Intervention, look: Look) -> str:
    tool = look.cut(said.call.name, NAME_CELLS)
    if said.fingerprints:
        return f"{tool}  {fingerprints(said.fingerprints, look)}"
    arguments = look.safe(said.arguments_preview or "")
    return f"{tool} {look.glyphs.times} {said.count}  {arguments}".rstrip()


def _quoted(said: Intervention, look: Look, texts: Texts) -> list[str]:
    """Return the lines to show; of a question that found no consent, the denial's too."""
    messages = [said.text] if said.denial in (None, said.text) else [said.text, said.denial]
    if texts is Texts.FULL:
        return [look.safe(line) for message in messages for line in message.split("\n")]
    return [_beginning(message, look) for message in messages]


def _beginning(message: str, look: Look) -> str:
    line = first_line(message)
    more = "" if line.strip() == message.strip() else f" {look.glyphs.ellipsis}"
    return look.safe(line) + more


def _fit(text: str, left: str, look: Look) -> str:
    """Cut a safe text so that it ends before the last column."""
    return look.cut(text, max(look.width - 1 - cells(left), NARROWEST))
