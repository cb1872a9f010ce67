"""One session as canonical records, so that reading them gives the same story again.

What a canonical log leaves to its reader is said outright: every call names its step, a step's end
is written where the next record does not show it, and a message that waited stands where it was
queued. Results stand in the order in which they settled, but for the one that the others waited
for: it stands last, so that reminders land behind it.

Memory: the records of each agent's last step, at most `MOST_HELD`; one id per call, and one more
where ids are used again.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, assert_never

from repeat_reminder.convert import shapes
from repeat_reminder.convert.lanes import Lane
from repeat_reminder.convert.owners import agent_of
from repeat_reminder.events import (
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    CallId,
    Compaction,
    Event,
    InjectedMessage,
    Place,
    Problem,
    Resume,
    SessionEnd,
    SessionStart,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.model import Record

RESULT: Final = "tool_result"
MOST_HELD: Final = 1000
"""Records that may wait for what belongs before them."""


class _Held(NamedTuple):
    """A record that others may still have to precede."""

    record: Record
    agent: str | None
    settled_line: int | None
    """Of a result: where its call counted."""


class Story:
    """Writes one session."""

    def __init__(self) -> None:
        """Begin with nothing written."""
        self._lanes: dict[str, Lane] = {}
        self._used: set[tuple[str, CallId]] = set()
        self._held: list[_Held] = []
        self._given = 0
        """Records handed out."""
        self._over: Lane | None = None
        """Whose step is over without a record that shows it."""

    def records(self, event: Event) -> Iterator[Record]:
        """Yield the records that are certain after an event."""
        owner = None if isinstance(event, AgentStart) else agent_of(event)
        if self._over is not None and owner is not None and owner.id != self._over.agent:
            # Nothing of the other agent may come between a step and its end.
            self._say_step_end(self._over)
        self._write(event)
        yield from self._certain()

    def _write(self, event: Event) -> None:  # noqa: C901, PLR0912 - one arm per event
        match event:
            case ToolCall():
                self._call(event)
            case ToolResult():
                self._result(event)
            case StepEnd():
                self._step_end(self._lane(event.agent), event.after)
            case UserMessage():
                self._user_message(event)
            case AssistantMessage():
                self._assistant_message(event)
            case InjectedMessage() | Compaction():
                self._beside(event)
            case StepStart():
                lane = self._lane(event.agent)
                lane.requested, lane.mark = True, None
            case Resume():
                self._end(*([event.agent.id] if event.agent else self._lanes))
                agent = event.agent.id if event.agent else None
                self._put(None, shapes.bare_record("resume", agent))
            case AgentEnd():
                self._end(event.agent.id)
                self._put(None, shapes.agent_end_record(event))
            case AgentStart():
                self._put(None, shapes.agent_record(event))
            case SessionStart():
                self._put(None, shapes.session_record(event))
            case SessionEnd():
                self._end(*self._lanes)
            case Problem():
                pass
            case _:
                assert_never(event)

    def _lane(self, agent: Agent) -> Lane:
        lane = self._lanes.get(agent.id)
        if lane is None:
            lane = self._lanes[agent.id] = Lane(agent.id)
        return lane

    # ------------------------------------------------------------ calls

    def _call(self, call: ToolCall) -> None:
        lane = self._lane(call.agent)
        lane.requested = False
        if lane.key is None or lane.ended:
            self._open_step(lane, call)
        call_id = self._new_id(lane, call)
        if call.result_recorded:
            lane.unanswered.add(call.index)
        self._put(lane, shapes.call_record(call, call_id, lane.key))

    def _open_step(self, lane: Lane, call: ToolCall) -> None:
        key = lane.step_of(call)
        if key == lane.key:
            self._say_step_end(lane)
        self._close(lane)
        lane.key, lane.mark = key, self._given + len(self._held)

    def _result(self, result: ToolResult) -> None:
        call = result.call
        if not call.result_recorded:
            return
        lane = self._lane(call.agent)
        lane.unanswered.discard(call.index)
        if result.late:
            self._say_step_end(lane)
        call_id = lane.renamed.pop(call.index, call.id)
        record = shapes.result_record(result, call_id, name_agent=len(self._lanes) > 1)
        self._put(lane, record, result.settled_line)

    def _new_id(self, lane: Lane, call: ToolCall) -> CallId:
        """Return the call's id, or another one if a call of the agent has it already."""
        wanted, again = call.id, 1
        while (lane.agent, wanted) in self._used:
            again += 1
            wanted = CallId(f"{call.id}#{again}")
        self._used.add((lane.agent, wanted))
        if wanted != call.id:
            lane.renamed[call.index] = lane.newest[call.id] = wanted
        return wanted

    # ------------------------------------------------------------ messages

    def _user_message(self, message: UserMessage) -> None:
        lane = self._lane(message.agent)
        record = shapes.user_record(message)
        at = self._place_in_queue(lane, message.queued_line)
        if at is not None:
            self._held.insert(at, _Held(record, lane.agent, None))
            return
        if not message.texts:  # no request read it, so it shows none
            self._show_request(lane)
        lane.requested = False
        self._say_step_end(lane)
        self._put(lane, record)

    def _place_in_queue(self, lane: Lane, queued: int | None) -> int | None:
        """Find where a message was queued among the held results; None if behind all of them."""
        if queued is None:
            return None
        settled = ((at, self._held[at].settled_line) for at in self._step_of(lane))
        return next((at for at, line in settled if line is not None and line > queued), None)

    def _assistant_message(self, message: AssistantMessage) -> None:
        lane = self._lane(message.agent)
        lane.requested = False
        self._before_words(lane)
        self._put(lane, shapes.assistant_record(message, lane.key))

    def _beside(self, event: InjectedMessage | Compaction) -> None:
        """Write what changes nothing, inside the step or behind it."""
        lane = self._lane(event.agent)
        self._show_request(lane)
        self._say_step_end(lane)
        if isinstance(event, Compaction):
            self._put(lane, shapes.bare_record("compaction", lane.agent))
            return
        after = None if event.trigger is None else lane.written(event.trigger.call_id)
        self._put(lane, shapes.injected_record(event, after))

    # ------------------------------------------------------------ steps and ends

    def _step_end(self, lane: Lane, after: Place | None) -> None:
        """Take note that a step is over; a next call or word of the agent will show it."""
        if lane.key is not None:
            lane.ended, self._over = True, lane
        if after is not None:
            self._make_last(lane, lane.written(after.call_id))

    def _make_last(self, lane: Lane, call_id: str) -> None:
        """Put the result that was read last behind the others, which waited for it."""
        results = [at for at in self._step_of(lane) if self._held[at].record["type"] == RESULT]
        own = [at for at in results if self._held[at].record["call_id"] == call_id]
        if own:
            self._held.insert(results[-1], self._held.pop(own[-1]))

    def _say_step_end(self, lane: Lane) -> None:
        """Say that a step is over, where the next record does not show it."""
        if lane.ended:
            self._close(lane)
            self._put(lane, shapes.bare_record("step_end", lane.agent))

    def _before_words(self, lane: Lane) -> None:
        """End a step that is over: words amid unanswered calls would not show it."""
        if lane.ended and lane.unanswered:
            self._say_step_end(lane)
        elif lane.ended:
            self._close(lane)

    def _show_request(self, lane: Lane) -> None:
        """Say that a request has begun which nothing else shows: the model has said nothing."""
        if lane.requested:
            lane.requested = False
            self._before_words(lane)
            self._close(lane)
            self._put(lane, shapes.bare_record("assistant_message", lane.agent))

    def _close(self, lane: Lane) -> None:
        """Take note that what is read next ends the step."""
        lane.key, lane.ended = None, False
        lane.unanswered.clear()
        if self._over is lane:
            self._over = None

    def _end(self, *agents: str) -> None:
        """Write what is left to say of agents; what follows ends their steps."""
        for lane in (self._lanes[name] for name in agents if name in self._lanes):
            self._show_request(lane)
            self._close(lane)
            lane.mark = None

    # ------------------------------------------------------------ what is held

    def _put(self, lane: Lane | None, record: Record, settled_line: int | None = None) -> None:
        """Write a record behind what is held."""
        self._held.append(_Held(record, None if lane is None else lane.agent, settled_line))

    def _step_of(self, lane: Lane) -> Iterator[int]:
        """Yield the places of an agent's records in what is held of its last step."""
        if lane.mark is not None:
            for at in range(max(lane.mark - self._given, 0), len(self._held)):
                if self._held[at].agent == lane.agent:
                    yield at

    def _certain(self) -> Iterator[Record]:
        """Hand out what nothing can precede any more."""
        marks = [lane.mark - self._given for lane in self._lanes.values() if lane.mark is not None]
        count = max(0, min([len(self._held), *marks]), len(self._held) - MOST_HELD)
        certain, self._held[:count] = self._held[:count], []
        self._given += count
        for held in certain:
            yield held.record
