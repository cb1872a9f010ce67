"""What the records of a DSH log hold, read leniently: a wrong shape is None, never an error.

The writer changed its shapes over time. Each is told by what is there, not by version or date.
"""

from typing import Final, NamedTuple

from msgspec import Struct

from repeat_reminder.events import Failure, Json, Source, Status, Usage
from repeat_reminder.formats.dsh.vocabulary import PACKED
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.content import texts_of

GUARDS: Final = frozenset({"repeat-tool-reminder", "repeat-tool-guard", "repeat-tool-breaker"})
"""Plugins whose messages are the reminders of a log; the second is the first's older name."""

REPAIRS: Final = frozenset({"TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"})
"""Codes of the results that a reload after a crash writes for calls that have none."""

NEVER_RAN: Final = REPAIRS | {"ABORTED_BEFORE_DISPATCH"}

DIRECT_ONLY: Final = " is callable directly"
"""In the text of an unknown tool that code mode hides: refused before any listener sees it."""


class Message(NamedTuple):
    """A message as it is queued and as it lands."""

    id: str | None
    texts: tuple[str, ...]
    source: Source

    @property
    def human(self) -> bool:
        """Whether a human wrote it: only then it resets."""
        return self.source.get("kind") == "user"

    @property
    def recorded(self) -> bool:
        """Whether a guard injected it."""
        return guard_of(self.source) is not None


class Result(Struct, frozen=True, kw_only=True):
    """A call's result, whatever its shape."""

    call_id: str
    texts: tuple[str, ...]
    is_error: bool
    failure: Failure | None = None
    value: Json = None

    @property
    def status(self) -> Status:
        """How the call ended. Only what never came before the guards is skipped."""
        code = self.failure.code if self.failure else None
        if code in NEVER_RAN or (code == "UNKNOWN_TOOL" and self._hidden):
            return Status.SKIPPED
        if code == "ABORTED":
            return Status.ABORTED
        return Status.ERROR if self.is_error else Status.OK

    @property
    def _hidden(self) -> bool:
        return any(DIRECT_ONLY in text for text in self.texts)


def guard_of(source: Source) -> str | None:
    """Return the guard that a message's source names, in each of its spellings.

    Until format 3 a plugin is named beside the kind ``plugin``; from 4 on it is the kind itself,
    with ``plugin:`` before it if the harness does not ship the plugin.
    """
    kind = source.get("kind")
    name = source.get("plugin") if kind == "plugin" else kind
    if not isinstance(name, str):
        return None
    name = name.removeprefix("plugin:")
    return name if name in GUARDS else None


def message_of(value: Json) -> Message | None:
    """Read a message; one without a source's kind is none."""
    if not isinstance(value, dict):
        return None
    source = value.get("source")
    if not isinstance(source, dict) or not isinstance(source.get("kind"), str):
        return None
    return Message(text(value.get("id")), texts_of(value.get("content")), source)


def result_of(data: Record) -> Result | None:
    """Read a ``tool/result``: flat, then wrapped in a block, from format 4 on a tool message."""
    message = data.get("message")
    body: Record = message if isinstance(message, dict) else data
    source = body.get("source")
    call_id = source.get("callId") if isinstance(source, dict) else body.get("callId")
    content = body.get("content")
    block = content[0] if isinstance(content, list) and content else None
    if isinstance(block, dict) and block.get("type") == "tool-result":
        body, content = block, block.get("content")
    found = call_id if isinstance(call_id, str) else body.get("toolCallId")
    if not isinstance(found, str):
        return None
    return Result(
        call_id=found,
        texts=texts_of(content),
        is_error=body.get("isError") is True,
        failure=failure_of(data.get("error")),
        value=_status_code(data.get("meta")),
    )


def sub_result_of(data: Record) -> Result | None:
    """Read a ``tool/code-dispatch``: the result of a call that a program made."""
    call_id = data.get("subCallId")
    if not isinstance(call_id, str):
        return None
    return Result(
        call_id=call_id,
        texts=texts_of(data.get("content")),
        is_error=data.get("isError") is True,
        failure=failure_of(data.get("error")),
    )


def failure_of(error: Json) -> Failure | None:
    """Read the error that a result carries beside its text."""
    if not isinstance(error, dict):
        return None
    return Failure(
        name=text(error.get("name")),
        code=text(error.get("code")),
        message=text(error.get("message")),
    )


def said(content: Json) -> tuple[str, ...]:
    """Return the text blocks of content: reasoning, calls and media are not said."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        return ()
    blocks = (b for b in content if isinstance(b, dict) and b.get("type") == "text")
    return tuple(found for found in (text(b.get("text")) for b in blocks) if found is not None)


def usage_of(value: Json) -> Usage | None:
    """Read the tokens of a response."""
    if not isinstance(value, dict):
        return None
    return Usage(
        input=whole(value.get("inputTokens")) or 0, output=whole(value.get("outputTokens")) or 0
    )


def rewrites(record: Record) -> bool:
    """Tell whether a record replaces messages of the past (compaction, an edit): nothing new."""
    return isinstance(record.get("surfaceOp"), dict)


def members(record: Record) -> int:
    """Return how many logical events a line stands for."""
    kind, data = record.get("type"), record.get("data")
    key = PACKED.get(kind) if isinstance(kind, str) else None
    packed = data.get(key) if key is not None and isinstance(data, dict) else None
    return len(packed) if isinstance(packed, list) else 1


def text(value: Json) -> str | None:
    """Return a string, None for anything else."""
    return value if isinstance(value, str) else None


def whole(value: Json) -> int | None:
    """Return a whole number, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _status_code(meta: Json) -> Json:
    """Return what a fetch leaves of its structured result; logs do not hold the rest."""
    code = meta.get("statusCode") if isinstance(meta, dict) else None
    return None if code is None else {"statusCode": code}
