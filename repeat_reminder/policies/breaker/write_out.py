"""A status code that the command asked curl to print.

curl exits with 0 on a 404 unless it is told otherwise, so an agent that prints the status sees its
failure where no exit code shows one. dsh-repeat-tool-breaker 0.5.2 does not have this rule yet.
"""

import re

from repeat_reminder.policies.breaker.hits import Cause, Reason
from repeat_reminder.policies.breaker.text import BLANKS

_CODES = ("%{http_code}", "%{response_code}")
_PROGRAM = re.compile(r"(?<![A-Za-z0-9_])curl(?:\.exe)?(?![A-Za-z0-9_])")
_OPTION = re.compile(rf"(?<=[{BLANKS}])-(?:-write-out(?:[{BLANKS}]+|=)|[A-Za-z]*w[{BLANKS}]*)")
# one shell word: quoted and bare pieces, an unclosed quote runs to the end
_VALUE = re.compile(
    rf"(?:'[^']*'?|\"[^\"\\]*(?:\\.[^\"\\]*)*\\?\"?|\\.|[^{BLANKS}'\"\\])*", re.DOTALL
)
_LEADING_STATUS = re.compile(rf"[{BLANKS}]*([45][0-9]{{2}})(?![A-Za-z0-9_])")


def reported_cause(command: str, output: str) -> Cause | None:
    """Return the 4xx or 5xx that leads the output of a command that asks curl for the status."""
    status = _LEADING_STATUS.match(output)
    if status is None or not _asks_for_status(command):
        return None
    return Cause(Reason.HTTP, status[1])


def _asks_for_status(command: str) -> bool:
    if not any(code in command for code in _CODES):
        return False
    program = _PROGRAM.search(command)
    if program is None:
        return False
    for option in _OPTION.finditer(command, program.end()):
        value = _VALUE.match(command, option.end())
        if value is not None and any(code in value[0] for code in _CODES):
            return True
    return False
