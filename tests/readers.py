"""Short ways to ask a reader: records in, events out."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from repeat_reminder.events import Event
from repeat_reminder.formats.model import Format, Origin, Record
from repeat_reminder.formats.reading import read_log
from repeat_reminder.source import open_log

DATA: Final = Path(__file__).parent / "data"


def events_of(form: Format, records: Iterable[Record]) -> list[Event]:
    """Read records as the lines of one log."""
    reader = form.reader(Origin(path="log.jsonl", name="log"))
    events: list[Event] = []
    line = 0
    for line, record in enumerate(records, 1):
        events += reader.record(line, record)
    return [*events, *reader.end(line)]


def file_events(form: Format, name: str) -> list[Event]:
    """Read one of the logs that lie in the folder of a format."""
    with open_log(str(DATA / form.name / name)) as log:
        return list(read_log(log, form))


def of_type(events: Iterable[Event], *kinds: type) -> list[Any]:
    """Keep the events of some types."""
    return [event for event in events if isinstance(event, kinds)]
