"""Cursor agent transcripts: ``~/.cursor/projects/<project>/agent-transcripts/**/<id>.jsonl``.

The lines hold what was said and called, and nothing else: no ids, no times, no results. So a call
counts where it stands. A step is one assistant line.

Memory: what `Session` keeps.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import Event
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Answer, Session
from repeat_reminder.formats.shared.blocks import BlockMessages
from repeat_reminder.formats.shared.lenient import malformed, started

NAME: Final = "cursor"
ROLES: Final = frozenset({"user", "assistant"})
INJECTED: Final = (
    *("<system_reminder>", "<system-reminder>", "<system_notification>"),
    *("<user_info>", "<rules>", "<open_and_recently_viewed_files>", "<agent_transcripts>"),
)
"""How blocks begin that Cursor writes itself; what a human says is in ``<user_query>``."""

OTHERS: Final = frozenset({"type", "uuid", "id", "sessionId", "timestamp", "parentId"})
"""Members of other formats' lines that hold a message too."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a role beside a message, and no id or time."""
    for record in sample.records:
        message, role = record.get("message"), record.get("role")
        if not isinstance(role, str) or role not in ROLES or OTHERS & record.keys():
            continue
        if isinstance(message, dict) and "content" in message and "role" not in message:
            return f"a record of role {role} with a message, without id or time"
    return None


class CursorReader:
    """Reads the lines of one file; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._session: Session | None = None
        self._messages: BlockMessages | None = None

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one line."""
        role, message = record.get("role"), record.get("message")
        if not isinstance(role, str) or role not in ROLES:
            return
        session, messages = self._begun(line)
        if not isinstance(message, dict):
            yield malformed(session, line, f"a record of role {role} without a message")
            return
        yield from messages.message(line, {**message, "role": role})

    def end(self, line: int | None) -> Iterator[Event]:
        """End the session."""
        if self._session is not None:
            yield from self._session.end(line)

    def _begun(self, line: int | None) -> tuple[Session, BlockMessages]:
        if self._session is None or self._messages is None:
            start = replace(started(self._origin, NAME, line, None), records_results=False)
            self._session = Session(start)
            self._messages = BlockMessages(
                self._session, kind=NAME, answer_of=_no_answer, injected=INJECTED
            )
        return self._session, self._messages


def _no_answer(*_: object) -> tuple[None, Answer | None]:
    """Read no result: the few that some versions write have no id to tell their call."""
    return None, None


FORMAT: Final = Format(
    name=NAME,
    title="Cursor agent transcript",
    where="~/.cursor/projects/<project>/agent-transcripts/<id>.jsonl, or in a folder of that name",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=CursorReader,
    lossy="results, ids, times, tokens, which calls failed",
)
