"""First-seen numbers for everything a log names by chance: agents, calls, messages."""

from msgspec import Struct, field

from repeat_reminder.events import Agent, SessionId, SessionStart, ToolCall
from repeat_reminder.render.acp.normalise import Folder, Normaliser, Words, folder

ROOT = "main"


class _Session(Struct):
    token: str
    unique: bool
    folder: Folder | None
    root: str | None = None
    """Id of the agent that the session's own token stands for."""
    agents: dict[str, str] = field(default_factory=dict)
    calls: dict[tuple[str, int], str] = field(default_factory=dict)


class Aliases:
    """Tokens and numbers of one transcript; numbering goes on over its sessions.

    Memory: of the sessions that are open one number per call (about 200 bytes); for good one token
    per session and agent.
    """

    def __init__(self) -> None:
        """Begin at 1 everywhere."""
        self._sessions: dict[SessionId, _Session] = {}
        self._words = Words()
        self._agents = self._calls = self._messages = 0

    def start(self, start: SessionStart) -> None:
        """Take in a session. One whose id is not unique is another one each time."""
        known = self._sessions.get(start.session)
        if known is not None and known.unique and start.unique_id:
            known.folder = folder(start.cwd)
            return
        begun = _Session(self._token(), start.unique_id, folder(start.cwd))
        self._sessions[start.session] = begun
        if begun.unique:
            self._words.add(start.session, begun.token)

    def end(self, session: SessionId) -> None:
        """Forget a session's calls; its agents only if nothing later can mean them."""
        ended = self._sessions.get(session)
        if ended is None:
            return
        ended.calls.clear()
        if not ended.unique:
            del self._sessions[session]

    def session(self, session: SessionId) -> str:
        """Return the token of a session, which is that of its root agent."""
        return self._session(session).token

    def agent(self, agent: Agent, *, is_root: bool = True) -> str:
        """Return the token of an agent.

        The first agent seen of a session is its root, unless it is known to be somebody's child.
        """
        session = self._session(agent.session)
        token = session.agents.get(agent.id)
        if token is None:
            if session.root is None and is_root:
                session.root, token = agent.id, session.token
            else:
                token = self._token()
            session.agents[agent.id] = token
            if session.unique:
                self._words.add(agent.id, token)
        return token

    def call(self, call: ToolCall) -> str:
        """Return the number of a call: of the call itself, for ids may come again."""
        calls = self._session(call.agent.session).calls
        key = (call.agent.id, call.index)
        if key not in calls:
            self._calls += 1
            calls[key] = f"call_{self._calls}"
        return calls[key]

    def message(self) -> str:
        """Return the number of the next message."""
        self._messages += 1
        return f"msg_{self._messages}"

    def normaliser(self, session: SessionId) -> Normaliser:
        """Return what the texts of a session pass."""
        return Normaliser(self._words, self._session(session).folder)

    def _session(self, session: SessionId) -> _Session:
        # A stream made by hand may lack the start.
        if session not in self._sessions:
            self._sessions[session] = _Session(self._token(), unique=False, folder=None)
        return self._sessions[session]

    def _token(self) -> str:
        self._agents += 1
        return "{{sessionId}}" if self._agents == 1 else f"{{{{sessionId:{self._agents}}}}}"
