"""Replay: feed events to guards, and put what they say where it lands.

The engine alone knows that an intervention lands after the step's results. It mirrors the
harness's agent loop: messages queued while a step runs wait in one queue per agent and are read
together, in queue order, by the agent's next request. What is held, and how long, never depends
on what a guard says: without the interventions the items are those of a replay without guards.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeGuard, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from repeat_reminder.batches import Batch, PlainCalls
from repeat_reminder.events import (
    Action,
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    Compaction,
    Event,
    InjectedMessage,
    Intervention,
    Item,
    Place,
    Problem,
    Resume,
    SessionEnd,
    SessionStart,
    Settlement,
    Status,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.policies import Bulk, Guard, Verdict, Verdicts


class Taken(NamedTuple):
    """Plain calls that have gone through a guard."""

    policy: str
    calls: PlainCalls
    verdicts: Verdicts


_Queued = Intervention | UserMessage | InjectedMessage | Compaction | Resume


class _Lane(Struct):
    """What one agent has under way."""

    in_step: bool = False
    queue: list[_Queued] = field(default_factory=list)
    """Queued in the running step, in order."""
    settled: list[tuple[str, ToolResult, Verdict]] = field(default_factory=list)
    """Counted in the running step; told when its last result line is known."""
    message_last: bool = False
    """A message stands behind the step's last result: the agent's story goes on after it."""
    message_line: int | None = None
    landed: list[_Queued] = field(default_factory=list)
    """Behind an ended step; told when it is known whether a next request carries them."""


class Replay:
    """The engine with its state. `feed` it events in harness order.

    Memory: per agent the open step and what waits behind the last one; nothing of ended sessions.
    """

    def __init__(self, guards: Sequence[Guard]) -> None:
        """Mount the guards in the given order."""
        self._guards = tuple(guards)
        self._lanes: dict[Agent, _Lane] = {}
        self._bulk = guards[0] if _is_bulk(guards) else None
        self._gates = _Gates() if any(guard.gates for guard in guards) else None

    def take(self, batch: Batch) -> list[Item | Taken]:
        """Do what `feed` does with the events that the batch stands for.

        Returns:
            One `Taken` for each agent in place of its calls; behind them, in transcript order, all
            interventions whose landing is known, and what ended the agents' last steps.

        Raises:
            TypeError: it does not take batches.
        """
        released: list[tuple[int, Item]] = []
        taken: list[Item | Taken] = [self._take(part, released) for part in batch.parts]
        released.sort(key=itemgetter(0))
        taken += (item for _, item in released)
        return taken

    def _take(self, calls: PlainCalls, released: list[tuple[int, Item]]) -> Taken:
        guard = self._bulk
        if guard is None:
            raise TypeError("no guard that takes batches")
        lane, entries = self._lane(calls.agent), calls.calls
        for event in calls.before:
            released += ((entries[0][0], item) for item in self._feed(event))
        released += ((entries[0][0], item) for item in self._landed(calls.agent))
        verdicts = guard.on_calls(calls)
        for at, said in verdicts.said:
            landed = _landing(said, calls, entries[at][4])
            if at + 1 < len(entries):
                released.append((entries[at + 1][0], landed))
            else:
                (lane.queue if calls.step_open else lane.landed).append(landed)
        lane.in_step = calls.step_open
        return Taken(guard.name, calls, verdicts)

    def feed(self, event: Event) -> Iterable[Item]:
        """Return the event and all that is known because of it, in transcript order."""
        items = self._feed(event)
        return items if self._gates is None else self._gates.hold(event, items)

    def _feed(self, event: Event) -> Iterable[Item]:  # noqa: C901, PLR0911 - one arm per event
        match event:
            case ToolCall():
                return self._call(event)
            case ToolResult():
                return self._result(event)
            case StepEnd():
                return self._step_end(event)
            case UserMessage():
                return self._user_message(event)
            case AssistantMessage() | StepStart():
                return [*self._landed(event.agent), event]
            case InjectedMessage() | Compaction():
                lane = self._lane(event.agent)
                (lane.queue if lane.in_step else lane.landed).append(event)
                return ()
            case Resume():
                return self._resume(event)
            case AgentEnd():
                return self._agent_end(event)
            case SessionEnd():
                return self._session_end(event)
            case SessionStart() | AgentStart() | Problem():
                return (event,)
            case _:
                assert_never(event)

    def _lane(self, agent: Agent) -> _Lane:
        lane = self._lanes.get(agent)
        if lane is None:
            lane = self._lanes[agent] = _Lane()
        return lane

    def _call(self, call: ToolCall) -> Iterable[Item]:
        lane = self._lane(call.agent)
        lane.in_step = True
        items = self._landed(call.agent) if lane.landed else []
        for guard in self._guards:
            items += guard.on_call(call)
        items.append(call)
        return items

    def _result(self, result: ToolResult) -> Iterable[Item]:
        lane = self._lane(result.call.agent)
        if lane.message_last and not result.late:
            # A result that had to wait for others may stand before the message all the same.
            lane.message_last = (lane.message_line or 0) > (result.line or 0)
        if result.status is Status.SKIPPED:
            for guard in self._guards:
                guard.on_skipped(result.call)
            return (result,)
        items: list[Item] = [result]
        for guard in self._guards:
            verdict = guard.on_result(result)
            messages = [replace(said, result=result) for said in verdict.interventions]
            if result.late:
                place = Place(result.line, result.call.id)
                lane.landed += [replace(said, inject_after=place) for said in messages]
                items.append(_settlement(guard.name, result, verdict, place))
            else:
                lane.queue += messages
                lane.settled.append((guard.name, result, verdict))
        return items

    def _step_end(self, end: StepEnd) -> Iterable[Item]:
        """Land the step's queue: reminders get their place, then waiting messages take effect."""
        lane = self._lane(end.agent)
        items: list[Item] = [
            _settlement(policy, result, verdict, end.after)
            for policy, result, verdict in lane.settled
        ]
        lane.settled.clear()
        goes_on = lane.message_last
        lane.in_step = lane.message_last = False
        if lane.queue:
            self._land(end, lane)
        if goes_on:
            items += self._landed(end.agent)
        items.append(end)
        return items

    def _land(self, end: StepEnd, lane: _Lane) -> None:
        lane.landed += [
            replace(queued, inject_after=end.after) if isinstance(queued, Intervention) else queued
            for queued in lane.queue
        ]
        if any(isinstance(queued, UserMessage) and queued.resets for queued in lane.queue):
            self._human(end.agent)
        lane.queue.clear()

    def _user_message(self, message: UserMessage) -> Iterable[Item]:
        lane = self._lane(message.agent)
        if lane.in_step:
            lane.queue.append(message)
            lane.message_last, lane.message_line = True, message.line
            return ()
        items: list[Item] = []
        if message.texts:
            items = self._landed(message.agent, before=message.queued_line)
        if message.resets:
            self._human(message.agent)
        items.append(message)
        return items

    def _resume(self, event: Resume) -> Iterable[Item]:
        """Forget the chains; what is queued stays queued."""
        agents = [
            agent
            for agent in self._lanes
            if agent.session == event.session and event.agent in (None, agent)
        ]
        for agent in agents:
            for guard in self._guards:
                guard.on_agent_gone(agent)
        if not agents:
            return (event,)
        self._lanes[agents[0]].landed.append(event)
        return ()

    def _agent_end(self, end: AgentEnd) -> Iterable[Item]:
        items = self._drop(end.agent)
        for guard in self._guards:
            guard.on_agent_gone(end.agent)
        return [*items, end]

    def _session_end(self, end: SessionEnd) -> Iterable[Item]:
        items: list[Item] = []
        for agent in [agent for agent in self._lanes if agent.session == end.session]:
            items += self._drop(agent)
        for guard in self._guards:
            guard.on_session_end(end.session)
        items.append(end)
        return items

    def _human(self, agent: Agent) -> None:
        for guard in self._guards:
            guard.on_user_message(agent)

    def _landed(self, agent: Agent, *, before: int | None = None) -> list[Item]:
        """Tell what waits behind the last step: a next request carries it.

        With ``before``, what was queued after that line stays, for the message that follows was
        queued earlier.
        """
        lane = self._lane(agent)
        items: list[Item] = []
        if lane.landed:
            waiting, lane.landed = lane.landed, []
            for item in waiting:
                if (
                    before is not None
                    and isinstance(item, Intervention)
                    and _settled(item) > before
                ):
                    lane.landed.append(item)
                else:
                    items.append(item)
        return items

    def _drop(self, agent: Agent) -> list[Item]:
        """Tell what no request will carry."""
        lane = self._lanes.get(agent)
        if lane is None:
            return []
        items: list[Item] = []
        if lane.in_step:
            items += self._step_end(StepEnd(agent=agent, line=None, after=None))
        del self._lanes[agent]
        for item in lane.landed:
            items.append(replace(item, delivered=False) if isinstance(item, Intervention) else item)
        return items


def _landing(said: Intervention, calls: PlainCalls, settled: int) -> Intervention:
    """Give a message the result of its plain call, and the place behind that."""
    line = settled if calls.result_recorded else None
    return replace(
        said,
        result=ToolResult(call=said.call, line=line, settled_line=settled),
        inject_after=Place(settled, said.call.id),
    )


class _Gates:
    """Holds what follows a question or a denial until it is known that its call met the guards.

    A log marks a call that was skipped, or denied by somebody before the guards, only at its
    result. What was said about such a call is void.
    """

    def __init__(self) -> None:
        self._open: list[ToolCall] = []
        self._held: list[Item] = []

    def hold(self, event: Event, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            if _is_gate(item):
                self._open.append(item.call)
            if self._open:
                self._held.append(item)
            else:
                yield item
        if self._open:
            self._settle(event)
            if not self._open:
                released, self._held = self._held, []
                yield from released

    def _settle(self, event: Event) -> None:
        """Close the gates that the event decides."""
        match event:
            case ToolResult(call=call) if any(waiting is call for waiting in self._open):
                self._held = list(self._judged(event))
                self._open = [waiting for waiting in self._open if waiting is not call]
            case StepEnd(agent=agent) | AgentEnd(agent=agent):
                self._open = [waiting for waiting in self._open if waiting.agent != agent]
            case SessionEnd(session=session):
                self._open = [call for call in self._open if call.agent.session != session]
            case _:
                pass

    def _judged(self, result: ToolResult) -> Iterator[Item]:
        """Give a question or denial the result its call has in the log, or leave it out as void."""
        for item in self._held:
            if not _is_gate(item) or item.call is not result.call:
                yield item
            elif result.status not in (Status.SKIPPED, Status.DENIED):
                yield replace(item, result=result)


def _is_gate(item: Item) -> TypeGuard[Intervention]:
    return isinstance(item, Intervention) and item.action in (Action.ASK, Action.DENY)


def replay(events: Iterable[Event], guards: Guard | Sequence[Guard]) -> Iterator[Item]:
    """Yield the events with every intervention where it lands.

    Args:
        events: one or many sessions in harness order, as `repeat_reminder.read` gives them.
        guards: one policy, or several in the order they are mounted.

    Yields:
        Each event; for every settled call and policy one `Settlement` when the call's step has
        ended; `Intervention`s at their landing place, as late as it takes to know whether a next
        request carried them (the agent's next event, or the session's end).
    """
    engine = Replay(guards if isinstance(guards, Sequence) else [guards])
    for event in events:
        yield from engine.feed(event)


def _settlement(
    policy: str, result: ToolResult, verdict: Verdict, place: Place | None
) -> Settlement:
    return Settlement(
        policy=policy,
        result=result,
        tracked=verdict.tracked,
        count=verdict.run,
        inject_after=place,
    )


def _settled(said: Intervention) -> int:
    """Return the line where the call counted: its reminder was queued there."""
    return (said.result.settled_line if said.result else None) or 0


def take_batches(guards: Sequence[Guard]) -> bool:
    """Tell whether calls may come in a `Batch`: there is one guard, and it takes many at once."""
    return _is_bulk(guards)


def _is_bulk(guards: Sequence[Guard]) -> TypeGuard[Sequence[Bulk]]:
    return len(guards) == 1 and isinstance(guards[0], Bulk)


def replay_batches(
    events: Iterable[Event | Batch], guards: Guard | Sequence[Guard]
) -> Iterator[Item | Taken]:
    """Yield what `replay` does, but of plain calls only messages and how they were counted.

    Raises:
        TypeError: a batch comes, and the guards do not take batches (`take_batches`).
    """
    engine = Replay(guards if isinstance(guards, Sequence) else [guards])
    for event in events:
        yield from engine.take(event) if isinstance(event, Batch) else engine.feed(event)
