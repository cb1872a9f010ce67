"""The table of one session: a row for each intervention, with its call and its landing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from repeat_reminder.events import Action, Place
from repeat_reminder.render.table import Cell, Column, table
from repeat_reminder.render.tally import GATES
from repeat_reminder.render.wording import label, mark, numbers, style_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repeat_reminder.events import Intervention
    from repeat_reminder.render.look import Look

MOST_DOTS: Final = 12
NAME_CELLS: Final = 40
ID_CELLS: Final = 16
FINGERPRINT_CELLS: Final = 48


class Rows:
    """What the rows of one table have in common."""

    def __init__(
        self, said: Sequence[Intervention], look: Look, *, name_policies: bool = False
    ) -> None:
        """Measure what is to be shown.

        Args:
            said: interventions of one session in the order of counting, at least one.
            look: how to write.
            name_policies: several are mounted, so each row tells whose it is.
        """
        self._said = said
        self._look = look
        self._name_policies = name_policies
        self._has_lines = any(one.call.line is not None for one in said)
        self._fingerprints = any(one.fingerprints for one in said)
        self._count_width = max(len(str(one.count)) for one in said)
        places = filter(None, map(_landing_place, said))
        self._line_width = max((len(str(place.line)) for place in places), default=0)

    def lines(self) -> Iterator[str]:
        """Yield the table."""
        runs = any(said.tier for said in self._said)
        columns = [
            Column("line" if self._has_lines else "#", least=4, right=True),
            Column("agent", least=6),
            Column("call"),
            Column("tool", least=5),
            Column("run" if runs else "count", least=10, gap=1),
            *([Column("policy")] if self._name_policies else []),
            Column("reminder" if runs else "action"),
            Column("", least=2),
            Column("injected after"),
            *([Column("fingerprint")] if self._fingerprints else []),
        ]
        return table(columns, list(map(self._row, self._said)), self._look)

    def _row(self, said: Intervention) -> list[Cell]:
        look, style = self._look, style_of(said)
        outcome = f": {look.safe(said.outcome)}" if said.outcome else ""
        return [
            Cell(str(said.call.line or "-") if self._has_lines else str(said.call.index)),
            Cell(look.cut(said.call.agent.id, NAME_CELLS)),
            Cell(self._id(said.call.id)),
            Cell(look.cut(said.call.name, NAME_CELLS)),
            Cell(self._run(said), style),
            *([Cell(look.safe(said.policy))] if self._name_policies else []),
            Cell(label(said) + outcome, style),
            Cell(mark(said, look), style),
            Cell(self._landing(said)),
            *([Cell(self._fingerprint(said))] if self._fingerprints else []),
        ]

    def _id(self, call_id: str) -> str:
        """Show a call's id; long ones whole only where no line says the same."""
        return self._look.end(call_id, ID_CELLS) if self._has_lines else self._look.safe(call_id)

    def _run(self, said: Intervention) -> str:
        if said.fingerprints:
            return numbers(said.fingerprints[0])
        glyphs = self._look.glyphs
        more = glyphs.ellipsis if said.count > MOST_DOTS else ""
        return f"{said.count:>{self._count_width}} {glyphs.dot * min(said.count, MOST_DOTS)}{more}"

    def _landing(self, said: Intervention) -> str:
        place = _landing_place(said)
        if place is None:
            return "-"
        line = "" if place.line is None else f"line {place.line:<{self._line_width}}  "
        pending = "" if said.delivered else " (pending, never delivered)"
        return f"{line}{_relation(said)} {self._id(place.call_id)}{pending}"

    def _fingerprint(self, said: Intervention) -> str:
        if not said.fingerprints:
            return ""
        more = len(said.fingerprints) - 1
        shown = self._look.cut(said.fingerprints[0].fp, FINGERPRINT_CELLS)
        return f"{shown} +{more}" if more else shown


def _landing_place(said: Intervention) -> Place | None:
    return Place(said.call.line, said.call.id) if said.action in GATES else said.inject_after


def _relation(said: Intervention) -> str:
    if said.action is Action.ASK:
        return "before"
    if said.action is Action.DENY:
        return "in place of"
    return "result of" if said.call.result_recorded else "call"
