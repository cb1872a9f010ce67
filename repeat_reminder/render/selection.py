"""Which sessions and agents a report is about."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from repeat_reminder.errors import UsageError
from repeat_reminder.events import (
    Agent,
    Intervention,
    Problem,
    Resume,
    SessionEnd,
    SessionId,
    SessionStart,
    Settlement,
    ToolResult,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from repeat_reminder.events import Item

MOST_IDS: Final = 8
"""Ids that a hint names."""
_Item = TypeVar("_Item", bound="Item")


class Selection(Struct, frozen=True, kw_only=True):
    """Beginnings of the ids to report; no entry selects all.

    It stands between the engine and whatever reports, so it never changes what is counted, and
    every figure of a report, totals included, is about what is reported.
    """

    sessions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()

    @property
    def chooses(self) -> bool:
        """Whether anything is left out."""
        return bool(self.sessions or self.agents)

    def of(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items of the selected agents, and every `Problem`.

        With ``agents`` a session begins at its first selected item; one without any is left out.
        """
        return self._selected(items) if self.chooses else iter(items)

    def _selected(self, items: Iterable[Item]) -> Iterator[Item]:
        waiting: dict[SessionId, SessionStart] = {}
        begun: set[SessionId] = set()
        for item in items:
            match item:
                case Problem():
                    yield item
                case SessionStart():
                    waiting[item.session] = item
                    if not self.agents and self._has_session(item.session):
                        yield from _begin(item.session, waiting, begun)
                case SessionEnd():
                    waiting.pop(item.session, None)
                    if item.session in begun:
                        begun.remove(item.session)
                        yield item
                case _ if self.covers(owner := _owner(item)):
                    yield from _begin(owner.session, waiting, begun)
                    yield item
                case _:
                    pass

    def covers(self, agent: Agent) -> bool:
        """Tell whether an agent is to be reported."""
        return self._has_session(agent.session) and (
            not self.agents or agent.id.startswith(self.agents)
        )

    def _has_session(self, session: SessionId) -> bool:
        return not self.sessions or session.startswith(self.sessions)


class Present:
    """Remembers which sessions and agents go by: an id that none of them has is a typo.

    Memory: the ids.
    """

    def __init__(self, selection: Selection) -> None:
        """Begin before the first item."""
        self._selection = selection
        self._inside = Selection(sessions=selection.sessions)
        self._sessions: dict[str, None] = {}
        self._agents: dict[str, None] = {}
        """Of the selected sessions."""

    def watch(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Pass the items on.

        Raises:
            UsageError: they are over, and an id of the selection is the beginning of none.
        """
        for item in items:
            self._see(item)
            yield item
        if self._sessions:
            check_ids("session", self._selection.sessions, self._sessions)
        if self._agents:
            check_ids("agent", self._selection.agents, self._agents)

    def _see(self, item: Item) -> None:
        match item:
            case Problem() | SessionEnd():
                pass
            case SessionStart():
                self._sessions[item.session] = None
            case _:
                agent = _owner(item)
                if agent.id and self._inside.covers(agent):
                    self._agents[agent.id] = None


def check_ids(noun: str, wanted: Iterable[str], present: Collection[str]) -> None:
    """Refuse an id that is the beginning of none that is present.

    Raises:
        UsageError: there is one; the hint names those that are present.
    """
    for word in wanted:
        if not any(one.startswith(word) for one in present):
            more = ", …" if len(present) > MOST_IDS else ""
            hint = f"there are: {', '.join(islice(present, MOST_IDS))}{more}"
            raise UsageError(f"--{noun} {word}: no {noun}'s id starts so", hint=hint)


def _begin(
    session: SessionId, waiting: dict[SessionId, SessionStart], begun: set[SessionId]
) -> Iterator[SessionStart]:
    """Announce a session that has not been announced."""
    start = waiting.pop(session, None)
    if start is not None:
        begun.add(session)
        yield start


def _owner(item: Item) -> Agent:
    """Return whose item it is."""
    match item:
        case ToolResult() | Intervention():
            return item.call.agent
        case Settlement():
            return item.result.call.agent
        case Resume():
            # Without an agent it concerns all of them, none by name.
            return item.agent or Agent(item.session, "")
        case SessionStart() | SessionEnd() | Problem():
            raise TypeError(item)
        case _:
            return item.agent
