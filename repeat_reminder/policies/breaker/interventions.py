"""What the breaker does about a call, in the vocabulary of the engine."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from repeat_reminder.events import Action, Intervention, ToolCall
from repeat_reminder.policies.breaker.hits import Hit

NAME: Final = "breaker"
"""The policy, in commands and records."""
PLUGIN: Final = "repeat-tool-breaker"
"""The plugin that the breaker's messages name as their source."""


class Ruling(NamedTuple):
    """What became of a call at its limit."""

    outcome: str | None = None
    """What came of the question; None if nobody was asked."""
    denial: str | None = None
    """What the model reads in place of the result; None if the call runs."""


NO_RULING: Final = Ruling()


def intervention(
    action: Action, call: ToolCall, text: str, hits: Sequence[Hit], ruling: Ruling = NO_RULING
) -> Intervention:
    """Return what is done about a call because of measures that hit; the first is counted."""
    first = hits[0]
    return Intervention(
        policy=NAME,
        action=action,
        call=call,
        text=text,
        source={
            "kind": "plugin",
            "plugin": PLUGIN,
            "form": "notice",
            "summary": first.summary,
        },
        count=first.times,
        fingerprints=tuple([hit.record() for hit in hits]),
        outcome=ruling.outcome,
        denial=ruling.denial,
    )
