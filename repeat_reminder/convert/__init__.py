"""From any log to one that can be committed: the canonical log, a slice of it, without secrets.

====================  ======================================================================
module                knows
====================  ======================================================================
`owners`              whose an event is
`shapes`              an event as a canonical record
`lanes`               which step of an agent is open in what was written
`story`               one session, record by record, so that it replays alike
`writer`              sessions one after the other, as lines
`slices`              which lines are wanted, and what was left out
`slicing`             which events lie in a slice, in whole steps
`placeholders`        what stands for a text, a path, a key or a number
`arguments`           a call's arguments, redacted so that equal ones stay equal
`notices`             what is kept of a guard's own messages
`redaction`           events without what they said
====================  ======================================================================

All of it is events in, events or lines out.
"""

from repeat_reminder.convert.redaction import redacted
from repeat_reminder.convert.slices import Cut, Slice
from repeat_reminder.convert.slicing import sliced
from repeat_reminder.convert.writer import canonical_lines

__all__ = ["Cut", "Slice", "canonical_lines", "redacted", "sliced"]
