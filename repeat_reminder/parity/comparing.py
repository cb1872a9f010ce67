"""Predicted against recorded reminders, session by session, while the log is read."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from repeat_reminder.errors import UsageError
from repeat_reminder.events import (
    Action,
    Agent,
    AssistantMessage,
    InjectedMessage,
    Intervention,
    Item,
    SessionEnd,
    SessionId,
    SessionStart,
    StepStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.parity.figures import Figures
from repeat_reminder.parity.finding import Finding, Summary, Verdict
from repeat_reminder.parity.lane import Lane
from repeat_reminder.parity.pairing import Predicted, pairs
from repeat_reminder.parity.recorded import Spot
from repeat_reminder.policies import Guard
from repeat_reminder.policies import Verdict as Counted
from repeat_reminder.policies.identity import IgnoredArguments, identity_of
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.policies.watched import Watched


class _Witness(Watched):
    """Stands beside the reminder, and notes in the order of counting what it is told."""

    def __init__(self, guard: Reminder, lanes: dict[Agent, Lane]) -> None:
        super().__init__(guard)
        self._ignored = IgnoredArguments(guard.config.ignore_args)
        self._lanes = lanes

    def on_result(self, result: ToolResult) -> Counted:
        verdict = super().on_result(result)
        if verdict.run is not None:
            identity = identity_of(result.call, self._ignored)
            self._lanes.setdefault(result.call.agent, Lane()).count(result, verdict.run, identity)
        return verdict

    def on_user_message(self, agent: Agent) -> None:
        super().on_user_message(agent)
        self._lanes.setdefault(agent, Lane()).drop()

    def on_agent_gone(self, agent: Agent) -> None:
        super().on_agent_gone(agent)
        self._lanes.setdefault(agent, Lane()).drop()


class Parity:
    """Compares a replay with the reminders that its logs hold.

    `mount` it around the guards, let it `watch` the replay, and `take` what was found of a session
    once its end has gone by.

    Memory: of open sessions every tracked call (some 300 bytes); of all others what nobody took.
    """

    def __init__(self, covers: Callable[[Agent], bool] = lambda _agent: True) -> None:
        """Begin at zero.

        Args:
            covers: tells which agents to compare.
        """
        self._covers = covers
        self._config = ReminderConfig()
        self._lanes: dict[Agent, Lane] = {}
        self._paths: dict[SessionId, str] = {}
        self._found: dict[SessionId, list[Finding]] = {}
        self._figures = Figures()

    def mount(self, guards: Sequence[Guard]) -> tuple[Guard, ...]:
        """Return the guards, the reminder with a witness beside it.

        Raises:
            UsageError: no reminder is mounted.
        """
        reminder = next((guard for guard in guards if isinstance(guard, Reminder)), None)
        if reminder is None:
            message = "parity compares the reminders of a recording, and no reminder is mounted"
            raise UsageError(message, hint="mount it with --policy reminder")
        self._config = reminder.config
        witness = _Witness(reminder, self._lanes)
        return tuple(witness if guard is reminder else guard for guard in guards)

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """Compare what goes by."""
        for item in items:
            match item:
                case SessionStart():
                    self._paths[item.session] = item.path
                case SessionEnd():
                    self._end(item.session)
                case ToolCall() | AssistantMessage() | StepStart():
                    lane = self._lane(item.agent)
                    lane.spot = Spot(lane.spot.request + 1, lane.spot.messages)
                case UserMessage():
                    self._lane(item.agent).hear(item)
                case InjectedMessage():
                    self._lane(item.agent).read(item)
                case Intervention() if item.action is Action.REMIND:
                    lane = self._lane(item.call.agent)
                    lane.predicted.append(Predicted(item, lane.spot))
                case _:
                    pass
            yield item

    def take(self, session: SessionId) -> list[Finding]:
        """Hand out what was found of a session that has ended, in the order of the log."""
        return self._found.pop(session, [])

    def summary(self) -> Summary:
        """Return what everything so far comes to."""
        return self._figures.summary(self._config.thresholds, self._config.arguments_preview_chars)

    def _lane(self, agent: Agent) -> Lane:
        return self._lanes.setdefault(agent, Lane())

    def _end(self, session: SessionId) -> None:
        """Compare the agents of a session, and forget them."""
        path = self._paths.pop(session)
        lanes = {agent: lane for agent, lane in self._lanes.items() if agent.session == session}
        for agent in lanes:
            del self._lanes[agent]
        covered = {agent: lane for agent, lane in lanes.items() if self._covers(agent)}
        # Where no guard was mounted, no setting would predict better: it gives no advice.
        holds = any(lane.recorded for lane in covered.values())
        found: list[Finding] = []
        for agent, lane in covered.items():
            found += self._findings(path, agent, lane, weighs=holds)
        if covered:
            self._figures.end_session(found, holds=holds)
        if found:
            self._found[session] = found

    def _findings(self, path: str, agent: Agent, lane: Lane, *, weighs: bool) -> Iterator[Finding]:
        paired = sorted(pairs(lane.predicted, lane.recorded), key=lane.number_of)
        if weighs:
            lane.weigh(self._figures)
        doubts = lane.doubts(paired, self._config.thresholds)
        for pair in paired:
            verdict = pair.verdict
            yield Finding(
                path=path,
                agent=agent,
                verdict=verdict,
                line=lane.line_of(pair),
                predicted=pair.predicted.said if pair.predicted else None,
                recorded=lane.named(pair.recorded) if pair.recorded else None,
                doubts=doubts if verdict in (Verdict.MISSING, Verdict.EXTRA) else (),
            )
