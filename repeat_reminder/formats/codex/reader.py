"""The reader of Codex rollouts: headers, and the thread that each begins or goes on with."""

from collections.abc import Iterable, Iterator
from typing import Final

from repeat_reminder.events import Event, Json
from repeat_reminder.formats.codex.thread import Thread
from repeat_reminder.formats.model import Origin, Record, Skimmer
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import members, started, text

NAME: Final = "codex"

ENVELOPES: Final = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)


class CodexReader:
    """Reads the lines of one rollout; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._thread: Thread | None = None
        self._ancestors: set[str] = set()
        """Threads whose history is copied into this one."""

    def skimmer(self) -> Skimmer:
        """See `formats.model.Skimmable`."""
        # What is declared there takes its time, and few commands skim.
        from repeat_reminder.formats.codex.plain import CodexSkimmer  # noqa: PLC0415

        return CodexSkimmer(lambda: self._thread)

    @property
    def needs_every_line(self) -> bool:
        """Whether what waits is decided by the next line, whatever that says."""
        return self._thread is None or self._thread.undecided

    def record(self, line: int | None, record: Record) -> Iterable[Event]:
        """Map one line."""
        kind = record.get("type")
        payload = record.get("payload")
        if isinstance(payload, dict):
            if kind == "session_meta":
                return self._header(line, payload)
            if isinstance(kind, str):
                return self._open(line).envelope(
                    kind, line, payload, time_of(record.get("timestamp"))
                )
        elif is_bare_header(record):
            return self._header(line, record)
        elif isinstance(kind, str) and kind not in ENVELOPES:
            return self._open(line).item(line, record, None)
        return ()

    def end(self, line: int | None) -> Iterator[Event]:
        """End the thread."""
        if self._thread is not None:
            yield from self._thread.end(line)

    def _header(self, line: int | None, meta: Record) -> Iterator[Event]:
        given, thread = text(meta.get("id")), self._thread
        if thread is None:
            self._begin(line, given, meta)
        elif given is None or given in self._ancestors:
            pass
        elif given == thread.id:
            yield from thread.resume(line)
        elif thread.empty:
            self._ancestors.add(given)
        else:
            yield from thread.end(line - 1 if line else None)
            self._ancestors.clear()
            self._begin(line, given, meta)
        parent = text(meta.get("forked_from_id"))
        if parent is not None:
            self._ancestors.add(parent)

    def _begin(self, line: int | None, given: str | None, meta: Record) -> Thread:
        start = started(
            self._origin,
            NAME,
            line,
            given,
            cwd=meta.get("cwd"),
            parent=_parent(meta),
            unique_call_ids=True,
        )
        self._thread = Thread(Session(start, patience=PATIENCE))
        return self._thread

    def _open(self, line: int | None) -> Thread:
        """Return the thread; it begins here if its header is lost."""
        return self._thread or self._begin(line, None, {})


def _parent(meta: Record) -> str | None:
    """Return the thread that spawned this one as its subagent."""
    inner: Json = meta.get("source")
    for key in ("subagent", "thread_spawn", "parent_thread_id"):
        inner = members(inner).get(key)
    return text(inner) or text(meta.get("parent_thread_id"))


def is_bare_header(record: Record) -> bool:
    """Tell the header of files whose lines have no envelope."""
    return "type" not in record and all(
        key in record for key in ("id", "timestamp", "instructions")
    )
