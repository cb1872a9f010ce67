"""The breaker itself, replayed over tables: its own flow, with what calls carry known already."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from repeat_reminder.events import (
    Action,
    Agent,
    CallId,
    SessionId,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.policies.answers import Answer
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.policies.breaker.gate import Gate
from repeat_reminder.policies.breaker.hits import Measure
from repeat_reminder.policies.breaker.pending import Pending, Reader
from repeat_reminder.policies.breaker.window import AgentState
from repeat_reminder.tune.breaker_table import BreakerTable, Met, Op, Peaks

GATES = frozenset({Action.ASK, Action.DENY})


class Outcome:
    """What one configuration does in one session."""

    def __init__(self, said: Sequence[tuple[int, Action]] = ()) -> None:
        """Take what was said: the call's number among those of its agent, and how."""
        self.actions = Counter(action for _, action in said)
        self.first = said[0][0] if said else None
        """Number of the call that the first intervention is about."""

    @property
    def gate_calls(self) -> int:
        """Calls that were asked about or denied."""
        return sum(self.actions[action] for action in GATES)

    @property
    def messages(self) -> int:
        """Advice of every kind."""
        return self.actions.total() - self.gate_calls


class Play:
    """A session prepared to be replayed many times."""

    def __init__(self, table: BreakerTable) -> None:
        """Make the calls and results once."""
        self.table = table
        self._blocks = table.blocks()
        self._calls = [
            ToolCall(
                agent=_agent(agent),
                id=CallId(""),
                index=number,
                line=None,
                name="",
                arguments_text=None,
            )
            for number, agent in enumerate(table.call_agent)
        ]
        self._results = {
            subject: _result(self._calls[subject], Op(op))
            for op, subject in zip(table.ops, table.subjects, strict=True)
            if op in _STATUS
        }

    def outcome(self, config: BreakerConfig, answer: Answer) -> Outcome:
        """Replay the session under a configuration, as far as there is something to hear."""
        loud = [
            (block, live)
            for block in self._blocks
            if (live := live_fingerprints(block.peaks, self.table.fps, Gate(config), config))
        ]
        if not loud:
            return Outcome()
        reader = _Known(config, Gate(config), self.table)
        scene = _Scene(_Told(config, answer, reader), self._calls, self._results)
        for block, live in loud:
            reader.live = live
            scene.enter(block.agent)
            for one in block.met:
                scene.meet(one)
        said = sorted(scene.said)
        return Outcome([(self.table.call_index[call], action) for _, call, action in said])


def _agent(number: int) -> Agent:
    return Agent(SessionId(""), str(number))


class _Scene:
    """One guard meeting what happened."""

    def __init__(
        self, guard: Breaker, calls: Sequence[ToolCall], results: Mapping[int, ToolResult]
    ) -> None:
        self._guard = guard
        self._calls = calls
        self._results = results
        self._gated: dict[int, tuple[int, int, Action]] = {}
        self.said: list[tuple[int, int, Action]] = []
        """When, of which call, how."""

    def enter(self, agent: int) -> None:
        """Begin a block: nothing is kept of what its agent met before."""
        self._guard.on_agent_gone(_agent(agent))

    def meet(self, one: Met) -> None:
        at, op, subject = one
        if op == Op.CALL:
            for gate in self._guard.on_call(self._calls[subject]):
                self._gated[subject] = at, subject, gate.action
                self.said.append(self._gated[subject])
        elif op == Op.HUMAN:
            self._guard.on_user_message(_agent(subject))
        elif op == Op.GONE:
            self._guard.on_agent_gone(_agent(subject))
        elif op == Op.SKIPPED:
            self._void(subject)
            self._guard.on_skipped(self._calls[subject])
        else:
            if op == Op.DENIED:
                self._void(subject)
            advice = self._guard.on_result(self._results[subject]).interventions
            self.said += [(at, subject, said.action) for said in advice]

    def _void(self, subject: int) -> None:
        """Take back what was said of a call that the gate never met."""
        if subject in self._gated:
            self.said.remove(self._gated.pop(subject))


_STATUS: Final[Mapping[Op, Status]] = {
    Op.SUCCESS: Status.OK,
    Op.FAILURE: Status.ERROR,
    Op.DENIED: Status.DENIED,
    Op.SILENT: Status.OK,
}
"""Of the ways to settle."""


def _result(call: ToolCall, op: Op) -> ToolResult:
    if op is Op.SILENT:
        call = replace(call, result_recorded=False)
    return ToolResult(call=call, line=None, settled_line=None, status=_STATUS[op])


def live_fingerprints(
    peaks: Peaks, fps: Sequence[str], gate: Gate, config: BreakerConfig
) -> set[int]:
    """Return the fingerprints that can ever reach something in a block.

    Nothing is counted more often in a window than it comes up between two resets, and no streak is
    longer than the failures there. The others only fill the window.
    """
    stages = [at for at in (config.warn_at, config.summarize_at) if at is not None]
    failures = [at for at in (config.fail_warn_at, config.fail_limit) if at is not None]
    live: set[int] = set()
    for fp, (times, lost) in peaks.items():
        for _, _, cap in gate.measures([fps[fp]]):
            if times >= min([cap, *stages]) or (failures and lost >= min(failures)):
                live.add(fp)
    return live


class _Told(Breaker):
    """The breaker, told what calls carry."""

    def __init__(self, config: BreakerConfig, answer: Answer, reader: Reader) -> None:
        super().__init__(config, answer)
        self._reader = reader


class _Known(Reader):
    """Knows what calls carry."""

    def __init__(self, config: BreakerConfig, gate: Gate, table: BreakerTable) -> None:
        super().__init__(config, gate)
        self._table = table
        self._limits = gate
        self.live: set[int] = set()
        """The fingerprints that can reach something in the present block."""
        self._made: dict[int, Measure | None] = {}

    def read(self, call: ToolCall, state: AgentState) -> Pending | None:
        carried = self._table.carried[self._table.call_carried[call.index]]
        live = [fp for fp in carried if fp in self.live]
        keys = [self._table.fps[fp] for fp in live]
        if len(live) < len(carried):
            keys.append(IDLE)
        measures = [measure for fp in live if (measure := self._measure(fp)) is not None]
        return Pending(state, tuple(keys), tuple(measures), None)

    def _measure(self, fp: int) -> Measure | None:
        if fp not in self._made:
            self._made[fp] = next(iter(self._limits.measures([self._table.fps[fp]])), None)
        return self._made[fp]


IDLE: Final = "idle:"
"""Stands for all fingerprints that never reach anything: with one of them a record is not empty,
so the window moves on."""
