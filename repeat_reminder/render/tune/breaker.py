"""A sweep of breaker configurations for people."""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.table import Cell, Column, table
from repeat_reminder.render.tune.amounts import median_text, percent, percents
from repeat_reminder.render.tune.breaker_values import BreakerCandidate, BreakerReport
from repeat_reminder.render.tune.config_text import cordis_row, yaml_flow
from repeat_reminder.render.tune.corpus import corpus_lines

MOST_ROWS: Final = 12
CHANGE_CELLS: Final = 26


def breaker_lines(report: BreakerReport, look: Look) -> Iterator[str]:
    """Yield the lines of a report, without line ends."""
    yield from corpus_lines(report.corpus, look)
    yield f"every question to the operator: {report.answer}"
    yield ""
    rows = _shown(report)
    yield from table(_columns(report), [_row(one, at, look) for at, one in enumerate(rows)], look)
    front = sum(one.is_front for one in report.candidates)
    note = f"Pareto front: {front:,} of {len(report.candidates):,} whole configurations"
    more = " (-f csv for all)" if len(report.candidates) > len(rows) else ""
    yield f"     {look.paint(note + more, Style.FAINT)}"
    yield ""
    yield from _certainty(report)
    yield from _conclusion(report, look)


def _shown(report: BreakerReport) -> list[BreakerCandidate]:
    def interest(one: BreakerCandidate) -> int:
        if one.is_best or one.is_named:
            return 0 if one.is_best else 1
        return 2 if one.is_front and not one.unmet else 3

    others = sorted(report.candidates[1:], key=interest)
    return [report.current, *others[:MOST_ROWS]]


def _columns(report: BreakerReport) -> list[Column]:
    titles = ["messages", "warned", "gated", "gate calls"]
    if report.current.stuck:
        titles += ["caught", "first"]
    return [
        Column("#", right=True, gap=1),
        Column("change", gap=1),
        *(Column(title, right=True, gap=1) for title in titles),
        Column(""),
    ]


def _row(one: BreakerCandidate, at: int, look: Look) -> list[Cell]:
    style = Style.TITLE if one.is_best else None
    dash = "-" if look.ascii_only else "\N{EN DASH}"
    changes = ", ".join(f"{key} {_value(value)}" for key, value in one.changes.items())
    cells = [
        dash if one.is_now else str(at),
        look.cut(changes or "now", CHANGE_CELLS),
        f"{one.messages:,}",
        f"{one.sessions_warned:,} {percent(one.warned):>4}",
        f"{one.sessions_gated:,}",
        f"{one.gate_calls:,}",
    ]
    if one.stuck:
        hit = dash if one.first_hit is None else median_text(one.first_hit)
        cells += [f"{one.caught}/{one.stuck}", hit]
    return [Cell(text, style) for text in [*cells, _mark(one, look)]]


def _value(value: object) -> str:
    if value is None:
        return "off"
    return yaml_flow(value) if isinstance(value, int | float | str) else str(value)


def _mark(one: BreakerCandidate, look: Look) -> str:
    if one.is_best:
        return f"{'<' if look.ascii_only else '◀'} best"
    if one.unmet:
        return f"misses {one.stuck - one.caught}" if "require-caught" in one.unmet else "over"
    return "tried" if one.is_named else ""


def _certainty(report: BreakerReport) -> Iterator[str]:
    one = report.best or report.current
    name = "best" if report.best else "now"
    if one.warned_interval and one.gated_interval and one.messages_interval:
        low, high = one.messages_interval
        yield (
            f"95% intervals of {name} (bootstrap {report.resamples:,}): messages "
            f"{low:,.0f}-{high:,.0f},"
        )
        yield (
            f"  warned {percents(one.warned_interval)}, "
            f"sessions gated {percents(one.gated_interval)}"
        )
    if one.stuck and one.caught_at_least is not None:
        yield (
            f'{plural(one.stuck, "stuck session")}: "{one.caught}/{one.stuck} caught" means '
            f"at least {percent(one.caught_at_least)} (95% lower bound)"
        )
    if report.current.all_gate_calls or one.all_gate_calls:
        yield "from its first gate on a session is hypothetical: the recorded agent went on"
    yield ""


def _conclusion(report: BreakerReport, look: Look) -> Iterator[str]:
    best = report.best
    if not report.constraints.any:
        yield "no constraint was given, so nothing is called best"
    elif best is None:
        yield "no configuration meets the constraints"
    else:
        every = "a cordis patch replaces the whole config, so every key is stated"
        head = "recommended" if report.is_recommended else "best under your constraints"
        yield f"{head} ({every}):"
        yield ""
        for line in cordis_row("breaker", best.config):
            yield look.safe(line)
