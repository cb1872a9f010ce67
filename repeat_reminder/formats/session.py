"""Harness order: one session's calls and results as they settle, step by step.

Readers say what stands in the log; this room numbers the calls, knows which step is open, holds a
result back until the earlier calls of its step are answered, and ends steps. It mirrors the
harness's loop: calls of one model response settle in the order the model listed them.

A result that comes after its step has ended is late: it settles alone, where it stands. Logs whose
lines may stand in another order than things happened are read with `PATIENCE`: an ended step that
lacks results holds back what its agent does next, until they have come or too much waits, so that
a step settles as one at the place of its first call.

Memory: the open step; what waits; the calls without a result; and the hash of each call's id, so
that a call that stands in the log twice counts once (none where ids may be used again).
"""

from collections import deque
from collections.abc import Hashable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from repeat_reminder.batches import PlainCall, PlainCalls, filled_id
from repeat_reminder.events import (
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    CallId,
    Compaction,
    Event,
    Failure,
    InjectedMessage,
    Json,
    Place,
    Problem,
    Resume,
    SessionEnd,
    SessionStart,
    Severity,
    Source,
    Status,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from repeat_reminder.formats.shared.seen import Seen

USER: Source = {"kind": "user"}
IMPLICIT = object()
"""A step that the log does not name: it ends where the calls' order says so."""

PATIENCE = 64
"""Events of an agent that may wait for the results of an ended step, where a log needs it."""


class Answer(Struct, frozen=True, kw_only=True):
    """What a log says of a call's result."""

    line: int | None
    status: Status = Status.OK
    texts: tuple[str, ...] = ()
    value: Json = None
    is_error: bool = False
    failure: Failure | None = None
    time: float | None = None


class _Step(Struct):
    key: Hashable
    calls: deque[ToolCall] = field(default_factory=deque)
    """Not settled yet, in model order."""
    answers: dict[int, Answer] = field(default_factory=dict)
    """Results held back, by the call's index."""
    nested: set[int] = field(default_factory=set)
    """Calls made by another call of the step, by index: nothing waits for them."""
    last: Place | None = None
    """Behind the last result read."""
    closing: bool = False
    """A result or a human message stands behind its calls: the next call opens a new step."""
    lost: set[int] = field(default_factory=set)
    """Calls that no result can be for, by index: without id, or their id is a newer call's."""
    waits: bool = False
    """Ended, but in its agent's queue until its results have come."""
    ended_line: int | None = None

    @property
    def complete(self) -> bool:
        """Whether every call has its result, or can have none."""
        return all(call.index in self.answers or call.index in self.lost for call in self.calls)


class _Lane(Struct):
    agent: Agent
    calls: int = 0
    step: _Step | None = None
    queue: list[Event | _Step] = field(default_factory=list)
    """Empty, or a step that waits for results, and what comes behind it."""


class Session:
    """One session of a log. Every method gives the events that its record causes."""

    def __init__(
        self,
        start: SessionStart,
        *,
        ids_repeat: bool = False,
        begun: bool = False,
        patience: int = 0,
        seen: Seen | None = None,
    ) -> None:
        """Begin a session.

        Args:
            start: the event that announces it, given out before the first other event.
            ids_repeat: call ids are used again in later steps, so a repeated id is a new call
                and a result belongs to the newest call with its id.
            begun: the reader has given out the start itself.
            patience: how many events of an agent may wait for the results of an ended step.
            seen: the calls of all sessions of the log, if those keep them together.
        """
        self.start = start
        self.begun = begun
        """Whether the start has been given out."""
        self._ids_repeat = ids_repeat
        self._patience = patience
        self._lanes: dict[str, _Lane] = {}
        self._open: dict[tuple[str, CallId], tuple[ToolCall, _Step]] = {}
        self._agents_of: dict[CallId, list[str]] = {}
        self._name = start.session
        self._seen = Seen() if seen is None else seen
        """By session, agent and id: calls, none where ids may be used again."""
        self.filled = 0
        """How many calls had no id; whoever takes such calls counts on."""
        self.duplicates = 0

    # ------------------------------------------------------------ what a log says

    def decide_results(self, *, recorded: bool) -> None:
        """Say, before the first event, whether the log records results."""
        self.start = replace(self.start, records_results=recorded)

    def begin(self) -> list[Event]:
        """Announce the session, once."""
        if self.begun:
            return []
        self.begun = True
        return [self.start]

    def agent(self, name: str) -> Agent:
        """Return the identity of an agent of this session."""
        return self._lane(name).agent

    def calls_of(self, name: str) -> int:
        """Return how many calls the agent has made so far."""
        return self._lane(name).calls

    def introduce(
        self, name: str, line: int | None, *, parent: str | None = None, title: str | None = None
    ) -> list[Event]:
        """Introduce an agent."""
        told = self.begin()
        lane = self._lane(name)
        start = AgentStart(agent=lane.agent, line=line, parent=parent, name=title)
        self._say(told, lane, start)
        return told

    def dismiss(self, name: str, line: int | None) -> list[Event]:
        """End an agent: its open step ends, its unanswered calls stay unfinished."""
        told: list[Event] = []
        self._end_at_once(told, self._lane(name), line)
        told.append(AgentEnd(agent=self.agent(name), line=line))
        return told

    def call(  # noqa: PLR0913 - the fields of a call
        self,
        agent: str,
        name: str,
        line: int | None,
        *,
        call_id: str | None = None,
        text: str | None = None,
        value: Json = None,
        key: Hashable = IMPLICIT,
        turn: int | None = None,
        step: int | None = None,
        nested: bool = False,
        answer: Answer | None = None,
        time: float | None = None,
    ) -> list[Event]:
        """Start a call. ``key`` names its step: calls of one agent with equal keys are one step.

        A ``nested`` call is made by another call of the step, not by the model: it settles when
        it is answered, before its maker does, and no reminder lands behind its result.

        A call with an ``answer`` has its result in its own record; a later one is a second result.
        In a session that records no results the answer says how the call went, where that is known.
        """
        told = [] if self.begun else self.begin()
        if call_id is not None:
            known = (agent, CallId(call_id))
            if self._is_copy(known):
                told.append(self.copy(call_id, line))
                return told
            if known in self._open:
                told.append(self._unfinished(known))
        lane = self._lane(agent)
        current = self._step_for(told, lane, key, line)
        lane.calls += 1
        started = ToolCall(
            agent=lane.agent,
            id=CallId(call_id) if call_id is not None else self._fill(),
            index=lane.calls,
            line=line,
            name=name,
            arguments_text=text,
            arguments=value,
            turn=turn,
            step=step,
            result_recorded=self.start.records_results,
            nested=nested,
            time=time,
        )
        self._say(told, lane, started)
        if not started.result_recorded:
            current.last = Place(line, started.id)
            current.closing = True
            self._say(told, lane, _settle(started, answer or _UNTOLD, line))
            return told
        self._wait(current, started, explicit=call_id is not None)
        if answer is not None:
            self._answered_at_once(told, lane, started, answer)
        return told

    def is_free(self, agent: str, key: Hashable = IMPLICIT) -> bool:
        """Tell whether a step that begins now begins alone: nothing is open, nothing waits.

        Only then calls may be given to `take`.
        """
        lane = self._lanes.get(agent)
        if lane is None or (lane.step is None and not lane.queue):
            return True
        step = lane.step
        return (
            not lane.queue
            and step is not None
            and not (step.calls or step.answers)
            and (step.closing if key is IMPLICIT else step.key != key)
        )

    def awaits(self, call_id: str) -> bool:
        """Tell whether some agent's call with this id has no result yet."""
        return call_id in self._agents_of

    def in_named_step(self, agent: str) -> bool:
        """Tell whether a step is open that the log names: messages wait for its end."""
        lane = self._lanes.get(agent)
        return lane is not None and lane.step is not None and lane.step.key is not IMPLICIT

    def knows(self, agent: str, call_id: str) -> bool:
        """Tell whether a call of an agent has had this id."""
        return (self._name, agent, call_id) in self._seen

    def note(self, agent: str, call_id: str) -> bool:
        """Take note of a call's id, and tell whether it is new.

        Whoever takes calls does so for theirs.
        """
        return self._seen.add((self._name, agent, call_id))

    def take(
        self,
        agent: str,
        entries: Sequence[PlainCall],
        calls: int,
        *,
        prompts: int = 0,
        key: Hashable | None = None,
    ) -> tuple[list[Event], PlainCalls]:
        """Take in plain calls, none of which has an id that was seen before it.

        Args:
            agent: who makes them; it `is_free`.
            entries: the calls, and what came between them.
            calls: how many calls there are among the entries.
            prompts: how many messages of a human.
            key: that of the last call's step if it is still open.

        Returns:
            The session's start if it has not been told, and the calls.
        """
        begun = self.begin()
        lane = self._lane(agent)
        before: list[Event] = []
        self._end_step(before, lane, entries[0][0])
        taken = PlainCalls(
            agent=lane.agent,
            first_index=lane.calls + 1,
            calls=entries,
            number=calls,
            prompts=prompts,
            before=before,
            result_recorded=self.start.records_results,
            step_open=key is not None,
        )
        lane.calls += calls
        if key is not None:
            *_, call_id, settled, _ = entries[-1]
            lane.step = _Step(key, closing=True, last=Place(settled, filled_id(call_id)))
        return begun, taken

    def copy(self, call_id: str, line: int | None) -> Problem:
        """Leave out a call that stands in the log again."""
        self.duplicates += 1
        message = f"call {call_id} stands here again"
        return self.problem(line, Severity.WARNING, "copy", message, _COPY_HINT)

    def result(
        self, call_id: str, answer: Answer, line: int | None, *, agent: str | None = None
    ) -> list[Event]:
        """Answer a call; it settles now or when the earlier calls of its step are answered."""
        told = [] if self.begun else self.begin()
        owner = agent if agent is not None else self._owner(CallId(call_id))
        key = (owner or "", CallId(call_id))
        if key not in self._open:
            told.append(self._stray(key, line))
            return told
        started, step = self._take(key)
        lane = self._lane(key[0])
        if lane.step is not step and not step.waits:
            self._end_if_answered(told, lane, line)
            self._say(told, lane, _settle(started, answer, line, late=True))
        else:
            self._answer(told, lane, step, started, answer, line)
        return told

    def user(  # noqa: PLR0913 - the fields of a message
        self,
        agent: str,
        line: int | None,
        texts: tuple[str, ...],
        *,
        source: Source = USER,
        resets: bool,
        queued_line: int | None = None,
        time: float | None = None,
    ) -> list[Event]:
        """Take in a user-role message. Inside a step it takes effect at the step's end."""
        told = self.begin()
        lane = self._lane(agent)
        self._end_if_answered(told, lane, line)
        if lane.step is not None:
            lane.step.closing = True
        message = UserMessage(
            agent=lane.agent,
            line=line,
            texts=texts,
            source=source,
            resets=resets,
            queued_line=queued_line,
            time=time,
        )
        self._say(told, lane, message)
        return told

    def assistant(  # noqa: PLR0913 - the fields of a message
        self,
        agent: str,
        line: int | None,
        texts: tuple[str, ...],
        *,
        key: Hashable = IMPLICIT,
        usage: Usage | None = None,
        time: float | None = None,
    ) -> list[Event]:
        """Take in what the model said. It belongs to the open step only if the keys are equal.

        What has no key ends a step, but not a named one with calls that still wait for an answer.
        """
        told = self.begin()
        lane = self._lane(agent)
        if lane.step is not None and _is_over(lane.step, key):
            self._end_step(told, lane, line)
        said = AssistantMessage(agent=lane.agent, line=line, texts=texts, usage=usage, time=time)
        self._say(told, lane, said)
        return told

    def injected(  # noqa: PLR0913 - the fields of a message
        self,
        agent: str,
        line: int | None,
        texts: tuple[str, ...],
        source: Source,
        *,
        trigger: Place | None = None,
        delivered: bool | None = None,
        time: float | None = None,
    ) -> list[Event]:
        """Take in a message that a plugin injected."""
        told = self.begin()
        lane = self._lane(agent)
        message = InjectedMessage(
            agent=lane.agent,
            line=line,
            texts=texts,
            source=source,
            trigger=trigger,
            delivered=delivered,
            time=time,
        )
        self._say(told, lane, message)
        return told

    def compaction(self, agent: str, line: int | None) -> list[Event]:
        """Take note that the history was summarised."""
        told = self.begin()
        lane = self._lane(agent)
        self._say(told, lane, Compaction(agent=lane.agent, line=line))
        return told

    def start_step(self, agent: str, line: int | None) -> list[Event]:
        """Take note that the agent's next request begins."""
        told = self.begin()
        lane = self._lane(agent)
        self._say(told, lane, StepStart(agent=lane.agent, line=line))
        return told

    def end_step(self, agent: str, line: int | None) -> list[Event]:
        """End the agent's open step: results still held settle, the others are unfinished."""
        told: list[Event] = []
        self._end_step(told, self._lane(agent), line)
        return told

    def resume(self, agent: str | None, line: int | None) -> list[Event]:
        """Rebuild one agent, or all, from the saved session: unanswered calls are dropped."""
        told = self.begin()
        for lane in list(self._lanes.values()) if agent is None else [self._lane(agent)]:
            self._end_at_once(told, lane, line)
            self._abandon(told, lane)
        whom = None if agent is None else self.agent(agent)
        told.append(Resume(session=self.start.session, agent=whom, line=line))
        return told

    def end(self, line: int | None) -> list[Event]:
        """End every step and the session."""
        told = self.begin()
        for lane in list(self._lanes.values()):
            self._end_at_once(told, lane, line)
            self._abandon(told, lane)
        session, copies = self.start.session, self.duplicates
        told.append(SessionEnd(session=session, line=line, duplicates_dropped=copies))
        return told

    def problem(  # noqa: PLR0913 - the fields of a problem
        self,
        line: int | None,
        severity: Severity,
        kind: str,
        message: str,
        hint: str | None = None,
        *,
        skipped: bool = False,
    ) -> Problem:
        """Make a problem of this session's file."""
        return Problem(
            path=self.start.path,
            line=line,
            severity=severity,
            kind=kind,
            message=message,
            hint=hint,
            skipped=skipped,
        )

    # ------------------------------------------------------------ how it is kept

    def _lane(self, name: str) -> _Lane:
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = _Lane(Agent(self.start.session, name))
        return lane

    def _fill(self) -> CallId:
        self.filled += 1
        return filled_id(self.filled)

    def _end_if_answered(self, told: list[Event], lane: _Lane, line: int | None) -> None:
        """End a step that the log does not name, once all its calls are answered."""
        step = lane.step
        if step is not None and step.key is IMPLICIT and not step.calls:
            self._end_step(told, lane, line)

    def _is_copy(self, key: tuple[str, CallId]) -> bool:
        return not self._ids_repeat and not self.note(*key)

    def _take(self, key: tuple[str, CallId]) -> tuple[ToolCall, _Step]:
        """Hand out an open call; from now on a result for it is a stray."""
        agents = self._agents_of[key[1]]
        agents.remove(key[0])
        if not agents:
            del self._agents_of[key[1]]
        return self._open.pop(key)

    def _owner(self, call_id: CallId) -> str | None:
        agents = self._agents_of.get(call_id, [])
        return agents[-1] if len(agents) == 1 or (agents and self._ids_repeat) else None

    def _step_for(self, told: list[Event], lane: _Lane, key: Hashable, line: int | None) -> _Step:
        """End the open step unless the call belongs to it, and open one if there is none."""
        step = lane.step
        if step is not None:
            if not (step.closing if key is IMPLICIT else step.key != key):
                return step
            self._end_step(told, lane, line)
        lane.step = step = _Step(key)
        return step

    def _wait(self, step: _Step, call: ToolCall, *, explicit: bool) -> None:
        """Keep a call until its result comes."""
        if call.nested:
            step.nested.add(call.index)
        else:
            step.calls.append(call)
        if explicit:
            self._open[call.agent.id, call.id] = call, step
            self._agents_of.setdefault(call.id, []).append(call.agent.id)
        else:
            step.lost.add(call.index)

    def _answered_at_once(
        self, told: list[Event], lane: _Lane, call: ToolCall, answer: Answer
    ) -> None:
        key = (lane.agent.id, call.id)
        if key in self._open:
            self._take(key)
        if lane.step is not None:
            self._answer(told, lane, lane.step, call, answer, call.line)

    def _answer(  # noqa: PLR0913, PLR0917 - who is answered, what, and where
        self,
        told: list[Event],
        lane: _Lane,
        step: _Step,
        call: ToolCall,
        answer: Answer,
        line: int | None,
    ) -> None:
        """Settle a call of an open or waiting step, and what that was waited for."""
        if call.index in step.nested:
            self._say(told, lane, _settle(call, answer, line))
            return
        step.last = Place(answer.line, call.id)
        step.closing = True
        if not step.waits and step.calls[0] is call:
            step.calls.popleft()
            self._say(told, lane, _settle(call, answer, line))
        else:
            step.answers[call.index] = answer
        if step.waits:
            self._release(told, lane, line)
            return
        while step.calls and step.calls[0].index in step.answers:
            call = step.calls.popleft()
            self._say(told, lane, _settle(call, step.answers.pop(call.index), line))

    def _end_step(self, told: list[Event], lane: _Lane, line: int | None) -> None:
        step, lane.step = lane.step, None
        if step is None:
            return
        if self._patience and not step.complete:
            step.waits, step.ended_line = True, line
            lane.queue.append(step)
            return
        for event in _ending(lane, step, line):
            self._say(told, lane, event)

    def _abandon(self, told: list[Event], lane: _Lane) -> None:
        """Give up the calls that no result came for."""
        told += [self._unfinished(key) for key in list(self._open) if key[0] == lane.agent.id]

    def _unfinished(self, key: tuple[str, CallId]) -> Problem:
        call, step = self._take(key)
        step.lost.add(call.index)
        message = f"call {call.id} of {call.name} has no result: it does not count"
        return self.problem(call.line, Severity.NOTE, "unfinished", message)

    def _say(self, told: list[Event], lane: _Lane, event: Event) -> None:
        """Give an event out, behind what waits."""
        if not lane.queue:
            told.append(event)
            return
        lane.queue.append(event)
        self._release(told, lane, None, give_up=len(lane.queue) > self._patience)

    def _release(
        self, told: list[Event], lane: _Lane, line: int | None, *, give_up: bool = False
    ) -> None:
        """Give out what waits, up to the next step that lacks results; if asked, without them."""
        while lane.queue:
            head = lane.queue[0]
            if isinstance(head, _Step):
                if not head.complete and not give_up:
                    return
                give_up = head.waits = False
                told += _ending(lane, head, head.ended_line if line is None else line)
            else:
                told.append(head)
            del lane.queue[0]

    def _end_at_once(self, told: list[Event], lane: _Lane, line: int | None) -> None:
        """End the open step, and wait for nothing any more."""
        self._end_step(told, lane, line)
        while lane.queue:
            self._release(told, lane, None, give_up=True)

    def _stray(self, key: tuple[str, CallId], line: int | None) -> Problem:
        owners = [key[0]] if key[0] else self._lanes
        again = any(self.knows(owner, key[1]) for owner in owners)
        what = f"a second result for call {key[1]}" if again else f"a result for no call: {key[1]}"
        return self.problem(line, Severity.NOTE, "stray-result", f"{what}; ignored")


_UNTOLD = Answer(line=None)
"""What a log without results says of one."""
_COPY_HINT = "copied history of a resumed session; it is counted once"


def _ending(lane: _Lane, step: _Step, line: int | None) -> list[Event]:
    """Settle what is held, and end the step; the other calls are unfinished."""
    told: list[Event] = [
        _settle(call, step.answers[call.index], line)
        for call in step.calls
        if call.index in step.answers
    ]
    told.append(StepEnd(agent=lane.agent, line=line, after=step.last))
    return told


def _is_over(step: _Step, key: Hashable) -> bool:
    """Tell whether what the model says under this key comes after the step."""
    if key is IMPLICIT:
        return step.key is IMPLICIT or not step.calls
    return step.key != key


def _settle(call: ToolCall, answer: Answer, line: int | None, *, late: bool = False) -> ToolResult:
    return ToolResult(
        call=call,
        line=answer.line,
        settled_line=line,
        status=answer.status,
        texts=answer.texts,
        value=answer.value,
        is_error=answer.is_error,
        failure=answer.failure,
        late=late,
        time=answer.time,
    )
