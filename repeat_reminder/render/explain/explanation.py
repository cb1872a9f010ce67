"""Why a reminder fired or did not, for people: a call, then each policy's account of it."""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from repeat_reminder.canonical import preview
from repeat_reminder.events import ToolCall
from repeat_reminder.explain import (
    Account,
    Explained,
    Explanation,
    Outcome,
    RunAccount,
    WindowAccount,
)
from repeat_reminder.render.explain.accounts import run_rows, window_rows
from repeat_reminder.render.explain.near_misses import near_lines
from repeat_reminder.render.explain.places import at_line, named, spot_of
from repeat_reminder.render.header import Header, Mounted
from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.replay.headline import policy_lines, session_line
from repeat_reminder.render.replay.rows import NAME_CELLS
from repeat_reminder.render.table import INDENT, Cell, Column, table
from repeat_reminder.render.wording import label

SHOWN_CHARS: Final = 500
"""UTF-16 units of a key that are shown; the JSON output has all."""
_LABEL: Final = 9
"""Cells of the longest label."""

Row = tuple[str, str]
"""A label, and a text that is safe to print. Rows without a label go on with the one before."""


def explanation_lines(explanation: Explanation, header: Header, look: Look) -> Iterator[str]:
    """Yield the lines of an explanation, without line ends.

    One call is told with every policy's account of it; several are listed.

    Args:
        explanation: what was found.
        header: under which policies.
        look: colour, glyphs and width.
    """
    match explanation.calls:
        case ():
            yield from _whole_lines(explanation, header, look)
        case (only,):
            yield from _call_lines(only, header, look)
        case several:
            yield from _list_lines(several, look)
    if explanation.near is not None:
        yield from [""] if explanation.calls else []
        yield from near_lines(explanation.near, look)


def _whole_lines(explanation: Explanation, header: Header, look: Look) -> Iterator[str]:
    """Say which file near misses are of, and under which policies they are."""
    if explanation.path is not None:
        yield look.paint(look.safe(explanation.path), Style.TITLE)
    yield from policy_lines(header, look)
    yield ""


def _call_lines(one: Explained, header: Header, look: Look) -> Iterator[str]:
    yield session_line(one.session, look)
    yield from _aligned(_about(one, look), look)
    for account, mounted in zip(one.accounts, header.policies, strict=True):
        yield ""
        yield from policy_lines(Header(version=header.version, policies=(mounted,)), look)
        yield from _aligned(_rows(account, mounted, one, look), look)
    if not one.accounts:
        yield from ("", "policy none")


def _about(one: Explained, look: Look) -> Iterator[Row]:
    call = one.call
    about = [named(call, look), f"agent {look.safe(call.agent.id)}"]
    if call.step is not None:
        about.append(f"turn {call.turn} step {call.step}" if call.turn else f"step {call.step}")
    yield "call", look.join(*about, at_line(call, look), f"call {call.index} of its agent")
    match one.outcome:
        case Outcome.UNFINISHED:
            yield "result", "none in the log: it never counted"
        case Outcome.SKIPPED:
            yield "result", look.join(_status(one), "it never ran, so it does not count")
        case Outcome.COUNTED:
            yield "result", _status(one)
        case _:
            assert_never(one.outcome)


def _status(one: Explained) -> str:
    if one.result is None:
        return ""
    line = "" if one.result.line is None else f"line {one.result.line}, "
    return f"{line}{one.result.status.value}"


def _rows(account: Account, mounted: Mounted, one: Explained, look: Look) -> Iterator[Row]:
    decision = account.decision
    # Patterns come from the command line or a file: they are shown, not trusted.
    quoted = f'"{look.safe(decision.pattern)}"' if decision.pattern is not None else ""
    match decision.by, decision.tracked:
        case None, _:
            yield "tracked", "yes: nothing restricts it"
        case by, True:
            yield "tracked", f"yes: {by} {quoted}"
        case by, _:
            reason = f"{by} {quoted}" if quoted else "no include pattern matches it"
            yield "tracked", f"no: {reason}; calls of it are transparent"
    match account:
        case RunAccount():
            yield "key", _key(account.key, one.call, look)
            yield from run_rows(account, look)
        case WindowAccount():
            yield from window_rows(account, look)
        case _:
            assert_never(account)
    yield from _said(one, mounted.name, look)


def _key(key: str | None, call: ToolCall, look: Look) -> str:
    if key is None:
        return "none: the arguments are nested too deep to count"
    shown, omitted = preview(key, SHOWN_CHARS)
    more = "; -f json shows all" if omitted else ""
    return f"{look.safe(call.name)} {look.safe(shown)}{more}"


def _said(one: Explained, policy: str, look: Look) -> Iterator[Row]:
    said = [intervention for intervention in one.said if intervention.policy == policy]
    title = "action" if policy == "breaker" else "reminder"
    for intervention in said:
        words = [look.paint(label(intervention), Style.TITLE)]
        if intervention.outcome is not None:
            words.append(f"outcome {look.safe(intervention.outcome)}")
        if intervention.inject_after is not None:
            place = intervention.inject_after
            line = spot_of(place.line, place.call_id, look)
            words.append(f"injected after {line}")
            words += [] if intervention.delivered else ["pending, never delivered"]
        yield title, ", ".join(words)
        title = ""
    if not said:
        yield title, "none"


def _list_lines(several: Sequence[Explained], look: Look) -> Iterator[str]:
    """List the calls of a target that names more than one."""
    path = look.paint(look.safe(several[0].session.path), Style.TITLE)
    yield f"{path}  {plural(len(several), 'call')}"
    yield ""
    lines = {one.call.line for one in several} - {None}
    columns = [
        Column("line" if lines else "#", least=4, right=True),
        Column("result", least=4, right=True),
        Column("agent", least=6),
        Column("call"),
        Column("tool", least=5),
        Column("run"),
    ]
    yield from table(columns, [_listed(one, look, by_line=bool(lines)) for one in several], look)
    yield ""
    yield f"explain one of them: repeat-reminder explain {_way_to(several[0], several, look)}"


def _way_to(one: Explained, several: Sequence[Explained], look: Look) -> str:
    """Spell the words that name one of several calls: its line, or else its number."""
    lines = {other.call.line for other in several} - {None}
    if len(lines) == len(several):
        return f"'{look.safe(f'{one.session.path}:{one.call.line}')}'"
    words = [f"'{look.safe(f'{one.session.path}#{one.call.index}')}'"]
    session, agent = one.call.agent
    if any(other.call.agent.session != session for other in several):
        words.append(f"--session '{look.safe(session)}'")
    if any(other.call.agent.id != agent for other in several):
        words.append(f"--agent '{look.safe(agent)}'")
    return " ".join(words)


def _listed(one: Explained, look: Look, *, by_line: bool) -> list[Cell]:
    result = one.result.line if one.result else None
    return [
        Cell(str(one.call.line or "-") if by_line else str(one.call.index)),
        Cell("-" if result is None else str(result)),
        Cell(look.cut(one.call.agent.id, NAME_CELLS)),
        Cell(look.safe(one.call.id)),
        Cell(look.safe(one.call.name)),
        Cell(", ".join(_counts(one)) or one.outcome.value),
    ]


def _counts(one: Explained) -> Iterator[str]:
    if one.outcome is not Outcome.COUNTED:
        return
    for account in one.accounts:
        if not account.tracked:
            yield "not tracked"
        elif isinstance(account, RunAccount):
            yield str(account.count)


def _aligned(rows: Iterator[Row], look: Look) -> Iterator[str]:
    for title, text in rows:
        yield f"{INDENT}{look.paint(f'{title:<{_LABEL}}', Style.FAINT)}  {text}".rstrip()
