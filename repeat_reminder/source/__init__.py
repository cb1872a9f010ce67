"""From paths to numbered lines: find logs, open them, unpack them, in bounded memory.

This room knows paths, globs, folders, ``-`` and compression. It does not know what a line means.
"""

from repeat_reminder.source.discover import discover, latest
from repeat_reminder.source.lines import Drop, Report
from repeat_reminder.source.log import DEFAULT_LIMITS, Limits, Log, open_log
from repeat_reminder.source.names import LOG_PATTERNS, STDIN, stem

__all__ = [
    "DEFAULT_LIMITS",
    "LOG_PATTERNS",
    "STDIN",
    "Drop",
    "Limits",
    "Log",
    "Report",
    "discover",
    "latest",
    "open_log",
    "stem",
]
