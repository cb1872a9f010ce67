"""A redacted log tells the same story and nothing else."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repeat_reminder.canonical import canonical, canonical_of, canonical_text
from repeat_reminder.convert import canonical_lines, redacted
from repeat_reminder.convert.arguments import redacted_json, redacted_text
from repeat_reminder.convert.placeholders import Placeholders
from repeat_reminder.events import (
    AssistantMessage,
    Event,
    InjectedMessage,
    Intervention,
    Json,
    SessionStart,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.formats.model import Record
from repeat_reminder.jsontext import MAX_DEPTH, NotJson, TooDeep, loads, nodes
from repeat_reminder.policies.reminder import GENTLE, detailed
from tests import dsh_notation, notation
from tests.conversions import (
    LOGS,
    anonymous,
    complaints,
    converted,
    events_of,
    name_of,
    read_back,
    replayed,
    told,
)

ALL: Final = [pytest.param(path, id=name_of(path)) for path in LOGS]
TELLING: Final = 10
"""Characters from which on no original text may be left."""
GUARDS: Final = ("Repeated tool call detected:", GENTLE)
MARKERS: Final = frozenset({"[resource]", "background"})
"""Longer texts that say nothing of the session: a block's name, a result's kind."""


def strings(value: Json) -> Iterator[str]:
    return (node for node in nodes(value) if isinstance(node, str))


def originals(events: Iterable[Event]) -> set[str]:
    """Collect everything that was said, or that names somebody."""
    found: set[str] = set()
    for event in events:
        match event:
            case ToolCall():
                found |= {event.id, event.arguments_text or "", *strings(event.arguments)}
                found |= set(_inside(event.arguments_text or ""))
            case ToolResult():
                found |= {*event.texts, *strings(event.value)}
                found.add(event.failure.message or "" if event.failure else "")
            case UserMessage() | InjectedMessage() | AssistantMessage():
                found |= set(event.texts)
            case SessionStart():
                found |= {event.session, event.cwd or "", event.parent or ""}
            case _:
                pass
    return {text for text in found if len(text) >= TELLING and not text.startswith(GUARDS)}


def _inside(text: str) -> Iterator[str]:
    try:
        return strings(loads(text))
    except NotJson:
        return iter(())


def lines_of(events: Iterable[Event]) -> str:
    return b"".join(canonical_lines(redacted(events))).decode()


@pytest.mark.parametrize("path", ALL)
def test_a_redacted_log_counts_and_reminds_alike(path: Path) -> None:
    events = events_of(path)
    again = converted(redacted(events))
    assert anonymous(told(replayed(again))) == anonymous(told(replayed(events)))
    assert complaints(again) == []


@pytest.mark.parametrize("path", ALL)
def test_nothing_that_was_said_is_left(path: Path) -> None:
    events = events_of(path)
    tools = {event.name for event in events if isinstance(event, ToolCall)}
    formats = {event.format for event in events if isinstance(event, SessionStart)}
    text = lines_of(events)
    left = {said for said in originals(events) if said in text}
    assert left <= tools | formats | MARKERS


@pytest.mark.parametrize("path", ALL)
def test_redaction_is_deterministic(path: Path) -> None:
    assert lines_of(events_of(path)) == lines_of(events_of(path))


def test_who_is_who_stays() -> None:
    records = notation.session("u X sub:X X sub:X")
    session: Record = {"type": "session", "id": "4711", "parent_session": "root"}
    child: Record = {"type": "agent", "id": "sub", "parent": "main", "name": "my helper"}
    events = list(notation.events_of([session, child, *records]))
    made = [json.loads(line) for line in lines_of(events).splitlines()]
    assert made[0]["id"] == "session-1"
    assert made[0]["parent_session"] == "session-2"
    assert made[1] == {"type": "agent", "id": "agent-1", "parent": "main", "name": "text-1"}
    assert [r.get("agent") for r in made if r["type"] == "tool_call"] == [
        None, "agent-1", None, "agent-1",
    ]  # fmt: skip


def test_an_agent_that_is_its_session_stays_it() -> None:
    log = dsh_notation.Log().turn("go").steps("X")
    made = [json.loads(line) for line in lines_of(dsh_notation.events(log)).splitlines()]
    assert {record.get("agent") for record in made[1:]} == {"session-1"}


# ---------------------------------------------------------------- arguments

TEXTS = st.text(max_size=4) | st.sampled_from(
    ["", "text-1", "text-2", "/path-1", "/etc/hosts", "https://x.test/", "dir/path-1", "[image]"]
)
KEYS = TEXTS | st.sampled_from(["key-1", "key-2", "command", "file_path", "10", "9", "__proto__"])
NUMBERS = (
    st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.sampled_from([1, 1.0, -0.0, 0, 9_000_000_001, 9_000_000_002, 2**53, 2**53 + 1])
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=600, deadline=None)
@given(st.lists(VALUES, min_size=2, max_size=5))
def test_equal_arguments_stay_equal_and_others_different(values: list[Json]) -> None:
    placeholders = Placeholders()
    before = [canonical(value) for value in values]
    after = [canonical(redacted_json(value, placeholders)) for value in values]
    for index, one in enumerate(before):
        for other in range(index):
            assert (one == before[other]) == (after[index] == after[other])


@settings(max_examples=300, deadline=None)
@given(st.lists(VALUES.map(json.dumps) | st.text(max_size=6), min_size=2, max_size=5))
def test_the_same_holds_for_arguments_as_text(texts: list[str]) -> None:
    placeholders = Placeholders()
    before = [canonical_text(text) for text in texts]
    after = [canonical_text(redacted_text(text, placeholders)) for text in texts]
    for index, one in enumerate(before):
        for other in range(index):
            assert (one == before[other]) == (after[index] == after[other])


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_structure_and_types_stay(value: Json) -> None:
    assert _skeleton(redacted_json(value, Placeholders())) == _skeleton(value)


def _skeleton(value: Json) -> object:
    match value:
        case dict():
            return [_skeleton(inner) for inner in value.values()]
        case list():
            return (*map(_skeleton, value),)
        case bool() | None:
            return value
        case str():
            return str if value else ""
        case _:
            return float


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rm -rf build", "text-1"),
        ("two\nlines", "text-1"),
        ("/home/me/secret.txt", "/path-1"),
        ("~/notes.md", "/path-1"),
        (r"C:\Users\me", "/path-1"),
        ("src/main.py", "dir/path-1"),
        ("https://intern.example/x?token=1", "https://example.invalid/1"),
        ("<b>a</b>", "text-1"),
        ("", ""),
        ("[image]", "[image]"),
    ],
)
def test_a_text_becomes_one_of_its_kind(text: str, expected: str) -> None:
    assert Placeholders().text(text) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("file_path", "file_path"),
        ("argumentsPreviewChars", "argumentsPreviewChars"),
        ("$ref", "$ref"),
        ("-n", "key-1"),
        ("0", "0"),
        ("base64", "base64"),
        ("/etc/passwd", "key-1"),
        ("me@example.org", "key-1"),
        ("two words", "key-1"),
        ("key-1", "key-1"),
        ("key-7", "key-1"),
        ("sk_live_51H8xK2eZvKYlo2C", "key-1"),
        ("a" * 41, "key-1"),
        ("1234567890", "key-1"),
        ("", "key-1"),
    ],
)
def test_names_of_arguments_stay_other_keys_do_not(key: str, expected: str) -> None:
    assert Placeholders().key(key) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (5, 5),
        (0.25, 0.25),
        (123456789, 123456789),
        (4915112345678, 9_000_000_001),
        (1723456789.123, 9_000_000_001),
        (-1234567890, 9_000_000_001),
        (1e21, 1e21),
    ],
)
def test_long_numbers_are_replaced(number: float, expected: float) -> None:
    assert Placeholders().number(number) == expected


def test_text_that_is_no_json_stays_none() -> None:
    placeholders = Placeholders()
    assert redacted_text("", placeholders) == ""
    assert redacted_text("{oops", placeholders) == "text-1"
    assert redacted_text('"{oops"', placeholders) == '"text-1"'


def test_arguments_that_are_too_deep_stay_so() -> None:
    deep = "[" * (MAX_DEPTH + 1) + '"secret secret"' + "]" * (MAX_DEPTH + 1)
    made = redacted_text(deep, Placeholders())
    assert "secret" not in made
    with pytest.raises(TooDeep):
        canonical_of(made, None)


# ---------------------------------------------------------------- what guards say


def injected(text: str, **source: Json) -> Record:
    return {
        "type": "injected_message",
        "content": text,
        "source": {"kind": "plugin", "plugin": "repeat-tool-reminder", **source},
    }


def reminders(events: Iterable[Event], cap: int) -> list[str]:
    items = replayed(events, (2, 3), cap)
    return [item.text for item in items if isinstance(item, Intervention)]


@pytest.mark.parametrize("cap", [500, 12])
def test_a_recorded_reminder_is_the_one_that_a_replay_gives(cap: int) -> None:
    records = [
        record
        for number in range(3)
        for record in (
            notation.call("Bash", str(number), arguments={"command": "cat secret.txt"}),
            notation.result(str(number)),
        )
    ]
    said = reminders(notation.events_of(records), cap)
    events = list(notation.events_of([*records, *map(injected, said)]))
    again = read_back(lines_of(events).encode())
    recorded = [e.texts[0] for e in again if isinstance(e, InjectedMessage)]
    assert recorded == reminders(again, cap)
    assert "secret" not in "".join(recorded)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GENTLE, GENTLE),
        (detailed("X", 5, '{"other":"call"}'), detailed("X", 5, "text-1")),
        (detailed("Unknown", 5, "{}"), detailed("text-1", 5, "text-2")),
        (f"{GENTLE} And more.", "text-1"),
        (detailed("X", 5, '{"q":1}') + " And more.", "text-1"),
        ("do not repeat yourself", "text-1"),
    ],
    ids=["first", "of another call", "of no tool", "longer", "second, longer", "of another guard"],
)
def test_reminders_stay_and_other_messages_do_not(text: str, expected: str) -> None:
    records = [notation.call("X", "a"), notation.result("a", ""), injected(text)]
    events = redacted(list(notation.events_of(records)))
    assert [e.texts for e in events if isinstance(e, InjectedMessage)] == [(expected,)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"form": "notice"}, {"form": "notice"}),
        ({"summary": "X \u00d7 5"}, {"summary": "X \u00d7 5"}),
        ({"summary": "Y \u00d7 5"}, {"summary": "text-1"}),
        ({"summary": "see /home/me"}, {"summary": "text-1"}),
        ({"from": "me@example.org"}, {"from": "text-1"}),
        ({"type": "agent-5536a4a1-2ba1"}, {"type": "text-1"}),
        ({"more": {"who": "me"}}, {"more": {"who": "text-1"}}),
    ],
    ids=["a word", "a summary", "no tool", "free text", "a sender", "an id", "nested"],
)
def test_a_source_says_who_speaks_and_no_more(
    source: dict[str, Json], expected: dict[str, Json]
) -> None:
    records = [notation.call("X", "a"), notation.result("a", ""), injected("", **source)]
    events = redacted(list(notation.events_of(records)))
    (found,) = [e.source for e in events if isinstance(e, InjectedMessage)]
    assert found == {"kind": "plugin", "plugin": "repeat-tool-reminder", **expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all the output", "text-1"),
        ("Error: no such file", "Error: text-1"),
        ("Error: REPEAT_TOOL_BLOCKED: this call", "Error: REPEAT_TOOL_BLOCKED text-1"),
        ("output\n[exit code: 2]", "text-1\n[exit code: 2]"),
        ("[timed out after 500ms] [timed out after 500ms]", "text-1\n[timed out after 500ms]"),
        ("[killed by signal: SIGKILL]", "text-1\n[killed by signal: SIGKILL]"),
        ("[killed by signal: see /home/me]", "text-1"),
    ],
)
def test_what_guards_read_in_a_result_stays(text: str, expected: str) -> None:
    events = redacted(
        list(notation.events_of([notation.call("X", "a"), notation.result("a", text)]))
    )
    assert [e.texts for e in events if isinstance(e, ToolResult)] == [(expected,)]


def test_structured_results_keep_what_guards_read() -> None:
    value: dict[str, Json] = {
        "kind": "background", "signal": "SIGTERM", "exitCode": 2, "output": "some output",
        "sandbox": {"denied": True},
    }  # fmt: skip
    error: Json = {"name": "ToolError", "code": "a b", "message": "no such file"}
    result = notation.result("a", value=value, error=error, status="error")
    events = redacted(list(notation.events_of([notation.call("X", "a"), result])))
    (found,) = [e for e in events if isinstance(e, ToolResult)]
    assert found.value == {**value, "output": "text-2"}
    assert found.failure is not None
    assert (found.failure.name, found.failure.code, found.failure.message) == (
        "ToolError", "text-3", "text-4",
    )  # fmt: skip


def test_times_are_left_out() -> None:
    records = [{**record, "ts": 1_800_000_000_000} for record in notation.session("u X .")]
    assert '"ts"' not in lines_of(notation.events_of(records))


def test_labels_say_only_what_tuning_needs() -> None:
    labels: Json = {"outcome": "stuck", "author": "me@example.org", "n": 3}
    records: list[Record] = [{"type": "session", "labels": labels}, *notation.session("X")]
    (found,) = [e for e in redacted(notation.events_of(records)) if isinstance(e, SessionStart)]
    assert found.labels == {"outcome": "stuck", "author": "text-1", "n": 3}


def test_a_hostile_reminder_takes_no_time() -> None:
    text = detailed("X", 5, "\n- consecutive_calls: 5\n- arguments: " * 20_000) + "."
    records = [notation.call("X", "a"), injected(text)]
    assert len(lines_of(notation.events_of(records))) < 1000
