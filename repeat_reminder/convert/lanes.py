"""Which step of an agent is open in what has been written."""

from dataclasses import dataclass, field
from typing import NamedTuple

from repeat_reminder.events import CallId, ToolCall
from repeat_reminder.formats.model import Record


class StepKey(NamedTuple):
    """What a record calls its step."""

    turn: int | None
    step: int

    def record(self) -> Record:
        """Return the fields that name the step."""
        return {"step": self.step} if self.turn is None else {"turn": self.turn, "step": self.step}


@dataclass(slots=True)
class Lane:
    """What has been written of one agent."""

    agent: str
    key: StepKey | None = None
    """The open step; None if none is."""
    ended: bool = False
    """The open step is over; whoever reads this will know from the next record, or is told."""
    unanswered: set[int] = field(default_factory=set)
    """Calls of the open step without a result so far, by index."""
    requested: bool = False
    """A request has begun, and nothing that shows it has been written."""
    mark: int | None = None
    """The number of the first record of its last step, while a message or result may precede some
    of them."""
    steps: int = 0
    """Steps numbered by us."""
    renamed: dict[int, CallId] = field(default_factory=dict)
    """Calls without a result whose id was used before, by index."""
    newest: dict[CallId, CallId] = field(default_factory=dict)
    """Ids that were used before, and what the newest call with each is called."""

    def step_of(self, call: ToolCall) -> StepKey:
        """Name the step that a call opens: as its log does, or by a number of our own."""
        if call.step is not None and call.step > 0 and (call.turn is None or call.turn > 0):
            return StepKey(call.turn, call.step)
        self.steps += 1
        return StepKey(None, self.steps)

    def written(self, call_id: CallId) -> CallId:
        """Return what the newest call with an id is called."""
        return self.newest.get(call_id, call_id)
