"""Failures in a row: calls of one agent that all failed, with no success and no human between."""

from collections.abc import Iterator, Sequence

from repeat_reminder.render.tune.stats_values import Streak
from repeat_reminder.tune.table import SessionTable

SHORTEST = 2


def streaks(table: SessionTable) -> Iterator[Streak]:
    """Yield every streak of two failures or more, tracked or not."""
    open_: dict[int, list[int]] = {}
    for row, (lane, failed) in enumerate(zip(table.lane, table.failed, strict=True)):
        if failed:
            open_.setdefault(lane, []).append(row)
        else:
            yield from _streak(table, open_.pop(lane, ()))
    for rows in open_.values():
        yield from _streak(table, rows)


def _streak(table: SessionTable, rows: Sequence[int]) -> Iterator[Streak]:
    if len(rows) >= SHORTEST:
        tools = dict.fromkeys(table.tool_of(row) for row in rows)
        yield Streak(
            length=len(rows),
            place=table.place(rows[0]),
            session=table.session,
            agent=table.agent_of(rows[0]),
            tools=tuple(tools),
        )
