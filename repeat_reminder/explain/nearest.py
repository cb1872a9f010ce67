"""Near misses: runs that would have been one longer run, but for one thing."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, islice, pairwise
from typing import Final, NamedTuple

from repeat_reminder.events import Agent, SessionId
from repeat_reminder.explain.account import Counted, Reset
from repeat_reminder.explain.differences import differences
from repeat_reminder.explain.run_witness import Run, RunWitness
from repeat_reminder.jsontext import loads
from repeat_reminder.policies.identity import compared

_ACROSS: Final = 3
"""Two runs, and the call between them."""


class Miss(StrEnum):
    """What kept runs apart."""

    ARGUMENT = "argument"
    """Their calls are equal but for one argument."""
    RESET = "reset"
    """Their calls are equal; a reset stands between them."""
    OTHER_CALL = "other_call"
    """Their calls are equal; one other call stands between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """Calls that nearly were one run."""

    kind: Miss
    agent: Agent
    first: Counted
    last: Counted
    length: int
    """How long the one run would have been."""
    longest: int
    """How long the longest of them was."""
    path: str | None = None
    """The argument that differs."""
    resets: tuple[Reset, ...] = ()
    others: tuple[Counted, ...] = ()
    """The calls that stand between them."""
    reached: tuple[int, ...] = ()
    """The thresholds that the one run would have reached, and none of them did."""


class _Part(NamedTuple):
    run: Run
    text: str
    """The arguments that are compared."""

    def equals(self, other: "_Part") -> bool:
        return self.run.first.call.name == other.run.first.call.name and self.text == other.text


class _Link(NamedTuple):
    """What keeps two neighbours apart, if it is one thing only."""

    kind: Miss
    path: str | None = None


def nearest(
    witness: RunWitness, most: int, sessions: Collection[SessionId] | None = None
) -> list[NearMiss]:
    """Return the closest misses of all that a witness has kept, the most telling first.

    Those come first that would have reached a threshold, then the longest, then by line.

    Args:
        witness: it has kept the runs, and everything is over.
        most: how many to return at most.
        sessions: only of these; None for all.
    """
    found = [
        _with_thresholds(miss, witness.config.thresholds)
        for agent, runs in witness.runs.items()
        if sessions is None or agent.session in sessions
        for miss in _misses(agent, [_part(run, witness) for run in runs])
    ]
    found.sort(key=lambda miss: (not miss.reached, -miss.length, miss.first.call.line or 0))
    return found[:most]


def _part(run: Run, witness: RunWitness) -> _Part:
    return _Part(run, compared(run.first.call, witness.ignored))


def _with_thresholds(miss: NearMiss, thresholds: Iterable[int]) -> NearMiss:
    return replace(miss, reached=tuple(n for n in thresholds if miss.longest < n <= miss.length))


def _misses(agent: Agent, parts: Sequence[_Part]) -> Iterator[NearMiss]:
    """Join neighbours as long as the same thing keeps them apart; then those across one call."""
    links = [_link(one, other) for one, other in pairwise(parts)]
    at = 0
    for link, group in groupby(links):
        length = len(list(group))
        if link is not None:
            runs = [part.run for part in parts[at : at + length + 1]]
            yield _miss(agent, link, runs)
        at += length
    for start in range(len(parts)):
        if not _goes_on(parts, start - 2):
            end = start
            while _goes_on(parts, end):
                end += 2
            runs = [part.run for part in parts[start : end + 1]]
            if len(runs) > 1:
                yield _miss(agent, _Link(Miss.OTHER_CALL), runs[::2], runs[1::2])


def _link(one: _Part, other: _Part) -> _Link | None:
    if one.run.first.call.name != other.run.first.call.name:
        return None
    if one.text == other.text:
        return _Link(Miss.RESET)
    if other.run.resets:
        return None
    found = list(islice(differences(loads(one.text), loads(other.text)), 2))
    return _Link(Miss.ARGUMENT, found[0].path) if len(found) == 1 else None


def _goes_on(parts: Sequence[_Part], at: int) -> bool:
    """Tell whether a run is taken up again behind one other call."""
    three = parts[max(at, 0) : at + 3]
    if len(three) != _ACROSS:
        return False
    one, between, other = three
    apart = between.run.length == 1 and not (between.run.resets or other.run.resets)
    return apart and one.equals(other)


def _miss(agent: Agent, link: _Link, runs: Sequence[Run], others: Sequence[Run] = ()) -> NearMiss:
    return NearMiss(
        kind=link.kind,
        agent=agent,
        first=runs[0].first,
        last=runs[-1].last,
        length=sum(run.length for run in runs),
        longest=max(run.length for run in runs),
        path=link.path,
        resets=tuple(reset for run in runs[1:] for reset in run.resets),
        others=tuple(run.first for run in others),
    )
