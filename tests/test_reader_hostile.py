"""Any JSON in any place: a reader leaves it out, and never fails."""

import copy
import json
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from repeat_reminder.engine import replay
from repeat_reminder.events import Json, SessionEnd, SessionStart
from repeat_reminder.formats.model import Format, Record
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import open_log
from tests.expectations import cases
from tests.readers import DATA, events_of
from tests.test_readers import READERS

ODD: Final[list[Json]] = [
    *json.loads('[null, true, 0, -1, 1.5, 1e308, "", "x", "\\ud800", "main", [], {}, {"x": {}}]'),
    *json.loads('[[[]], [null], ["x"], [{}], [{"type": "tool_use"}], [{"type": "tool_result"}]]'),
    "9" * 5000,
]


class Collector:
    """A reader that keeps what it is given."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.records: list[Record] = []

    def record(self, _: int | None, record: Record) -> tuple[()]:
        """Keep a record."""
        self.records.append(record)
        return ()

    def end(self, _: int | None) -> tuple[()]:
        """Add nothing."""
        return ()


def records_of(form: Format) -> list[Record]:
    """Collect the records of every small log of a format, however they are stored."""
    collector = Collector()
    keeping = replace(form, reader=lambda _: collector)
    for case in cases(DATA / form.name / "expected.jsonl"):
        with open_log(str(DATA / form.name / case["file"])) as log:
            list(read_log(log, keeping))
    return collector.records


RECORDS: Final = {form.name: records_of(form) for form in READERS}


def places(value: Json) -> list[tuple[Record | list[Json], str | int]]:
    """Return where something stands in a value: every member of every object and list."""
    found: list[tuple[Record | list[Json], str | int]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += [(value, key), *places(inner)]
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += [(value, index), *places(inner)]
    return found


@pytest.mark.parametrize("form", READERS, ids=[form.name for form in READERS])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_odd_values_anywhere_are_left_out(form: Format, data: st.DataObject) -> None:
    size = len(RECORDS[form.name])
    first = data.draw(st.integers(0, size - 1))
    records = copy.deepcopy(RECORDS[form.name][first : first + 25])
    for _ in range(data.draw(st.integers(1, 12))):
        holder, key = data.draw(st.sampled_from(places([*records])[1:] or [({}, "")]))
        odd = data.draw(st.sampled_from(ODD))
        if isinstance(holder, dict):
            holder[str(key)] = copy.deepcopy(odd)
        elif isinstance(key, int):
            holder[key] = copy.deepcopy(odd)
    events = events_of(form, [record for record in records if isinstance(record, dict)])
    list(replay(events, Reminder(ReminderConfig(thresholds=(2, 3)))))
    starts = [event.session for event in events if isinstance(event, SessionStart)]
    ends = [event.session for event in events if isinstance(event, SessionEnd)]
    assert sorted(starts) == sorted(ends)
