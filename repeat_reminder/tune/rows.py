"""Fewer rows: a table without some of its calls."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, compress

from repeat_reminder.tune.table import NO_ROW, Floats, Ints, Recorded, SessionTable


def keep(
    table: SessionTable, wanted: Sequence[bool], agents: Sequence[bool] | None = None
) -> SessionTable:
    """Return the table without the rows that are not wanted.

    A call that is left out leaves no run behind: a lane ends there, and another one begins.

    Args:
        table: a session.
        wanted: for each row, whether it stays.
        agents: for each agent, whether it stays; all if not given.
    """
    if all(wanted) and (agents is None or all(agents)):
        return table
    breaker = table.breaker
    if breaker is not None:
        breaker = breaker.kept(wanted, agents or [True] * len(table.agents))
    lane, lane_agent, lane_open = _lanes(table, wanted)
    return replace(
        table,
        lane_agent=lane_agent,
        lane_open=lane_open,
        lane=lane,
        tool=_ints(table.tool, wanted),
        key=_ints(table.key, wanted),
        line=_ints(table.line, wanted),
        index=_ints(table.index, wanted),
        likeness=_ints(table.likeness, wanted),
        failed=_ints(table.failed, wanted),
        time=_floats(table.time, wanted),
        tokens=_ints(table.tokens, wanted),
        identity=_ints(table.identity, wanted),
        ids=tuple(compress(table.ids, wanted)),
        breaker=breaker,
        recorded=_recorded(table, wanted),
    )


def _ints(column: Ints, wanted: Sequence[bool]) -> Ints:
    return array(column.typecode, compress(column, wanted))


def _floats(column: Floats, wanted: Sequence[bool]) -> Floats:
    return array(column.typecode, compress(column, wanted))


def _lanes(table: SessionTable, wanted: Sequence[bool]) -> tuple[Ints, Ints, Ints]:
    """Split the lanes in which a gap is now."""
    agents, opened = array("I", table.lane_agent), array("B", table.lane_open)
    now: dict[int, int] = {}
    """The lane that goes on in place of an old one; missing before its first row."""
    gaps: set[int] = set()
    column = array("I")
    for old, is_kept in zip(table.lane, wanted, strict=True):
        if not is_kept:
            gaps.add(old)
            continue
        if old in gaps and old in now:
            agents.append(table.lane_agent[old])
            opened.append(table.lane_open[old])
            opened[now[old]] = 0
            now[old] = len(agents) - 1
        gaps.discard(old)
        column.append(now.setdefault(old, old))
    return column, agents, opened


def _recorded(table: SessionTable, wanted: Sequence[bool]) -> tuple[Recorded, ...]:
    before = [0, *accumulate(map(int, wanted))]
    return tuple(
        told._replace(
            row=before[told.row] if told.row != NO_ROW and wanted[told.row] else NO_ROW,
            after=before[told.after],
        )
        for told in table.recorded
    )
