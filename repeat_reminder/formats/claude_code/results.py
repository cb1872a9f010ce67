"""What a Claude Code transcript tells of a tool's result."""

import re
from typing import Final

from repeat_reminder.events import Json, Status
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer
from repeat_reminder.formats.shared.content import texts_of

REJECTED: Final = "The user doesn't want to proceed with this tool use"
INTERRUPTED: Final = "[Request interrupted by user"

_EXIT_CODE: Final = re.compile(r"\s*Exit code (-?\d{1,10})\b")
_TIMED_OUT: Final = re.compile(r"\s*(?:Exit code -?\d{1,10}\s+)?Command timed out after")


def answer_of(block: Record, told: dict[str, Json], line: int | None, time: float | None) -> Answer:
    """Read a ``tool_result`` block, and ``toolUseResult`` of its line as far as it is known."""
    texts = texts_of(block.get("content"))
    first = texts[0] if texts else ""
    is_error = block.get("is_error") is True
    value = _structured(told) | (_failure(first) if is_error else {})
    return Answer(
        line=line,
        status=_status(first, value, told, is_error=is_error),
        texts=texts,
        value=value or None,
        is_error=is_error,
        time=time,
    )


def _status(text: str, value: dict[str, Json], told: dict[str, Json], *, is_error: bool) -> Status:
    if told.get("interrupted") is True or text.startswith(INTERRUPTED):
        return Status.ABORTED
    if value.get("timedOut") is True:
        return Status.TIMEOUT
    if not is_error:
        return Status.OK
    return Status.DENIED if text.startswith(REJECTED) else Status.ERROR


def _structured(told: dict[str, Json]) -> dict[str, Json]:
    """Build the structured result under the names the harness has for such facts."""
    value: dict[str, Json] = {}
    if told.get("backgroundTaskId") or told.get("isAsync") is True:
        value["kind"] = "background"
    if told.get("interrupted") is True:
        value["interrupted"] = True
    http = told.get("code")
    if type(http) is int and isinstance(told.get("codeText"), str):
        value["statusCode"] = http
    return value


def _failure(text: str) -> dict[str, Json]:
    """Read how a failed command ended from the head of its output: nothing else tells."""
    value: dict[str, Json] = {}
    code = _EXIT_CODE.match(text)
    if code is not None:
        value["exitCode"] = int(code[1])
    if _TIMED_OUT.match(text):
        value["timedOut"] = True
    return value
