"""The breaker policy: repeats and failures, recognised by what calls have in common."""

from repeat_reminder.policies.answers import Answer
from repeat_reminder.policies.breaker.checks import REMOVED_KEYS
from repeat_reminder.policies.breaker.config import (
    IGNORED_KEYS,
    KEYS,
    BreakerConfig,
    LocalHosts,
    OnLimit,
)
from repeat_reminder.policies.breaker.gate import Standing
from repeat_reminder.policies.breaker.guard import Breaker
from repeat_reminder.policies.breaker.interventions import PLUGIN

__all__ = [
    "IGNORED_KEYS",
    "KEYS",
    "PLUGIN",
    "REMOVED_KEYS",
    "Answer",
    "Breaker",
    "BreakerConfig",
    "LocalHosts",
    "OnLimit",
    "Standing",
]
