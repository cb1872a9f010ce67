"""The reader of Claude Code transcripts: whose line each is, and which stand there twice."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from repeat_reminder.events import Event
from repeat_reminder.formats.claude_code.lines import Lines, Names, Owner, Place, blocks_of
from repeat_reminder.formats.claude_code.messages import KIND
from repeat_reminder.formats.model import Origin, Record, Skimmer
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import MAIN, members, started, text
from repeat_reminder.formats.shared.seen import Seen

NAME: Final = KIND


class ClaudeCodeReader:
    """Reads the lines of one transcript; see `formats.model.Reader`."""

    def __init__(self, origin: Origin) -> None:
        """Begin at the top of a file; a session starts with its first line that says something."""
        self._origin = origin
        self._sessions: dict[str | None, Session] = {}
        self._uuids = Seen()
        self._calls = Seen()
        self._roots: dict[str, str] = {}
        """The first line of an inline sidechain, by each of its lines."""
        self._introduced: set[tuple[Session, str]] = set()
        self._lines = Lines()

    def record(self, line: int | None, record: Record) -> Iterable[Event]:
        """Map one line."""
        if record.get("isSidechain") is True and "agentId" not in record:
            self._note_sidechain(record)
        handler = self._lines.handler(record.get("type"))
        if handler is None:
            return ()
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            if uuid in self._uuids:
                return self._copies(line, record)
            self._uuids.add(uuid)
        place = self._place(line, record)
        if place.agent == MAIN:
            return handler(place, record)
        return chain(self._introduce(place.session, place.agent, line), handler(place, record))

    def end(self, line: int | None) -> Iterator[Event]:
        """End every session of the file."""
        for session in self._sessions.values():
            yield from session.end(line)

    def skimmer(self) -> Skimmer:
        """See `formats.model.Skimmable`."""
        # What is declared there takes its time, and few commands skim.
        from repeat_reminder.formats.claude_code.plain import ClaudeCodeSkimmer  # noqa: PLC0415

        return ClaudeCodeSkimmer(self._owner, self._introduce, self._lines.heard, self._uuids)

    def _owner(self, names: Names) -> Owner | None:
        """Return whose line it is, if its session has begun and it takes no look at other lines."""
        session_id, agent_id, sidechain = names
        session = self._sessions.get(session_id or next(iter(self._sessions), None))
        agent = agent_id if agent_id is not None or sidechain else MAIN
        if session is None or not session.begun or agent is None:
            return None
        return Owner(session, agent, agent != MAIN and (session, agent) not in self._introduced)

    def _copies(self, line: int | None, record: Record) -> Iterator[Event]:
        """Count the calls of a line that stands in the file again."""
        session = self._sessions.get(self._session_key(record))
        for block in blocks_of(members(record.get("message")).get("content")):
            call_id = block.get("id")
            if session and block.get("type") == "tool_use" and isinstance(call_id, str):
                yield session.copy(call_id, line)

    # ------------------------------------------------------------ whose line it is

    def _session_key(self, record: Record) -> str | None:
        """Return the session id of a line; a line without one goes with the file's first."""
        return text(record.get("sessionId")) or next(iter(self._sessions), None)

    def _place(self, line: int | None, record: Record) -> Place:
        key, agent = self._session_key(record), record.get("agentId")
        session = self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = self._begin(key, line, record)
        if not isinstance(agent, str):
            agent = MAIN
            if record.get("isSidechain") is True:
                agent = f"side:{self._root(record)}"
        return Place(session, agent, line, time_of(record.get("timestamp")))

    def _begin(self, session_id: str | None, line: int | None, record: Record) -> Session:
        # Every line of a subagent's own file has its id; the session id is its parent's.
        subagent = not self._sessions and isinstance(record.get("agentId"), str)
        start = started(
            self._origin,
            NAME,
            line,
            session_id,
            cwd=record.get("cwd"),
            parent=session_id if subagent else None,
            unique_call_ids=True,
        )
        return Session(start, patience=PATIENCE, seen=self._calls)

    def _note_sidechain(self, record: Record) -> None:
        uuid, parent = text(record.get("uuid")), text(record.get("parentUuid"))
        if uuid is not None and uuid not in self._roots:
            self._roots[uuid] = self._roots.get(parent or "", uuid)

    def _root(self, record: Record) -> str:
        uuid = text(record.get("uuid")) or ""
        return self._roots.get(uuid, uuid)

    def _introduce(self, session: Session, agent: str, line: int | None) -> list[Event]:
        """Say of a subagent whose child it is, before its first act."""
        if (session, agent) in self._introduced:
            return []
        self._introduced.add((session, agent))
        return session.introduce(agent, line, parent=MAIN)
