"""Do the columns of a stored table go together, so that no index in them leads astray?"""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from repeat_reminder.tune import breaker_table
from repeat_reminder.tune.breaker_table import RESETS, BreakerTable, Op
from repeat_reminder.tune.likeness import Likeness
from repeat_reminder.tune.table import NO_KEY, NO_ROW, Ints, SessionTable

_MAY_LACK: Final = (("time", "d"), ("tokens", "Q"), ("identity", "Q"))
"""Columns that are empty where no row has a value, and their typecodes."""
_ROWS: Final = (
    ("tool", "I"), ("key", "I"), ("line", "I"), ("index", "I"), ("likeness", "B"), ("failed", "B"),
)  # fmt: skip


def is_sound(table: SessionTable) -> bool:
    """Tell whether all that reads a table can rely on it."""
    rows = len(table.lane)
    return (
        (table.lane.typecode, table.lane_agent.typecode, table.lane_open.typecode)
        == ("I", "I", "B")
        and all(_has(table, name, code, rows) for name, code in _ROWS)
        and all(_has(table, name, code, rows, 0) for name, code in _MAY_LACK)
        and len(table.ids) in (0, rows)
        and len(table.lane_open) == len(table.lane_agent)
        and _below(table.lane_agent, len(table.agents))
        and _below(table.lane, len(table.lane_agent))
        and _below(table.tool, len(table.tools))
        and _below([key for key in table.key if key != NO_KEY], len(table.keys))
        and _below(table.likeness, len(Likeness))
        and all(
            NO_ROW <= told.row < rows
            and 0 <= told.after <= rows
            and 0 <= told.agent < len(table.agents)
            for told in table.recorded
        )
        and (table.breaker is None or _is_sound(table.breaker, rows, len(table.agents)))
    )


def _has(table: SessionTable, name: str, code: str, *lengths: int) -> bool:
    column: Ints = getattr(table, name)
    return column.typecode == code and len(column) in lengths


def _below(numbers: Sequence[int], bound: int) -> bool:
    return max(numbers, default=-1) < bound


def _is_sound(table: BreakerTable, rows: int, agents: int) -> bool:
    """Tell whether the notes for a breaker go together, with each other and with the session."""
    columns = (table.call_carried, table.call_agent, table.call_index, table.call_row)
    subjects: tuple[list[int], list[int]] = ([], [])
    """Calls, and agents."""
    for op, subject in zip(table.ops, table.subjects, strict=False):
        subjects[op in RESETS].append(subject)
    return (
        all(one.typecode == "I" and len(one) == len(table.call_row) for one in columns)
        and (table.ops.typecode, table.subjects.typecode) == ("B", "I")
        and len(table.ops) == len(table.subjects)
        and _below(table.ops, len(Op))
        and all(0 <= fp < len(table.fps) for fp in chain.from_iterable(table.carried))
        and _below(table.call_carried, len(table.carried))
        and _below(table.call_agent, agents)
        and _below([row for row in table.call_row if row != breaker_table.NO_ROW], rows)
        and _below(subjects[False], len(table.call_row))
        and _below(subjects[True], agents)
    )
