"""Where a DSH log stands: which step runs, and what has settled in it."""

from dataclasses import dataclass
from typing import NamedTuple

from repeat_reminder.events import CallId, Place, Source
from repeat_reminder.formats.dsh.shapes import whole
from repeat_reminder.formats.model import Record


class StepId(NamedTuple):
    """Names a step; None where a log leaves it out."""

    turn: int | None = None
    step: int | None = None


class Moment(NamedTuple):
    """What is going on when a message is queued."""

    running: bool = False
    """A step runs."""
    since: int | None = None
    """Where the program started whose calls' reminders are still to be queued, if one runs."""
    settled: Place | None = None
    """The last result of the running step: a guard queues its message right behind it."""
    program: str | None = None
    """The tool of that result, if its program made calls: then one of those may be the cause."""

    def trigger(self, source: Source) -> Place | None:
        """Return the result that made a guard speak, if that is certain."""
        if self.program is None:
            return self.settled
        summary = source.get("summary")
        own = isinstance(summary, str) and summary.startswith(f"{self.program} \u00d7 ")
        return self.settled if own else None


@dataclass(slots=True)
class _Settled:
    """The results of one step."""

    count: int = 0
    last: Place | None = None
    program: str | None = None


class Steps:
    """The running step and the one before it."""

    def __init__(self) -> None:
        """Begin before the first step."""
        self.current = StepId()
        self.running = False
        self.any = False
        """Whether there has been a step."""
        self._settled = _Settled()
        self._before = _Settled()

    def start(self, data: Record) -> None:
        """Begin a step."""
        self._begin(StepId(whole(data.get("turn")), whole(data.get("step"))))

    def run(self, step: StepId, line: int, call_id: str) -> None:
        """Begin a step, settle its one call, and end it."""
        self._begin(step)
        self.settle(line, call_id, None)
        self.end()

    def _begin(self, step: StepId) -> None:
        self.current = step
        self.running = self.any = True
        self._before, self._settled = self._settled, _Settled()

    def end(self) -> None:
        """End the running step."""
        self.running = False

    def named(self, data: Record) -> StepId:
        """Return the step that a record names; the running one where it names none."""
        turn, step = whole(data.get("turn")), whole(data.get("step"))
        return StepId(
            self.current.turn if turn is None else turn,
            self.current.step if step is None else step,
        )

    def settle(self, line: int | None, call_id: str, program: str | None) -> None:
        """Note a result; ``program`` is the tool's name if its program made calls."""
        self._settled = _Settled(
            count=self._settled.count + 1, last=Place(line, CallId(call_id)), program=program
        )

    def moment(self, since: int | None) -> Moment:
        """Tell what is going on."""
        return Moment(
            running=self.running,
            since=since,
            settled=self._settled.last,
            program=self._settled.program,
        )

    def only_result(self) -> Place | None:
        """Return the result of the last step that has any, if it is its only one.

        In a log without an inbox nothing else tells which call made a guard speak.
        """
        settled = self._settled if self._settled.count else self._before
        return settled.last if settled.count == 1 and settled.program is None else None
