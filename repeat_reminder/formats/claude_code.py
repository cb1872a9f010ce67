"""Claude Code transcripts: ``~/.claude/projects/<project>/<session>.jsonl`` and its subagents.

A step is one API message, told by ``message.id``: its blocks stand on lines of their own, and
results may stand between them. A chain belongs to one ``sessionId`` and one agent: ``agentId``,
else the first line of an inline sidechain, else the main agent. Lines with a ``uuid`` that was
seen are copies. ``progress`` lines repeat what subagents do and are not read.

Memory: what `Session` keeps, 60 bytes a line for its ``uuid``, and the lines of inline sidechains.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from repeat_reminder.events import Event, Json, SessionId, SessionStart, Severity, Usage
from repeat_reminder.formats import model
from repeat_reminder.formats.claude_results import answer_of
from repeat_reminder.formats.content import texts_of, time_of
from repeat_reminder.formats.human import injected_source, is_human
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Session

NAME: Final = "claude-code"
MAIN: Final = "main"

INJECTED: Final = (
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<system-reminder>",
    "<teammate-message",
    "<ci-monitor-event",
    "<user-prompt-submit-hook>",
    "<ide_opened_file>",
    "<ide_selection>",
    "<ide_diagnostics>",
    "[Request interrupted by user",
    "Caveat:",
    "This session is being continued from",
    "Stop hook feedback",
)
"""Beginnings of texts that no human typed. A slash command or ``!command`` is a human's act."""

SYNTHETIC: Final = "<synthetic>"
"""The model of assistant lines that Claude Code itself wrote, such as API errors."""

COMPACTIONS: Final = frozenset({"compact_boundary", "microcompact_boundary"})


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: any line may tell, for a file can begin with bookkeeping.

    Qwen Code writes the same keys; its messages have ``parts``.
    """
    records = sample.records
    if any(
        isinstance(message := record.get("message"), dict) and "parts" in message
        for record in records
    ):
        return None
    return next((evidence for evidence in map(_evidence, records) if evidence), None)


def _evidence(record: Record) -> str | None:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _TELLING:
        return None
    if all(key in record for key in _TELLING[kind]):
        return f"a line of type {kind} with {', '.join(_TELLING[kind])}"
    return None


_LINKED: Final = ("uuid", "parentUuid", "sessionId")
_TELLING: Final[dict[str, tuple[str, ...]]] = {
    "user": (*_LINKED, "message"),
    "assistant": (*_LINKED, "message"),
    "attachment": (*_LINKED, "attachment"),
    "progress": (*_LINKED, "data"),
    "system": (*_LINKED, "userType"),
    "summary": ("summary", "leafUuid"),
    "file-history-snapshot": ("messageId", "snapshot"),
    "queue-operation": ("operation", "sessionId"),
    "last-prompt": ("sessionId", "lastPrompt"),
    "custom-title": ("sessionId", "customTitle"),
    "mode": ("sessionId", "mode"),
    "permission-mode": ("sessionId", "permissionMode"),
}
"""Line types of Claude Code, each with the keys that tell it from other logs' types."""


class _Place(NamedTuple):
    """Whose line it is."""

    session: Session
    agent: str
    line: int | None
    time: float | None


class ClaudeCodeReader:
    """Reads the lines of one transcript; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file; a session starts with its first line that says something."""
        self._origin = origin
        self._sessions: dict[str | None, Session] = {}
        self._uuids: set[int] = set()
        self._roots: dict[str, str] = {}
        """The first line of an inline sidechain, by each of its lines."""
        self._introduced: set[tuple[Session, str]] = set()
        self._usage: dict[tuple[Session, str], tuple[str | None, Usage]] = {}
        """What has been said of the newest message's tokens, by agent."""
        self._handlers: dict[str, Callable[[_Place, Record], Iterable[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "attachment": self._attachment,
            "system": self._system,
        }

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one line."""
        if record.get("isSidechain") is True and "agentId" not in record:
            self._note_sidechain(record)
        kind = record.get("type")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is None:
            return
        place = self._place(line, record)
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            if (known := hash(uuid)) in self._uuids:
                yield from _copies(place, record)
                return
            self._uuids.add(known)
        yield from self._introduce(place)
        yield from handler(place, record)

    def end(self, line: int | None) -> Iterator[Event]:
        """End every session of the file."""
        for session in self._sessions.values():
            yield from session.end(line)

    # ------------------------------------------------------------ whose line it is

    def _place(self, line: int | None, record: Record) -> _Place:
        session_id, agent = record.get("sessionId"), record.get("agentId")
        key = session_id if isinstance(session_id, str) else next(iter(self._sessions), None)
        session = self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = self._begin(key, line, record)
        if not isinstance(agent, str):
            agent = MAIN
            if record.get("isSidechain") is True:
                agent = f"side:{self._root(record)}"
        return _Place(session, agent, line, time_of(record.get("timestamp")))

    def _begin(self, session_id: str | None, line: int | None, record: Record) -> Session:
        cwd = record.get("cwd")
        # Every line of a subagent's own file has its id; the session id is its parent's.
        subagent = not self._sessions and isinstance(record.get("agentId"), str)
        return Session(
            SessionStart(
                session=SessionId(session_id or self._origin.name),
                line=line,
                format=NAME,
                path=self._origin.path,
                compression=self._origin.compression,
                cwd=cwd if isinstance(cwd, str) else None,
                unique_id=session_id is not None,
                unique_call_ids=True,
                parent=session_id if subagent else None,
            )
        )

    def _note_sidechain(self, record: Record) -> None:
        uuid, parent = record.get("uuid"), record.get("parentUuid")
        if isinstance(uuid, str) and uuid not in self._roots:
            root = self._roots.get(parent) if isinstance(parent, str) else None
            self._roots[uuid] = root or uuid

    def _root(self, record: Record) -> str:
        uuid = record.get("uuid")
        return self._roots.get(uuid, uuid) if isinstance(uuid, str) else ""

    def _introduce(self, place: _Place) -> Iterator[Event]:
        """Say of a subagent whose child it is, before its first act."""
        key = (place.session, place.agent)
        if place.agent != MAIN and key not in self._introduced:
            self._introduced.add(key)
            yield from place.session.introduce(place.agent, place.line, parent=MAIN)

    # ------------------------------------------------------------ one method a line type

    def _assistant(self, place: _Place, record: Record) -> Iterator[Event]:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(content, str | list):
            yield _malformed(place, "assistant line without message content")
            return
        if record.get("isApiErrorMessage") is True or message.get("model") == SYNTHETIC:
            return
        session, agent, line, time = place
        message_id = message.get("id")
        key = message_id if isinstance(message_id, str) else None
        blocks = _blocks(content)
        texts = texts_of([block for block in blocks if block.get("type") == "text"])
        usage = self._new_usage(place, key, message.get("usage"))
        if texts or usage:
            # A message without an id is a step of its own.
            yield from session.assistant(
                agent, line, texts, key=key or line, usage=usage, time=time
            )
        for block in blocks:
            if block.get("type") != "tool_use":
                continue
            name, call_id = block.get("name"), block.get("id")
            if not isinstance(name, str):
                yield _malformed(place, "tool_use without a name")
                continue
            yield from session.call(
                agent,
                name,
                line,
                call_id=call_id if isinstance(call_id, str) else None,
                value=block.get("input"),
                key=key or line,
                time=time,
            )

    def _new_usage(self, place: _Place, key: str | None, value: Json) -> Usage | None:
        """Return the tokens that no earlier line of the same message has told."""
        if not isinstance(value, dict):
            return None
        now = Usage(input=_sum(value, INPUT_TOKENS), output=_sum(value, ("output_tokens",)))
        agent = (place.session, place.agent)
        before_key, before = self._usage.get(agent, (None, now))
        self._usage[agent] = key, now
        if key is None or before_key != key:
            return now
        new = Usage(
            input=max(0, now.input - before.input), output=max(0, now.output - before.output)
        )
        return new if new.input or new.output else None

    def _user(self, place: _Place, record: Record) -> Iterator[Event]:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, str | list):
            yield _malformed(place, "user line without message content")
            return
        results = [block for block in _blocks(content) if block.get("type") == "tool_result"]
        if results:
            yield from _results(place, record, results)
            content = [block for block in _blocks(content) if block.get("type") != "tool_result"]
        texts = texts_of(content)
        if not texts:
            return
        kind = "beside-result" if results else _kind(record)
        yield from _message(place, texts, kind)

    def _attachment(self, place: _Place, record: Record) -> Iterator[Event]:
        """Take in a message that was queued while the agent worked, or a hook's context."""
        attachment = record.get("attachment")
        if not isinstance(attachment, dict):
            return
        if attachment.get("type") == "queued_command":
            kind = _kind(attachment)
            if kind is None and attachment.get("commandMode") == "task-notification":
                kind = "task-notification"
            texts = texts_of(attachment.get("prompt"))
            if texts:
                yield from _message(place, texts, kind)
        elif attachment.get("type") == "hook_additional_context":
            texts = texts_of(attachment.get("content"))
            if texts:
                session, agent, line, time = place
                hook: dict[str, Json] = {"kind": NAME, "type": "hook-context"}
                yield from session.injected(agent, line, texts, hook, time=time)

    def _system(self, place: _Place, record: Record) -> Iterator[Event]:
        if record.get("subtype") in COMPACTIONS:
            yield from place.session.compaction(place.agent, place.line)


INPUT_TOKENS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _kind(record: Record) -> str | None:
    """Return what a user line or queued command is if the log says it is no human's message."""
    if record.get("isCompactSummary") is True:
        return "compact-summary"
    if record.get("isMeta") is True:
        return "meta"
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return kind if isinstance(kind, str) and kind != "human" else None


def _message(place: _Place, texts: tuple[str, ...], kind: str | None) -> Iterator[Event]:
    session, agent, line, time = place
    if kind is None and is_human(texts, INJECTED):
        yield from session.user(agent, line, texts, resets=True, time=time)
        return
    source = (
        injected_source(NAME, texts, INJECTED) if kind is None else {"kind": NAME, "type": kind}
    )
    yield from session.user(agent, line, texts, source=source, resets=False, time=time)


def _results(place: _Place, record: Record, blocks: list[Record]) -> Iterator[Event]:
    told = record.get("toolUseResult") if len(blocks) == 1 else None
    for block in blocks:
        call_id = block.get("tool_use_id")
        if isinstance(call_id, str):
            # An agent is named only in its own lines; within a file an id tells the call.
            agent = place.agent if "agentId" in record else None
            known = told if isinstance(told, dict) else {}
            answer = answer_of(block, known, place.line, place.time)
            yield from place.session.result(call_id, answer, place.line, agent=agent)
        else:
            yield _malformed(place, "tool_result without tool_use_id")


def _copies(place: _Place, record: Record) -> Iterator[Event]:
    """Count the calls of a line that stands in the file again."""
    message = record.get("message")
    for block in _blocks(message.get("content") if isinstance(message, dict) else None):
        call_id = block.get("id")
        if block.get("type") == "tool_use" and isinstance(call_id, str):
            yield place.session.copy(call_id, place.line)


def _blocks(content: Json) -> list[Record]:
    """Return the blocks of message content that are objects."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )


def _sum(usage: dict[str, Json], keys: tuple[str, ...]) -> int:
    counts = (usage.get(key) for key in keys)
    return sum(count for count in counts if isinstance(count, int) and count > 0)


def _malformed(place: _Place, what: str) -> Event:
    return place.session.problem(place.line, Severity.WARNING, "malformed", what, skipped=True)


FORMAT: Final = Format(
    name=NAME,
    title="Claude Code transcript",
    where="~/.claude/projects/<project>/<session id>.jsonl, …/<session id>/subagents/agent-*.jsonl",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=ClaudeCodeReader,
    lossy="exit codes of commands that succeed; a resume that keeps the session id",
)
