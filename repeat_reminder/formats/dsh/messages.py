"""Messages of a DSH log: queued, claimed, and read by the request that comes.

A message is given out when that request begins, before the step's start: by then the reminders of
the last step wait in the engine, which puts each message where it stood in the queue.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event, Severity
from repeat_reminder.formats.dsh.calls import Calls
from repeat_reminder.formats.dsh.inbox import Inbox, Queued, Splice, take_claimed
from repeat_reminder.formats.dsh.shapes import Message
from repeat_reminder.formats.dsh.steps import Moment
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Session

REFUSED: Final = "a human prompt was taken in here but no request read it; taken for a reset"
REFUSED_HINT: Final = "the log does not tell whether the chain was reset"


class Messages:
    """The messages of one agent on their way to the model.

    In a log with an inbox a message resets if it was claimed (or, if a claim is missing, was
    waiting) and is human. Until the first splice the log has none: then every human message
    resets. Sessions that an old build began and a newer one went on with are right either way.
    """

    def __init__(self, session: Session, agent: str, inbox: Inbox | None) -> None:
        """Begin with the inbox of an inherited history, if there is one."""
        self._session = session
        self._agent = agent
        self.inbox = inbox or Inbox()
        self._has_inbox = inbox is not None
        self._claimed: list[Queued | None] = []
        self._claim_line: int | None = None
        self._landing: list[tuple[Queued, bool, float | None]] = []
        """For the request that comes: what, whether it resets, when."""

    @property
    def is_quiet(self) -> bool:
        """Whether no message is on its way to a request."""
        return not self._claimed and not self._landing

    def inherited(self) -> Inbox | None:
        """Return the inbox, if the log has one, for a session that goes on from here."""
        if not self._has_inbox:
            return None
        self.inbox.forget_triggers()
        return self.inbox

    def splice(self, line: int | None, data: Record, moment: Moment) -> Iterator[Event]:
        """Change the inbox."""
        self._has_inbox = True
        spliced = self.inbox.splice(line, data, moment)
        if spliced is None:
            yield self._session.problem(
                line, Severity.WARNING, "malformed", "not a splice of the inbox", skipped=True
            )
            return
        self._claim(spliced, line)
        for queued in spliced.dropped:
            yield from self._undelivered(queued)

    def _claim(self, spliced: Splice, line: int | None) -> None:
        if spliced.claimed:
            self._claimed += spliced.claimed
            self._claim_line = line

    def moves(self, line: int | None, data: Record, moment: Moment) -> bool:
        """Change the inbox as `splice` does, if that only puts messages in, or only takes some out.

        False, and nothing changes, if there is something to tell.
        """
        if data.get("outcome") is not None or (data.get("inserted") and data.get("removedCount")):
            return False
        spliced = self.inbox.splice(line, data, moment)
        if spliced is None:
            return False
        self._has_inbox = True
        self._claim(spliced, line)
        return True

    def land(self, line: int | None, message: Message, calls: Calls, time: float | None) -> None:
        """Take in a message that the log shows among those the model reads."""
        found, queued = take_claimed(self._claimed, message)
        if not found:
            queued = self.inbox.take(message)
            found = queued is not None or not self._has_inbox
        if queued is None:
            trigger = calls.only_result() if message.recorded else None
            before = line if calls.moment().running else None
            queued = Queued(message=message, line=line, before=before, trigger=trigger)
        landed = replace(queued, message=message, line=line)
        self._landing.append((landed, found and message.human, time))

    def read_plain(
        self, landing: Sequence[tuple[int, Message]], calls: Calls
    ) -> list[tuple[int | None, bool]] | None:
        """Return line, and whether it resets, of each message that the request reads now.

        None, and nothing changes, unless `read` would tell of those messages and nothing else.

        Args:
            landing: messages that have still to `land`, and their lines.
            calls: as `land` takes them.
        """
        before = (
            self._claimed.copy(),
            self._landing.copy(),
            {name: waiting.copy() for name, waiting in self.inbox.lists.items()},
        )
        for line, message in landing:
            self.land(line, message, calls, None)
        if self._claimed or any(queued.message.recorded for queued, _, _ in self._landing):
            self._claimed, self._landing, self.inbox.lists = before
            return None
        landed, self._landing = self._landing, []
        return [(queued.line, resets) for queued, resets, _ in landed]

    def read(self) -> Iterator[Event]:
        """Give out what the request that begins now reads."""
        landing, self._landing = self._landing, []
        for queued, resets, time in landing:
            message = queued.message
            if message.recorded:
                yield from self._session.injected(
                    self._agent,
                    queued.line,
                    message.texts,
                    message.source,
                    trigger=queued.trigger,
                    delivered=True,
                    time=time,
                )
            else:
                yield from self._session.user(
                    self._agent,
                    queued.line,
                    message.texts or ("",),
                    source=message.source,
                    resets=resets,
                    queued_line=queued.before,
                    time=time,
                )
        yield from self.refuse()

    def refuse(self) -> Iterator[Event]:
        """Give up what was claimed and no request read: a human prompt counts as a reset."""
        claimed, self._claimed = self._claimed, []
        for queued in claimed:
            if queued is None:
                continue
            if queued.message.human:
                yield from self._unread(self._claim_line, queued.message)
            else:
                yield from self._undelivered(queued)

    def end(self) -> Iterator[Event]:
        """Close the log: what still waits is never read."""
        yield from self.refuse()
        landing, self._landing = self._landing, []
        for queued, resets, _ in landing:
            if resets:
                yield from self._unread(queued.line, queued.message)
            else:
                yield from self._undelivered(queued)
        for queued in self.inbox.drain():
            yield from self._undelivered(queued)

    def _unread(self, line: int | None, message: Message) -> Iterator[Event]:
        yield from self._session.user(self._agent, line, (), source=message.source, resets=True)
        yield self._session.problem(line, Severity.NOTE, "refused-prompt", REFUSED, REFUSED_HINT)

    def _undelivered(self, queued: Queued) -> Iterator[Event]:
        """Tell of a reminder that the model never saw; of other messages there is no trace."""
        if queued.message.recorded:
            yield from self._session.injected(
                self._agent,
                queued.line,
                queued.message.texts,
                queued.message.source,
                trigger=queued.trigger,
                delivered=False,
            )
