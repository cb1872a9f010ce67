"""A comparison with a recording, for people: each reminder with its verdict, and the sum."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from repeat_reminder.parity import Finding, Outcome, Summary, Verdict
from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.replay.rows import ID_CELLS, NAME_CELLS
from repeat_reminder.render.table import INDENT, Cell, Column, table

_WORDS: Final = {
    Verdict.MATCH: "match",
    Verdict.MISSING: "missing",
    Verdict.EXTRA: "extra",
    Verdict.TEXT_DIFFERS: "text differs",
    Verdict.LANDING_DIFFERS: "landing differs",
}
LEAST_CELLS: Final = 20


def parity_table(found: Sequence[Finding], look: Look) -> Iterator[str]:
    """Yield the lines about one session, without line ends: a table, then what explains it.

    Args:
        found: what was found of the session, at least one.
        look: how to write.
    """
    columns = [
        Column("line", least=4, right=True),
        Column("agent", least=6),
        Column("call"),
        Column("tool", least=5),
        Column("run", right=True),
        Column("parity"),
        Column("recorded"),
    ]
    yield from table(columns, [_row(finding, look) for finding in found], look)
    for doubt in dict.fromkeys(doubt for finding in found for doubt in finding.doubts):
        yield f"{INDENT}not decidable from this log: {look.safe(doubt)}"
    for finding in found:
        if finding.verdict is Verdict.TEXT_DIFFERS:
            yield from _texts(finding, look)


def parity_concise(found: Sequence[Finding], look: Look) -> Iterator[str]:
    """Yield one line for each reminder: ``path:line: parity verdict agent tool xCOUNT …``."""
    for finding in found:
        line = _line(finding)
        spot = f"#{_call_id(finding, look)}" if line is None else f":{line}"
        words = [
            f"{look.safe(finding.path)}{spot}:",
            "parity",
            look.paint(finding.verdict.value.replace("_", "-"), _style(finding)),
            look.safe(finding.agent.id),
            look.safe(_tool(finding)),
            f"x{_count(finding)}",
            f"recorded={_recorded_line(finding)}" if finding.recorded else "",
            "; ".join(f"undecidable: {look.safe(doubt)}" for doubt in finding.doubts),
        ]
        yield " ".join(word for word in words if word)


def summary_line(summary: Summary, look: Look) -> str:
    """Say what a comparison comes to: ``parity: 12 recorded, 12 predicted: 12 match``."""
    counts = f"{summary.recorded:,} recorded, {summary.predicted:,} predicted"
    parts = [f"{n:,} {_WORDS[verdict]}" for verdict, n in summary.verdicts.items() if n]
    found = f": {', '.join(parts)}" if parts else ""
    match summary.outcome:
        case Outcome.NOTHING_RECORDED:
            found += "; nothing is proved, for the recording holds no reminder"
        case Outcome.UNDECIDABLE:
            found += f"; {summary.undecidable:,} not decidable from the log"
        case Outcome.DIFFERS if summary.undecidable:
            found += f"; {summary.undecidable:,} of them not decidable from the log"
        case _:
            pass
    style = Style.NOTE if summary.passed else Style.ERROR
    return f"{look.paint('parity:', style)} {counts}{found}"


def hint_lines(summary: Summary) -> Iterator[str]:
    """Yield what helps: which settings would predict the recording better, what is unknown."""
    advice = summary.advice
    if advice and advice.counts:
        *others, last = map(str, advice.counts)
        counts = f"{', '.join(others)} and {last}" if others else last
        yield f"recorded at {counts}: try {advice.options()}"
    elif advice:
        yield f"the recorded reminders quote less or more: try {advice.options()}"
    if summary.outcome is Outcome.NOTHING_RECORDED and summary.predicted:
        yield "was the guard mounted when this was recorded?"
    elif silent := summary.silent_sessions:
        hold = "holds" if silent == 1 else "hold"
        whole = plural(summary.sessions, "session")
        yield f"{silent:,} of {whole} {hold} no reminder: was the guard mounted there?"


def _row(finding: Finding, look: Look) -> list[Cell]:
    line = _line(finding)
    return [
        Cell("-" if line is None else str(line)),
        Cell(look.cut(finding.agent.id, NAME_CELLS)),
        Cell(_call_id(finding, look)),
        Cell(look.cut(_tool(finding), NAME_CELLS)),
        Cell(str(_count(finding))),
        Cell(_WORDS[finding.verdict], _style(finding)),
        Cell(_recorded_place(finding)),
    ]


def _line(finding: Finding) -> int | None:
    """Return the line of the call, or else of its result, or of the message itself."""
    if finding.line is not None or finding.recorded is None:
        return finding.line
    trigger = finding.recorded.message.trigger
    return (trigger.line if trigger else None) or finding.recorded.message.line


def _call_id(finding: Finding, look: Look) -> str:
    trigger = finding.recorded.message.trigger if finding.recorded else None
    call_id = finding.predicted.call.id if finding.predicted else trigger and trigger.call_id
    return look.end(call_id, ID_CELLS) if call_id else "?"


def _tool(finding: Finding) -> str:
    if finding.predicted is not None:
        return finding.predicted.call.name
    return (finding.recorded.tool if finding.recorded else None) or "?"


def _count(finding: Finding) -> int | str:
    if finding.predicted is not None:
        return finding.predicted.count
    return (finding.recorded.count if finding.recorded else None) or "?"


def _recorded_line(finding: Finding) -> str:
    line = finding.recorded.message.line if finding.recorded else None
    return "yes" if line is None else str(line)


def _recorded_place(finding: Finding) -> str:
    if finding.recorded is None:
        return "no"
    line = _recorded_line(finding)
    pending = ", never delivered" if finding.recorded.message.delivered is False else ""
    return (line if line == "yes" else f"line {line}") + pending


def _style(finding: Finding) -> Style:
    if finding.verdict is Verdict.MATCH:
        return Style.NOTE
    return Style.WARNING if finding.doubts else Style.ERROR


def _texts(finding: Finding, look: Look) -> Iterator[str]:
    """Show the first line in which two texts differ."""
    if finding.predicted is None or finding.recorded is None:
        return
    mine = finding.predicted.text.split("\n")
    theirs = "\n".join(finding.recorded.message.texts).split("\n")
    pairs = zip_longest(mine, theirs, fillvalue="")
    one, other = next(((a, b) for a, b in pairs if a != b), ("", ""))
    for title, line in (("predicted", one), ("recorded", other)):
        head = f"{INDENT}{title:<9} {look.glyphs.bar} "
        yield head + look.cut(line, max(look.width - 1 - len(head), LEAST_CELLS))
