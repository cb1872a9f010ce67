"""The reminder: advice for the model when it makes the same tool call again and again.

Mirrors dsh-repeat-tool-reminder 0.1.0-rc.8, whose listeners sit where the methods are called.
"""

from functools import lru_cache
from typing import Final

from repeat_reminder.batches import PlainCalls
from repeat_reminder.canonical import canonical_of, preview
from repeat_reminder.events import (
    Action,
    Agent,
    Intervention,
    Json,
    SessionId,
    Source,
    Tier,
    ToolCall,
    ToolResult,
)
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.policies import UNTRACKED, Verdict, Verdicts
from repeat_reminder.policies.chains import Chains
from repeat_reminder.policies.identity import IgnoredArguments
from repeat_reminder.policies.patterns import Scope
from repeat_reminder.policies.reminder_config import ReminderConfig

__all__ = ["GENTLE", "PLUGIN", "Reminder", "ReminderConfig", "detailed"]

PLUGIN: Final = "repeat-tool-reminder"
"""The plugin that a reminder's source names."""

GENTLE: Final = (
    "You are repeating the exact same tool call with identical arguments. Carefully analyze the "
    "previous result before calling again: if the task is not complete, try a different approach "
    "or different arguments instead of repeating the call."
)
"""What the smallest threshold says, verbatim."""


def detailed(tool: str, count: int, arguments: str) -> str:
    """Return what every later threshold says, verbatim; names and arguments go in unescaped."""
    return (
        "Repeated tool call detected:\n"
        f"- tool: {tool}\n"
        f"- consecutive_calls: {count}\n"
        f"- arguments: {arguments}\n"
        "The repeated calls are not making progress. Do not call this tool with these exact "
        "arguments again. Inspect the latest result and choose a different action, different "
        "arguments, or finish the task if enough evidence has been gathered."
    )


class Reminder:
    """Counts runs of identical calls for each agent, and speaks when a count equals a threshold.

    It is a `Guard`. To use it live, call `on_result` for every call whose result is final, in the
    order of the model's message, and `on_user_message` at each step boundary that takes in a
    message of a human.
    """

    name: Final = "reminder"
    gates: Final = False

    def __init__(self, config: ReminderConfig | None = None) -> None:
        """Start without any run; without a config, the defaults hold."""
        self.config: Final = config or ReminderConfig()
        self._chains = Chains(
            Scope(self.config.include, self.config.exclude),
            IgnoredArguments(self.config.ignore_args),
        )
        first, *others = self.config.thresholds
        self._tiers = {first: Tier.GENTLE} | dict.fromkeys(others, Tier.DETAILED)

    def config_record(self) -> dict[str, Json]:
        """Return every config key with its effective value, as DSH spells it."""
        return self.config.record()

    def on_call(self, _call: ToolCall) -> tuple[Intervention, ...]:
        """Let every call run."""
        return ()

    def on_result(self, result: ToolResult) -> Verdict:
        """Count a call, whatever became of it, and remind if its run has reached a threshold."""
        try:
            run = self._chains.count(result.call)
        except TooDeep:
            # In the harness the plugin itself fails on such arguments and counts nothing.
            return UNTRACKED
        if run is None:
            return UNTRACKED
        tier = self._tiers.get(run.count)
        if tier is None:
            return _silent(run.count)
        said = self._remind(result.call, run.count, run.first, tier)
        return Verdict(tracked=True, run=run.count, interventions=(said,))

    def on_calls(self, calls: PlainCalls) -> Verdicts:
        """See `policies.Bulk`."""
        found = self._chains.count_all(calls, self._tiers)
        said = [
            (each.at, self._remind(each.call, each.length, each.first, self._tiers[each.length]))
            for each in found.remarkable
        ]
        return Verdicts(found.tracked, found.reached, said)

    def on_skipped(self, _call: ToolCall) -> None:
        """Do nothing: a call counts when it settles, and this one never does."""

    def on_user_message(self, agent: Agent) -> None:
        """Start over: a human has spoken."""
        self._chains.drop(agent)

    def on_agent_gone(self, agent: Agent) -> None:
        """Start over: what was in memory is lost."""
        self._chains.drop(agent)

    def on_session_end(self, session: SessionId) -> None:
        """Free what was kept for a session."""
        self._chains.drop_session(session)

    def _remind(self, call: ToolCall, count: int, first: ToolCall, tier: Tier) -> Intervention:
        arguments, omitted = preview(
            canonical_of(call.arguments_text, call.arguments), self.config.arguments_preview_chars
        )
        gentle = tier is Tier.GENTLE
        return Intervention(
            policy=self.name,
            action=Action.REMIND,
            call=call,
            text=GENTLE if gentle else detailed(call.name, count, arguments),
            source=source(call.name, count),
            count=count,
            tier=tier,
            threshold=count,
            run_first=first,
            arguments_preview=arguments,
            arguments_omitted=omitted,
        )


@lru_cache(maxsize=1_024)
def _silent(run: int) -> Verdict:
    return Verdict(tracked=True, run=run)


def source(tool: str, count: int) -> Source:
    """Return the source that marks a message as this plugin's."""
    return {
        "kind": "plugin",
        "plugin": PLUGIN,
        "form": "notice",
        "summary": f"{tool} \N{MULTIPLICATION SIGN} {count}",
    }
