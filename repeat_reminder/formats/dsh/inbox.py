"""The agent's inbox: two lists of messages that wait, rebuilt from the splices of a log."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from repeat_reminder.events import Place
from repeat_reminder.formats.dsh.shapes import Message, message_of, text, whole
from repeat_reminder.formats.dsh.steps import Moment
from repeat_reminder.formats.model import Record

NEXT_STEP: Final = "next-step"
NEXT_TURN: Final = "next-turn"
MOST_UNKNOWN: Final = 1000
"""A count in a broken log cannot make us hold more than this."""


class Queued(Struct, frozen=True, kw_only=True):
    """A message that waits."""

    message: Message
    line: int | None
    """The line of its insertion."""
    before: int | None = None
    """Reminders of calls that settle after this line come behind it; None: all come before it."""
    trigger: Place | None = None
    """The call's result behind which it was queued, if the log tells."""


class Splice(NamedTuple):
    """What a splice took out."""

    claimed: tuple[Queued | None, ...] = ()
    """Taken in by the step that comes. None: a message whose insertion the log does not have."""
    dropped: tuple[Queued, ...] = ()
    """Edited away: never read."""


@dataclass(slots=True)
class Inbox:
    """Both lists, in order."""

    lists: dict[str, list[Queued]] = field(
        default_factory=lambda: {NEXT_STEP: [], NEXT_TURN: []},
    )

    def splice(self, line: int | None, data: Record, moment: Moment) -> Splice | None:
        """Apply a splice; None if it is none.

        One that only removes claims what it removes for the next step. One with an outcome, or
        that inserts too, is an edit: what it inserts waits where the removed message waited.
        """
        target, start = text(data.get("target")), whole(data.get("start"))
        removed = whole(data.get("removedCount")) or 0
        inserted = data.get("inserted", [])
        if target not in self.lists or start is None or not isinstance(inserted, list):
            return None
        if start < 0 or removed < 0:
            return None
        waiting = self.lists[target]
        gone = waiting[start : start + removed]
        messages = [message for message in map(message_of, inserted) if message is not None]
        fresh = [_queued(message, line, target, moment) for message in messages]
        if gone and fresh:
            fresh[0] = replace(fresh[0], before=gone[0].before)
        waiting[start : start + removed] = fresh
        if inserted or data.get("outcome") is not None:
            return Splice(dropped=tuple(gone))
        unknown = min(removed - len(gone), MOST_UNKNOWN)
        return Splice(claimed=(*gone, *([None] * unknown)))

    def take(self, message: Message) -> Queued | None:
        """Take out a message that lands though no splice has claimed it."""
        for waiting in self.lists.values():
            for index, queued in enumerate(waiting):
                if _same(queued.message, message):
                    return waiting.pop(index)
        return None

    def drain(self) -> list[Queued]:
        """Empty both lists: nothing more will be read."""
        left = [queued for waiting in self.lists.values() for queued in waiting]
        self.lists = {NEXT_STEP: [], NEXT_TURN: []}
        return left

    def forget_triggers(self) -> None:
        """Keep the messages, not the calls that queued them: those are another session's."""
        for waiting in self.lists.values():
            waiting[:] = [replace(queued, before=None, trigger=None) for queued in waiting]


def take_claimed(claimed: list[Queued | None], message: Message) -> tuple[bool, Queued | None]:
    """Take out the claimed message that lands; tell whether there is one, and what is known of it.

    It is found by id, else by what it says (ids may be taken out of a log), else it is one whose
    insertion the log does not have.
    """
    for fits in (_same, _alike):
        for index, queued in enumerate(claimed):
            if queued is not None and fits(queued.message, message):
                return True, claimed.pop(index)
    if None in claimed:
        claimed.remove(None)
        return True, None
    return False, None


def _same(queued: Message, message: Message) -> bool:
    return message.id is not None and queued.id == message.id


def _alike(queued: Message, message: Message) -> bool:
    return queued.source == message.source and queued.texts == message.texts


def _queued(message: Message, line: int | None, target: str, moment: Moment) -> Queued:
    """Note where a message is queued.

    While a program runs, the reminders of its calls wait for its result: a message that comes
    meanwhile stands before all of them, as if it had come when the program started.
    """
    inside = moment.running and target == NEXT_STEP
    before = moment.since if moment.since is not None else line
    return Queued(
        message=message,
        line=line,
        before=before if inside else None,
        trigger=moment.trigger(message.source) if inside and message.recorded else None,
    )
