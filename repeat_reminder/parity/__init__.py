"""Proof against a recording: the reminders predicted, beside those that a log really holds.

====================  ======================================================================
module                knows
====================  ======================================================================
`recorded`            how the plugin has signed its messages, and what they tell
`pairing`             which prediction a recorded reminder is, and where they differ
`doubt`               what a log does not tell, and whether that explains a difference
`finding`             what a comparison comes to
`figures`             sums, and settings that would predict the recording better
`comparing`           the comparison, while a log is read
====================  ======================================================================
"""

from repeat_reminder.parity.comparing import Parity
from repeat_reminder.parity.finding import Advice, Finding, Outcome, Summary, Verdict
from repeat_reminder.parity.recorded import STAMPS, Recorded, stamp_of

__all__ = [
    "STAMPS",
    "Advice",
    "Finding",
    "Outcome",
    "Parity",
    "Recorded",
    "Summary",
    "Verdict",
    "stamp_of",
]
