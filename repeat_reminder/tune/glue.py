"""Transparency: calls of a tool that is not tracked do not end a run, so they can glue two."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from repeat_reminder.render.tune.advice_values import TransparencyTrap
from repeat_reminder.tune.chained import Run
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen
from repeat_reminder.tune.table import NO_KEY, SessionTable

EXAMPLES = 3


def traps(
    sessions: Sequence[Chosen], between: Sequence[AbstractSet[str]], choice: Choice, first: int
) -> list[TransparencyTrap]:
    """Return the tools whose exclusion makes, or has made, runs of other tools.

    Args:
        sessions: chained under the choice.
        between: for each session, what `in_the_middle` says of it.
        choice: the current scope.
        first: the length from which a run counts here: the current first threshold.
    """
    found = [
        TransparencyTrap(tool, len(glued), excluded, tuple(glued[:EXAMPLES]))
        for (tool, excluded), own in sorted(
            _suspects(sessions, between, choice).items(), key=lambda item: item[0]
        )
        if (glued := list(_glued_runs(own, choice, tool, first, excluded=excluded)))
    ]
    return sorted(found, key=lambda trap: (-trap.new_runs, trap.tool))


def _glued_runs(
    sessions: Sequence[Chosen], choice: Choice, tool: str, first: int, *, excluded: bool
) -> Iterator[str]:
    """Yield where the runs begin that reach a length only because a tool is transparent."""
    more = choice if excluded else choice.without(tool)
    for one in sessions:
        table = one.table
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


def _suspects(
    sessions: Sequence[Chosen], between: Sequence[AbstractSet[str]], choice: Choice
) -> dict[tuple[str, bool], list[Chosen]]:
    """Return the tools that may be in the middle of something, whether excluded, and where."""
    scope = choice.scope
    suspects: dict[tuple[str, bool], list[Chosen]] = {}
    for one, inside in zip(sessions, between, strict=True):
        own = {(tool, False) for tool in inside}
        if one.chained.runs:
            own |= {(tool, True) for tool in one.table.tools if not scope.tracks(tool)}
        for suspect in own:
            suspects.setdefault(suspect, []).append(one)
    return suspects


def in_the_middle(sessions: Sequence[Chosen], choice: Choice) -> list[set[str]]:
    """Return for each session the tools that stand alone between two equal calls of another tool.

    No other tool's exclusion changes a run of a tool that stays.
    """
    return [_in_the_middle(one.table, choice) for one in sessions]


def _in_the_middle(table: SessionTable, choice: Choice) -> set[str]:
    tracked = choice.tracked(table.tools)
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
    return {table.tools[tool] for tool in found}
