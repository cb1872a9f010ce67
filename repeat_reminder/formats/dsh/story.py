"""The records of one agent's story, each handed to what it concerns."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from repeat_reminder.batches import Batch, PlainCall
from repeat_reminder.events import Event, Severity
from repeat_reminder.formats.dsh.calls import Calls
from repeat_reminder.formats.dsh.inbox import Inbox
from repeat_reminder.formats.dsh.messages import Messages
from repeat_reminder.formats.dsh.shapes import Message, message_of, rewrites, said, text, usage_of
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.seen import Seen

Handler = Callable[[int | None, Record, Record], Iterator[Event]]

MESSAGES: Final = frozenset({"user/message", "context/message", "steering/message"})
"""Records that may stand between a step's start and its request."""

SPLICED: Final = "agent/inbox/spliced"

REQUESTED: Final = frozenset({"assistant/message", "tool/call"})
"""Records that only a step has."""


TOLD: Final = frozenset(
    {
        *("agent/inbox/spliced", "assistant/message", "compact/end", "compaction/end"),
        *("context/message", "session/end-seed", "steering/message", "step/end", "step/start"),
        *("subagent/descriptor", "tool/call", "tool/code-dispatch", "tool/code-dispatch-start"),
        *("tool/ptc-dispatch", "tool/ptc-dispatch-start", "tool/result", "turn/end"),
        "user/message",
    }
)
"""The record types that make events, or change what is made of others."""


class Story:
    """One agent from its first own record on; a DSH session has exactly one."""

    def __init__(self, session: Session, inbox: Inbox | None = None) -> None:
        """Begin. An inherited history leaves its inbox, nothing else."""
        self._session = session
        self._agent = str(session.start.session)
        self._calls = Calls(session, self._agent)
        self._messages = Messages(session, self._agent, inbox)
        self._starting = False
        self._started: int | None = None
        """The line of the step's start, while the messages that its request reads may follow."""
        self._handlers: dict[str, Handler] = {
            SPLICED: self._spliced,
            "assistant/message": self._assistant,
            "compact/end": self._compacted,
            "compaction/end": self._compacted,
            "context/message": self._message,
            "session/end-seed": self._end_seed,
            "steering/message": self._message,
            "step/end": self._step_end,
            "step/start": self._step_start,
            "subagent/descriptor": self._descriptor,
            "tool/call": self._tool_call,
            "tool/code-dispatch": self._sub_result,
            "tool/code-dispatch-start": self._sub_call,
            "tool/ptc-dispatch": self._sub_result,
            "tool/ptc-dispatch-start": self._sub_call,
            "tool/result": self._tool_result,
            "turn/end": self._turn_end,
            "user/message": self._message,
        }

    def record(self, line: int | None, kind: str, record: Record) -> Iterator[Event]:
        """Map one record; the types that carry nothing for us give nothing."""
        handler = self._handlers.get(kind)
        if handler is None:
            return
        data = record.get("data", {})
        if not isinstance(data, dict):
            what = f"{kind}: its data is no object"
            yield self._session.problem(line, Severity.WARNING, "malformed", what, skipped=True)
            return
        if self._starting and kind not in MESSAGES:
            yield from self._begin_request()
        elif kind in REQUESTED and not self._calls.running:
            # The record of the step's start is lost: what follows shows that there was one.
            yield from self._messages.read()
        yield from handler(line, record, data)

    @property
    def is_free(self) -> bool:
        """Whether no step or call is under way. Messages may wait for the request that comes."""
        quiet = self._calls.is_quiet and not self._starting
        return quiet and self._session.is_free(self._agent)

    @property
    def nothing_waits(self) -> bool:
        """Whether no message is on its way to a request."""
        return self._messages.is_quiet

    @property
    def known(self) -> Seen:
        """See `Calls.known`."""
        return self._calls.known

    def hears(self, line: int, record: Record) -> bool:
        """Take in a message on its way to the request that comes, while the story `is_free`.

        False, and nothing changes, if the record is another one, or has something to tell by
        itself.
        """
        data = record.get("data")
        if record.get("type") == SPLICED:
            moment = self._calls.moment()
            return isinstance(data, dict) and self._messages.moves(line, data, moment)
        message = self.message(record)
        if message is not None:
            self._messages.land(line, message, self._calls, time_of(record.get("time")))
        return message is not None

    def message(self, record: Record) -> Message | None:
        """Return the message of a record that has nothing else to tell: no guard's reminder."""
        data = record.get("data")
        if record.get("type") not in MESSAGES or not isinstance(data, dict) or rewrites(record):
            return None
        message = message_of(data) or message_of(data.get("message"))
        return None if message is None or message.recorded else message

    def read_plain(
        self, landing: Sequence[tuple[int, Message]]
    ) -> list[tuple[int | None, bool]] | None:
        """See `Messages.read_plain`."""
        return self._messages.read_plain(landing, self._calls)

    def take(self, calls: Sequence[PlainCall], prompts: int) -> list[Event | Batch]:
        """See `Calls.take`."""
        return [*self._calls.end_step(calls[0][0]), *self._calls.take(calls, prompts)]

    def end(self, line: int | None) -> Iterator[Event]:
        """End the log."""
        if self._starting:
            yield from self._begin_request()
        yield from self._calls.end_step(line)
        yield from self._messages.end()
        yield from self._session.end(line)

    def inbox(self) -> Inbox | None:
        """Return the inbox as it stands, for a session that inherits this story."""
        return self._messages.inherited()

    # ------------------------------------------------------------ one method a record type

    def _step_start(self, line: int | None, _: Record, data: Record) -> Iterator[Event]:
        yield from self._calls.end_step(line)
        self._calls.start_step(data)
        self._starting, self._started = True, line

    def _step_end(self, line: int | None, _: Record, __: Record) -> Iterator[Event]:
        yield from self._calls.end_step(line)

    def _turn_end(self, _: int | None, __: Record, ___: Record) -> Iterator[Event]:
        yield from self._messages.refuse()

    def _spliced(self, line: int | None, _: Record, data: Record) -> Iterator[Event]:
        yield from self._messages.splice(line, data, self._calls.moment())

    def _message(self, line: int | None, record: Record, data: Record) -> Iterator[Event]:
        if rewrites(record):
            return
        message = message_of(data) or message_of(data.get("message"))
        if message is None:
            what = "a message without a source"
            yield self._session.problem(line, Severity.WARNING, "malformed", what, skipped=True)
            return
        self._messages.land(line, message, self._calls, time_of(record.get("time")))

    def _assistant(self, line: int | None, record: Record, data: Record) -> Iterator[Event]:
        if rewrites(record):
            return
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else data.get("content")
        yield from self._session.assistant(
            self._agent,
            line,
            said(content),
            key=self._calls.step_of(data),
            usage=usage_of(data.get("usage")),
            time=time_of(record.get("time")),
        )

    def _tool_call(self, line: int | None, record: Record, data: Record) -> Iterator[Event]:
        yield from self._calls.call(line, data, time_of(record.get("time")))

    def _tool_result(self, line: int | None, record: Record, data: Record) -> Iterator[Event]:
        if not rewrites(record):
            yield from self._calls.result(line, data, time_of(record.get("time")))

    def _sub_call(self, line: int | None, record: Record, data: Record) -> Iterator[Event]:
        yield from self._calls.sub_call(line, data, time_of(record.get("time")))

    def _sub_result(self, line: int | None, record: Record, data: Record) -> Iterator[Event]:
        yield from self._calls.sub_result(line, data, time_of(record.get("time")))

    def _end_seed(self, line: int | None, _: Record, __: Record) -> Iterator[Event]:
        """Rebuild the agent. One that has done nothing yet (a child's label is a seed) begins."""
        if self._calls.any_step:
            yield from self._calls.resume(line)

    def _descriptor(self, line: int | None, _: Record, data: Record) -> Iterator[Event]:
        parent = self._session.start.parent
        yield from self._session.introduce(
            self._agent, line, parent=parent, title=text(data.get("label"))
        )

    def _compacted(self, line: int | None, _: Record, data: Record) -> Iterator[Event]:
        if data.get("error") is None:
            yield from self._session.compaction(self._agent, line)

    def _begin_request(self) -> Iterator[Event]:
        self._starting = False
        yield from self._messages.read()
        yield from self._session.start_step(self._agent, self._started)
