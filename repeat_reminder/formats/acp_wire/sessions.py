"""One session of an ACP wire log: its updates, gathered into calls, results and steps.

A call opens with ``tool_call``; updates complete it: ``rawInput`` may come late, and the title, a
text for humans, changes. So a step is held until it ends: at the next message or thought once all
its calls have ended, at the next call after one has ended or something was said, at the turn's end.
``user_message_chunk`` is an echo; only a ``session/prompt`` request is a human's message.

Calls of one agent keep their order; those of several agents may be told in another one.

Memory: the open step of each agent, the calls without an end, and one id per call (100 bytes).
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from repeat_reminder.events import Event, Json, SessionStart, Status
from repeat_reminder.formats.acp_wire.calls import FINAL, Call
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import PATIENCE, Answer, Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import MAIN, malformed, members, text


class _Message(NamedTuple):
    line: int | None
    texts: list[str]
    human: bool


@dataclass(slots=True)
class _Lane:
    """One agent's open step, and what comes behind it."""

    agent: str
    step: int = 0
    calls: list[Call] = field(default_factory=list)
    answers: list[tuple[Call, Answer]] = field(default_factory=list)
    """In the order they came."""
    closing: bool = False
    """A call has ended, or something was said: the next call opens a new step."""
    behind: list[_Message] = field(default_factory=list)


class AcpSession:
    """Turns the updates of one session into events."""

    def __init__(self, start: SessionStart, *, upserts: bool) -> None:
        """Begin a session.

        Args:
            start: the event that announces it.
            upserts: an update opens a call that is not known.
        """
        # Each call is told once here, so the session need not know ids too.
        self._session = Session(start, ids_repeat=True, patience=PATIENCE)
        self._upserts = upserts
        self._lanes: dict[str, _Lane] = {}
        self._calls: dict[str, Call] = {}
        """Calls without a result given out."""
        self._done: set[str] = set()
        self.replaying = False
        """What comes now is old history, sent again."""

    def begin(self) -> Iterator[Event]:
        """Announce the session."""
        yield from self._session.begin()

    def update(self, line: int | None, update: Record) -> Iterator[Event]:
        """Take in one ``session/update``."""
        if self.replaying:
            return
        match update.get("sessionUpdate"):
            case "tool_call":
                yield from self._call(line, update, opens=True)
            case "tool_call_update":
                yield from self._call(line, update, opens=self._upserts)
            case "agent_message_chunk":
                yield from self._chunk(line, update, texts_of([update.get("content")]))
            case "agent_thought_chunk":
                yield from self._chunk(line, update, ())
            case "compaction_update" if update.get("status") == "completed":
                yield from self._session.compaction(MAIN, line)
            case _:
                pass

    def prompt(self, line: int | None, prompt: Json) -> Iterator[Event]:
        """Take in a human's message: it acts when the running calls have ended."""
        self.replaying = False
        lane = yield from self._lane(MAIN, line)
        lane.closing = True
        lane.behind.append(_Message(line, [*texts_of(prompt)] or [""], human=True))
        if len(lane.calls) == len(lane.answers):
            yield from self._advance(lane, line)

    def turn_end(self, line: int | None) -> Iterator[Event]:
        """End the turn of a prompt: calls without an end stay unfinished."""
        lane = yield from self._lane(MAIN, line)
        yield from self._advance(lane, line)

    def decide(self, call_id: str, refused: Status | None) -> None:
        """Note how a client answered a request for permission."""
        if call_id in self._calls:
            self._calls[call_id].refused = refused

    def resume(self, line: int | None) -> Iterator[Event]:
        """Begin with fresh chains: the agent loads the session again."""
        for lane in self._lanes.values():
            yield from self._advance(lane, line)
        self._done.update(self._calls)
        self._calls.clear()
        yield from self._session.resume(None, line)

    def end(self, line: int | None) -> Iterator[Event]:
        """End the session."""
        for lane in self._lanes.values():
            yield from self._advance(lane, line)
        yield from self._session.end(line)

    # ------------------------------------------------------------ calls and chunks

    def _call(self, line: int | None, update: Record, *, opens: bool) -> Iterator[Event]:
        call_id = text(update.get("toolCallId"))
        if call_id is None:
            yield malformed(self._session, line, "a tool call without a toolCallId")
            return
        if call_id in self._done:
            return
        status = text(update.get("status"))
        call = self._calls.get(call_id)
        if call is None and opens:
            call = yield from self._opened(line, call_id, update)
        if call is None:
            if status in FINAL:
                yield from self._session.result(call_id, Answer(line=line), line)
            return
        if not call.ended:
            call.take(update)
            if status in FINAL:
                yield from self._ended(line, call, call.answer(line, status))

    def _opened(
        self, line: int | None, call_id: str, update: Record
    ) -> Generator[Event, None, Call]:
        lane = yield from self._lane(_agent_of(update), line)
        if lane.closing:
            yield from self._advance(lane, line)
        call = self._calls[call_id] = Call(call_id, lane.agent, line)
        lane.calls.append(call)
        return call

    def _ended(self, line: int | None, call: Call, answer: Answer) -> Iterator[Event]:
        call.ended = True
        if call.told:
            yield from self._result(call, answer)
            return
        lane = yield from self._lane(call.agent, line)
        lane.closing = True
        lane.answers.append((call, answer))

    def _chunk(self, line: int | None, update: Record, texts: tuple[str, ...]) -> Iterator[Event]:
        """Take in a piece of what the model says or thinks: it ends a step whose calls ended."""
        lane = yield from self._lane(_agent_of(update), line)
        if lane.calls and len(lane.calls) == len(lane.answers):
            yield from self._advance(lane, line)
        lane.closing = True
        if texts and lane.behind and not lane.behind[-1].human:
            lane.behind[-1].texts.extend(texts)
        elif texts:
            lane.behind.append(_Message(line, [*texts], human=False))

    # ------------------------------------------------------------ steps

    def _lane(self, agent: str, line: int | None) -> Generator[Event, None, _Lane]:
        lane = self._lanes.get(agent)
        if lane is None:
            lane = self._lanes[agent] = _Lane(agent)
            if agent != MAIN:
                maker = self._calls.get(agent)
                parent = maker.agent if maker else MAIN
                yield from self._session.introduce(agent, line, parent=parent)
        return lane

    def _advance(self, lane: _Lane, line: int | None) -> Iterator[Event]:
        """End the step, then give out what comes behind it."""
        yield from self._end_step(lane, line)
        behind, lane.behind = lane.behind, []
        for message in behind:
            if message.human:
                texts = tuple(message.texts)
                yield from self._session.user(MAIN, message.line, texts, resets=True)
            else:
                said = ("".join(message.texts),)
                yield from self._session.assistant(lane.agent, message.line, said)

    def _end_step(self, lane: _Lane, line: int | None) -> Iterator[Event]:
        """Give out the calls in the model's order, their results as they came, and the end."""
        for call in lane.calls:
            call.told = True
            yield from self._session.call(
                lane.agent,
                call.tool(),
                call.line,
                call_id=call.id,
                value=call.input(),
                key=lane.step,
            )
        for call, answer in lane.answers:
            yield from self._result(call, answer)
        yield from self._session.end_step(lane.agent, line)
        lane.calls, lane.answers, lane.closing = [], [], False
        lane.step += 1

    def _result(self, call: Call, answer: Answer) -> Iterator[Event]:
        del self._calls[call.id]
        self._done.add(call.id)
        yield from self._session.result(call.id, answer, answer.line, agent=call.agent)


def _agent_of(update: Record) -> str:
    """Return the agent: a subagent in its parent's session goes by the call that made it."""
    claude = members(members(update.get("_meta")).get("claudeCode"))
    return text(claude.get("parentToolUseId")) or MAIN
