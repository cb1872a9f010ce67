"""Reading values that may have any shape: what is not as expected is nothing, never an error."""

from typing import Final

from repeat_reminder.events import Event, Json, SessionId, SessionStart, Severity
from repeat_reminder.formats.model import Origin, Record
from repeat_reminder.formats.session import Session

MAIN: Final = "main"
"""The agent of a log that names none."""

NOTHING: Final[Record] = {}


def text(value: Json) -> str | None:
    """Return a string, None for anything else."""
    return value if isinstance(value, str) else None


def whole(value: Json) -> int | None:
    """Return a whole number, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def members(value: Json) -> Record:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else NOTHING


def objects(value: Json) -> list[Record]:
    """Return the objects in a list, none for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def total(record: Record, *keys: str) -> int:
    """Add up counts; what is no count, or below zero, is 0."""
    added = 0
    for key in keys:
        count = whole(record.get(key))
        if count is not None and count > 0:
            added += count
    return added


def started(  # noqa: PLR0913 - the fields of a session
    origin: Origin,
    form: str,
    line: int | None,
    session_id: str | None,
    *,
    cwd: Json = None,
    parent: str | None = None,
    unique_call_ids: bool = False,
) -> SessionStart:
    """Make the start of a session; one without an id of its own is named after its file."""
    return SessionStart(
        session=SessionId(session_id or origin.name),
        line=line,
        format=form,
        path=origin.path,
        compression=origin.compression,
        cwd=text(cwd),
        unique_id=session_id is not None,
        unique_call_ids=unique_call_ids,
        parent=parent,
    )


def malformed(session: Session, line: int | None, what: str) -> Event:
    """Say that a record is left out because of its shape."""
    return session.problem(line, Severity.WARNING, "malformed", what, skipped=True)
