"""Files that are one JSON value, however many lines it is spread over."""

from repeat_reminder import jsontext
from repeat_reminder.errors import FormatError
from repeat_reminder.events import Json
from repeat_reminder.source import Log


def document_of(log: Log) -> Json:
    """Read a log that is one JSON value; all of it is held in memory.

    Raises:
        FormatError: it is not one JSON value.
        SourceError: it cannot be read, or is too large.
    """
    try:
        return jsontext.loads(log.text())
    except (jsontext.NotJson, jsontext.TooDeep) as error:
        damage = log.damage
        raise FormatError(
            f"not one JSON value: {error.reason}",
            path=log.path,
            hint=None if damage is None else damage.message,
        ) from error
