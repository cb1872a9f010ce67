"""Whether a log is usable: everything its reader has to say, and what more a look can tell.

====================  ======================================================================
module                knows
====================  ======================================================================
`vocabulary`          the keys and types of canonical records: an unknown one is misspelt
`integrity`           results out of order, or too late
`mixture`             records of another format in between
`report`              what it all comes to: usable or not, and how much there is
`validation`          one pass over one log
====================  ======================================================================

A problem keeps the severity it has for every command, but for records that break the rules of
the canonical log: those are errors here.
"""

from repeat_reminder.validate.report import LogReport, Usability
from repeat_reminder.validate.validation import unreadable, validate

__all__ = ["LogReport", "Usability", "unreadable", "validate"]
