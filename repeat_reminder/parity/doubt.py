"""Whether a recording that is not what was predicted follows from what a log does not tell.

Two things are not in a log: whether a prompt that was refused before its first step reset the run,
and whether a failed call without a recorded cause failed in the tool (it counted) or in a listener
around it (it did not). So the run is followed with every such point taken either way, and each way
that the recorded reminders contradict is given up. If one is left, the log does not decide.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from repeat_reminder.events import Status, ToolResult, UserMessage

MOST_WAYS: Final = 256
"""Ways followed at a time; those with the fewest doubts stay."""


class Count(NamedTuple):
    """A tracked call that settled."""

    number: int
    """The call's index."""
    key: tuple[str, str | bytes]
    """Its tool, and what is compared of its arguments."""
    doubt: str | None = None
    """Why it may not have counted."""


class Reset(NamedTuple):
    """Something that drops the run."""

    doubt: str | None = None
    """Why it may not have."""


Act: TypeAlias = Count | Reset
_Run: TypeAlias = "tuple[tuple[str, str | bytes] | None, int]"
"""Key and length; no key where there is no run."""
_Doubts: TypeAlias = "tuple[str, ...]"
_Ways: TypeAlias = "dict[_Run, _Doubts]"
"""Each run that may be under way, with the fewest doubts that lead there."""


def doubt_of_result(result: ToolResult) -> str | None:
    """Say why a settled call may not have counted; None if it is certain."""
    if result.status is not Status.ERROR or result.failure is not None:
        return None
    if not any(text.startswith("Error: ") for text in result.texts):
        return None
    where = f"in line {result.line}" if result.line is not None else f"of {result.call.id}"
    return f"the error {where} has no cause: if a listener threw it, the call did not count"


def doubt_of_message(message: UserMessage) -> str | None:
    """Say why a human message may not have reset the run; None if it is certain."""
    if message.texts:
        return None
    where = f" in line {message.line}" if message.line is not None else ""
    return f"no request read the prompt{where}: it may not have reset the run"


def explanation(
    acts: Iterable[Act], heard: Mapping[int, Collection[int]], thresholds: Collection[int]
) -> tuple[str, ...] | None:
    """Return the doubts that, taken the other way, lead to what was recorded.

    Args:
        acts: what the guard of one agent was told, in order.
        heard: by the number of a call, the counts of the reminders recorded about it.
        thresholds: the counts that speak.

    Returns:
        The fewest doubts; None if no way leads there.
    """
    ways: _Ways = {(None, 0): ()}
    for act in acts:
        match act:
            case Reset():
                ways = _reset(ways, act)
            case Count():
                ways = _count(ways, act, heard.get(act.number, ()), thresholds)
        if not ways:
            return None
        if len(ways) > MOST_WAYS:
            ways = dict(sorted(ways.items(), key=lambda way: len(way[1]))[:MOST_WAYS])
    return min(ways.values(), key=len)


def _reset(ways: _Ways, act: Reset) -> _Ways:
    after: _Ways = {(None, 0): min(ways.values(), key=len)}
    if act.doubt is not None:
        for run, doubts in ways.items():
            _keep(after, run, (*doubts, act.doubt))
    return after


def _count(ways: _Ways, act: Count, heard: Collection[int], thresholds: Collection[int]) -> _Ways:
    after: _Ways = {}
    for (key, length), doubts in ways.items():
        count = length + 1 if key == act.key else 1
        speaks = {count} if count in thresholds else set()
        if speaks == set(heard):
            _keep(after, (act.key, count), doubts)
        if act.doubt is not None and not heard:
            _keep(after, (key, length), (*doubts, act.doubt))
    return after


def _keep(ways: _Ways, run: _Run, doubts: _Doubts) -> None:
    """Keep a way, unless one with fewer doubts leads to the same run."""
    if run not in ways or len(doubts) < len(ways[run]):
        ways[run] = doubts
