"""Transparency: calls of a tool that is not tracked do not end a run, so they can glue two."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from repeat_reminder.render.tune.advice_values import TransparencyTrap
from repeat_reminder.tune.runs import Choice, Run, chain
from repeat_reminder.tune.scoring import Chosen
from repeat_reminder.tune.table import NO_KEY, SessionTable

EXAMPLES = 3


def traps(sessions: Sequence[Chosen], choice: Choice, first: int) -> list[TransparencyTrap]:
    """Return the tools whose exclusion makes, or has made, runs of other tools.

    Args:
        sessions: chained under the choice.
        choice: the current scope.
        first: the length from which a run counts here: the current first threshold.
    """
    found = [
        TransparencyTrap(tool, len(glued), excluded, tuple(glued[:EXAMPLES]))
        for tool, excluded in sorted(_suspects(sessions, choice))
        if (glued := list(glued_runs(sessions, choice, tool, first)))
    ]
    return sorted(found, key=lambda trap: (-trap.new_runs, trap.tool))


def glued_runs(sessions: Sequence[Chosen], choice: Choice, tool: str, first: int) -> Iterator[str]:
    """Yield where the runs begin that reach a length only because a tool is transparent."""
    excluded = not choice.scope.tracks(tool)
    more = choice if excluded else choice.without(tool)
    for one in sessions:
        table = one.table
        if tool not in table.tools:
            continue
        chained = one.chained if excluded else chain(table, more)
        rows = _rows_of(table, tool)
        for run in chained.runs:
            if run.length >= first and _longest_part(table, run, rows) < first:
                yield table.place(run.rows[0])


def _rows_of(table: SessionTable, tool: str) -> dict[int, list[int]]:
    """Return the rows of a tool by lane."""
    number = table.tools.index(tool)
    found: dict[int, list[int]] = {}
    for row, (own, lane) in enumerate(zip(table.tool, table.lane, strict=True)):
        if own == number:
            found.setdefault(lane, []).append(row)
    return found


def _longest_part(table: SessionTable, run: Run, between: dict[int, list[int]]) -> int:
    """Return the longest part of a run that has no call of the tool inside."""
    rows = between.get(table.lane[run.rows[0]], [])
    longest = part = 1
    for before, row in zip(run.rows, run.rows[1:], strict=False):
        part = 1 if bisect_left(rows, before) != bisect_left(rows, row) else part + 1
        longest = max(longest, part)
    return longest


def _suspects(sessions: Sequence[Chosen], choice: Choice) -> set[tuple[str, bool]]:
    """Return the tools that may be in the middle of something, and whether they are excluded."""
    scope = choice.scope
    suspects: set[tuple[str, bool]] = set()
    for one in sessions:
        table = one.table
        tracked = [scope.tracks(tool) for tool in table.tools]
        if one.chained.runs:
            suspects |= {
                (tool, True)
                for tool, is_tracked in zip(table.tools, tracked, strict=True)
                if not is_tracked
            }
        suspects |= {(table.tools[tool], False) for tool in _in_the_middle(table, tracked, choice)}
    return suspects


def _in_the_middle(table: SessionTable, tracked: Sequence[bool], choice: Choice) -> set[int]:
    """Return the tools that stand alone between two equal calls of another tool."""
    found: set[int] = set()
    # By lane: the last key and the tool of the block before the current one, and of the current.
    state: dict[int, tuple[int, int, int, int]] = {}
    keys = table.keys_without(choice.ignored)
    for lane, tool, key in zip(table.lane, table.tool, keys, strict=True):
        if not tracked[tool] or key == NO_KEY:
            continue
        before_key, before_tool, last_key, now = state.get(lane, (NO_KEY, -1, NO_KEY, -1))
        if tool != now:
            if tool == before_tool and key == before_key:
                found.add(now)
            before_key, before_tool = last_key, now
        state[lane] = before_key, before_tool, key, tool
    return found
