"""Codex CLI rollouts, ``~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl``, plain or ``.zst``.

One file is one thread. A header that comes again is a resume, or that of the thread whose history
a fork copied into its own file. Files of early 2025 have bare items behind a header without
``type``. What the lines say: `codex_thread`.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from repeat_reminder.events import Event, Json
from repeat_reminder.formats import model
from repeat_reminder.formats.codex.proofs import irrelevant
from repeat_reminder.formats.codex.thread import Thread
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import members, started, text

NAME: Final = "codex"

ENVELOPES: Final = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: an envelope, or the header of files that have none."""
    for record in sample.records:
        kind = record.get("type")
        if isinstance(kind, str) and kind in ENVELOPES and isinstance(record.get("payload"), dict):
            return f"a line of type {kind} with a payload"
        if _is_bare_header(record):
            return "a header with id, timestamp and instructions, without a type"
        if record.get("record_type") == "state" and kind is None:
            return "a line with record_type state"
    return None


def _is_bare_header(record: Record) -> bool:
    return "type" not in record and all(
        key in record for key in ("id", "timestamp", "instructions")
    )


class CodexReader:
    """Reads the lines of one rollout; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._thread: Thread | None = None
        self._ancestors: set[str] = set()
        """Threads whose history is copied into this one."""

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
        elif _is_bare_header(record):
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


FORMAT: Final = Format(
    name=NAME,
    title="Codex CLI rollout",
    where="~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl[.zst], ~/.codex/archived_sessions/",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=CodexReader,
    irrelevant=irrelevant,
    lossy="whether a call failed, but for exit codes in its output",
)
