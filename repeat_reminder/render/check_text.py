"""A check as text: for people, and one line per finding for grep and editors."""

from collections.abc import Iterator
from dataclasses import replace

from repeat_reminder.render.check_words import (
    UNUSED,
    brief,
    result_lines,
    totals,
    ways_out,
)
from repeat_reminder.render.github import inert
from repeat_reminder.render.look import Look, Style
from repeat_reminder.render.outcomes import Result, Summary, Unused
from repeat_reminder.render.safe import cells
from repeat_reminder.render.table import INDENT

_STATUS_CELLS = 5


def full_result(result: Result, look: Look, *, verbose: bool = False) -> Iterator[str]:
    """Yield what a reader is told of one scenario; of one that is as it should be, nothing.

    Args:
        result: the scenario, judged.
        look: how to write.
        verbose: name the others too.
    """
    if result.written:
        yield inert(f"{result.written.value}  {look.safe(result.snapshot)}")
    elif result.failed or result.error:
        status = "ERROR" if result.error else "FAIL"
        yield inert(_title(status, result.name, result.path, look))
        yield from map(inert, result_lines(result, look))
    elif verbose:
        status = look.paint(f"{'ok':<{_STATUS_CELLS}}", Style.FAINT)
        yield inert(f"{status} {look.safe(result.name)}")


def full_unused(unused: Unused, look: Look, *, allowed: bool) -> Iterator[str]:
    """Yield what a reader is told of a snapshot without a scenario."""
    if unused.written:
        yield inert(f"{unused.written.value}  {look.safe(unused.path)}")
        return
    name = unused.path.rpartition("/")[2]
    yield inert(_title("ok" if allowed else "FAIL", name, unused.path, look))
    yield f"{INDENT}{'unused':<8} {UNUSED}"


def closing(summary: Summary, look: Look) -> Iterator[str]:
    """Yield how it all came out, and what can be done."""
    for unused in summary.unused:
        yield from full_unused(unused, look, allowed=summary.unused_allowed)
    yield totals(summary, look)
    for what, command in ways_out(summary):
        yield inert(f"{what}:  {look.safe(command)}")


def concise(summary: Summary, look: Look) -> Iterator[str]:
    """Yield one line for each finding, ``path:line: what name: why``, never wrapped, never cut."""
    plain = replace(look, color=False)
    for result in summary.results:
        if result.written:
            yield inert(f"{look.safe(result.snapshot)}: {_WRITTEN[result.written.value]}")
        elif result.failed or result.error:
            yield inert(f"{_place(result, look)}: {_status(result, look)}: {brief(result, plain)}")
    for unused in summary.unused:
        word = _WRITTEN[unused.written.value] if unused.written else f"unused: {UNUSED}"
        yield inert(f"{look.safe(unused.path)}: {word}")


_WRITTEN = {"A": "added", "M": "modified", "D": "deleted"}


def _status(result: Result, look: Look) -> str:
    return f"{look.paint(result.outcome.value, Style.ERROR)} {look.safe(result.name)}"


def _place(result: Result, look: Look) -> str:
    if result.explanation is not None:
        return f"{look.safe(result.snapshot)}:{result.explanation.line}"
    if result.error is not None and result.error.path is not None:
        line = "" if result.error.line is None else f":{result.error.line}"
        return f"{look.safe(result.error.path)}{line}"
    return look.safe(result.path)


def _title(status: str, name: str, path: str, look: Look) -> str:
    """Write a heading that is as wide as the output, with a rule between name and path."""
    left, right = f"{status:<{_STATUS_CELLS}} {look.safe(name)} ", f" {look.safe(path)}"
    rule = ("-" if look.ascii_only else "─") * max(3, look.width - 1 - cells(left) - cells(right))
    style = Style.FAINT if status == "ok" else Style.ERROR
    return f"{look.paint(left, style)}{look.paint(rule, Style.FAINT)}{right}"
