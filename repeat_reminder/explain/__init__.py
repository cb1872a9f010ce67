"""Why a reminder fired, or did not fire, at one call.

====================  ======================================================================
module                knows
====================  ======================================================================
`target`              what ``FILE:LINE`` and ``FILE#CALL_ID`` mean
`differences`         where two calls' arguments differ
`account`             what is told about a call
`run_witness`         how the reminder came to its count: runs, and what ended them
`window_witness`      where the breaker's fingerprints stood, before and after
`neighbours`          what was perhaps meant by a target that is no call
`nearest`             runs that were nearly one
`explaining`          one pass over a log, from a target to accounts
====================  ======================================================================
"""

from repeat_reminder.explain.account import (
    Account,
    Cause,
    Counted,
    Ended,
    Explained,
    Outcome,
    Reset,
    RunAccount,
    WindowAccount,
)
from repeat_reminder.explain.differences import Difference, differences, first_difference
from repeat_reminder.explain.explaining import Explanation, explain
from repeat_reminder.explain.nearest import Miss, NearMiss
from repeat_reminder.explain.target import WAYS, Spot, Target, split

__all__ = [
    "WAYS",
    "Account",
    "Cause",
    "Counted",
    "Difference",
    "Ended",
    "Explained",
    "Explanation",
    "Miss",
    "NearMiss",
    "Outcome",
    "Reset",
    "RunAccount",
    "Spot",
    "Target",
    "WindowAccount",
    "differences",
    "explain",
    "first_difference",
    "split",
]
