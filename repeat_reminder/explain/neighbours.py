"""Calls near a target, for the case that it is none."""

from difflib import get_close_matches
from typing import Final

from repeat_reminder.errors import UsageError
from repeat_reminder.events import ToolCall
from repeat_reminder.explain.target import WAYS, Target

MOST_IDS: Final = 10_000
"""Ids kept to find the one that was meant."""


class Neighbours:
    """Remembers the calls right before and behind a line, or the ids there are."""

    def __init__(self, target: Target | None) -> None:
        """Begin before the first call."""
        self._target = target
        self._before: tuple[int, ToolCall] | None = None
        self._after: tuple[int, ToolCall] | None = None
        self._ids: dict[str, None] = {}

    def see(self, call: ToolCall, result_line: int | None) -> None:
        """Take note of a call or its result."""
        if self._target is None or not self._target.covers(call):
            return
        if self._target.call_id is not None and len(self._ids) < MOST_IDS:
            self._ids[call.id] = None
        line, wanted = result_line or call.line, self._target.line
        if line is None or wanted is None:
            return
        if line < wanted and (self._before is None or line > self._before[0]):
            self._before = line, call
        elif line > wanted and (self._after is None or line < self._after[0]):
            self._after = line, call

    def error(self, path: str | None = None) -> UsageError:
        """Say that there is no such call in a file, and what is near."""
        line = self._target.line if self._target else None
        if line is None:
            call_id = self._target.call_id if self._target else None
            close = get_close_matches(call_id or "", self._ids, n=3)
            hint = f"did you mean {' or '.join(close)}?" if close else WAYS
            is_number = self._target is not None and self._target.number is not None
            what = f"no call has the id{' or the number' if is_number else ''} {call_id}"
            return UsageError(what, path=path, hint=hint)
        near = [f"line {at} is one of {c.name} ({c.id})" for at, c in self._sides()]
        hint = f"near it: {', '.join(near)}" if near else "it has no call with a line"
        return UsageError(
            f"no call stands in line {line}, and no result of one", path=path, hint=hint
        )

    def _sides(self) -> list[tuple[int, ToolCall]]:
        return [side for side in (self._before, self._after) if side is not None]
