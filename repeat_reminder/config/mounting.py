"""From effective settings to guards that are ready to run."""

from collections.abc import Sequence

from repeat_reminder.config.loading import Loaded
from repeat_reminder.policies import Guard
from repeat_reminder.policies.answers import Answer
from repeat_reminder.policies.reminder import Reminder, ReminderConfig


def guards_of(loaded: Loaded) -> tuple[Guard, ...]:
    """Mount the policies, in order, each with no state yet.

    Args:
        loaded: what `load` worked out.

    Raises:
        UsageError: the breaker is among them, and the package it needs is not installed.
    """
    return guards_from([mounted.config for mounted in loaded.policies], loaded.answer)


def guards_from(configs: Sequence[object], answer: Answer) -> tuple[Guard, ...]:
    """Mount policies by their configs alone, in order; see `guards_of`."""
    return tuple(_guard(config, answer) for config in configs)


def _guard(config: object, answer: Answer) -> Guard:
    if isinstance(config, ReminderConfig):
        return Reminder(config)
    # Most runs mount no breaker, and it takes its URL parser along.
    from repeat_reminder.policies.breaker import Breaker, BreakerConfig  # noqa: PLC0415

    if isinstance(config, BreakerConfig):
        return Breaker(config, answer=answer)
    raise TypeError(config)
