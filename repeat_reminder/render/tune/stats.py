"""The overview of a corpus for people."""

from collections.abc import Iterator, Sequence
from typing import Final

from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.paragraphs import paragraph
from repeat_reminder.render.safe import cells
from repeat_reminder.render.table import Cell, Column, table
from repeat_reminder.render.tune.amounts import percent, spent
from repeat_reminder.render.tune.charts import beside
from repeat_reminder.render.tune.corpus import corpus_lines
from repeat_reminder.render.tune.report import LEFT, length_bars
from repeat_reminder.render.tune.stats_values import GroupRow, LongRun, StatsReport, Streak

MOST_GROUPS: Final = 15
MOST_RUNS: Final = 10
MOST_STREAKS: Final = 3
MOST_LENGTHS: Final = 6
MOST_NAMES: Final = 2
NAME_CELLS: Final = 24
LOOP: Final = 3


def stats_lines(report: StatsReport, look: Look) -> Iterator[str]:
    """Yield the lines of an overview, without line ends."""
    yield from corpus_lines(report.corpus, look)
    yield from _counts(report, look)
    yield ""
    if not report.lengths:
        yield "no call is repeated"
    else:
        lengths = [(row.length, row.number) for row in report.lengths]
        left = ["runs of identical calls", *length_bars(lengths, LEFT - 2, look)]
        yield from beside(left, _shares(report, look), LEFT + 2)
    yield ""
    yield from _longest(report.longest, look)
    yield from _groups(report, look)
    yield from _streaks(report, look)


def _counts(report: StatsReport, look: Look) -> Iterator[str]:
    formats = ", ".join(f"{look.safe(name)} {number:,}" for name, number in report.formats.items())
    what = look.join(
        plural(report.corpus.files, "file"),
        formats,
        plural(report.agents, "agent"),
        plural(report.lines, "line") if report.lines else "",
    )
    events = look.join(
        f"{plural(report.failed, 'failed call')}",
        f"{report.unfinished:,} unfinished" if report.unfinished else "",
        plural(report.human_messages, "human message"),
        plural(report.recorded_reminders, "recorded reminder"),
        f"{report.duplicates:,} written twice" if report.duplicates else "",
    )
    for sentence in (what, events):
        yield from paragraph(sentence, look)


def _shares(report: StatsReport, look: Look) -> list[str]:
    results = report.results
    lines = [f"results of {plural(results.runs, 'run')} of {LOOP} or more"]
    for word, number, meaning in (
        ("identical", results.identical, "likely stuck"),
        ("volatile", results.volatile, "but for numbers, ids, times"),
        ("changing", results.changing, "likely polling"),
        ("unknown", results.unknown, "not recorded"),
    ):
        if number:
            share = percent(number / results.runs)
            lines.append(f"  {number:>5,} {share:>4} {word:<9} {look.paint(meaning, Style.FAINT)}")
    return [*lines, "", "spent in runs after their third call", f"  {spent(report.spend)}"]


def _longest(runs: Sequence[LongRun], look: Look) -> Iterator[str]:
    if not runs:
        return
    yield "longest runs"
    columns = [
        Column("run", right=True),
        Column("tool"),
        Column("results"),
        Column("from"),
        Column(""),
    ]
    rows = [
        [
            Cell(f"{run.length:,}{'+' if run.cut else ''}"),
            Cell(look.cut(run.tool, NAME_CELLS)),
            Cell(run.results),
            Cell(look.end(run.place, max(20, look.width - 50))),
            Cell(look.safe(run.preview or ""), Style.FAINT),
        ]
        for run in runs[:MOST_RUNS]
    ]
    yield from _fitted(columns, rows, look)
    if any(run.cut for run in runs[:MOST_RUNS]):
        yield look.paint(
            "  + the log ends, or a recorded reminder was read, while it went on", Style.FAINT
        )
    yield ""


def _fitted(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], look: Look) -> Iterator[str]:
    """Lay out a table whose last column gets what is left of the width."""
    bare = [[*row[:-1], Cell("")] for row in rows]
    used = max(map(len, table(columns, bare, Look(ascii_only=look.ascii_only))), default=0)
    room = look.width - used - columns[-2].gap
    cut = [[*row[:-1], Cell(look.cut(row[-1].text, max(0, room)), row[-1].style)] for row in rows]
    return table(columns, cut if room >= len("...") else bare, look)


def _groups(report: StatsReport, look: Look) -> Iterator[str]:
    if not report.groups:
        return
    yield f"by {report.by}"
    columns = [
        Column(report.by),
        *(
            Column(title, right=True, gap=1)
            for title in ("calls", "repeats", "runs", "3+", "longest", "same", "failed", "spent")
        ),
    ]
    yield from table(columns, [_group(row, look) for row in report.groups[:MOST_GROUPS]], look)
    rest = len(report.groups) - MOST_GROUPS
    if rest > 0:
        yield look.paint(f"  and {rest:,} more (-f csv for all)", Style.FAINT)
    yield look.paint(
        "  3+: runs of three or more; same: share of those with identical results;", Style.FAINT
    )
    yield look.paint("  spent: calls in runs after their third", Style.FAINT)
    yield ""


def _group(row: GroupRow, look: Look) -> list[Cell]:
    known = row.results.runs - row.results.unknown
    return [
        Cell(look.cut(row.name, NAME_CELLS)),
        Cell(f"{row.calls:,}"),
        Cell(f"{row.repeats:,}"),
        Cell(f"{row.runs:,}"),
        Cell(f"{row.runs_of_three:,}"),
        Cell(f"{row.longest:,}"),
        Cell(percent(row.results.identical / known) if known else "-"),
        Cell(f"{row.failed:,}"),
        Cell(f"{row.spend.calls:,}"),
    ]


def _streaks(report: StatsReport, look: Look) -> Iterator[str]:
    if not report.streaks:
        return
    number = sum(count.number for count in report.streaks)
    times = look.glyphs.times
    yield f"{plural(number, 'streak')} of failures in a row"
    lengths = [
        f"{count.length} {times} {count.number:,}" for count in report.streaks[:MOST_LENGTHS]
    ]
    more = f", {look.glyphs.ellipsis}" if len(report.streaks) > MOST_LENGTHS else ""
    yield f"  length {times} how often: {', '.join(lengths)}{more}"
    for streak in report.longest_streaks[:MOST_STREAKS]:
        tools = _tools(streak, look)
        place = look.end(streak.place, max(20, look.width - 9 - cells(tools)))
        yield f"  {streak.length:>3}  {place}  {tools}"


def _tools(streak: Streak, look: Look) -> str:
    names = ", ".join(look.cut(tool, NAME_CELLS) for tool in streak.tools[:MOST_NAMES])
    return names + (f", {look.glyphs.ellipsis}" if len(streak.tools) > MOST_NAMES else "")
