"""Near misses for people: what would have been one run, but for one thing."""

from collections.abc import Iterator, Sequence

from repeat_reminder.explain import Miss, NearMiss
from repeat_reminder.render.explain.accounts import resets_text
from repeat_reminder.render.explain.places import at_line
from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.replay.rows import NAME_CELLS
from repeat_reminder.render.table import Cell, Column, table


def near_lines(near: Sequence[NearMiss], look: Look) -> Iterator[str]:
    """Yield a table of near misses, without line ends."""
    if not near:
        yield "no near misses"
        return
    yield look.paint(plural(len(near), "near miss", "near misses"), Style.TITLE)
    columns = [
        Column("from"),
        Column("to"),
        Column("agent", least=6),
        Column("tool", least=5),
        Column("run", right=True),
        Column("but for"),
        Column("would have reached"),
    ]
    yield from table(columns, [_row(miss, look) for miss in near], look)


def _row(miss: NearMiss, look: Look) -> list[Cell]:
    thresholds = ", ".join(map(str, miss.reached))
    return [
        Cell(at_line(miss.first.call, look)),
        Cell(at_line(miss.last.call, look)),
        Cell(look.cut(miss.agent.id, NAME_CELLS)),
        Cell(look.cut(miss.first.call.name, NAME_CELLS)),
        Cell(str(miss.length)),
        Cell(_reason(miss, look)),
        Cell(f"threshold {thresholds}" if thresholds else ""),
    ]


def _reason(miss: NearMiss, look: Look) -> str:
    match miss.kind:
        case Miss.ARGUMENT:
            return look.cut(miss.path or "$", NAME_CELLS)
        case Miss.RESET:
            return resets_text(miss.resets)
        case Miss.OTHER_CALL:
            names = dict.fromkeys(look.cut(one.call.name, NAME_CELLS) for one in miss.others)
            return f"{plural(len(miss.others), 'other call')} ({', '.join(names)})"
