"""What Copilot CLI tells of a tool's result."""

import re
from typing import Final

from repeat_reminder.events import Failure, Json, Status
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import members, text

DENIED: Final = frozenset({"denied", "rejected"})
TIMED_OUT: Final = frozenset({"timeout", "timed_out"})

TEXTS: Final = ("content", "text_result_for_llm", "textResultForLlm", "contents")
"""Where versions put what the model reads of a result."""

TAIL: Final = 200
_EXIT_CODE: Final = re.compile(r"exit code (-?\d{1,10})>\s*\Z")


def answer_of(data: Record, line: int | None, time: float | None) -> Answer:
    """Read a ``tool.execution_complete``, in each of the shapes it has had."""
    result, error = data.get("result"), data.get("error")
    told, wrong = members(result), members(error)
    kind = text(told.get("result_type")) or text(told.get("resultType"))
    code = text(wrong.get("code")) or kind
    failed = data.get("success") is False or (kind is not None and kind != "success")
    message = text(error) or text(wrong.get("message"))
    said = result if isinstance(result, str) else _first(told, TEXTS)
    shown = message if failed and message is not None else said
    return Answer(
        line=line,
        status=_status(code) if failed else Status.OK,
        texts=texts_of(shown),
        value=_exit_code(shown),
        is_error=failed,
        failure=Failure(code=code, message=message) if failed else None,
        time=time,
    )


def _status(code: str | None) -> Status:
    if code in DENIED:
        return Status.DENIED
    return Status.TIMEOUT if code in TIMED_OUT else Status.ERROR


def _first(record: Record, keys: tuple[str, ...]) -> Json:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _exit_code(shown: Json) -> Json:
    """Read how a command ended from the end of its text: nothing else tells."""
    code = _EXIT_CODE.search(shown[-TAIL:]) if isinstance(shown, str) else None
    return None if code is None else {"exitCode": int(code[1])}
