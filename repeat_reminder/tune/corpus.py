"""All sessions of a run: tables put together in an order of their own, copies left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from repeat_reminder.render.selection import check_ids
from repeat_reminder.tune.copies import without_copies
from repeat_reminder.tune.rows import keep
from repeat_reminder.tune.table import FileTable, SessionTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Sessions, sorted by id, path and place: the same whatever order the files came in."""

    sessions: tuple[SessionTable, ...] = ()
    files: int = 0
    copies: int = 0
    """Calls left out because they stand in another session too."""
    dropped: tuple[SessionTable, ...] = ()
    """Sessions left out because all their calls are copies."""

    @property
    def copied_sessions(self) -> int:
        """How many sessions are of nothing but copies."""
        return len(self.dropped)

    @property
    def calls(self) -> int:
        """Settled calls."""
        return sum(table.calls for table in self.sessions)

    def digest(self) -> str:
        """Return a name for what the corpus holds, in hexadecimal."""
        whole = blake2b(digest_size=8)
        for table in self.sessions:
            names = "\0".join((table.session, *table.tools, *table.agents))
            whole.update(names.encode("utf-8", "surrogatepass"))
            for column in (table.lane, table.tool, table.key):
                whole.update(column.tobytes())
            whole.update("".join(map(repr, table.keys)).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()


def corpus_of(files: Iterable[FileTable]) -> Corpus:
    """Put the tables of files together; the order of the files makes no difference."""
    many = list(files)
    found = [
        (table.session, table.path, at, table)
        for one in many
        for at, table in enumerate(one.sessions)
    ]
    found.sort(key=lambda one: one[:3])
    sessions, dropped, copies = without_copies([table for *_, table in found])
    return Corpus(sessions=tuple(sessions), files=len(many), copies=copies, dropped=tuple(dropped))


def selected(
    corpus: Corpus, sessions: Sequence[str], agents: Sequence[str]
) -> tuple[Corpus, list[int]]:
    """Return the sessions and agents whose ids start so; empty means all.

    Chains never cross agents, so what is left counts as before.

    Returns:
        The smaller corpus, and where its sessions were in the larger one.
    """
    kept = [
        (at, part)
        for at, table in enumerate(corpus.sessions)
        if not sessions or table.session.startswith(tuple(sessions))
        if (part := _of_agents(table, agents)) is not None
    ]
    return replace(corpus, sessions=tuple(part for _, part in kept)), [at for at, _ in kept]


def check_selection(corpus: Corpus, sessions: Sequence[str], agents: Sequence[str]) -> None:
    """Refuse ids that `selected` would find nothing for.

    Raises:
        UsageError: no session's or no agent's id starts so.
    """
    tables = (*corpus.sessions, *corpus.dropped)
    if not tables:
        return
    check_ids("session", sessions, dict.fromkeys(table.session for table in tables))
    inside = [
        table for table in tables if not sessions or table.session.startswith(tuple(sessions))
    ]
    present = dict.fromkeys(agent for table in inside for agent in table.agents)
    if present:
        check_ids("agent", agents, present)


def _of_agents(table: SessionTable, agents: Sequence[str]) -> SessionTable | None:
    if not agents:
        return table
    chosen = [agent.startswith(tuple(agents)) for agent in table.agents]
    if not any(chosen):
        return None
    rows = [chosen[table.lane_agent[lane]] for lane in table.lane]
    return keep(table, rows, chosen)
