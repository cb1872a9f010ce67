"""Calls and results that do not stand where a harness would put them."""

from collections.abc import Iterator

from repeat_reminder.events import (
    Agent,
    Event,
    Problem,
    SessionEnd,
    SessionId,
    SessionStart,
    Severity,
    StepEnd,
    ToolCall,
    ToolResult,
)

UNFINISHED = "unfinished"
"""Kind of the notes of calls without a result; a reader tells of those that could have one."""


class Integrity:
    """Looks at calls and results as they go by.

    Results settle in the order of their calls: if one stands above one that has settled before it,
    the log has them in another order.

    Memory: the calls without a result, a line for each agent, a path for each open session.
    """

    def __init__(self) -> None:
        """Begin before the first event."""
        self._paths: dict[SessionId, str] = {}
        self._lowest: dict[Agent, int] = {}
        """The lowest result of each agent's running step."""
        self._open: dict[tuple[Agent, int], ToolCall] = {}
        self._told: set[int | None] = set()
        """Lines of unfinished calls that the reader has told of."""

    def of(self, event: Event) -> Iterator[Problem]:
        """Yield what is to be said because of an event."""
        match event:
            case SessionStart():
                self._paths[event.session] = event.path
            case ToolCall():
                self._open[event.agent, event.index] = event
            case ToolResult():
                self._open.pop((event.call.agent, event.call.index), None)
                yield from self._result(event)
            case StepEnd():
                self._lowest.pop(event.agent, None)
            case SessionEnd():
                yield from self._end(event.session)
            case Problem() if event.kind == UNFINISHED:
                self._told.add(event.line)
            case _:
                pass

    def _result(self, result: ToolResult) -> Iterator[Problem]:
        call, line = result.call, result.line
        what = f"the result of call {call.id} of {call.name}"
        if result.late:
            why = "came after its step had ended: it counts where it stands"
            yield self._note(call, line, "late-result", f"{what} {why}")
        elif line is not None:
            lowest = self._lowest.get(call.agent, line)
            self._lowest[call.agent] = max(line, lowest)
            if line < lowest:
                why = f"stands before that of an earlier call: it counts at line {lowest}"
                yield self._note(call, line, "out-of-order", f"{what} {why}")

    def _end(self, session: SessionId) -> Iterator[Problem]:
        """Tell of the calls that no result can be for."""
        for key in [key for key in self._open if key[0].session == session]:
            call = self._open.pop(key)
            if call.line is not None and call.line not in self._told:
                what = f"a call of {call.name} has no id, so no result can be its own: unfinished"
                yield self._note(call, call.line, UNFINISHED, what)
        self._paths.pop(session, None)
        if not self._open:
            self._told.clear()

    def _note(self, call: ToolCall, line: int | None, kind: str, message: str) -> Problem:
        path = self._paths.get(call.agent.session, "")
        return Problem(path=path, line=line, severity=Severity.NOTE, kind=kind, message=message)
