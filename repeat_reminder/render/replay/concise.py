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
    for item in items:
        counted.add(item)
        if isinstance(item, Intervention):
            path = counted.open[item.call.agent.session].start.path
            yield _line(item, path, look, several=several)
        elif parity and isinstance(item, SessionEnd):
            from repeat_reminder.render.replay.parity import parity_concise  # noqa: PLC0415 - for a comparison alone

            yield from parity_concise(parity.take(item.session), look)


def _line(said: Intervention, path: str, look: Look, *, several: bool) -> str:
    call = said.call
    words = [
        f"{look.safe(path)}{_spot(call.line, call.id, look, ':')}:",
        look.safe(said.policy) if several else "",
        look.paint(label(said), style_of(said)),
        look.safe(call.agent.id),
        look.safe(call.name),
        f"x{said.count}{cap_of(said)}",
        _after(said, look),
        "" if said.delivered else "delivered=no",
        f"outcome={look.safe(said.outcome)}" if said.outcome else "",
        fingerprints(said.fingerprints, look),
        look.safe(said.arguments_preview or ""),
    ]
    return " ".join(word for word in words if word)


def _after(said: Intervention, look: Look) -> str:
    if said.action in GATES:
        return ""
    place = said.inject_after
    return f"after={_spot(place.line, place.call_id, look)}" if place else ""


def _spot(line: int | None, call_id: CallId, look: Look, before: str = "") -> str:
    return f"#{look.safe(call_id)}" if line is None else f"{before}{line}"
