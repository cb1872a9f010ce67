"""The reminder with a witness beside it, who knows how it came to every count."""

from dataclasses import dataclass, field
from typing import NamedTuple

from repeat_reminder.events import (
    Agent,
    AgentEnd,
    Event,
    Resume,
    SessionId,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.explain.account import (
    Cause,
    Counted,
    Ended,
    Outcome,
    Reset,
    RunAccount,
)
from repeat_reminder.explain.differences import Difference, first_difference
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.policies import Verdict
from repeat_reminder.policies.identity import IgnoredArguments, compared
from repeat_reminder.policies.patterns import Scope
from repeat_reminder.policies.reminder import Reminder
from repeat_reminder.policies.watched import Watched


class Run(NamedTuple):
    """A run of an agent, and what came before it."""

    first: Counted
    last: Counted
    length: int
    resets: tuple[Reset, ...]


@dataclass(slots=True)
class _Lane:
    """What a witness keeps of one agent."""

    run: list[Counted] = field(default_factory=list)
    """The calls of the latest run."""
    before: Ended | None = None
    """The run before it."""
    resets: tuple[Reset, ...] = ()
    """What came between them."""
    since: list[Reset] = field(default_factory=list)
    """What has come since the latest call that counted."""
    messages: list[UserMessage] = field(default_factory=list)
    """Human messages that have not taken effect."""


class RunWitness(Watched):
    """Stands beside the reminder: keeps the runs, and what ended them.

    Memory: the calls of each agent's latest run, the last one of the run before; with ``keep`` two
    calls of every run.
    """

    def __init__(self, guard: Reminder, *, keep: bool = False) -> None:
        """Begin before the first call.

        Args:
            guard: a reminder without any state yet.
            keep: remember all `runs`.
        """
        super().__init__(guard)
        self.config = guard.config
        self.runs: dict[Agent, list[Run]] = {}
        """Every run that is over, if they are kept."""
        self.scope = Scope(guard.config.include, guard.config.exclude)
        self.ignored = IgnoredArguments(guard.config.ignore_args)
        self._keep = keep
        self._lanes: dict[Agent, _Lane] = {}
        self._expected: dict[tuple[Agent, int], tuple[Counted, ...]] = {}
        """By call that is asked about: the run under way where it started."""
        self._now: Event | None = None

    def note(self, event: Event) -> None:
        """Take note of what happens, before the guard is told."""
        self._now = event
        if isinstance(event, UserMessage) and event.resets:
            self._lane(event.agent).messages.append(event)

    def on_result(self, result: ToolResult) -> Verdict:
        """Pass on, and keep the call where it belongs."""
        verdict = super().on_result(result)
        if verdict.run is not None:
            lane = self._lane(result.call.agent)
            if verdict.run == 1:
                self._begin(result.call.agent, lane)
            lane.run.append(Counted(result.call, result.line))
        return verdict

    def on_user_message(self, agent: Agent) -> None:
        """Pass on, and note which messages it were."""
        super().on_user_message(agent)
        lane = self._lane(agent)
        lane.since += (Reset(Cause.USER_MESSAGE, message.line) for message in lane.messages)
        lane.messages.clear()

    def on_agent_gone(self, agent: Agent) -> None:
        """Pass on, and note why."""
        super().on_agent_gone(agent)
        if isinstance(self._now, AgentEnd | Resume):
            cause = Cause.RESUME if isinstance(self._now, Resume) else Cause.AGENT_END
            self._lane(agent).since.append(Reset(cause, self._now.line))

    def on_session_end(self, session: SessionId) -> None:
        """Pass on, and forget the session's agents."""
        super().on_session_end(session)
        for agent in [agent for agent in self._lanes if agent.session == session]:
            self._begin(agent, self._lanes.pop(agent))

    def expect(self, call: ToolCall) -> None:
        """Note what is under way where a call starts: it may never settle."""
        lane = self._lane(call.agent)
        self._expected[call.agent, call.index] = () if lane.since else tuple(lane.run)

    def account(self, call: ToolCall, outcome: Outcome) -> RunAccount:
        """Say how a call was counted, or that it was not, right after it settled."""
        lane = self._lane(call.agent)
        counted = bool(lane.run) and lane.run[-1].call is call
        started = self._expected.pop((call.agent, call.index), ())
        now = tuple(lane.run) if counted or not lane.since else ()
        run = started if outcome is Outcome.UNFINISHED else now
        return RunAccount(
            policy=self.name,
            decision=self.scope.decide(call.name),
            key=self._key(call),
            count=len(run) if counted else None,
            run=run,
            before=lane.before,
            resets=lane.resets if counted else tuple(lane.since),
            difference=self._difference(lane) if counted else None,
            next_threshold=next((n for n in self.config.thresholds if n > len(run)), None),
        )

    def forget(self, call: ToolCall) -> None:
        """Do nothing: calls are kept for the run they belong to."""

    def _begin(self, agent: Agent, lane: _Lane) -> None:
        """End the latest run, if there is one."""
        if lane.run:
            lane.before = Ended(lane.run[-1], len(lane.run))
            if self._keep:
                run = Run(lane.run[0], lane.run[-1], len(lane.run), lane.resets)
                self.runs.setdefault(agent, []).append(run)
        lane.run = []
        lane.resets, lane.since = tuple(lane.since), []

    def _lane(self, agent: Agent) -> _Lane:
        return self._lanes.setdefault(agent, _Lane())

    def _key(self, call: ToolCall) -> str | None:
        try:
            return compared(call, self.ignored)
        except TooDeep:
            return None

    def _difference(self, lane: _Lane) -> Difference | None:
        if lane.before is None or not lane.run:
            return None
        before, first = lane.before.last.call, lane.run[0].call
        if before.name == first.name and self._key(before) == self._key(first):
            return None
        return first_difference(before, first, self.ignored)
