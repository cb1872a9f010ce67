"""Parts: how Gemini CLI, and Qwen Code after it, write what is said, called and answered."""

import re
from collections.abc import Iterator
from typing import Final

from repeat_reminder.events import Json, Status
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import members, objects

SHELLS: Final = frozenset({"run_shell_command", "shell"})

STATUSES: Final = {"success": Status.OK, "error": Status.ERROR, "cancelled": Status.DENIED}
"""States in which a call has settled; in all others it still waits or runs."""

ABORTED: Final = ("User cancelled", "Command was cancelled by user")
"""In the text of a cancelled call that was running; else the user did not allow it."""

TIMED_OUT: Final = ("Command timed out", "Command was automatically cancelled because it exceeded")

_EXIT_CODE: Final = re.compile(r"(?:^|\n)Exit Code: (-?\d{1,10})(?=\n|\Z)")
_SIGNAL: Final = re.compile(r"(?:^|\n)Signal: (\w{1,20})(?=\n|\Z)")
TAIL: Final = 2000
"""How far from the end of a shell's text the lines are looked for that follow the output."""


def said(parts: Json) -> tuple[str, ...]:
    """Return what is said in content: a text, or parts; thoughts, calls and results are not."""
    if isinstance(parts, str):
        return (parts,) if parts else ()
    return texts_of([part for part in objects(parts) if _is_said(part)])


def _is_said(part: Record) -> bool:
    return (
        part.get("thought") is not True and not {"functionCall", "functionResponse"} & part.keys()
    )


def brings_results(parts: Json) -> bool:
    """Tell a message of role user that repeats the results of calls."""
    return any("functionResponse" in part for part in objects(parts))


def answer_of(
    status: str | None, name: str | None, parts: Json, line: int | None, time: float | None
) -> Answer:
    """Read a call's result.

    Args:
        status: the call's state; a result without one is a success.
        name: the tool.
        parts: the result as parts, or as a text.
        line: where it stands.
        time: when it came.
    """
    texts = (parts,) if isinstance(parts, str) else tuple(_texts(parts))
    whole = "\n".join(texts)
    ended = STATUSES.get(status or "success", Status.OK)
    if ended is Status.DENIED and any(words in whole for words in ABORTED):
        ended = Status.ABORTED
    value = _shell_facts(whole[-TAIL:]) if name in SHELLS and ended is Status.OK else {}
    if name in SHELLS and whole.startswith(TIMED_OUT):
        ended, value["timedOut"] = Status.TIMEOUT, True
    return Answer(
        line=line,
        status=ended,
        texts=texts,
        value=value or None,
        is_error=ended in (Status.ERROR, Status.DENIED, Status.ABORTED),
        time=time,
    )


def _texts(parts: Json) -> Iterator[str]:
    for part in objects(parts):
        if "functionResponse" not in part:
            yield from texts_of([part])
            continue
        response = members(part["functionResponse"]).get("response")
        told = members(response)
        found = next((told[key] for key in ("output", "error", "content") if key in told), response)
        yield from texts_of(found)


def _shell_facts(tail: str) -> dict[str, Json]:
    """Read how a command ended from the lines that the tool puts behind its output."""
    value: dict[str, Json] = {}
    codes = _EXIT_CODE.findall(tail)
    if codes:
        value["exitCode"] = int(codes[-1])
    signals = _SIGNAL.findall(tail)
    if signals:
        value["signal"] = str(signals[-1])
    return value
