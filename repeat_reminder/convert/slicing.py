"""The part of a session that lies between two lines, in whole steps.

A step is kept if one of its calls or results lies in the slice, with everything that came inside
it. What stands outside steps is kept by its own line. Logs without lines are cut by calls: of each
session the calls from A to B, and what stands before, between and after them.

Memory: the open steps, and what came since the first of them began.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from repeat_reminder.canonical import canonical_of
from repeat_reminder.convert.owners import agent_of, session_of
from repeat_reminder.convert.slices import Cut, Slice
from repeat_reminder.events import (
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    Compaction,
    Event,
    InjectedMessage,
    Problem,
    Resume,
    SessionEnd,
    SessionId,
    SessionStart,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.jsontext import TooDeep


def sliced(events: Iterable[Event], wanted: Slice, cut: Cut) -> Iterator[Event]:
    """Yield what lies in a slice, and every `Problem`.

    A session begins if something of it is kept, and ends where it ended in the log.

    Args:
        events: of one log, in harness order.
        wanted: what to keep.
        cut: takes note of what is left out.
    """
    knife = _Knife(wanted, cut)
    for event in events:
        yield from knife.feed(event)
    yield from knife.rest()


_Inner: TypeAlias = (
    ToolCall
    | ToolResult
    | StepEnd
    | StepStart
    | UserMessage
    | AssistantMessage
    | InjectedMessage
    | Compaction
    | Resume
    | AgentEnd
)
"""What happens inside a session."""


@dataclass(slots=True)
class _Step:
    """An open step of an agent; undecided until it is kept, or has ended."""

    kept: bool | None = None


@dataclass(slots=True)
class _Session:
    start: SessionStart | None = None
    """The start, as long as it has not been given out."""
    given: bool = False
    calls: int = 0
    steps: dict[Agent, _Step] = field(default_factory=dict)
    unanswered: dict[tuple[Agent, int], _Step] = field(default_factory=dict)
    introductions: dict[Agent, AgentStart] = field(default_factory=dict)
    left_out: dict[Agent, ToolCall] = field(default_factory=dict)
    """The last call of an agent before its first one that is kept."""


class _Waiting(NamedTuple):
    event: _Inner
    session: _Session
    step: _Step
    place: int
    """Its line; in a log without lines the call that it is or follows."""


class _Knife:
    """One cut through one log."""

    def __init__(self, wanted: Slice, cut: Cut) -> None:
        self._wanted = wanted
        self._cut = cut
        self._sessions: dict[SessionId, _Session] = {}
        self._queue: deque[_Waiting] = deque()

    def feed(self, event: Event) -> Iterator[Event]:
        """Take an event in; yield what is decided."""
        match event:
            case Problem():
                yield event
                return
            case SessionStart():
                self._sessions[event.session] = _Session(start=event)
                return
            case AgentStart():
                session = self._session(event.agent.session)
                session.introductions[event.agent] = event
                return
            case SessionEnd():
                yield from self._end(event)
                return
            case _:
                self._take(event)
        yield from self._decided()

    def rest(self) -> Iterator[Event]:
        """Decide what is left."""
        for session in self._sessions.values():
            _close(session)
        yield from self._decided()

    def _session(self, session: SessionId) -> _Session:
        return self._sessions.setdefault(session, _Session())

    def _take(self, event: _Inner) -> None:
        """Find out which step an event belongs to; one outside all steps is one by itself."""
        agent = agent_of(event)
        session = self._session(session_of(event) or SessionId(""))
        match event:
            case ToolCall():
                session.calls += 1
                step = session.steps.setdefault(event.agent, _Step())
                session.unanswered[event.agent, event.index] = step
                self._touch(step, *self._stretch(event.line, session.calls, session.calls))
            case ToolResult():
                step = session.unanswered.pop(
                    (event.call.agent, event.call.index), _Step(kept=False)
                )
                if event.line is not None:
                    self._touch(step, event.line, event.line)
            case StepEnd():
                step = session.steps.pop(event.agent, _Step(kept=False))
                step.kept = bool(step.kept)
            case _ if agent in session.steps:
                step = session.steps[agent]
            case _:
                step = _Step()
                self._touch(step, *self._stretch(event.line, session.calls, session.calls + 1))
                step.kept = bool(step.kept)
        place = session.calls if event.line is None else event.line
        self._queue.append(_Waiting(event, session, step, place))

    def _touch(self, step: _Step, low: int, high: int) -> None:
        """Keep a step that lies in the slice with this stretch."""
        self._cut.end = max(self._cut.end, low)
        if step.kept is None and self._wanted.touches(low, high):
            step.kept = True

    def _stretch(self, line: int | None, low: int, high: int) -> tuple[int, int]:
        """Return where something stands: at its line, or between two calls."""
        if line is None:
            self._cut.by_lines = False
            return low, high
        return line, line

    def _decided(self) -> Iterator[Event]:
        """Give out from the head of the queue what is decided."""
        while self._queue and (kept := self._queue[0].step.kept) is not None:
            event, session, _, place = self._queue.popleft()
            self._cut.count(event, kept=kept)
            self._note_run(session, event, kept=kept)
            if kept:
                if not isinstance(event, StepEnd):  # its line is that of what ended the step
                    self._cut.note(place)
                yield from self._introduced(session, event)
                yield event

    def _introduced(self, session: _Session, event: _Inner) -> Iterator[Event]:
        """Give out what has to precede the first thing that is kept."""
        if not session.given:
            session.given = True
            if session.start is not None:
                yield session.start
        agent = agent_of(event)
        start = None if agent is None else session.introductions.pop(agent, None)
        if start is not None:
            yield start

    def _note_run(self, session: _Session, event: _Inner, *, kept: bool) -> None:
        """Take note of a kept call that goes on with a run whose beginning is left out."""
        match event:
            case UserMessage(resets=True):
                session.left_out.pop(event.agent, None)
            case ToolCall() if not kept:
                session.left_out[event.agent] = event
            case ToolCall():
                before = session.left_out.pop(event.agent, None)
                if before is not None and _alike(before, event):
                    self._cut.begun.append(event)
            case _:
                pass

    def _end(self, end: SessionEnd) -> Iterator[Event]:
        session = self._sessions.pop(end.session, None)
        if session is None:
            return
        _close(session)
        yield from self._decided()
        if session.given:
            yield end


def _close(session: _Session) -> None:
    for step in session.steps.values():
        step.kept = bool(step.kept)
    session.steps.clear()


def _alike(one: ToolCall, other: ToolCall) -> bool:
    """Tell whether two calls would be one run."""
    try:
        return one.name == other.name and (
            canonical_of(one.arguments_text, one.arguments)
            == canonical_of(other.arguments_text, other.arguments)
        )
    except TooDeep:
        return False
