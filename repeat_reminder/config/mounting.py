"""From effective settings to guards that are ready to run."""

from typing import Literal, TypeAlias

from repeat_reminder.config.loading import Loaded
from repeat_reminder.policies import Guard
from repeat_reminder.policies.reminder import Reminder, ReminderConfig

Answer: TypeAlias = Literal["unattended", "approve", "reject"]
"""What the operator says to every question of the breaker; unattended: nobody is there."""


def guards_of(loaded: Loaded, *, answer: Answer = "unattended") -> tuple[Guard, ...]:
    """Mount the policies, in order, each with no state yet.

    Args:
        loaded: what `load` worked out.
        answer: what the operator says to the breaker's questions.
    """
    return tuple(_guard(mounted.config, answer) for mounted in loaded.policies)


def _guard(config: object, answer: Answer) -> Guard:
    if isinstance(config, ReminderConfig):
        return Reminder(config)
    # Most runs mount no breaker, and it takes its URL parser along.
    from repeat_reminder.policies.breaker import Breaker, BreakerConfig  # noqa: PLC0415

    if isinstance(config, BreakerConfig):
        return Breaker(config, answer=answer)
    raise TypeError(config)
