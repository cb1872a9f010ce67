"""The breaker with a witness beside it, who asks it about calls before and after they run."""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from repeat_reminder.events import Agent, Event, Intervention, SessionId, ToolCall
from repeat_reminder.explain.account import Outcome, WindowAccount
from repeat_reminder.policies import Guard
from repeat_reminder.policies.patterns import Scope
from repeat_reminder.policies.watched import Watched

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import Standing


@runtime_checkable
class Measuring(Guard, Protocol):
    """A guard that counts fingerprints, and can be asked about them."""

    def standings(self, call: ToolCall) -> "list[Standing]":
        """Return where every fingerprint of a call stands; change nothing."""


class WindowWitness(Watched):
    """Stands beside the breaker: asks it about a call before and after.

    Memory: the answers about open calls.
    """

    def __init__(self, guard: Measuring) -> None:
        """Begin before the first call."""
        super().__init__(guard)
        self._measuring = guard
        config = guard.config_record()
        include, exclude = (
            tuple(p for p in patterns if isinstance(p, str)) if isinstance(patterns, list) else ()
            for patterns in (config.get("include"), config.get("exclude"))
        )
        self._scope = Scope(include, exclude)
        limit = config.get("failLimit")
        self._fail_limit = float(limit) if isinstance(limit, int | float) else None
        self._open: dict[tuple[Agent, int], tuple[Standing, ...]] = {}

    def note(self, event: Event) -> None:
        """Let it pass: the breaker knows all there is to say."""

    def expect(self, call: ToolCall) -> None:
        """Let it pass: every call is noted before it runs."""

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        """Ask, then pass on."""
        self._open[call.agent, call.index] = tuple(self._measuring.standings(call))
        return super().on_call(call)

    def on_session_end(self, session: SessionId) -> None:
        """Pass on, and forget what never settled."""
        super().on_session_end(session)
        for key in [key for key in self._open if key[0].session == session]:
            del self._open[key]

    def forget(self, call: ToolCall) -> None:
        """Drop what was noted of a call that nobody asks about."""
        self._open.pop((call.agent, call.index), None)

    def account(self, call: ToolCall, outcome: Outcome) -> WindowAccount:
        """Say how a call was seen, right after it settled."""
        before = self._open.pop((call.agent, call.index), ())
        settled = outcome is Outcome.COUNTED
        return WindowAccount(
            policy=self.name,
            decision=self._scope.decide(call.name),
            fail_limit=self._fail_limit,
            before=before,
            after=tuple(self._measuring.standings(call)) if settled else None,
        )
