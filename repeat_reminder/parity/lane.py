"""One agent of a comparison: what its guard was told, what was predicted, what is recorded."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from repeat_reminder.events import InjectedMessage, ToolResult, UserMessage
from repeat_reminder.parity.doubt import (
    Act,
    Count,
    Reset,
    doubt_of_message,
    doubt_of_result,
    explanation,
)
from repeat_reminder.parity.figures import Figures
from repeat_reminder.parity.pairing import Pair, Predicted
from repeat_reminder.parity.recorded import START, Recorded, Spot, recorded

UNKNOWN: Final = sys.maxsize
"""The number of a call that nobody knows."""


class _Settled(NamedTuple):
    """A tracked call, for the recorded reminders that name it."""

    number: int
    """The call's index."""
    call_line: int | None
    line: int | None
    """Of its result."""
    tool: str
    length: int
    """Of its run, at this call."""


@dataclass(slots=True)
class Lane:
    """One agent: what its guard was told, what was predicted, what is recorded."""

    acts: list[Act] = field(default_factory=list)
    settled: dict[str, list[_Settled]] = field(default_factory=dict)
    """By call id; ids may be used again."""
    predicted: list[Predicted] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    spot: Spot = START

    def count(self, result: ToolResult, length: int, identity: str | bytes) -> None:
        """Take note of a tracked call that settled."""
        call = result.call
        self.acts.append(Count(call.index, (call.name, identity), doubt_of_result(result)))
        settled = _Settled(call.index, call.line, result.line, call.name, length)
        self.settled.setdefault(call.id, []).append(settled)

    def drop(self) -> None:
        """Take note that the run was dropped."""
        self.acts.append(Reset())

    def hear(self, message: UserMessage) -> None:
        """Take in a message; the guard has just been told if it resets."""
        doubt = doubt_of_message(message)
        if doubt is None:
            self.spot = Spot(self.spot.request, self.spot.messages + 1)
        elif message.resets and self.acts and isinstance(self.acts[-1], Reset):
            self.acts[-1] = Reset(doubt)

    def read(self, message: InjectedMessage) -> None:
        """Take in a message that a plugin injected, if it is a reminder."""
        found = recorded(message, self.spot)
        if found is not None:
            self.recorded.append(found)

    def call_of(self, one: Recorded) -> _Settled | None:
        """Find the call that a recorded reminder names."""
        trigger = one.message.trigger
        if trigger is None:
            return None
        calls = self.settled.get(trigger.call_id, [])
        if trigger.line is not None:
            calls = [call for call in calls if call.line in (None, trigger.line)]
        return calls[-1] if calls else None

    def number_of(self, pair: Pair) -> int:
        """Return the number of the call that a pair is about; `UNKNOWN` comes behind all."""
        if pair.predicted is not None:
            return pair.predicted.said.call.index
        call = self.call_of(pair.recorded) if pair.recorded else None
        return call.number if call else UNKNOWN

    def line_of(self, pair: Pair) -> int | None:
        """Return the line of the call that a pair is about."""
        if pair.predicted is not None:
            return pair.predicted.said.call.line
        call = self.call_of(pair.recorded) if pair.recorded else None
        return call.call_line if call else None

    def named(self, one: Recorded) -> Recorded:
        """Take tool and count from the call where the reminder does not say them."""
        call = self.call_of(one) if one.tool is None else None
        return one if call is None else replace(one, tool=call.tool, count=call.length)

    def weigh(self, figures: Figures) -> None:
        """Give what advice is made from."""
        figures.reached.update(call.length for calls in self.settled.values() for call in calls)
        for one in map(self.named, self.recorded):
            if one.count is not None:
                call = self.call_of(one)
                figures.heard[one.count] += 1
                figures.agreed[one.count] += call is None or call.length == one.count

    def doubts(self, paired: Iterable[Pair], thresholds: Sequence[int]) -> tuple[str, ...]:
        """Return what explains the differences, if what the log does not tell does."""
        heard: dict[int, list[int]] = {}
        for pair in paired:
            if pair.recorded is None:
                continue
            number = self.number_of(pair)
            if number == UNKNOWN:
                return ()
            # What does not say its count speaks in the first tier.
            heard.setdefault(number, []).append(pair.recorded.count or thresholds[0])
        return explanation(self.acts, heard, thresholds) or ()
