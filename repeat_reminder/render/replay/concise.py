"""A replay for grep and editors: one line for each intervention, never wrapped, never cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repeat_reminder.events import Intervention, SessionEnd
from repeat_reminder.render.look import Look
from repeat_reminder.render.tally import GATES, Tally
from repeat_reminder.render.wording import cap_of, fingerprints, label, style_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repeat_reminder.events import CallId
    from repeat_reminder.parity import Parity
    from repeat_reminder.render.header import Header
    from repeat_reminder.render.tally import Reported


def concise(
    items: Iterable[Reported],
    header: Header,
    *,
    look: Look = Look(),  # noqa: B008 - frozen
    tally: Tally | None = None,
    parity: Parity | None = None,
) -> Iterator[str]:
    """Yield one line, without line end, as soon as an intervention's landing is known.

    ``path:line: [policy] what agent tool xCOUNT after=LINE arguments``; calls without a line are
    ``path#id:`` and ``after=#id``. The policy is named where there are several. Arguments as in
    `repeat_reminder.render.replay.timeline.full`.
    """
    counted = tally or Tally()
    several = len(header.policies) > 1
    path = shown = None
    for item in items:
        counted.add(item)
        if isinstance(item, Intervention):
            start = counted.open[item.call.agent.session].start
            if start.path != path:
                path, shown = start.path, look.safe(start.path)
            yield f"{shown}{_line(item, look, several=several)}"
        elif parity and isinstance(item, SessionEnd):
            from repeat_reminder.render.replay.parity import parity_concise  # noqa: PLC0415 - for a comparison alone

            yield from parity_concise(parity.take(item.session), look)


def _line(said: Intervention, look: Look, *, several: bool) -> str:
    """Say everything but the path."""
    call = said.call
    words = [
        f"{_spot(call.line, call.id, look, ':')}:",
        look.safe(said.policy) if several else "",
        look.paint(label(said), style_of(said)),
        look.safe(call.agent.id),
        look.safe(call.name),
        f"x{said.count}{cap_of(said)}",
        _after(said, look),
    ]
    if not said.delivered:
        words.append("delivered=no")
    if said.outcome:
        words.append(f"outcome={look.safe(said.outcome)}")
    if said.fingerprints:
        words.append(fingerprints(said.fingerprints, look))
    if said.arguments_preview:
        words.append(look.safe(said.arguments_preview))
    return " ".join(filter(None, words))


def _after(said: Intervention, look: Look) -> str:
    if said.action in GATES:
        return ""
    place = said.inject_after
    return f"after={_spot(place.line, place.call_id, look)}" if place else ""


def _spot(line: int | None, call_id: CallId, look: Look, before: str = "") -> str:
    return f"#{look.safe(call_id)}" if line is None else f"{before}{line}"
