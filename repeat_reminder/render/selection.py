"""Which sessions and agents a report is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    from collections.abc import Iterable, Iterator

    from repeat_reminder.events import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Beginnings of the ids to report; no entry selects all.

    It stands between the engine and whatever reports, so it never changes what is counted, and
    every figure of a report, totals included, is about what is reported.
    """

    sessions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()

    def of(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items of the selected agents, and every `Problem`.

        With ``agents`` a session begins at its first selected item; one without any is left out.
        """
        return self._selected(items) if self.sessions or self.agents else iter(items)

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
                case _ if self._has(owner := _owner(item)):
                    yield from _begin(owner.session, waiting, begun)
                    yield item
                case _:
                    pass

    def _has(self, agent: Agent) -> bool:
        return self._has_session(agent.session) and (
            not self.agents or agent.id.startswith(self.agents)
        )

    def _has_session(self, session: SessionId) -> bool:
        return not self.sessions or session.startswith(self.sessions)


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
