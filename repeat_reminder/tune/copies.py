"""The same call in several sessions: resumed and forked sessions begin with copied history."""

from collections.abc import Sequence

from repeat_reminder.tune.rows import keep
from repeat_reminder.tune.table import SessionTable


def without_copies(
    tables: Sequence[SessionTable],
) -> tuple[list[SessionTable], list[SessionTable], int]:
    """Leave each call in one session: the one with the fewest calls, which did not copy it.

    Only calls whose reader vouches for their ids are compared: format, tool, arguments and id.

    Returns:
        The tables in the given order; those that are left out because they have no call of their
        own; and how many calls were left out.
    """
    owner: dict[int, int] = {}
    by_origin = sorted(
        (at for at, table in enumerate(tables) if table.identity),
        key=lambda at: (tables[at].calls, tables[at].session, tables[at].path),
    )
    for at in by_origin:
        for identity in tables[at].identity:
            if identity:
                owner.setdefault(identity, at)
    kept: list[SessionTable] = []
    dropped: list[SessionTable] = []
    copies = 0
    for at, table in enumerate(tables):
        own = [not identity or owner[identity] == at for identity in table.identity]
        copies += own.count(False)
        if own and not any(own):
            dropped.append(table)
        else:
            kept.append(keep(table, own) if own else table)
    return kept, dropped, copies
