"""Runs of identical calls: what is counted, apart from what any threshold says about a count."""

from collections.abc import Container

from msgspec.structs import replace

from repeat_reminder.batches import PlainCalls
from repeat_reminder.events import Agent, SessionId, ToolCall
from repeat_reminder.policies.bulk import Counted, Pass, Run
from repeat_reminder.policies.identity import (
    SHORT,
    IgnoredArguments,
    alike,
    identity_of,
    size_of,
)
from repeat_reminder.policies.patterns import Scope


class Chains:
    """One run for each agent. Thresholds play no part: whoever reads the counts knows some.

    A call that goes on with another tool, or with members that prove it, is never canonicalised.
    That shows in nothing but the time it takes. Memory: for each agent the latest call, with a
    digest in place of long arguments; and for all agents together the long arguments of one call.
    A call that was counted must not be changed afterwards.
    """

    def __init__(self, scope: Scope, ignored: IgnoredArguments) -> None:
        """Start with no run."""
        self._scope = scope
        self._ignored = ignored
        self._runs: dict[SessionId, dict[str, Run]] = {}
        self._loose: Run | None = None
        """The one run without an identity whose arguments are long."""

    def count(self, call: ToolCall) -> Run | None:
        """Count a call that has settled.

        Returns:
            The run it belongs to, which the next call changes; None if its tool is not tracked.

        Raises:
            TooDeep: the arguments are nested too deep to count. Nothing has changed.
        """
        if not self._scope.tracks(call.name):
            return None
        run = self._runs.get(call.agent.session, _NO_RUNS).get(call.agent.id)
        if run is None or run.first.name != call.name:
            return self._start(call)
        identity = None
        same = self._glance(run.first, call)
        if same is None:
            identity = identity_of(call, self._ignored)
            same = self._identify(run) == identity
        if not same:
            return self._start(call, identity)
        run.count += 1
        return run

    def count_all(self, calls: PlainCalls, remarkable: Container[int]) -> Counted:
        """Count plain calls, one after the other.

        Args:
            calls: their arguments are not nested too deep to count.
            remarkable: the run lengths to tell of.
        """
        agent = calls.agent
        run = self._runs.get(agent.session, _NO_RUNS).get(agent.id)
        one = Pass(calls, run, self._scope, self._ignored)
        counted = one.count(remarkable)
        end = one.end
        if end is None:
            self.drop(agent)
        elif end.first < 0 and run is not None:
            run.count = end.length
        else:
            run = self._start(calls.call(end.first, end.number))
            run.count = end.length
            if end.left is not None and len(end.left) <= SHORT:
                run.left = end.left
        return counted

    def _glance(self, one: ToolCall, other: ToolCall) -> bool | None:
        """Tell without canonicalising whether two calls are the same, if that is easily proved."""
        if one.arguments_text is not None and one.arguments_text == other.arguments_text:
            return True
        return None if self._ignored.entries else alike(one.arguments, other.arguments)

    def drop(self, agent: Agent) -> None:
        """Forget the run of one agent."""
        self._runs.get(agent.session, {}).pop(agent.id, None)

    def drop_session(self, session: SessionId) -> None:
        """Forget the runs of all agents of a session."""
        self._runs.pop(session, None)

    def _start(self, call: ToolCall, identity: str | bytes | None = None) -> Run:
        size = size_of(call)
        if identity is None and size is None:
            identity = identity_of(call, self._ignored)  # raises if it is too deep indeed
        run = Run(first=call, identity=identity)
        self._runs.setdefault(call.agent.session, {})[call.agent.id] = run
        if size is None or size > SHORT:
            if identity is None:
                self._keep_loose(run)
            else:
                run.first = _bare(call)
        return run

    def _keep_loose(self, run: Run) -> None:
        """Let one run keep long arguments: in most logs, the next call makes them irrelevant."""
        loose, self._loose = self._loose, run
        if loose is not None and loose.identity is None and self._is_current(loose):
            self._identify(loose)

    def _is_current(self, run: Run) -> bool:
        agent = run.first.agent
        return self._runs.get(agent.session, _NO_RUNS).get(agent.id) is run

    def _identify(self, run: Run) -> str | bytes:
        """Return the identity of a run; from now on its arguments are kept only if short."""
        if run.identity is None:
            run.identity = identity_of(run.first, self._ignored)
            size = size_of(run.first)
            if size is None or size > SHORT:
                run.first = _bare(run.first)
        return run.identity


_NO_RUNS: dict[str, Run] = {}


def _bare(call: ToolCall) -> ToolCall:
    """Return the call without its arguments."""
    return replace(call, arguments_text=None, arguments=None)
