"""A check as text: for people, and one line per finding for grep and editors."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from repeat_reminder.render.check.github import inert
from repeat_reminder.render.check.outcomes import Cause, Change, ChangeKind, Result, Summary, Unused
from repeat_reminder.render.check.words import (
    UNUSED,
    advice,
    brief,
    result_lines,
    totals,
    ways_out,
)
from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.safe import cells
from repeat_reminder.render.table import INDENT

_STATUS_CELLS = 5
_NAMED = 5


@dataclass(slots=True)
class Told:
    """What a reader of results has been told in full already: one cause is explained once."""

    errors: dict[tuple[str, str | None], list[str]] = field(default_factory=dict)
    """By error and its hint the scenarios it came with."""
    settings: dict[tuple[Change, ...], str] = field(default_factory=dict)
    """By changed settings the first scenario that failed by them."""

    def again(self, result: Result) -> bool:
        """Tell whether a scenario's error was told of another one; take notice of it."""
        if result.error is None:
            return False
        names = self.errors.setdefault((str(result.error), result.error.hint), [])
        names.append(result.name)
        return len(names) > 1

    def diff_of(self, result: Result) -> str | None:
        """Return the scenario whose diff shows the cause of this one; take notice of it."""
        if result.explanation is None or result.explanation.cause is not Cause.POLICY:
            return None
        changes = result.explanation.changes
        key = tuple(one for one in changes if one.kind is ChangeKind.POLICY)
        first = self.settings.setdefault(key, result.name)
        return None if first == result.name else first

    def rest(self, look: Look) -> Iterator[str]:
        """Yield which scenarios have errors that were told of another one."""
        for first, *others in self.errors.values():
            if not others:
                continue
            few = ", ".join(look.safe(name) for name in others[:_NAMED])
            more = f", {look.glyphs.ellipsis}" if len(others) > _NAMED else ""
            count = plural(len(others), "more scenario")
            yield inert(f"the error of {look.safe(first)} in {count}: {few}{more}")


def results(result: Result, look: Look, told: Told, *, verbose: bool = False) -> Iterator[str]:
    """Yield what a reader of one result after the other is told of the next one.

    Args:
        result: the scenario, judged.
        look: how to write.
        told: of the results before.
        verbose: leave out nothing.
    """
    if told.again(result) and not verbose:
        return
    first = told.diff_of(result)
    if first is None or verbose:
        yield from full_result(result, look, verbose=verbose)
        return
    yield from full_result(result, look, diff=False)
    if result.explanation is not None and result.explanation.diff:
        what = f"left out: the same settings changed in {look.safe(first)}"
        yield inert(f"{INDENT}{'diff':<8} {what} (-k or -v shows it)")


def full_result(
    result: Result, look: Look, *, verbose: bool = False, diff: bool = True
) -> Iterator[str]:
    """Yield what a reader is told of one scenario; of one that is as it should be, nothing.

    Args:
        result: the scenario, judged.
        look: how to write.
        verbose: name the others too.
        diff: show the diff, if there is one.
    """
    if result.written:
        yield inert(f"{result.written.value}  {look.safe(result.snapshot)}")
    elif result.failed or result.error:
        status = "ERROR" if result.error else "FAIL"
        yield inert(_title(status, result.name, result.path, look))
        yield from map(inert, result_lines(result, look, diff=diff))
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
    yield from advice(summary)
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
