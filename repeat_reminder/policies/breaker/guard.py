"""The breaker: it counts what calls have in common, advises, and stops what goes round in circles.

Mirrors dsh-repeat-tool-breaker 0.5.2. Before a call runs it is asked about, stopped or recorded
(`Breaker.on_call`, the plugin's pre-execute listener and guard); when it settles its outcome is
read (`Breaker.on_result`, post-execute).
"""

from dataclasses import dataclass, field
from typing import Final

from repeat_reminder.canonical import utf16_cut
from repeat_reminder.events import (
    Action,
    Agent,
    Intervention,
    Json,
    SessionId,
    Status,
    ToolCall,
    ToolResult,
)
from repeat_reminder.policies import UNTRACKED, Verdict
from repeat_reminder.policies.answers import UNATTENDED, Answer
from repeat_reminder.policies.breaker.config import BreakerConfig, OnLimit
from repeat_reminder.policies.breaker.failure import cause_of, is_denial
from repeat_reminder.policies.breaker.gate import Gate, Standing, best
from repeat_reminder.policies.breaker.hits import Hit
from repeat_reminder.policies.breaker.interventions import NAME, Ruling, intervention
from repeat_reminder.policies.breaker.messages import Wording
from repeat_reminder.policies.breaker.pending import Pending, Reader
from repeat_reminder.policies.breaker.text import joined
from repeat_reminder.policies.breaker.urls import whatwg_parser
from repeat_reminder.policies.breaker.window import AgentState

_APPROVED: Final = "allowed-once"
_OUTCOMES: dict[Answer, str] = {
    "unattended": "unavailable",
    "approve": _APPROVED,
    "reject": "rejected",
}


@dataclass(slots=True)
class _Seat:
    """What is kept of one agent: a state that a human message drops, and its open calls."""

    state: AgentState
    pending: dict[tuple[int, str], Pending] = field(default_factory=dict)


class Breaker:
    """Counts fingerprints in a window of recent calls, per agent, and gates the ones at a limit.

    It is a `Guard`. A call it stops still has a result in the log; that is not read. From the
    first call it stops, a replay is hypothetical: the recorded model was never stopped.

    A call that turns out to be denied by somebody else, or never to have started, is taken back:
    the plugin's guard does not see those. The window and the operator's answers are then as if it
    had not been there. What calls that started in between were told is not changed.
    """

    name: Final = NAME
    gates: Final = True

    def __init__(self, config: BreakerConfig | None = None, answer: Answer = UNATTENDED) -> None:
        """Start with empty windows; without a config, the defaults hold.

        Raises:
            UsageError: the optional package that reads web addresses is not installed.
        """
        whatwg_parser()
        self.config: Final = config or BreakerConfig()
        self.answer: Final = answer
        self._gate = Gate(self.config)
        self._reader = Reader(self.config, self._gate)
        self._wording = Wording(self.config.preview_chars)
        self._seats: dict[SessionId, dict[str, _Seat]] = {}

    def config_record(self) -> dict[str, Json]:
        """Return every config key with its effective value, as DSH spells it."""
        return self.config.record()

    # ------------------------------------------------------------ before the call

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        """Record a call, unless a limit is reached: then ask or deny, by the config.

        Returns:
            The question or the denial. Both are void if the call turns out to be denied by
            somebody else or skipped.
        """
        seat = self._seat(call.agent)
        pending = self._reader.read(call, seat.state)
        if pending is None:
            return ()
        seat.pending[_key(call)] = pending
        state = pending.open()
        blocking = self._gate.blocking(pending.measures, state)
        if not blocking:
            self._admit(call, pending)
            return ()
        refused = any(hit.key in state.refused for hit in blocking)
        if refused or self.config.on_limit is OnLimit.DENY:
            return (self._deny(call, pending, blocking),)
        return (self._ask(call, pending, blocking),)

    def _admit(self, call: ToolCall, pending: Pending) -> None:
        """Let the call run. What it is told counts the call itself, so it is decided first."""
        stage = self._gate.stage(pending.measures, pending.state)
        if stage is not None:
            action, hit = stage
            say = self._wording.warn if action is Action.WARN else self._wording.summarize
            pending.advice = intervention(action, call, say(hit), [hit])
        pending.commit(pending.keys)

    def _ask(self, call: ToolCall, pending: Pending, blocking: list[Hit]) -> Intervention:
        outcome = _OUTCOMES[self.answer]
        keys = [hit.key for hit in blocking]
        denial = None
        if outcome == _APPROVED:
            # everything that blocks is exempt now, so nothing is left to deny
            pending.exempt(keys)
            self._admit(call, pending)
        else:
            pending.refuse(keys)
            denial = self._denial(call, pending.state, blocking)
            pending.stop(keys)
        text = self._wording.ask(call.name, blocking)
        return intervention(Action.ASK, call, text, blocking, Ruling(outcome, denial))

    def _deny(self, call: ToolCall, pending: Pending, blocking: list[Hit]) -> Intervention:
        text = self._denial(call, pending.state, blocking)
        pending.stop([hit.key for hit in blocking])
        return intervention(Action.DENY, call, text, blocking, Ruling(denial=text))

    def _denial(self, call: ToolCall, state: AgentState, blocking: list[Hit]) -> str:
        refused = all(hit.key in state.refused for hit in blocking)
        return self._wording.deny(
            call.name, blocking, refused=refused, last_result=state.last_result
        )

    # ------------------------------------------------------------ when it settles

    def on_result(self, result: ToolResult) -> Verdict:
        """Read the outcome of a call that ran; failure advice comes before occurrence advice."""
        seat = self._seat(result.call.agent)
        pending = seat.pending.pop(_key(result.call), None)
        if pending is None:
            return UNTRACKED
        if result.status is Status.DENIED:
            pending.take_back()
        pending.close()
        if pending.stopped:
            return Verdict(tracked=True, run=None)
        said = [pending.advice]
        if result.call.result_recorded and not is_denial(result):
            said.insert(0, self._note(result, pending, seat.state))
        messages = tuple([message for message in said if message is not None])
        return Verdict(tracked=True, run=None, interventions=messages)

    def _note(self, result: ToolResult, pending: Pending, state: AgentState) -> Intervention | None:
        """Lengthen or end the streaks of a call's measures; advise if one has come far enough.

        The state is the agent's present one: a human message may have come since the call began.
        """
        cause = cause_of(result, pending.command)
        crossings: list[Hit] = []
        # mostly there is neither a failure to note nor a streak to end
        for fp, key, _ in pending.measures if cause or state.streaks else ():
            length = state.note(key, cause)
            if length and length == self.config.fail_warn_at:
                crossings.append(Hit(fp, key, length, self.config.fail_limit, cause))
        text = joined(result.texts)
        if text:
            state.last_result = utf16_cut(text, self.config.result_preview_chars)
        hit = best(crossings)
        if hit is None or cause is None:
            return None
        text = self._wording.fail_warn(hit, cause)
        return intervention(Action.FAIL_WARN, result.call, text, [hit])

    def on_skipped(self, call: ToolCall) -> None:
        """Take a call back that never came before the harness's guards."""
        pending = self._seat(call.agent).pending.pop(_key(call), None)
        if pending is not None:
            pending.take_back()
            pending.close()

    # ------------------------------------------------------------ resets

    def on_user_message(self, agent: Agent) -> None:
        """Drop the agent's window, streaks, exemptions and refusals: a human has spoken.

        Calls that run meanwhile still settle and are told what they are owed.
        """
        seat = self._seats.get(agent.session, {}).get(agent.id)
        if seat is not None:
            seat.state = AgentState(self.config.window)

    def on_agent_gone(self, agent: Agent) -> None:
        """Drop all that is kept for an agent that ended or is rebuilt from a saved session."""
        self._seats.get(agent.session, {}).pop(agent.id, None)

    def on_session_end(self, session: SessionId) -> None:
        """Drop all that is kept for the agents of a session."""
        self._seats.pop(session, None)

    # ------------------------------------------------------------ questions

    def standings(self, call: ToolCall) -> list[Standing]:
        """Return where every fingerprint of a call stands in its agent's window; change nothing.

        Empty for a call that is not tracked. Before `on_call` the call itself is not counted, so
        ``occurrences`` of ``cap - 1`` mean that this call reaches the limit.
        """
        agent = call.agent
        seat = self._seats.get(agent.session, {}).get(agent.id)
        state = AgentState(self.config.window) if seat is None else seat.state
        return [self._gate.standing(fp, state) for fp in self._reader.fingerprints(call)]

    # ------------------------------------------------------------ parts

    def _seat(self, agent: Agent) -> _Seat:
        seats = self._seats.setdefault(agent.session, {})
        seat = seats.get(agent.id)
        if seat is None:
            seat = seats[agent.id] = _Seat(AgentState(self.config.window))
        return seat


def _key(call: ToolCall) -> tuple[int, str]:
    return call.index, call.id
