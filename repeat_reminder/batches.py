"""Many calls at once: a shortcut from a reader to the engine for calls that hold no surprise.

Reports show such calls only in their figures, so nobody makes a `ToolCall`, a `ToolResult` and a
`StepEnd` of each. Counting them is the same; nothing else of them is told.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Final, TypeAlias

from msgspec import Struct

from repeat_reminder.events import Agent, CallId, Event, ToolCall
from repeat_reminder.jsontext import loads


def filled_id(given: str | int) -> CallId:
    """Return the id of a call; one that the log gives none has a number."""
    return CallId(given if isinstance(given, str) else f"c{given}")


Left: TypeAlias = str | bytes
"""The arguments of a call as its reader left them, in JSON: the text that the call was given, or in
bytes the value that it was given."""

PlainCall: TypeAlias = tuple[int, str | None, Left, str | int, int, tuple[int, int] | None]
"""Line; tool; arguments as its reader left them; id, or a number where the log gives none; the line
where it settled; turn and step, in logs that name them. A plain tuple, for millions are made.
Without a tool it is what came between two calls: a message of a human, of the model, or one that
was put in for the model to read. Those for the model stand where the step before them is over.
"""

TOOL: Final = itemgetter(1)
"""The tool of a plain call."""

HUMAN: Final = b"human"
SPOKE: Final = b"spoke"
"""In place of arguments: a human's message, or any other."""


class PlainCalls(Struct, frozen=True, kw_only=True):
    """Calls of one agent that hold no surprise, as a reader that need not parse them gives them.

    Each is the only call of its step, was answered before anything else happened, and ran. They
    stand for the `ToolCall`, `ToolResult` and `StepEnd` of each, but for times and for what the
    results say: whoever needs that reads every line.
    """

    agent: Agent
    first_index: int
    """Index of the first call."""
    calls: Sequence[PlainCall]
    """At least one entry."""
    number: int
    """How many calls there are among the entries."""
    prompts: int = 0
    """How many messages of a human."""
    before: Sequence[Event] = ()
    """What introduces the agent, or ends its last step, where the first entry stands."""
    result_recorded: bool = True
    step_open: bool = False
    """The step of the last call has not ended yet."""

    def call(self, at: int, index: int) -> ToolCall:
        """Make the call of an entry."""
        line, name, left, call_id, _, place = self.calls[at]
        turn, step = place or (None, None)
        return ToolCall(
            agent=self.agent,
            id=filled_id(call_id),
            index=index,
            line=line,
            name=name or "",
            arguments_text=left if isinstance(left, str) else None,
            arguments=None if isinstance(left, str) else loads(left),
            turn=turn,
            step=step,
            result_recorded=self.result_recorded,
        )


class Batch(Struct, frozen=True, kw_only=True):
    """Plain calls of some agents, which act side by side."""

    parts: tuple[PlainCalls, ...]
    """One for each agent."""
