"""A replay for people: a block for each session in which a guard acted, totals last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repeat_reminder.events import Intervention, SessionId
from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.replay.closing import totals_lines
from repeat_reminder.render.replay.excerpts import Texts, excerpts
from repeat_reminder.render.replay.headline import policy_lines, session_line
from repeat_reminder.render.replay.rows import Rows
from repeat_reminder.render.tally import GATES, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repeat_reminder.events import SessionStart
    from repeat_reminder.parity import Parity
    from repeat_reminder.render.header import Header
    from repeat_reminder.render.tally import Reported, SessionTally


def full(  # noqa: PLR0913 - options of one report
    items: Iterable[Reported],
    header: Header,
    *,
    look: Look = Look(),  # noqa: B008 - frozen
    texts: Texts = Texts.FIRST_LINE,
    origins: bool = False,
    tally: Tally | None = None,
    parity: Parity | None = None,
) -> Iterator[str]:
    """Yield the lines of a report, without line ends, session by session.

    Only the interventions of open sessions are held. Sessions without any are summed up in one
    line, but for one that is alone.

    Args:
        items: what the engine yields, of one or many sessions.
        header: under which policies.
        look: colour, glyphs and width.
        texts: how much of each message to show.
        origins: tell where each setting came from.
        tally: counts what goes by; give one to read the figures afterwards.
        parity: has watched the items; what it found is told session by session.
    """
    timeline = _Timeline(header, look, texts, tally or Tally(), origins=origins)
    timeline.parity = parity
    yield from timeline.lines(items)


class _Timeline:
    def __init__(
        self,
        header: Header,
        look: Look,
        texts: Texts,
        tally: Tally,
        *,
        origins: bool,
    ) -> None:
        self._header = header
        self._look = look
        self._texts = texts
        self._tally = tally
        self._policies = list(policy_lines(header, look, origins=origins))
        """Told once, below the first session's name."""
        self.parity: Parity | None = None
        self._said: dict[SessionId, list[Intervention]] = {}
        self._quiet: list[SessionStart] = []
        """The first session without an intervention."""
        self._quiet_sessions = self._quiet_calls = 0

    def lines(self, items: Iterable[Reported]) -> Iterator[str]:
        for item in items:
            ended = self._tally.add(item)
            if isinstance(item, Intervention):
                self._said.setdefault(item.call.agent.session, []).append(item)
            elif ended is not None:
                yield from self._session(ended)
        yield from self._rest()
        yield from totals_lines(self._tally, self._header, self._look)
        if self.parity:
            from repeat_reminder.render.replay.parity import summary_line  # noqa: PLC0415 - for a comparison alone

            yield summary_line(self.parity.summary(), self._look)

    def _session(self, session: SessionTally) -> Iterator[str]:
        said = sorted(self._said.pop(session.start.session, []), key=_counting)
        compared = self.parity.take(session.start.session) if self.parity else []
        if not said and not compared:
            self._quiet = self._quiet or [session.start]
            self._quiet_sessions += 1
            self._quiet_calls += sum(agent.calls for agent in session.agents.values())
            return
        yield from self._heading(session.start)
        yield ""
        if said:
            yield from Rows(said, self._look, name_policies=len(self._header.policies) > 1).lines()
            yield ""
            quotes = list(excerpts(said, self._look, self._texts))
            yield from [*quotes, ""] if quotes else []
        if compared:
            from repeat_reminder.render.replay.parity import parity_table  # noqa: PLC0415 - for a comparison alone

            yield from [*parity_table(compared, self._look), ""]

    def _heading(self, start: SessionStart) -> Iterator[str]:
        yield session_line(start, self._look)
        yield from self._policies
        self._policies = []

    def _rest(self) -> Iterator[str]:
        """Sum up the sessions without a block."""
        if self._quiet and self._tally.sessions == 1:
            yield from self._heading(self._quiet[0])
            yield ""
        elif self._quiet:
            yield from self._policies
            yield from [""] if self._policies else []
            text = f"{plural(self._quiet_sessions, 'session')} without a reminder"
            calls = plural(self._quiet_calls, "call")
            yield self._look.paint(self._look.join(text, calls), Style.FAINT)
            yield ""


def _counting(said: Intervention) -> int:
    """Return the line where the call counted; what happens before it runs counts at the call."""
    at = said.call.line if said.action in GATES or said.result is None else said.result.settled_line
    return at or 0
