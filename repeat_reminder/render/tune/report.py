"""A tuning report for people: now against candidates, the evidence, and what to paste."""

from collections.abc import Iterator
from typing import Final

from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.paragraphs import paragraph
from repeat_reminder.render.safe import cells
from repeat_reminder.render.tune.advice import advice_lines
from repeat_reminder.render.tune.amounts import median_text, percent
from repeat_reminder.render.tune.certainty import certainty, spending
from repeat_reminder.render.tune.charts import Mark, bars, beside, columns
from repeat_reminder.render.tune.config_text import cordis_row
from repeat_reminder.render.tune.corpus import corpus_lines
from repeat_reminder.render.tune.table import candidate_lines
from repeat_reminder.render.tune.values import Candidate, ToolShare, TuneReport

BARS: Final = 7
"""Lengths with a bar of their own; longer ones share one."""
COLUMNS: Final = 10
LEFT: Final = 36
MOST_TOOLS: Final = 6
MOST_MISSED: Final = 5
NAME_CELLS: Final = 24
POLLS: Final = 0.8
"""Share of runs with changing results from which on a tool polls."""


def tune_lines(report: TuneReport, look: Look, *, origins: bool = False) -> Iterator[str]:
    """Yield the lines of a report, without line ends.

    Args:
        report: all figures.
        look: colour, glyphs and width.
        origins: tell where each current setting came from.
    """
    yield from corpus_lines(report.corpus, look)
    if origins:
        for key, value in report.now.items():
            yield look.safe(f"  {key} {value!r}  {report.origins.get(key, '')}")
    yield ""
    yield from _charts(report, look)
    yield from candidate_lines(report, look)
    yield ""
    yield from _tools(report, look)
    yield from _missed(report, look)
    for sentence in certainty(report):
        yield from paragraph(sentence, look)
    yield from spending(report)
    yield ""
    yield from advice_lines(report.advice, report.current.thresholds[0], look)
    yield from _conclusion(report, look)


# ---------------------------------------------------------------- charts


def _charts(report: TuneReport, look: Look) -> Iterator[str]:
    lengths = [(row.length, row.cost) for row in report.lengths if row.cost]
    if not lengths:
        yield "no call of the cost group is repeated"
        yield ""
        return
    title = "runs of identical calls, cost group"
    left = [title, *length_bars(lengths, LEFT - 2, look)]
    right = ["sessions warned vs first threshold", *_curve(report, look)]
    yield from beside(left, right, LEFT + 2)
    yield ""


def length_bars(lengths: list[tuple[int, int]], width: int, look: Look) -> list[str]:
    """Draw how many runs have each length; the last bar is for all that are longer."""
    numbers = dict(lengths)
    longest = max(numbers)
    last = min(longest, BARS + 1)
    rows = [(str(length), numbers.get(length, 0)) for length in range(2, last)]
    rest = sum(number for length, number in lengths if length >= last)
    rows.append((f"{last}+" if longest > last else str(last), rest))
    return bars(rows, width, look)


def _curve(report: TuneReport, look: Look) -> list[str]:
    sessions = report.current.sessions or 1
    longest = report.lengths[-1].length
    firsts = _spread(range(2, longest + 2), COLUMNS)
    warned = {point.first: point.sessions_warned for point in report.curve}
    shares = [
        warned[max(first for first in warned if first <= at)] / sessions if at <= longest else 0.0
        for at in firsts
    ]
    limit = report.constraints.max_warned
    most = "<=" if look.ascii_only else "≤"
    mark = None
    if limit is not None:
        mark = Mark(share=float(limit), text=f"{most}{percent(float(limit))}")
    points = [(str(first), share) for first, share in zip(firsts, shares, strict=True)]
    return columns(points, look, mark=mark)


def _spread(values: range, most: int) -> list[int]:
    """Choose so many values: all the small ones, and farther apart towards the end."""
    if len(values) <= most:
        return list(values)
    near = list(values[: most - 3])
    ratio = (values[-1] / near[-1]) ** (1 / 3)
    far = {
        min(values[-1], max(near[-1] + step, round(near[-1] * ratio**step))) for step in (1, 2, 3)
    }
    return near + [value for value in sorted(far) if cells(str(value)) <= len("99")]


# ---------------------------------------------------------------- who, and whom not


def _tools(report: TuneReport, look: Look) -> Iterator[str]:
    if not report.tools:
        return
    best = report.best is not None and not report.best.is_now
    yield f"who gets reminded (now {look.glyphs.arrow} best)" if best else "who gets reminded"
    names = [look.cut(share.tool, NAME_CELLS) for share in report.tools[:MOST_TOOLS]]
    width = max(map(cells, names))
    for name, share in zip(names, report.tools[:MOST_TOOLS], strict=True):
        counts = f"{sum(share.now):>6,}"
        if best and share.best is not None:
            counts += f" {look.glyphs.arrow} {sum(share.best):,}"
        blanks = " " * (width - cells(name))
        yield f"  {name}{blanks}  {counts}{_polls(share, look)}"
    rest = report.tools[MOST_TOOLS:]
    if rest:
        number = sum(sum(share.now) for share in rest)
        yield look.paint(
            f"  and {plural(len(rest), 'tool')} more, {number:,} messages", Style.FAINT
        )
    yield ""


def _polls(share: ToolShare, look: Look) -> str:
    changing, runs = share.results.changing, share.results.runs
    if not runs or changing < POLLS * runs:
        return ""
    arrow = "<-" if look.ascii_only else "←"
    return f"   {arrow} {changing} of {runs} had changing results: consider excluding"


def _missed(report: TuneReport, look: Look) -> Iterator[str]:
    best = report.best
    if best is None or not best.stuck:
        return
    if report.missed:
        yield f"missed under best: {plural(len(report.missed), 'stuck session')}"
        for one in report.missed[:MOST_MISSED]:
            run = plural(one.longest, "call")
            yield f"  {look.end(one.place, look.width - 24)}  longest run {run}"
    else:
        yield "missed under best: none"
    now, then = report.current.first_hit, best.first_hit
    if report.later and now is not None and then is not None:
        arrow = look.glyphs.arrow
        calls = f"call {median_text(now)} {arrow} call {median_text(then)}"
        word = "later" if report.later > 0 else "earlier"
        delay = f"{plural(round(abs(report.later)), 'call')} {word}"
        sentence = f"median first reminder {calls}; in the median stuck session {delay}"
        yield from paragraph(sentence, look)
    yield ""


# ---------------------------------------------------------------- what to do


def _conclusion(report: TuneReport, look: Look) -> Iterator[str]:
    best = report.best
    if not report.constraints.any:
        yield "no constraint was given, so nothing is called best"
        yield look.paint(
            "  --max-warned, --max-messages-per-session, --require-caught or --alpha choose",
            Style.FAINT,
        )
    elif best is None or report.best_config is None:
        yield from paragraph(f"no configuration meets the constraints; {_closest(report)}", look)
    else:
        yield from paragraph(_heading(report), look)
        yield ""
        for line in cordis_row("reminder", report.best_config):
            yield look.safe(line)


def _heading(report: TuneReport) -> str:
    every = "a cordis patch replaces the whole config, so every key is stated"
    if report.is_recommended:
        return f"recommended ({every}):"
    return f"best under your constraints, with no stuck session to judge by ({every}):"


def _closest(report: TuneReport) -> str:
    fewest: Candidate = min(report.candidates, key=lambda one: (len(one.unmet or ()), one.messages))
    broken = " and ".join(f"--{name}" for name in fewest.unmet or ())
    thresholds = ", ".join(map(str, fewest.thresholds))
    return f"{thresholds} comes closest and breaks {broken}"
