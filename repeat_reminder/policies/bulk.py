"""Many calls of one agent at once: what `Chains.count` does call by call, in one loop."""

from collections.abc import Container, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from repeat_reminder.batches import HUMAN, Left, PlainCalls
from repeat_reminder.canonical import parse_arguments
from repeat_reminder.events import Json, ToolCall
from repeat_reminder.jsontext import loads
from repeat_reminder.policies.identity import (
    IgnoredArguments,
    alike,
    differ,
    printed,
    shortened,
    value_of,
)
from repeat_reminder.policies.patterns import Scope


class Run(Struct):
    """A run of identical calls of one agent, as far as it has come."""

    first: ToolCall
    """Its first call; without arguments once the run has an ``identity`` and they are long."""
    count: int = 1
    identity: str | bytes | None = None
    """What its calls have in common beside the tool; None while nobody had to know."""
    left: Left | None = None
    """Arguments of a call of the run as its reader left them, if they are short; else None."""


class Remarkable(NamedTuple):
    """A call at which a run has a length that was asked for."""

    at: int
    """Position of its entry."""
    length: int
    call: ToolCall
    first: ToolCall
    """The first call of the run."""


class Counted(NamedTuple):
    """What came of many calls."""

    tracked: int
    reached: Mapping[int, int]
    """By run length: how many calls came that far."""
    remarkable: Sequence[Remarkable]


class End(NamedTuple):
    """The run that the last tracked call belongs to."""

    first: int
    """Position of the entry it begins with; below zero: it is the run from before."""
    number: int
    """Index of that call."""
    length: int
    left: Left | None


class Pass:
    """One pass over plain calls.

    Arguments that are left alike are the same. Others are parsed, and only what that leaves in
    doubt is canonicalised.
    """

    def __init__(
        self, calls: PlainCalls, run: Run | None, scope: Scope, ignored: IgnoredArguments
    ) -> None:
        """Go on with a run, if there is one."""
        self._calls = calls
        self._run = run
        self._scope = scope
        self._ignored = ignored
        self._value: Json = None
        self._value_of: Left | None = None
        """The spelling that the value was read from."""
        self.end: End | None = None
        """Known after `count`; None: the run was reset and nothing followed."""

    def count(self, remarkable: Container[int]) -> Counted:
        """Count every call, and note those whose run has a remarkable length."""
        run, same, tracks = self._run, self._same, self._scope.tracks
        name, left, count = (run.first.name, run.left, run.count) if run else (_NOBODY, None, 0)
        first, before = -1, 0
        everything = self._scope.tracks_everything
        reached: dict[int, int] = {}
        found: list[tuple[int, int, int, int, int]] = []
        marks = skipped = 0
        for at, entry in enumerate(self._calls.calls):
            tool, other = entry[1], entry[2]
            if tool is None:
                marks += 1
                if other == HUMAN:
                    name = _NOBODY
            elif tool == name and (other == left or same(tool, left, other)):
                count += 1
                reached[count] = reached.get(count, 0) + 1
                if count in remarkable:
                    found.append((at, marks, count, first, before))
            elif everything or tracks(tool):
                name = tool
                left = other
                count = 1
                first = at
                before = marks
            else:
                skipped += 1
        if name is not _NOBODY:
            self.end = End(first, self._index(first, before), count, left)
        tracked = self._calls.number - skipped
        reached[1] = tracked - sum(reached.values())
        return Counted(tracked, reached, self._told(found))

    def _index(self, at: int, marks: int) -> int:
        """Return the index of a call behind so many entries that are none."""
        return self._calls.first_index + at - marks

    def _told(self, found: list[tuple[int, int, int, int, int]]) -> list[Remarkable]:
        firsts: dict[int, ToolCall] = {} if self._run is None else {-1: self._run.first}
        told = []
        for at, marks, count, first, before in found:
            if first not in firsts:
                firsts[first] = self._calls.call(first, self._index(first, before))
            call = self._calls.call(at, self._index(at, marks))
            told.append(Remarkable(at, count, call, firsts[first]))
        return told

    def _same(self, tool: str, left: Left | None, other: Left) -> bool:
        """Tell whether arguments are those of the current run, which were left otherwise."""
        if not self._ignored.entries and _differ(left, other):
            return False
        value = _read(other)
        same = self._is_same(tool, left, value)
        if not same:
            self._value, self._value_of = value, other  # of the run that begins now
        return same

    def _is_same(self, tool: str, left: Left | None, value: Json) -> bool:
        run = self._run
        if left is None and run is not None and run.identity is not None:
            return run.identity == shortened(printed(tool, value, self._ignored))
        mine = self._value_left(left)
        proved = None if self._ignored.entries else alike(mine, value)
        if proved is not None:
            return proved
        return printed(tool, mine, self._ignored) == printed(tool, value, self._ignored)

    def _value_left(self, left: Left | None) -> Json:
        """Read the arguments of the current run, once; what was not left is in its first call."""
        if left is None:
            return None if self._run is None else value_of(self._run.first)
        if self._value_of is not left:
            self._value, self._value_of = _read(left), left
        return self._value


def _differ(one: Left | None, other: Left) -> bool:
    if isinstance(other, str):
        return isinstance(one, str) and differ(one, other)
    return isinstance(one, bytes) and differ(one, other)


def _read(left: Left) -> Json:
    return parse_arguments(left) if isinstance(left, str) else loads(left)


_NOBODY: Final = object()
"""No tool."""
