"""Which predicted reminder a recorded one is, and whether they say and do the same."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from repeat_reminder.events import Intervention
from repeat_reminder.parity.finding import Verdict
from repeat_reminder.parity.recorded import Recorded, Spot


class Predicted(NamedTuple):
    """A reminder of the replay, and where it landed."""

    said: Intervention
    spot: Spot


class Pair(NamedTuple):
    """A predicted reminder and the recorded one that it is; either may be wanting."""

    predicted: Predicted | None
    recorded: Recorded | None

    @property
    def verdict(self) -> Verdict:
        """How they compare."""
        if self.predicted is None:
            return Verdict.MISSING
        if self.recorded is None:
            return Verdict.EXTRA
        if self.recorded.message.texts != (self.predicted.said.text,):
            return Verdict.TEXT_DIFFERS
        alike = _lands_alike(self.predicted, self.recorded)
        return Verdict.MATCH if alike else Verdict.LANDING_DIFFERS


def pairs(predicted: Sequence[Predicted], recorded: Iterable[Recorded]) -> list[Pair]:
    """Pair the reminders of one agent.

    A recorded reminder is the predicted one of the same call and count. Where the log does not
    tell its call, it is one of the same tool and count that could have been queued by then, best
    one at the same place.
    """
    left = list(predicted)
    found: list[Pair] = []
    # Those with a call first: they are certain, the others take what is left.
    for one in sorted(recorded, key=lambda one: one.message.trigger is None):
        fitting = [candidate for candidate in left if _is(candidate, one)]
        best = min(fitting, key=lambda candidate: candidate.spot != one.spot, default=None)
        if best is not None:
            left.remove(best)
        found.append(Pair(best, one))
    return found + [Pair(one, None) for one in left]


def _is(predicted: Predicted, recorded: Recorded) -> bool:
    said, message, trigger = predicted.said, recorded.message, recorded.message.trigger
    if recorded.tool not in (None, said.call.name) or recorded.count not in (None, said.count):
        return False
    if trigger is None:
        settled = said.result.settled_line if said.result else None
        in_order = settled is None or message.line is None or settled <= message.line
        return in_order and (recorded.count is not None or message.texts == (said.text,))
    result_line = said.result.line if said.result else None
    same_line = None in (trigger.line, result_line) or trigger.line == result_line
    return trigger.call_id == said.call.id and same_line


def _lands_alike(predicted: Predicted, recorded: Recorded) -> bool:
    """Compare the landings as far as both are known."""
    said, delivered = predicted.said, recorded.message.delivered
    if delivered is not None and delivered != said.delivered:
        return False
    return not said.delivered or predicted.spot == recorded.spot
