"""The lines of a transcript, read back one by one."""

from dataclasses import dataclass
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Json
from repeat_reminder.render.acp.notes import SCHEMA

PREFIX: Final = "repeat-reminder/"
"""With it begins every note of our own."""
_DEPTH: Final = jsontext.MAX_DEPTH + 64
"""A line is a few levels deeper than the arguments in it."""
_CONFLICTS: Final = (b"<<<<<<< ", b"||||||| ", b">>>>>>> ")

Object = dict[str, Json]


class DamagedError(RepeatReminderError):
    """A file is no transcript: its line tells where, its hint what to do."""


class NewerSchemaError(RepeatReminderError):
    """A transcript was written by a newer version: nothing may be said about it, or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a transcript."""

    number: int
    session: str
    update: Object

    @property
    def kind(self) -> str:
        """Return the protocol's name of the update."""
        return text_of(self.update.get("sessionUpdate"))

    @property
    def call(self) -> str | None:
        """Return the number of the call it is about."""
        call = self.update.get("toolCallId")
        return call if isinstance(call, str) else None

    def note(self, name: str) -> Json:
        """Return one of our own notes on the line."""
        return object_of(self.update.get("_meta")).get(PREFIX + name)


def lines_of(data: bytes, path: str) -> list[Line]:
    """Read the lines of a transcript.

    Args:
        data: its bytes, with LF or CRLF line ends.
        path: what it is called in messages.

    Raises:
        DamagedError: it is empty, has the marks of a merge, or a line is no notification.
        NewerSchemaError: it was written by a newer version.
    """
    if not data.strip():
        raise DamagedError("the snapshot is empty", path=path, line=1)
    lines = []
    for number, raw in enumerate(data.rstrip(b"\n").split(b"\n"), 1):
        if raw.startswith(_CONFLICTS):
            hint = "keep neither side: an update writes it anew from the recorded session"
            raise DamagedError(
                "a merge conflict is not resolved", path=path, line=number, hint=hint
            )
        lines.append(_line(raw, number, path))
        if number == 1:
            _refuse_newer(lines[0], path)
    return lines


def refuse_newer(data: bytes, path: str) -> None:
    """Make sure that a snapshot, whatever it holds, was not written by a newer version.

    Raises:
        NewerSchemaError: it was, and must not be written over.
    """
    try:
        lines_of(data.partition(b"\n")[0].rstrip(b"\r"), path)
    except DamagedError:
        return


def _refuse_newer(first: Line, path: str) -> None:
    schema = object_of(first.note("transcript")).get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        message = f"written by a newer version: schema {schema}, and this one knows {SCHEMA}"
        raise NewerSchemaError(message, path=path, line=1, hint="upgrade repeat-reminder")


def _line(raw: bytes, number: int, path: str) -> Line:
    try:
        params = object_of(object_of(jsontext.loads(raw, max_depth=_DEPTH)).get("params"))
    except jsontext.NotJson as error:
        message = f"not a line of a transcript: {error.reason} at column {error.column}"
        raise DamagedError(message, path=path, line=number) from None
    update = params.get("update")
    if not isinstance(update, dict):
        message = "not a line of a transcript: no session/update"
        raise DamagedError(message, path=path, line=number)
    return Line(number=number, session=text_of(params.get("sessionId")), update=update)


def content_text(content: Json) -> str:
    """Return the text of a message's or a result's content."""
    block = object_of(content[0] if isinstance(content, list) and content else content)
    inner = block.get("content")
    return text_of((inner if isinstance(inner, dict) else block).get("text"))


def object_of(value: Json) -> Object:
    """Return a value that should be an object; an empty one if it is not."""
    return value if isinstance(value, dict) else {}


def text_of(value: Json) -> str:
    """Return a value that should be a text; an empty one if it is not."""
    return value if isinstance(value, str) else ""
