"""One pass over a log that finds the calls asked about and lets the guards account for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from repeat_reminder.engine import Replay
from repeat_reminder.events import (
    Agent,
    Event,
    Intervention,
    Item,
    Place,
    SessionEnd,
    SessionId,
    SessionStart,
    Settlement,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.explain.account import Account, Explained, Outcome
from repeat_reminder.explain.nearest import NearMiss, nearest
from repeat_reminder.explain.neighbours import Neighbours
from repeat_reminder.explain.run_witness import RunWitness
from repeat_reminder.explain.target import Target
from repeat_reminder.explain.window_witness import Measuring, WindowWitness
from repeat_reminder.policies import Guard
from repeat_reminder.policies.reminder import Reminder

MOST_IDS: Final = 10_000
"""Ids kept to find the one that was meant."""

_Key: TypeAlias = tuple[Agent, int]
"""A call of a session: its agent and its index."""
_Witness: TypeAlias = RunWitness | WindowWitness


class Explanation(NamedTuple):
    """What a log has to say about a target."""

    calls: tuple[Explained, ...]
    """Every call that is meant, in the order they started."""
    near: tuple[NearMiss, ...] | None
    """The closest misses of their sessions, or of all if no call was asked about; None if nobody
    asked for them."""
    path: str | None = None
    """The log."""


@dataclass(slots=True)
class _Case:
    """A call asked about."""

    session: SessionStart
    call: ToolCall
    result: ToolResult | None = None
    outcome: Outcome = Outcome.UNFINISHED
    inject_after: Place | None = None
    accounts: tuple[Account, ...] = ()
    said: list[Intervention] = field(default_factory=list)

    def explained(self) -> Explained:
        return Explained(
            session=self.session,
            call=self.call,
            result=self.result,
            outcome=self.outcome,
            inject_after=self.inject_after,
            accounts=self.accounts,
            said=tuple(self.said),
        )


def explain(
    events: Iterable[Event], guards: Sequence[Guard], target: Target | None, *, most_near: int = 0
) -> Explanation:
    """Explain how the guards saw a call, and list near misses.

    Args:
        events: one log in harness order.
        guards: the policies to replay, without any state yet.
        target: which call; None for near misses alone.
        most_near: how many near misses to list at most; only the reminder's runs have some.

    Raises:
        UsageError: there is no such call; the hint names calls that are near.
    """
    explaining = _Explaining(guards, target, keep=most_near > 0)
    for event in events:
        explaining.feed(event)
    return explaining.finish(most_near)


class _Explaining:
    def __init__(self, guards: Sequence[Guard], target: Target | None, *, keep: bool) -> None:
        self._witnesses = [_witness(guard, keep=keep) for guard in guards]
        self._engine = Replay(self._witnesses)
        self._target = target
        self._neighbours = Neighbours(target)
        self._open: dict[SessionId, SessionStart] = {}
        self._cases: dict[_Key, _Case] = {}
        self._early: dict[_Key, list[Intervention]] = {}
        """What was said about open calls that may turn out to be asked about."""
        self._done: list[_Case] = []
        self._path: str | None = None

    def feed(self, event: Event) -> None:
        """Take in an event, and let every case it is about follow."""
        match event:
            case SessionStart():
                self._open[event.session] = event
                self._path = self._path or event.path
            case ToolCall():
                self._consider(event, None)
            case ToolResult():
                self._consider(event.call, event.line)
            case SessionEnd():
                self._abandon(event.session)
            case _:
                pass
        for witness in self._witnesses:
            witness.note(event)
        for item in self._engine.feed(event):
            self._hear(item)
        match event:
            case ToolResult():
                self._settle(event)
            case SessionEnd():
                del self._open[event.session]
                self._close(event.session)
            case _:
                pass

    def finish(self, most_near: int) -> Explanation:
        """Return what was found.

        Raises:
            UsageError: no call was.
        """
        wanted = self._target.call_id if self._target else None
        named = [case for case in self._done if case.call.id == wanted] or self._done
        calls = tuple(case.explained() for case in self._exact(named))
        if self._target is not None and not calls:
            raise self._neighbours.error(self._path)
        if not most_near:
            return Explanation(calls, None, self._path)
        sessions = {explained.session.session for explained in calls}
        runs = (witness for witness in self._witnesses if isinstance(witness, RunWitness))
        near = [
            miss
            for witness in runs
            for miss in nearest(witness, most_near, sessions if self._target else None)
        ]
        return Explanation(calls, tuple(near[:most_near]), self._path)

    def _exact(self, cases: list[_Case]) -> list[_Case]:
        """Prefer whole ids over beginnings: one id may be the beginning of another."""
        if self._target is None:
            return cases
        sessions, agents = self._target.sessions, self._target.agents
        cases = [case for case in cases if case.call.agent.session in sessions] or cases
        return [case for case in cases if case.call.agent.id in agents] or cases

    def _consider(self, call: ToolCall, result_line: int | None) -> None:
        """Open a case if the call is asked about."""
        self._neighbours.see(call, result_line)
        key = (call.agent, call.index)
        if self._target and key not in self._cases and self._target.takes(call, result_line):
            self._cases[key] = _Case(self._open[call.agent.session], call)
            for witness in self._witnesses:
                witness.expect(call)

    def _hear(self, item: Item) -> None:
        match item:
            case Intervention():
                key = (item.call.agent, item.call.index)
                if key in self._cases:
                    self._cases[key].said.append(item)
                elif item.result is None:
                    self._early.setdefault(key, []).append(item)
            case Settlement():
                call = item.result.call
                if case := self._cases.get((call.agent, call.index)):
                    case.inject_after = item.inject_after
            case _:
                pass

    def _settle(self, result: ToolResult) -> None:
        """Let the witnesses account for a call that has just counted, or was skipped."""
        call = result.call
        key = (call.agent, call.index)
        early = self._early.pop(key, [])
        case = self._cases.get(key)
        if case is None:
            for witness in self._witnesses:
                witness.forget(call)
            return
        case.result = result
        case.said[:0] = early
        skipped = result.status is Status.SKIPPED
        case.outcome = Outcome.SKIPPED if skipped else Outcome.COUNTED
        self._account(case)

    def _account(self, case: _Case) -> None:
        case.accounts = tuple(
            witness.account(case.call, case.outcome) for witness in self._witnesses
        )

    def _abandon(self, session: SessionId) -> None:
        """Account for the calls without a result, before the session's state is gone."""
        for case in self._cases.values():
            if case.call.agent.session == session and case.result is None:
                self._account(case)

    def _close(self, session: SessionId) -> None:
        """Put away what was found in a session: another may have its id."""
        over = [key for key in self._cases if key[0].session == session]
        self._done += (self._cases.pop(key) for key in over)
        for key in [key for key in self._early if key[0].session == session]:
            del self._early[key]


def _witness(guard: Guard, *, keep: bool) -> _Witness:
    if isinstance(guard, Reminder):
        return RunWitness(guard, keep=keep)
    if isinstance(guard, Measuring):
        return WindowWitness(guard)
    raise TypeError(guard)
