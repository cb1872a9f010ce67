"""What all scopes have in common about a table, worked out once.

Whatever is excluded, two calls can be neighbours in a run only if they are consecutive calls of one
tool in one lane, and equal. A *super-chain* is the longest stretch of such calls: every run under
any scope is a part of one. It is split where a call of a tracked tool stands between two of its
calls, and in most nothing ever does. So a scope asks each super-chain of a tracked tool for its
parts, and looks at no other call.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from repeat_reminder.tune.chained import Chained, Run, run_of
from repeat_reminder.tune.table import NO_KEY, Ints, SessionTable

MOST_SPLITS: Final = 8
"""Ways to split one super-chain that are remembered."""
MOST_BETWEEN: Final = 16
"""Calls between the calls of a super-chain, for each of these, up to which they are looked at."""


class _Part(NamedTuple):
    """What may be a run under some scope."""

    run: Run
    after: int
    """The row of the first call in the lane that may end it; the number of rows if none does."""


class _Broken(NamedTuple):
    """A super-chain with calls of other tools between its calls."""

    rows: tuple[int, ...]
    between: int
    """Those tools, and perhaps more: a bit for each."""
    parts: dict[int, tuple[_Part, ...]]
    """By which of them are tracked: what it is split into, without single calls."""


class SuperChains:
    """The super-chains of a table; `chained` gives its runs under a scope, as `walked` does.

    Memory: beside the runs, a row number for each call.
    """

    def __init__(self, table: SessionTable, keys: Sequence[int]) -> None:
        """Find them.

        Args:
            table: the session.
            keys: the column of keys; see `SessionTable.keys_without`.
        """
        self._table = table
        self._calls = Counter(table.tool)
        if NO_KEY in keys:
            pairs = zip(table.tool, keys, strict=True)
            self._calls.subtract([tool for tool, key in pairs if key == NO_KEY])
        self._after = _following(table.lane, keys, len(table.lane_agent))
        self._whole: dict[int, list[_Part]] = {}
        """By tool, those that no scope splits."""
        self._broken: dict[int, list[_Broken]] = {}
        """By tool, the others."""
        for rows in _stretches(table, keys):
            tool, between = table.tool[rows[0]], self._between(rows)
            if between:
                self._broken.setdefault(tool, []).append(_Broken(rows, between, {}))
            else:
                self._whole.setdefault(tool, []).append(self._part(rows, self._after[rows[-1]]))

    def chained(self, tracked: Sequence[bool]) -> Chained:
        """Return the runs under a scope.

        Args:
            tracked: for each tool of the table, whether the scope tracks it.
        """
        count = sum([calls for tool, calls in self._calls.items() if tracked[tool]])
        return Chained(self._runs(tracked), count)

    def _runs(self, tracked: Sequence[bool]) -> tuple[Run, ...]:
        """Return runs in the order of their ends; those that nothing ends come last, by lane."""
        table, tools, following = self._table, self._table.tool, self._after
        end = len(following)
        found: dict[int, Run] = {}
        """By the row of the call that ends it, or by what stands for the end of a lane."""
        for parts in self._parts(tracked):
            for run, first in parts:
                after = first
                while after < end and not tracked[tools[after]]:
                    after = following[after]
                if after < end:
                    found[after] = run
                else:
                    lane = table.lane[run.rows[0]]
                    is_open = table.lane_open[lane]
                    found[end + lane] = run_of(table, run.rows, open_=True) if is_open else run
        return tuple([found[at] for at in sorted(found)])

    def _parts(self, tracked: Sequence[bool]) -> Iterator[Sequence[_Part]]:
        """Yield the parts that super-chains of tracked tools are split into."""
        bits = sum([1 << tool for tool, is_tracked in enumerate(tracked) if is_tracked])
        for tool, whole in self._whole.items():
            if tracked[tool]:
                yield whole
        for tool, chains in self._broken.items():
            if tracked[tool]:
                for one in chains:
                    parts = one.parts.get(one.between & bits)
                    yield self._split(one, bits) if parts is None else parts

    def _split(self, one: _Broken, bits: int) -> tuple[_Part, ...]:
        """Split a super-chain where a tracked tool was called."""
        if len(one.parts) >= MOST_SPLITS:
            one.parts.clear()
        tools, following = self._table.tool, self._after
        found: list[_Part] = []
        begin = 0
        for at, (row, last) in enumerate(pairwise(one.rows), 1):
            after = following[row]
            while after != last and not bits >> tools[after] & 1:
                after = following[after]
            if after != last:
                if at - begin > 1:
                    found.append(self._part(one.rows[begin:at], after))
                begin = at
        if len(one.rows) - begin > 1:
            found.append(self._part(one.rows[begin:], following[one.rows[-1]]))
        return one.parts.setdefault(one.between & bits, tuple(found))

    def _between(self, rows: Sequence[int]) -> int:
        """Return a bit for each tool that is called between the calls of a super-chain.

        Where very much stands between, those are all tools: one call may stand between the calls of
        as many super-chains as there are tools.
        """
        tools, following = self._table.tool, self._after
        found, left = 0, MOST_BETWEEN * len(rows)
        for row, last in pairwise(rows):
            while (row := following[row]) != last:
                found |= 1 << tools[row]
                left -= 1
                if not left:
                    return -1
        return found

    def _part(self, rows: tuple[int, ...], after: int) -> _Part:
        return _Part(run_of(self._table, rows, open_=False), after)


def _following(lanes: Sequence[int], keys: Sequence[int], count: int) -> Ints:
    """Return for each row the next one in its lane that can count; their number if there is none.

    Args:
        lanes: by row.
        keys: by row.
        count: of lanes.
    """
    end = len(lanes)
    following = array("I", [end]) * end
    latest = [end] * count
    for row in range(end - 1, -1, -1):
        lane = lanes[row]
        following[row] = latest[lane]
        if keys[row] != NO_KEY:
            latest[lane] = row
    return following


def _stretches(table: SessionTable, keys: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the rows of all super-chains."""
    tools = len(table.tools)
    last: dict[int, int] = {}
    """The latest key, by lane and tool."""
    first: dict[int, int] = {}
    """The row from which on it has been the only one, by lane and tool."""
    growing: dict[int, list[int]] = {}
    """What came more than once, by lane and tool."""
    found: list[list[int]] = []
    for row, (lane, tool, key) in enumerate(zip(table.lane, table.tool, keys, strict=True)):
        at = lane * tools + tool
        if last.get(at) != key:
            if key == NO_KEY:
                continue
            last[at] = key
            first[at] = row
            growing.pop(at, None)
        elif at in growing:
            growing[at].append(row)
        else:
            growing[at] = [first[at], row]
            found.append(growing[at])
    return [tuple(rows) for rows in found]
