"""Which lines are wanted of a log, and what was left out of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Self

from repeat_reminder.errors import UsageError
from repeat_reminder.events import Event, Problem, Severity, ToolCall

WAYS: Final = "--slice 120:180, --slice 120: or --slice :180"

_RANGE: Final = re.compile(r"([0-9]{0,18}):([0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class Slice:
    """Lines from ``first`` to ``last``, both included; None is the end of the log."""

    first: int
    last: int | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``A:B``; either may be left out.

        Raises:
            UsageError: it is not of that form, or empty.
        """
        found = _RANGE.fullmatch(text)
        if found is None or text == ":":
            raise UsageError(f"--slice {text}: not a range of lines", hint=WAYS)
        first, last = int(found[1] or 1), int(found[2]) if found[2] else None
        if first < 1 or (last is not None and last < first):
            raise UsageError(f"--slice {text}: no line lies in it", hint=WAYS)
        return cls(first, last)

    @classmethod
    def around(cls, line: int, context: int) -> Self:
        """Take the lines at most ``context`` away from one."""
        return cls(max(1, line - context), line + context)

    def __str__(self) -> str:
        """Spell it as it is typed."""
        return f"{self.first}:{'' if self.last is None else self.last}"

    def touches(self, low: int, high: int) -> bool:
        """Tell whether a stretch of lines has one in common with this one."""
        return self.first <= high and (self.last is None or low <= self.last)


@dataclass(slots=True)
class Cut:
    """What a slice kept and left out."""

    kept: int = 0
    before: int = 0
    after: int = 0
    """Calls: kept, left out before the first of those, left out after it."""
    low: int | None = None
    high: int | None = None
    """The first and last line of a kept call or result; of a log without lines, calls."""
    by_lines: bool = True
    end: int = 0
    """The last line, or call, of the log."""
    begun: list[ToolCall] = field(default_factory=list)
    """Kept calls that went on with a run whose beginning is left out."""

    def note(self, place: int) -> None:
        """Take note of a place that is kept."""
        self.low = place if self.low is None else min(self.low, place)
        self.high = place if self.high is None else max(self.high, place)

    def count(self, event: Event, *, kept: bool) -> None:
        """Count a call."""
        if not isinstance(event, ToolCall):
            return
        if kept:
            self.kept += 1
        elif self.kept:
            self.after += 1
        else:
            self.before += 1

    def check(self, wanted: Slice, path: str) -> None:
        """Refuse a slice that keeps nothing.

        Raises:
            UsageError: it says where the log's events stand.
        """
        if self.low is None:
            raise UsageError(
                f"nothing lies in {self._units} {wanted}",
                path=path,
                hint=f"what happens in this log ends with {self._unit} {self.end}",
            )

    def notes(self, wanted: Slice, path: str) -> Iterator[Problem]:
        """Say what was kept and left out, and which runs lost their beginning."""
        kept = f"{_calls(self.kept)} kept; {self.before:,} before and {self.after:,} after left out"
        where = f"{self._units} {self.low} to {self.high}"
        asked = f"asked for {wanted}; steps are kept whole"
        yield _note(path, None, "slice", f"{where}: {kept} ({asked})")
        for call in self.begun:
            what = f"the run of {call.name} began before the slice: it counts from 1 here"
            yield _note(path, call.line, "slice-run", what)

    @property
    def _unit(self) -> str:
        return "line" if self.by_lines else "call"

    @property
    def _units(self) -> str:
        return f"{self._unit}s"


def _note(path: str, line: int | None, kind: str, message: str) -> Problem:
    return Problem(path=path, line=line, severity=Severity.NOTE, kind=kind, message=message)


def _calls(number: int) -> str:
    return f"{number:,} {'call' if number == 1 else 'calls'}"
