"""How one guard came to its count, row by row."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from repeat_reminder.canonical import utf16_cut
from repeat_reminder.explain import (
    Cause,
    Counted,
    Difference,
    Reset,
    RunAccount,
    WindowAccount,
)
from repeat_reminder.jsontext import dumps, loads
from repeat_reminder.render.explain.places import at_line, named
from repeat_reminder.render.look import Look, plural

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import Standing

MOST_CALLS: Final = 12
"""Calls of a run that are listed; of a longer one the first and the last."""
VALUE_CELLS: Final = 48
LEAD: Final = 8
"""Characters shown before the first that differs."""
_CAUSES: Final = {
    Cause.USER_MESSAGE: "user message",
    Cause.RESUME: "resume",
    Cause.AGENT_END: "end of the agent",
}

Row = tuple[str, str]


def run_rows(account: RunAccount, look: Look) -> Iterator[Row]:
    """Yield what a guard that counts runs knows of a call."""
    if account.count is None:
        left = account.run
        goes_on = f"the run of {_run_name(left, look)} goes on" if left else "no run is under way"
        yield "run", f"not counted: {goes_on}"
        return
    yield "previous", _previous(account, look)
    yield "run", f"{account.count}: {_calls(account.run, look)}"
    if account.count > 1 and account.before is not None:
        yield "began", _began(account, look)
    yield from _resets(account)
    if account.next_threshold is None:
        yield "next", "no threshold: silent until the run ends"
    else:
        more = account.next_threshold - account.count
        yield "next", f"threshold {account.next_threshold}, {plural(more, 'call')} from here"


def _previous(account: RunAccount, look: Look) -> str:
    previous = account.previous
    if previous is None:
        return "none: the agent's first tracked call"
    same = account.count is not None and account.count > 1
    how = "the same call" if same else _apart(account.difference, look)
    return f"{named(previous.call, look)}, {at_line(previous.call, look)}: {how}"


def _apart(difference: Difference | None, look: Look) -> str:
    return "the same call" if difference is None else differing(difference, look)


def _began(account: RunAccount, look: Look) -> str:
    """Say what stands before the run's first call."""
    first = account.run[0].call
    before = account.before.last.call if account.before else first
    behind = f"behind {named(before, look)}, {at_line(before, look)}"
    return f"{at_line(first, look)}, {behind}: {_apart(account.difference, look)}"


def _resets(account: RunAccount) -> Iterator[Row]:
    """Say what dropped the run before; a run that differs anyway would have ended without it."""
    if account.before is None or not account.resets:
        return
    yield "reset", ", ".join(map(reset_text, account.resets))
    would = account.without_resets
    if would is None:
        yield "", "without it the run would have ended all the same"
    else:
        yield "", f"without the {resets_text(account.resets)} this would have been run {would}"


def reset_text(reset: Reset) -> str:
    """Name a reset: ``user message at line 35``."""
    return _CAUSES[reset.cause] + ("" if reset.line is None else f" at line {reset.line}")


def resets_text(resets: Sequence[Reset]) -> str:
    """Name resets by their lines: ``reset at line 35``."""
    lines = [str(reset.line) for reset in resets if reset.line is not None]
    noun = "reset" if len(resets) == 1 else "resets"
    where = f" at {'line' if len(lines) == 1 else 'lines'} {' and '.join(lines)}" if lines else ""
    return noun + where


def differing(difference: Difference, look: Look) -> str:
    """Say where two calls differ: ``differs at $.timeout: 60 → 30``."""
    sides = [
        _value(side, difference.offset, look) for side in (difference.before, difference.after)
    ]
    change = f" {look.glyphs.arrow} ".join(sides)
    if difference.path is None:
        return f"another tool: {change}"
    return f"differs at {look.cut(difference.path, 2 * VALUE_CELLS)}: {change}"


def _value(text: str | None, offset: int | None, look: Look) -> str:
    """Show one side; of a long string, from a little before where the sides part."""
    if text is None:
        return "absent"
    value = loads(text) if offset and len(text) > VALUE_CELLS else None
    if isinstance(value, str) and offset is not None:
        start = max(len(utf16_cut(value, offset)) - LEAD, 0)
        if start:
            text = look.glyphs.ellipsis + dumps(value[start:]).decode()[1:]
    return look.cut(text, VALUE_CELLS)


def _calls(run: Sequence[Counted], look: Look) -> str:
    """List the calls of a run with their lines."""
    lines = "" if run[0].call.line is None else "line " if len(run) == 1 else "lines "
    if len(run) <= MOST_CALLS:
        return lines + ", ".join(_short(one, look) for one in run)
    first = ", ".join(_short(one, look) for one in islice(run, MOST_CALLS - 1))
    return f"{lines}{first}, {look.glyphs.ellipsis} {_short(run[-1], look)}"


def _short(one: Counted, look: Look) -> str:
    return at_line(one.call, look).removeprefix("line ")


def _run_name(run: Sequence[Counted], look: Look) -> str:
    last = run[-1].call
    return f"{look.safe(last.name)} {look.glyphs.times} {len(run)} ({at_line(last, look)})"


def window_rows(account: WindowAccount, look: Look) -> Iterator[Row]:
    """Yield what a guard that counts fingerprints knows of a call."""
    title = "window"
    after = account.after or account.before
    for before, now in zip(account.before, after, strict=True):
        yield title, _standing(before, now, account.fail_limit, look)
        title = ""
    if not account.before:
        yield title, "not counted"


def _standing(before: "Standing", now: "Standing", limit: float | None, look: Look) -> str:
    if now.cap is None:
        return look.join(look.cut(now.fp, 2 * VALUE_CELLS), "no limit")
    cap = f" of {now.cap:g}"
    fails = f"failures {_moved(before.streak, now.streak, look)}"
    fails += "" if limit is None else f" of {limit:g}"
    return look.join(
        look.cut(now.fp, 2 * VALUE_CELLS),
        _moved(before.occurrences, now.occurrences, look) + cap,
        fails if before.streak or now.streak else "",
        "approved" if now.exempt else "",
        "refused" if now.refused else "",
    )


def _moved(before: int, now: int, look: Look) -> str:
    return f"{now}" if before == now else f"{before} {look.glyphs.arrow} {now}"
