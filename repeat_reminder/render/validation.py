"""A validation for people, for grep, for programs and for GitHub.

Everything is told, nothing is folded: who asks whether a log is usable wants to mend it. The
problems of a log stand before the line that says what they come to, so that a pipe streams.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from repeat_reminder.events import Json, Problem, Severity
from repeat_reminder.jsontext import dumps
from repeat_reminder.render.annotations import annotation
from repeat_reminder.render.look import Style, plural
from repeat_reminder.render.problems import problem_lines
from repeat_reminder.render.replay.shapes import TOOL, Record, problem_record
from repeat_reminder.validate import LogReport, Usability

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from repeat_reminder.render.look import Look

    Found = Problem | LogReport

SCHEMA: Final = "repeat-reminder/validate@1"

_STYLES: Final = {
    Usability.USABLE: Style.TITLE,
    Usability.PARTLY: Style.WARNING,
    Usability.EMPTY: Style.NOTE,
    Usability.UNUSABLE: Style.ERROR,
}
_LOUDEST_FIRST: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


@dataclass(slots=True)
class Totals:
    """Counts what goes by; it decides the exit code."""

    logs: Counter[Usability] = field(default_factory=Counter)
    problems: Counter[Severity] = field(default_factory=Counter)

    def watch(self, found: Iterable[Found]) -> Iterator[Found]:
        """Count problems and reports."""
        for each in found:
            if isinstance(each, Problem):
                self.problems[each.severity] += 1
            else:
                self.logs[each.usability] += 1
            yield each


def full(found: Iterable[Found], totals: Totals, look: Look) -> Iterator[str]:
    """Yield every problem with its hint, a line for each log, and totals if there are several.

    Args:
        found: problems, each log's before its report.
        totals: what has been found so far, kept by who gives it.
        look: colour and glyphs.
    """
    for each in found:
        if isinstance(each, Problem):
            yield from problem_lines(each, look)
        else:
            yield _report_line(each, look)
    if totals.logs.total() != 1:
        yield _totals_line(totals, look)


def concise(found: Iterable[Found], look: Look) -> Iterator[str]:
    """Yield one greppable line for each problem and each log, its place first."""
    for each in found:
        if isinstance(each, Problem):
            place = each.path if each.line is None else f"{each.path}:{each.line}"
            yield look.safe(f"{place}: {each.severity.value}: {each.message}")
        else:
            about = ", ".join(_amounts(each))
            form = f" {each.format}" if each.format else ""
            yield look.safe(f"{each.path}: {each.usability.value}:{form} {about}".rstrip(" :"))


def github(found: Iterable[Found], look: Look) -> Iterator[str]:
    """Yield an annotation for each problem, at the line it is about."""
    for each in found:
        if isinstance(each, Problem):
            yield annotation(each, look)


def jsonl(found: Iterable[Found], totals: Totals, version: str) -> Iterator[bytes]:
    """Yield LF-ended records: a header, problems as they come, a log at its end, totals."""
    yield _line({"kind": "header", **_head(version)})
    for each in found:
        yield _line(problem_record(each) if isinstance(each, Problem) else _log_record(each))
    yield _line({"kind": "totals", **_totals(totals)})


def json_document(found: Iterable[Found], totals: Totals, version: str) -> bytes:
    """Return one document: every log with its problems."""
    logs: list[Json] = []
    problems: list[Json] = []
    for each in found:
        if isinstance(each, Problem):
            problems.append(problem_record(each))
        else:
            logs.append({**_log_record(each), "problems": problems})
            problems = []
    document = {**_head(version), "logs": logs, "problems": problems, "totals": _totals(totals)}
    return _line(document)


# ---------------------------------------------------------------- lines


def _report_line(report: LogReport, look: Look) -> str:
    """Say of one log: ``session.jsonl: usable · canonical, …``."""
    form = f"{report.format}: {report.evidence}" if report.format else ""
    verdict = look.paint(report.usability.value, _STYLES[report.usability])
    return look.join(
        f"{look.safe(report.path)}: {verdict}",
        look.safe(form),
        look.safe(report.compression or ""),
        ", ".join(_amounts(report)),
        _lines(report),
        _problems(report.problems),
    )


def _amounts(report: LogReport) -> Iterator[str]:
    if report.format is None:
        return
    yield plural(report.sessions, "session")
    if report.agents > report.sessions:
        yield plural(report.agents, "agent")
    yield plural(report.calls, "call")
    if report.unfinished:
        yield f"{report.unfinished:,} unfinished"
    if report.duplicates_dropped:
        yield f"{plural(report.duplicates_dropped, 'copy', 'copies')} dropped"
    if not report.records_results:
        yield "no results: calls count where they stand"


def _lines(report: LogReport) -> str:
    if not report.lines and not report.skipped_lines:
        return ""
    return f"{plural(report.lines, 'line')}, {report.skipped_lines:,} skipped"


def _problems(counts: Mapping[Severity, int]) -> str:
    told = (plural(counts[each], each.value) for each in _LOUDEST_FIRST if counts.get(each))
    return ", ".join(told)


def _totals_line(totals: Totals, look: Look) -> str:
    states = ", ".join(
        f"{totals.logs[state]:,} {state.value}" for state in Usability if totals.logs[state]
    )
    return look.join(f"{plural(totals.logs.total(), 'log')}: {states}", _problems(totals.problems))


# ---------------------------------------------------------------- records


def _log_record(report: LogReport) -> Record:
    return {
        "kind": "log",
        "path": report.path,
        "usable": report.usability in (Usability.USABLE, Usability.PARTLY),
        "usability": report.usability.name.lower(),
        "format": report.format,
        "evidence": report.evidence,
        "compression": report.compression,
        "records_results": report.records_results,
        "sessions": report.sessions,
        "agents": report.agents,
        "calls": report.calls,
        "settled": report.settled,
        "unfinished": report.unfinished,
        "lines": report.lines,
        "skipped_lines": report.skipped_lines,
        "duplicates_dropped": report.duplicates_dropped,
        "counts": _counts(report.problems),
    }


def _head(version: str) -> Record:
    return {"schema": SCHEMA, "tool": {"name": TOOL, "version": version}}


def _totals(totals: Totals) -> Record:
    logs: Record = {state.name.lower(): totals.logs[state] for state in Usability}
    return {"logs": totals.logs.total(), "by_usability": logs, "problems": _counts(totals.problems)}


def _counts(problems: Mapping[Severity, int]) -> Record:
    return {severity.value: problems.get(severity, 0) for severity in _LOUDEST_FIRST}


def _line(record: Record) -> bytes:
    return dumps(record) + b"\n"
