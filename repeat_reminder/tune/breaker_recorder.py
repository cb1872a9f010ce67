"""Writes down what a breaker would meet, so that it can be replayed without the log."""

from array import array
from typing import Final

from repeat_reminder.events import (
    Agent,
    Intervention,
    Json,
    SessionId,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.policies import UNTRACKED, Verdict
from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.policies.breaker.failure import is_denial
from repeat_reminder.policies.breaker.gate import Gate
from repeat_reminder.policies.breaker.pending import Reader
from repeat_reminder.policies.breaker.urls import whatwg_parser
from repeat_reminder.tune.breaker_table import NO_ROW, BreakerTable, Op, short
from repeat_reminder.tune.failures import failed
from repeat_reminder.tune.recorder import Recorder


class BreakerRecorder:
    """A `Guard` that stands behind a `Recorder` and acts on nothing."""

    name: Final = "breaker-recorder"
    gates: Final = False

    def __init__(self, config: BreakerConfig, recorder: Recorder) -> None:
        """Start without a session.

        Args:
            config: decides what a call carries; its limits play no part.
            recorder: the guard in front, which numbers agents and rows.

        Raises:
            UsageError: the optional package that reads web addresses is not installed.
        """
        whatwg_parser()
        self._reader = Reader(config, Gate(config))
        self._recorder = recorder
        self._open: dict[SessionId, _Notes] = {}

    def table(self, session: SessionId) -> BreakerTable:
        """Hand out the notes of a session that ends."""
        return self._open.pop(session, _Notes()).table()

    def config_record(self) -> dict[str, Json]:
        """Return nothing: there is nothing to set."""
        return {}

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        """Note a call, if it is tracked."""
        fps = self._reader.fingerprints(call)
        if fps:
            self._notes(call.agent.session).called(call, fps, self._agent(call.agent))
        return ()

    def on_result(self, result: ToolResult) -> Verdict:
        """Note how a call settled."""
        notes = self._notes(result.call.agent.session)
        row = self._recorder.rows(result.call.agent.session) - 1
        notes.settled(result.call, _op(result), row)
        return UNTRACKED

    def on_skipped(self, call: ToolCall) -> None:
        """Note that a call never started."""
        self._notes(call.agent.session).settled(call, Op.SKIPPED, NO_ROW)

    def on_user_message(self, agent: Agent) -> None:
        """Note that a human has spoken."""
        self._notes(agent.session).add(Op.HUMAN, self._agent(agent))

    def on_agent_gone(self, agent: Agent) -> None:
        """Note that what was in memory is lost."""
        self._notes(agent.session).add(Op.GONE, self._agent(agent))

    def on_session_end(self, session: SessionId) -> None:
        """Do nothing: `table` has taken the notes."""

    def _notes(self, session: SessionId) -> "_Notes":
        return self._open.setdefault(session, _Notes())

    def _agent(self, agent: Agent) -> int:
        return self._recorder.agent(agent)


def _op(result: ToolResult) -> Op:
    if result.status is Status.DENIED:
        return Op.DENIED
    if not result.call.result_recorded or is_denial(result):
        return Op.SILENT
    return Op.FAILURE if failed(result) else Op.SUCCESS


class _Notes:
    def __init__(self) -> None:
        self._fps: dict[str, int] = {}
        self._carried: dict[tuple[int, ...], int] = {}
        self._open: dict[tuple[str, int], int] = {}
        """Calls that have not settled, by agent and index."""
        self._call_carried, self._call_agent = array("I"), array("I")
        self._call_index, self._call_row = array("I"), array("I")
        self._ops, self._subjects = array("B"), array("I")

    def called(self, call: ToolCall, fps: tuple[str, ...], agent: int) -> None:
        numbers = tuple([self._fps.setdefault(short(fp), len(self._fps)) for fp in fps])
        number = len(self._call_agent)
        self._call_carried.append(self._carried.setdefault(numbers, len(self._carried)))
        self._call_agent.append(agent)
        self._call_index.append(call.index)
        self._call_row.append(NO_ROW)
        self._open[call.agent.id, call.index] = number
        self.add(Op.CALL, number)

    def settled(self, call: ToolCall, op: Op, row: int) -> None:
        number = self._open.pop((call.agent.id, call.index), None)
        if number is not None:
            self._call_row[number] = row
            self.add(op, number)

    def add(self, op: Op, subject: int) -> None:
        self._ops.append(op)
        self._subjects.append(subject)

    def table(self) -> BreakerTable:
        return BreakerTable(
            fps=tuple(self._fps),
            carried=tuple(self._carried),
            call_carried=self._call_carried,
            call_agent=self._call_agent,
            call_index=self._call_index,
            call_row=self._call_row,
            ops=self._ops,
            subjects=self._subjects,
        )
