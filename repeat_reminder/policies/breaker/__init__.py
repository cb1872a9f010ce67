"""The breaker policy: repeats and failures, recognised by what calls have in common."""

from repeat_reminder.policies.breaker.checks import REMOVED_KEYS
from repeat_reminder.policies.breaker.config import (
    IGNORED_KEYS,
    KEYS,
    BreakerConfig,
    LocalHosts,
    OnLimit,
)
from repeat_reminder.policies.breaker.gate import Standing
from repeat_reminder.policies.breaker.guard import PLUGIN, Answer, Breaker

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
