"""A call between its start and its result: what it carries, and what it changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from repeat_reminder.canonical import parse_arguments
from repeat_reminder.events import Intervention, ToolCall
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.policies.breaker.config import BreakerConfig
from repeat_reminder.policies.breaker.fingerprints import command_of, identity, is_shell
from repeat_reminder.policies.breaker.gate import Gate
from repeat_reminder.policies.breaker.hits import Measure
from repeat_reminder.policies.breaker.window import AgentState, Record, key_of
from repeat_reminder.policies.patterns import Scope


@dataclass(slots=True)
class Pending:
    """One tracked call, with all that is needed to take it back."""

    state: AgentState
    """The agent's state when the call started."""
    keys: tuple[str, ...]
    """What the state knows its fingerprints by."""
    measures: tuple[Measure, ...]
    """Those of the fingerprints that have a limit."""
    command: str | None
    """The command line of a shell call; None for every other tool."""
    advice: Intervention | None = None
    """Decided when the call started, given with its result."""
    stopped: bool = False
    """By this policy: the call did not run."""
    _record: Record | None = None
    _exempted: frozenset[str] = frozenset()
    _refused: frozenset[str] = frozenset()

    def open(self) -> AgentState:
        """Let the state remember what this call may push out of the window."""
        self.state.open()
        return self.state

    def close(self) -> None:
        """Let the state forget it: this call has settled."""
        self.state.close()

    def commit(self, keys: Iterable[str]) -> None:
        """Record the call's fingerprints."""
        self._record = self.state.commit(keys)

    def stop(self, keys: Iterable[str]) -> None:
        """Keep the call from running; only what stopped it is recorded."""
        self.stopped = True
        self.commit(keys)

    def exempt(self, keys: Iterable[str]) -> None:
        """Note the operator's approval of what was not exempt yet."""
        self._exempted = frozenset(keys)
        self.state.exempt |= self._exempted

    def refuse(self, keys: Iterable[str]) -> None:
        """Note that there was no approval of what was not refused yet."""
        self._refused = frozenset(keys)
        self.state.refused |= self._refused

    def take_back(self) -> None:
        """Undo all that the call changed when it started, and owe it no advice."""
        if self._record is not None:
            self.state.withdraw(self._record)
            self._record = None
        self.state.exempt -= self._exempted
        self.state.refused -= self._refused
        self.advice = None
        self.stopped = False


class Reader:
    """Makes out what a call carries, under one config."""

    def __init__(self, config: BreakerConfig, gate: Gate) -> None:
        """Take the settings."""
        self._config = config
        self._gate = gate
        self._scope = Scope(config.include, config.exclude)

    def read(self, call: ToolCall, state: AgentState) -> Pending | None:
        """Return what a call carries; None if it is transparent."""
        carried = self._carried(call)
        if carried is None:
            return None
        fps, command = carried
        keys = tuple([key_of(fp) for fp in fps])
        return Pending(state, keys, self._gate.measures(fps), command)

    def fingerprints(self, call: ToolCall) -> tuple[str, ...]:
        """Return a call's fingerprints, none if it is transparent."""
        carried = self._carried(call)
        return () if carried is None else carried[0]

    def _carried(self, call: ToolCall) -> tuple[tuple[str, ...], str | None] | None:
        """Return fingerprints and command line.

        Arguments that are nested too deep make the plugin itself fail: such a call is transparent,
        as one of a tool that is not tracked.
        """
        tool = call.name
        if not tool or not self._scope.tracks(tool):
            return None
        try:
            text = call.arguments_text
            arguments = call.arguments if text is None else parse_arguments(text)
            fps = identity(tool, arguments, self._config).fps
        except TooDeep:
            return None
        return fps, command_of(arguments) if is_shell(tool) else None
