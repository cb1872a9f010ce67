"""What the output of a call tells in logs of OpenAI's Responses items: no flag, mostly text."""

import re
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Json, Status
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import members, whole

HEAD: Final = 400
"""How far into an output the lines are looked for that Codex puts before what a command wrote."""

_EXIT_CODE: Final = re.compile(
    r"^(?:Exit code: |Process exited with code )(-?\d{1,10})$", re.MULTILINE
)
_RUNNING: Final = re.compile(r"^Process running with session ID ", re.MULTILINE)
_TIMED_OUT: Final = re.compile(r"^command timed out after (\d{1,12}) milliseconds", re.MULTILINE)
_ABORTED: Final = re.compile(r"aborted(?: by user\b|$)")
_REJECTED: Final = re.compile(r"(?:exec command |patch |command )?rejected by user\b")


def answer_of(item: Record, line: int | None, time: float | None) -> Answer:
    """Read an output item: text, blocks, or an object with ``content`` or ``output``."""
    output = item.get("output")
    if output is None:
        output = item.get("tools")
    text, facts = _unwrapped(output)
    texts = (text,) if text is not None else texts_of(output)
    head = texts[0][:HEAD].partition("\nOutput:")[0] if texts else ""
    value = facts or _facts(head)
    failed = item.get("success") is False or members(output).get("success") is False
    return Answer(
        line=line,
        status=_status(head, value, failed=failed),
        texts=texts,
        value=value or None,
        is_error=failed,
        time=time,
    )


def _unwrapped(output: Json) -> tuple[str | None, dict[str, Json]]:
    """Take text and exit code out of the objects that wrap them, also where they are JSON text."""
    if isinstance(output, str):
        if not output.startswith('{"output":'):
            return output, {}
        try:
            inner = jsontext.loads(output)
        except (jsontext.NotJson, jsontext.TooDeep):
            return output, {}
        return _unwrapped(inner) if isinstance(inner, dict) else (output, {})
    if not isinstance(output, dict):
        return None, {}
    body = output.get("output", output.get("content"))
    code = whole(members(output.get("metadata")).get("exit_code"))
    facts: dict[str, Json] = {} if code is None else {"exitCode": code}
    if isinstance(body, str):
        return body, facts
    return "\n".join(texts_of(body)) if isinstance(body, list) else None, facts


def _facts(head: str) -> dict[str, Json]:
    """Read how a command ended from the lines that Codex puts before its output."""
    if _RUNNING.search(head):
        return {"kind": "background"}
    timed_out = _TIMED_OUT.search(head)
    if timed_out is not None:
        return {"timedOut": True, "timeoutMs": int(timed_out[1])}
    code = _EXIT_CODE.search(head)
    return {} if code is None else {"exitCode": int(code[1])}


def _status(head: str, value: dict[str, Json], *, failed: bool) -> Status:
    if value.get("timedOut") is True:
        return Status.TIMEOUT
    if _ABORTED.match(head):
        return Status.ABORTED
    if _REJECTED.match(head):
        return Status.DENIED
    return Status.ERROR if failed else Status.OK
