"""Figures of a report: what the items of each agent, each session and the whole come to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from msgspec import Struct, field

from repeat_reminder.batches import TOOL
from repeat_reminder.canonical import utf16_length
from repeat_reminder.engine import Taken
from repeat_reminder.events import (
    Action,
    AgentStart,
    AssistantMessage,
    InjectedMessage,
    Intervention,
    Problem,
    SessionEnd,
    SessionStart,
    Settlement,
    Status,
    StepEnd,
    ToolCall,
    ToolResult,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repeat_reminder.events import Agent, Item, SessionId, Severity

GATES = frozenset({Action.ASK, Action.DENY})
"""What happens before a call runs, and puts no message into the conversation."""
_NO_TOOL = {None}


class AgentTally(Struct):
    """Figures of one agent of one session."""

    id: str
    parent: str | None = None
    calls: int = 0
    """Settled calls. Skipped ones never ran."""
    tracked: int = 0
    """Settled calls that at least one policy tracks."""
    unfinished: int = 0
    """Calls without a result so far."""
    reminders: int = 0
    """Interventions of every kind."""
    resets: int = 0
    """Human messages, refused ones included, also where there was no run to drop."""
    longest: int = 0
    counted: bool = False
    """Some policy knows runs."""
    last_tracked: int = 0
    """Index of the last tracked call: several policies settle the same call in a row."""

    @property
    def longest_run(self) -> int | None:
        """Calls of the longest run; None if calls are tracked by policies without runs alone."""
        return None if self.tracked and not self.counted else self.longest

    def absorb(self, other: AgentTally) -> None:
        """Take over what was counted of the same agent elsewhere; interventions are not in it."""
        self.parent = other.parent
        self.calls, self.tracked, self.unfinished = other.calls, other.tracked, other.unfinished
        self.resets, self.longest, self.counted = other.resets, other.longest, other.counted


class Dropped(Struct, frozen=True):
    """What was counted of a session's items that are not passed on; it stands before its end."""

    session: SessionId
    agents: tuple[AgentTally, ...]
    """In the order of appearance."""
    reached: Counter[tuple[str, int]]
    tools: frozenset[str]


Reported: TypeAlias = "Item | Dropped"
"""What reports are made from: the items themselves, or the figures of some of them."""
Seen = TypeVar("Seen", bound=Reported)


class SessionTally(Struct):
    """Figures of one session."""

    start: SessionStart
    agents: dict[str, AgentTally] = field(default_factory=dict)
    """By id, in the order of appearance."""
    recorded_reminders: int = 0
    """Messages of a reminder plugin that the log holds."""
    reminders: int = 0
    end: SessionEnd | None = None

    def agent(self, agent: Agent) -> AgentTally:
        """Return the figures of one agent, made at its first item."""
        tally = self.agents.get(agent.id)
        if tally is None:
            tally = self.agents[agent.id] = AgentTally(agent.id)
        return tally


class Tally:
    """Figures of a whole report; `add` it every item, in order.

    Memory: the open sessions; one counter per run length seen; the names of the tools called.
    """

    def __init__(self) -> None:
        """Begin at zero."""
        self.open: dict[SessionId, SessionTally] = {}
        """Sessions that have started and not ended."""
        self.sessions = self.agents = self.calls = self.tracked = self.unfinished = 0
        self.lines = self.skipped_lines = self.duplicates_dropped = 0
        self.reached: Counter[tuple[str, int]] = Counter()
        """By policy and run length: how many runs came that far."""
        self.said: Counter[str] = Counter()
        """Interventions by tier, else by action."""
        self.undelivered = 0
        self.characters = 0
        """UTF-16 units of the messages that were delivered."""
        self.refused = 0
        """Recorded calls that would not have run."""
        self.unheeded = False
        """A session goes on after a reminder that its recorded agent was never given."""
        self.problems: Counter[Severity] = Counter()
        self.tools: set[str] = set()

    @property
    def reminders(self) -> int:
        """Interventions of every kind."""
        return self.said.total()

    @property
    def longest_run(self) -> int:
        """Calls of the longest run; 0 without a run."""
        return max((length for _, length in self.reached), default=0)

    def add(self, item: Reported | Taken) -> SessionTally | None:  # noqa: C901, PLR0912 - one arm per item
        """Count an item.

        Returns:
            The figures of a session whose end the item is, else None.
        """
        match item:
            case ToolCall():
                self._agent(item.agent).unfinished += 1
                self.tools.add(item.name)
            case ToolResult():
                agent = self._agent(item.call.agent)
                agent.unfinished -= 1
                if item.status is not Status.SKIPPED:
                    agent.calls += 1
            case Settlement():
                if item.tracked:
                    self._settled(item)
            case StepEnd():
                pass  # stands here because there is one for nearly every call
            case AssistantMessage():
                self._agent(item.agent)
            case UserMessage():
                self._agent(item.agent).resets += item.resets
            case Intervention():
                self._said(item)
            case InjectedMessage():
                self._injected(item)
            case AgentStart():
                agent = self._agent(item.agent)
                agent.parent = item.parent if item.parent is not None else agent.parent
            case SessionStart():
                self.open[item.session] = SessionTally(item)
            case SessionEnd():
                return self._ended(item)
            case Problem():
                self.problems[item.severity] += 1
            case Dropped():
                self._merge(item)
            case Taken():
                self._taken(item)
            case _:
                pass
        return None

    def _taken(self, taken: Taken) -> None:
        tracked, reached, _ = taken.verdicts
        calls = taken.calls
        agent = self._agent(calls.agent)
        agent.calls += calls.number
        agent.resets += calls.prompts
        self.tools |= {*map(TOOL, calls.calls)} - _NO_TOOL
        if tracked:
            agent.tracked += tracked
            agent.counted = True
            agent.longest = max(agent.longest, *reached)
            for length, times in reached.items():
                self.reached[taken.policy, length] += times

    def _merge(self, dropped: Dropped) -> None:
        session = self.open[dropped.session]
        in_order = {
            one.id: session.agents.get(one.id) or AgentTally(one.id) for one in dropped.agents
        }
        for one in dropped.agents:
            in_order[one.id].absorb(one)
        session.agents = in_order
        self.reached += dropped.reached
        self.tools |= dropped.tools

    def watch(self, items: Iterable[Seen]) -> Iterator[Seen]:
        """Count the items that go by."""
        for item in items:
            self.add(item)
            yield item

    def hand_over(self, session: SessionId) -> Dropped:
        """Give away what was counted of a session that ends, and forget it."""
        agents = tuple(self.open.pop(session).agents.values())
        reached, self.reached = self.reached, Counter()
        tools, self.tools = frozenset(self.tools), set()
        return Dropped(session, agents, reached, tools)

    def tail(self, policy: str, last: int) -> tuple[int, int]:
        """Return how many calls, in how many runs, went on after a policy's last threshold."""
        lengths = (n for name, n in self.reached if name == policy and n > last)
        return sum(self.reached[policy, n] for n in lengths), self.reached[policy, last + 1]

    def _agent(self, agent: Agent) -> AgentTally:
        session = self.open[agent.session]
        return session.agents.get(agent.id) or session.agent(agent)

    def _settled(self, settled: Settlement) -> None:
        call = settled.result.call
        agent = self._agent(call.agent)
        if call.index != agent.last_tracked:
            agent.last_tracked = call.index
            agent.tracked += 1
        if settled.count is not None:
            agent.counted = True
            agent.longest = max(agent.longest, settled.count)
            self.reached[settled.policy, settled.count] += 1

    def _injected(self, message: InjectedMessage) -> None:
        from repeat_reminder.parity import stamp_of  # noqa: PLC0415 - few logs have such messages

        if stamp_of(message.source) is not None:
            self.open[message.agent.session].recorded_reminders += 1

    def _said(self, said: Intervention) -> None:
        session = self.open[said.call.agent.session]
        session.agent(said.call.agent).reminders += 1
        session.reminders += 1
        self.said[said.tier or said.action] += 1
        if said.action in GATES:
            self.refused += said.action is Action.DENY or said.denial is not None
            return
        if said.delivered:
            self.characters += utf16_length(said.text)
        else:
            self.undelivered += 1

    def _ended(self, end: SessionEnd) -> SessionTally:
        session = self.open.pop(end.session)
        session.end = end
        agents = session.agents.values()
        self.sessions += 1
        self.agents += len(agents)
        self.calls += sum(agent.calls for agent in agents)
        self.tracked += sum(agent.tracked for agent in agents)
        self.unfinished += sum(agent.unfinished for agent in agents)
        self.lines += end.lines
        self.skipped_lines += end.skipped_lines
        self.duplicates_dropped += end.duplicates_dropped
        self.unheeded |= session.reminders > 1 and not session.recorded_reminders
        return session


def essence(items: Iterable[Item | Taken]) -> Iterator[Reported]:
    """Yield what reports show of a replay, and the figures of all the rest.

    A report of these is a report of the items, but for records of single calls; and they are few,
    so that they can be handed from one process to another.
    """
    counted = Tally()
    for item in items:
        match item:
            case StepEnd():
                pass  # says nothing, and there is one for nearly every call
            case SessionStart():
                counted.add(item)
                yield item
            case SessionEnd():
                yield counted.hand_over(item.session)
                yield item
            case Intervention() | InjectedMessage() | Problem():
                yield item
            case _:
                counted.add(item)
