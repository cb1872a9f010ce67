"""The candidates of a tuning report, as a table that fits."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from repeat_reminder.render.look import Look, Style
from repeat_reminder.render.safe import cells
from repeat_reminder.render.table import Cell, Column, table
from repeat_reminder.render.tune.amounts import median_text, percent
from repeat_reminder.render.tune.values import Candidate, TuneReport

MOST_FRONT: Final = 6
"""Rows of the front that are shown beside the current, the named and the best config."""

NAME_CELLS: Final = 24


class _Field(NamedTuple):
    column: Column
    cells: list[Cell]
    weight: int
    """What is lightest is left out first where the table is too wide; 0 never is."""


def shown(report: TuneReport) -> list[Candidate]:
    """Return the candidates to show: the current one, the best, the named, some of the front."""
    levels = len(report.current.thresholds)
    special = [one for one in report.candidates if one.is_best and not one.is_now]
    special += [
        one for one in report.candidates if one.is_named and not (one.is_best or one.is_now)
    ]
    front = [
        one
        for one in report.candidates
        if one.is_front
        and len(one.thresholds) == levels
        and not (one.is_now or one.is_named or one.is_best)
    ]
    # Those that meet the constraints tell more about the best than those that do not.
    front.sort(key=lambda one: (bool(one.unmet), one.thresholds[0]))
    rest = sorted(front[:MOST_FRONT], key=lambda one: one.thresholds)
    # Those of one scope stand together, the current scope first.
    return sorted([report.current, *special, *rest], key=lambda one: one.also_excluded)


def candidate_lines(report: TuneReport, look: Look) -> list[str]:
    """Return the table of candidates, and what is not in it."""
    rows = shown(report)
    fields = _fields(rows, look)
    while (lines := _table(fields, look)) and max(map(_width, lines)) > look.width:
        light = [field for field in fields if field.weight]
        if not light:
            break
        fields.remove(min(light, key=lambda field: field.weight))
    front = sum(one.is_front for one in report.candidates)
    note = f"Pareto front: {front:,} of {len(report.candidates):,} configurations"
    more = " (-f csv for all)" if len(report.candidates) > len(rows) else ""
    return [*_by_scope(lines, rows, look), f"     {look.paint(note + more, Style.FAINT)}"]


def _by_scope(lines: Sequence[str], rows: Sequence[Candidate], look: Look) -> Iterator[str]:
    """Put a line above the candidates that exclude more tools."""
    yield lines[0]
    scope: tuple[str, ...] = ()
    for line, one in zip(lines[1:], rows, strict=True):
        if one.also_excluded != scope:
            scope = one.also_excluded
            tools = ", ".join(look.cut(tool, NAME_CELLS) for tool in scope)
            yield look.paint(f"   without {tools}", Style.FAINT)
        yield line


def _table(fields: Sequence[_Field], look: Look) -> list[str]:
    columns = [field.column for field in fields]
    rows = list(zip(*(field.cells for field in fields), strict=True))
    return [line[1:] for line in table(columns, rows, look)]


def _width(line: str) -> int:
    plain = line
    while "\x1b[" in plain:
        before, _, rest = plain.partition("\x1b[")
        plain = before + rest.partition("m")[2]
    return cells(plain)


def _fields(rows: Sequence[Candidate], look: Look) -> list[_Field]:
    stuck = rows[0].stuck > 0
    dash = "-" if look.ascii_only else "\N{EN DASH}"

    def field(title: str, texts: list[str], weight: int = 0, *, right: bool = True) -> _Field:
        styles = [Style.TITLE if one.is_best else None for one in rows]
        made = [Cell(text, style) for text, style in zip(texts, styles, strict=True)]
        return _Field(Column(title, right=right, gap=1), made, weight)

    numbers = [dash, *map(str, range(1, len(rows)))]
    found = [
        field("#", numbers),
        field("thresholds", [", ".join(map(str, one.thresholds)) for one in rows], right=False),
        field("messages", [f"{one.messages:,}" for one in rows]),
        field("mean", [f"{one.per_session:.2f}" for one in rows], 3),
        field("warned", [_warned(one) for one in rows]),
        field("p95", [f"{one.p95:,}" for one in rows], 1),
        field("max", [f"{one.most:,}" for one in rows], 2),
    ]
    if stuck:
        found += [
            field("caught", [f"{one.caught}/{one.stuck}" for one in rows]),
            field("first", [_first(one, dash) for one in rows], 4),
        ]
    found += [
        field("dead", [", ".join(map(str, one.dead)) or dash for one in rows], 2),
        field("", [_mark(one, look) for one in rows], right=False),
    ]
    return found


def _warned(one: Candidate) -> str:
    return f"{one.sessions_warned:,}/{one.sessions:,} {percent(one.warned):>4}"


def _first(one: Candidate, dash: str) -> str:
    return dash if one.first_hit is None else median_text(one.first_hit)


def _mark(one: Candidate, look: Look) -> str:
    if one.is_now:
        return "now"
    if one.is_best:
        return f"{'<' if look.ascii_only else '◀'} best"
    broken = one.unmet or ()
    marks = ["tried"] if one.is_named else []
    if "require-caught" in broken:
        marks.append(f"misses {one.stuck - one.caught}")
    elif broken:
        marks.append("too early" if broken == ("alpha",) else "over")
    return ", ".join(marks)
