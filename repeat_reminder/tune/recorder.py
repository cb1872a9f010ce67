"""The one pass over a log: a guard that says nothing and writes down what settles, and when."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Protocol

from repeat_reminder.engine import Replay
from repeat_reminder.events import (
    Agent,
    AssistantMessage,
    Event,
    InjectedMessage,
    Intervention,
    Json,
    Problem,
    SessionEnd,
    SessionId,
    SessionStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.policies import UNTRACKED, Guard, Verdict
from repeat_reminder.tune.breaker_table import BreakerTable
from repeat_reminder.tune.recorded import is_reminder
from repeat_reminder.tune.sheet import Sheet
from repeat_reminder.tune.table import SessionTable


def tables(
    events: Iterable[Event], recorder: "Recorder", breaker: "BreakerNotes | None" = None
) -> Iterator[SessionTable | Problem]:
    """Yield a table for every session as it ends, and every problem as it comes.

    Args:
        events: of one log, in harness order.
        recorder: takes the notes; one that has seen nothing yet.
        breaker: takes the notes for a breaker; it stands behind the recorder.
    """
    engine = Replay([recorder, breaker] if breaker else [recorder])
    for event in events:
        if isinstance(event, Problem):
            yield event
            continue
        ended = recorder.see(event)
        for _ in engine.feed(event):
            pass
        if ended is not None:
            session = SessionId(ended.session)
            yield replace(ended, breaker=breaker.table(session)) if breaker else ended


class BreakerNotes(Guard, Protocol):
    """A guard that hands out its notes of a session."""

    def table(self, session: SessionId) -> BreakerTable:
        """Return the notes of a session that has ended."""


class Recorder:
    """A `Guard` that acts on nothing; `see` shows it what a guard does not listen to."""

    name: Final = "recorder"
    gates: Final = False

    def __init__(self) -> None:
        """Start without a session."""
        self._open: dict[SessionId, Sheet] = {}

    def see(self, event: Event) -> SessionTable | None:
        """Note an event before the engine gets it; at a session's end return its table."""
        match event:
            case ToolCall():
                self._sheet(event.agent.session).started(event)
            case AssistantMessage(usage=usage) if usage is not None:
                self._sheet(event.agent.session).spent(event.agent, usage.input + usage.output)
            case InjectedMessage() if is_reminder(event.source):
                self._sheet(event.agent.session).reminded(event)
            case UserMessage(resets=True):
                self._sheet(event.agent.session).resets += 1
            case SessionStart():
                self._open[event.session] = Sheet(event)
            case SessionEnd():
                sheet = self._open.pop(event.session, None)
                return sheet.table(event) if sheet else None
            case _:
                pass
        return None

    def rows(self, session: SessionId) -> int:
        """Return how many calls of an open session have settled."""
        return self._sheet(session).rows

    def agent(self, agent: Agent) -> int:
        """Return the number of an agent in its session's table."""
        return self._sheet(agent.session).agent(agent.id)

    def _sheet(self, session: SessionId) -> Sheet:
        sheet = self._open.get(session)
        if sheet is None:  # a stream made by hand may lack the start
            start = SessionStart(session=session, line=None, format="", path=session)
            sheet = self._open[session] = Sheet(start)
        return sheet

    def config_record(self) -> dict[str, Json]:
        """Return nothing: there is nothing to set."""
        return {}

    def on_call(self, _call: ToolCall) -> tuple[Intervention, ...]:
        """Let every call run."""
        return ()

    def on_result(self, result: ToolResult) -> Verdict:
        """Write down a call that has settled."""
        self._sheet(result.call.agent.session).settled(result)
        return UNTRACKED

    def on_skipped(self, call: ToolCall) -> None:
        """Forget a call that never started."""
        self._sheet(call.agent.session).unfinished -= 1

    def on_user_message(self, agent: Agent) -> None:
        """Start a new lane: a human has spoken."""
        self._sheet(agent.session).leave_lane(agent.id)

    def on_agent_gone(self, agent: Agent) -> None:
        """Start a new lane: what was in memory is lost."""
        self._sheet(agent.session).leave_lane(agent.id)

    def on_session_end(self, session: SessionId) -> None:
        """Do nothing: the table was made when the end was seen."""
