"""Whatever a DSH log holds: the reader reports it, and never raises or loses its place."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Event,
    Json,
    SessionEnd,
    SessionId,
    SessionStart,
    StepEnd,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.dsh import FORMAT
from repeat_reminder.formats.dsh.lineage import Plain
from repeat_reminder.formats.dsh.vocabulary import KNOWN
from repeat_reminder.formats.model import Record, Sample
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from tests.dsh_notation import Log, answer, event, events

DATA = Path(__file__).parent / "data" / "dsh"


def recorded() -> list[list[Record]]:
    return [
        [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in sorted(DATA.glob("*.jsonl"))
        if path.name != "expected.jsonl"
    ]


def with_program() -> list[Record]:
    log = Log(1, parentSession="p").turn("go").call("run_code")
    subs = [log.sub(number, "X") for number in (1, 2)]
    log.add(subs[0], subs[1], answer(subs[1]), answer(subs[0])).result().remind("X", 2)
    log.done().step().queue("hm", target="next-step").run("X").done()
    return log.add(event("session/end-seed", {"inherited": True})).turn("on").steps("X").records


LOGS = [*recorded(), with_program()]
SCALARS = st.sampled_from([None, True, False, 0, -1, 1, 10**30, 1.5, "", "user", "c1", "next-step"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "source", "content", "message", "id", "callId", "type"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List the ways to every value inside a record."""
    inside: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    return [path, *(way for key, inner in inside for way in places(inner, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn) -> list[Record]:
    """Take a log; drop, repeat, shuffle and change records of it."""
    log: list[Any] = json.loads(json.dumps(draw(st.sampled_from(LOGS))))
    for _ in range(draw(st.integers(0, 4))):
        record = draw(st.sampled_from(log))
        way = draw(st.sampled_from(places(record)[1:] or [("type",)]))
        for key in way[:-1]:
            record = record[key]
        if draw(st.booleans()) or isinstance(record, list):
            record[way[-1]] = draw(VALUES)
        else:
            record.pop(way[-1], None)
    for _ in range(draw(st.integers(0, 6))):
        here, there = draw(st.integers(0, len(log) - 1)), draw(st.integers(0, len(log) - 1))
        match draw(st.sampled_from(["move", "copy", "drop"])):
            case "move":
                log.insert(there, log.pop(here))
            case "copy":
                log.insert(there, log[here])
            case _ if len(log) > 1:
                del log[here]
    return log[: draw(st.integers(1, len(log)))]


def is_sound(found: list[Event]) -> bool:
    """Check what every consumer relies on: sessions nest, a result follows its call, once."""
    open_session: str | None = None
    calls: set[int] = set()
    for item in found:
        match item:
            case SessionStart(session=session):
                assert open_session is None
                open_session, calls = session, set()
            case SessionEnd(session=session):
                assert open_session == session
                open_session = None
            case ToolCall(index=index):
                assert index not in calls
                calls.add(index)
            case ToolResult(call=call):
                calls.remove(call.index)
            case UserMessage() | StepEnd():
                assert open_session is not None
            case _:
                pass
    return open_session is None


def newest(log: list[Record]) -> int:
    """Return the highest version that a header of the log names."""
    named = [record.get("version") for record in log if record.get("type") == "session"]
    whole = [version for version in named if type(version) is int]
    return max(whole, default=0)


@settings(max_examples=400, deadline=None)
@given(mutated())
def test_broken_logs_are_read(log: list[Record]) -> None:
    if newest(log) > 4:
        return
    found = list(events(log))
    assert is_sound(found)
    list(replay(found, Reminder(ReminderConfig())))
    FORMAT.recognise(Sample(path="x", kind="text", records=log))


PLAIN = Plain(SessionStart(session=SessionId("s"), line=1, format="dsh", path="x"))
OTHERS = ["session", "new/thing", "text-chunks"]
RECORDS = st.builds(
    lambda kind, data, op: {"type": kind, "data": data, "surfaceOp": op},
    st.sampled_from(sorted(kind for kind in KNOWN if not PLAIN.is_silent(kind)) + OTHERS),
    VALUES,
    st.sampled_from(["append", None, {}]),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(RECORDS, max_size=12))
def test_any_records_are_read(log: list[Record]) -> None:
    assert is_sound(list(events(log)))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(recorded()), st.data())
def test_a_log_cut_anywhere_tells_what_stands_before(
    log: list[Record], data: st.DataObject
) -> None:
    """All but what the end of a log adds is the same, however much of it is there."""
    cut = data.draw(st.integers(1, len(log)))
    whole = [item for item in events(log) if isinstance(item, ToolCall | ToolResult)]
    part = [item for item in events(log[:cut]) if isinstance(item, ToolCall | ToolResult)]
    assert part == whole[: len(part)]
