"""Eras, versions, forks and resumes of DSH logs, and what the envelope may look like."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from repeat_reminder.events import (
    AgentStart,
    AssistantMessage,
    Compaction,
    InjectedMessage,
    Intervention,
    Json,
    Place,
    Problem,
    Resume,
    SessionEnd,
    SessionStart,
    Usage,
    UserMessage,
)
from repeat_reminder.formats.dsh import Reader
from repeat_reminder.formats.model import Origin, Record
from tests.dsh_notation import (
    GENTLE,
    STEP,
    TURN,
    Log,
    event,
    events,
    header,
    items,
    message,
    plugin,
    problems,
    reminders,
    settled,
    started,
    tool_result,
)

HUMAN: Json = {"kind": "user"}
GUARD = plugin("repeat-tool-guard")

# ---------------------------------------------------------------- eras of version 0


def flat_result(call_id: str) -> Record:
    content: Json = [{"type": "text", "text": "ok"}]
    return event("tool/result", {"callId": call_id, "content": content, "isError": False})


def flat_user(text: str, source: Json = HUMAN) -> Record:
    return event("user/message", {"content": [{"type": "text", "text": text}], "source": source})


class Early:
    """Writes the first era: no inbox, no ids of messages, results flat."""

    def __init__(self) -> None:
        """Begin with a header and a prompt."""
        self.records: list[Record] = [header(), event("turn/start", {"turn": 1, "trigger": "user"})]
        self.records.append(flat_user("go"))
        self.step = self.calls = 0

    def run(self, *names: str, then: tuple[Record, ...] = ()) -> "Early":
        """Make a step of calls, with what is injected behind their results."""
        self.step += 1
        place: dict[str, Json] = {"turn": 1, "step": self.step}
        self.records.append(event("step/start", {**place}))
        for name in names:
            self.calls += 1
            call: Json = {**place, "callId": f"c{self.calls}", "name": name, "arguments": "{}"}
            self.records += [event("tool/call", call), flat_result(f"c{self.calls}")]
        self.records += [*then, event("step/end", {**place})]
        return self

    def add(self, *records: Record) -> "Early":
        """Append records as they are."""
        self.records += records
        return self


def context(text: str, source: Json) -> Record:
    content: Json = [{"type": "text", "text": text}]
    return event("context/message", {"content": content, "source": source})


def told(log: Early) -> list[InjectedMessage]:
    return [found for found in events(log.records) if isinstance(found, InjectedMessage)]


def test_early_results_are_flat() -> None:
    log = Early().run("X").run("X").run("X")
    assert reminders(log.records) == [("X", "c3", 3)]
    assert [found.texts for found in settled(log.records)] == [("ok",)] * 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(HUMAN, [], id="human"),
        pytest.param(plugin("notes"), [("X", "c3", 3)], id="plugin"),
    ],
)
@pytest.mark.parametrize("kind", ["user/message", "steering/message"])
def test_without_an_inbox_the_message_itself_resets(
    kind: str, source: Json, expected: list[Any]
) -> None:
    between = event(kind, flat_user("hm", source)["data"])
    log = Early().run("X").run("X").add(between).run("X")
    assert reminders(log.records) == expected
    log = Early().run("X").run("X", then=(between,)).run("X")
    assert reminders(log.records) == expected


def test_an_early_reminder_is_told_at_its_own_line() -> None:
    log = Early().run("X").run("X").run("X", then=(context(GENTLE, GUARD),)).run("Y")
    (found,) = told(log)
    assert (found.line, found.delivered, found.source) == (15, True, GUARD)
    assert found.trigger == Place(14, started(log.records)[2].id)
    (spoken,) = (item for item in items(log.records) if isinstance(item, Intervention))
    assert (spoken.inject_after, spoken.delivered) == (Place(14, spoken.call.id), True)


def test_an_early_reminder_at_the_end_is_not_delivered() -> None:
    log = Early().run("X").run("X").run("X", then=(context(GENTLE, GUARD),))
    assert [(found.line, found.delivered) for found in told(log)] == [(15, False)]
    (spoken,) = (item for item in items(log.records) if isinstance(item, Intervention))
    assert not spoken.delivered


def test_which_of_several_calls_spoke_is_not_told_early() -> None:
    log = Early().run("X", "X", "X", then=(context(GENTLE, GUARD),)).run("Y")
    assert [found.trigger for found in told(log)] == [None]


def test_other_injected_messages_are_messages() -> None:
    log = Early().run("X", then=(context("note", plugin("notes")),)).run("Y")
    found = [item for item in events(log.records) if isinstance(item, UserMessage)]
    assert [(item.texts, item.resets, item.queued_line) for item in found] == [
        (("go",), True, None),
        (("note",), False, 7),
    ]


@pytest.mark.parametrize("place", ["before-step-end", "after-step-start"])
def test_the_second_era_injects_user_messages(place: str) -> None:
    reminder = flat_user(GENTLE, GUARD)
    log = Early().run("X").run("X")
    if place == "before-step-end":
        log.run("X", then=(reminder,)).run("Y")
    else:
        log.run("X").run("Y")
        log.records.insert(len(log.records) - 3, reminder)
    (found,) = told(log)
    assert found.delivered is True
    assert found.trigger == Place(14, started(log.records)[2].id)
    assert reminders(log.records) == [("X", "c3", 3)]


def test_a_session_that_a_newer_build_went_on_with() -> None:
    log = Early().run("X").run("X").add(event("session/end-seed", {}))
    later = Log().turn("again").steps("X", "X")
    log.add(*later.records[1:])
    for record in log.records[-len(later.records) :]:
        data = record["data"]
        if isinstance(data, dict) and "turn" in data:
            data["turn"] = 2
    found = [item for item in events(log.records) if isinstance(item, UserMessage)]
    assert [(item.texts[0], item.resets) for item in found] == [("go", True), ("again", True)]
    assert reminders(log.records, 2) == [("X", "c2", 2), ("X", "c2", 2)]


def test_a_message_that_lands_without_its_claim_was_claimed() -> None:
    prompt = message("again", HUMAN, "m9")
    data: Json = {"target": TURN, "start": 0, "inserted": [prompt]}
    log = Log().turn("go").steps("X", "X").done().end()
    log.add(event("agent/inbox/spliced", data), event("user/message", prompt))
    assert reminders(log.step().steps("X")) == []


def test_a_step_whose_start_is_lost_reads_its_messages() -> None:
    log = Log().turn("go").steps("X", "X").done().end().turn("again").steps("X")
    lost = [n for n, record in enumerate(log.records) if record["type"] == "step/start"][-2]
    del log.records[lost]
    assert reminders(log) == []


def test_a_claim_whose_insertion_is_lost_is_known_by_its_landing() -> None:
    log = Log().turn("go").steps("X", "X").done().end().turn("again").steps("X")
    lost = next(n for n, record in enumerate(log.records) if "again" in str(record))
    del log.records[lost]
    assert reminders(log) == []
    assert problems(log) == []


# ---------------------------------------------------------------- fixtures


@pytest.mark.parametrize("key", ["id", "other"], ids=["one-token-for-all", "none"])
def test_ids_that_were_taken_out(key: str) -> None:
    log = Log().turn("go").steps("X", "X").done().end().turn("again").steps("X")
    text, count = re.subn(r'"id": "m\d+"', f'"{key}": "{{{{messageId}}}}"', json.dumps(log.records))
    assert count == 4
    log.records = json.loads(text)
    found = [item for item in events(log) if isinstance(item, UserMessage)]
    assert [(item.texts[0], item.resets) for item in found] == [("go", True), ("again", True)]
    assert problems(log) == []


def test_times_are_seconds_and_may_be_missing() -> None:
    log = Log().turn("go").run("X")
    log.records[-2]["time"] = 1_800_000_000_500
    assert started(log)[0].time == 1_800_000_000.5
    assert settled(log)[0].time is None


# ---------------------------------------------------------------- forks


def inherited() -> Log:
    """A parent's history: two calls and a message that waits."""
    return Log(parentSession="p").turn("go").steps("X", "X")


def own(log: Log) -> Log:
    return log.turn("mine").steps("X", "X", "X")


def test_a_fork_of_version_0_skips_what_it_inherited() -> None:
    log = inherited()
    log.records[0]["seedLength"] = log.line - 1
    log.add(event("session/end-seed", {}))
    first = log.line + 1
    assert [call.line for call in started(own(log))] == [first + 5, first + 9, first + 13]
    assert reminders(log) == [("X", "c5", 3)]
    assert not any(isinstance(found, Resume) for found in events(log))


def chunks(kind: str, key: str, count: int) -> Record:
    data: Json = {"turn": 1, "step": 1, "index": 0, "dt": [0] * (count - 1), key: ["x"] * count}
    return {"type": kind, "seq0": 0, "time0": 0, "data": data}


@pytest.mark.parametrize(
    ("kind", "key"),
    [("text-chunks", "texts"), ("reasoning-chunks", "texts"), ("tool-call-chunks", "args")],
)
def test_a_packed_row_counts_as_its_members(kind: str, key: str) -> None:
    log = inherited().add(chunks(kind, key, 7))
    log.records[0]["seedLength"] = log.line - 2 + 7
    log.add(event("session/end-seed", {}))
    assert reminders(own(log)) == [("X", "c5", 3)]
    assert len(started(log)) == 3
    assert [m.texts for m in events(log) if isinstance(m, UserMessage)] == [("mine",)]


def test_a_later_end_of_seed_of_a_fork_is_a_resume() -> None:
    log = inherited()
    log.records[0]["seedLength"] = log.line - 1
    log.add(event("session/end-seed", {})).turn("mine").steps("X", "X")
    log.add(event("session/end-seed", {})).steps("X")
    assert reminders(log) == []
    assert sum(isinstance(found, Resume) for found in events(log)) == 1


MARK = event("session/end-seed", {"inherited": True})


def versioned(log: Log, version: int, **rest: Json) -> Log:
    log.records[0] |= {"version": version, **rest}
    return log


@pytest.mark.parametrize("version", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="a-parent-is-named"),
        pytest.param({"origin": "subagent"}, id="a-subagent's"),
        pytest.param({"isSeeded": True, "parentSession": None}, id="seeded"),
    ],
)
def test_a_fork_begins_at_its_last_mark(version: int, fields: dict[str, Json]) -> None:
    log = versioned(inherited(), version, **fields)
    log.add(MARK).turn("of the fork that was forked").steps("X").add(MARK)
    marked = log.line
    found = list(events(own(log)))
    assert isinstance(found[0], SessionStart)
    assert [call.line for call in started(log)] == [marked + 6, marked + 10, marked + 14]
    assert [call.index for call in started(log)] == [1, 2, 3]
    assert reminders(log) == [("X", "c6", 3)]
    assert not any(isinstance(item, Resume) for item in found)
    assert isinstance(found[-1], SessionEnd)
    assert found[-1].line == log.line


def test_a_child_without_a_mark_is_all_its_own() -> None:
    log = versioned(inherited(), 3, origin="subagent").steps("X")
    assert reminders(log) == [("X", "c3", 3)]


def test_repairs_behind_the_mark_of_a_fork_are_silent() -> None:
    log = versioned(inherited().call("X"), 4).add(MARK)
    error: Json = {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
    log.add(tool_result((1, 3), "c3", failed=True, error=error)).done().end("interrupted")
    assert reminders(own(log)) == [("X", "c6", 3)]
    assert problems(log) == []


def test_a_message_that_waits_is_inherited() -> None:
    log = versioned(inherited().queue("later", target=STEP), 4).add(MARK).turn().steps("X")
    found = [item for item in events(log) if isinstance(item, UserMessage)]
    assert [(item.texts, item.resets, item.queued_line) for item in found] == [
        (("later",), True, None)
    ]


def test_a_mark_in_an_early_history() -> None:
    early = Early().run("X").records
    early[0] = header(1, parentSession="p")
    assert reminders([*early, MARK, *Log().turn("go").steps("X", "X").records[1:]], 2) == [
        ("X", "c2", 2)
    ]


def test_a_fork_that_its_header_does_not_announce() -> None:
    log = versioned(inherited(), 3, isSeeded=False).add(MARK)
    marked = log.line
    assert reminders(own(log)) == [("X", "c5", 3)]
    assert problems(log) == [("warning", "late-fork", marked)]


@pytest.mark.parametrize(
    ("fields", "streams"),
    [
        pytest.param({}, True, id="root"),
        pytest.param({"parentSession": "p", "isSeeded": False}, True, id="child"),
        pytest.param({"parentSession": "p"}, False, id="may-be-a-fork"),
        pytest.param({"isSeeded": True}, False, id="fork"),
    ],
)
def test_only_forks_are_held(*, fields: Record, streams: bool) -> None:
    reader = Reader(Origin(path="x", name="x"))
    assert len(list(reader.record(1, header(3) | fields))) == 1
    call: Json = {"turn": 1, "step": 1, "callId": "c1", "name": "X", "arguments": "{}"}
    assert bool(list(reader.record(2, event("tool/call", call)))) == streams


# ---------------------------------------------------------------- resumes


def test_a_resume_gives_up_the_open_calls() -> None:
    log = Log().turn("go").run("X").call("X").done().end("interrupted")
    log.add(event("session/end-seed", {})).turn("on").steps("X", "X")
    assert reminders(log, 2) == [("X", "c4", 2)]
    kinds = [type(found).__name__ for found in events(log)]
    assert kinds.count("Resume") == 1
    assert problems(log) == [("note", "unfinished", 9)]


def test_a_repair_behind_the_resume_is_silent() -> None:
    log = Log().turn("go").call("X").add(event("session/end-seed", {}))
    error: Json = {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
    log.result(failed=True, error=error)
    assert problems(log) == [("note", "unfinished", 7)]


def test_a_session_that_begins_with_a_seed_is_not_resumed() -> None:
    data: Json = {"mode": "one-shot", "label": "explore"}
    log = Log(parentSession="p", seedLength=0, origin="subagent")
    log.add(event("subagent/descriptor", data), event("session/end-seed", {})).turn("go").run("X")
    assert not any(isinstance(found, Resume) for found in events(log))


def test_a_repaired_call_did_not_count() -> None:
    log = Log().turn("go").run("X", "X").call("X")
    error: Json = {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
    log.result(failed=True, error=error).done().end("interrupted")
    assert reminders(log) == []
    assert [found.status.value for found in settled(log)] == ["ok", "ok", "skipped"]


# ---------------------------------------------------------------- format 4


def test_a_tool_message_of_format_4() -> None:
    body: Json = {
        "role": "tool",
        "toolCallId": "c1",
        "source": {"kind": "tool", "callId": "c1"},
        "content": [{"type": "text", "text": "no"}],
        "isError": True,
    }
    log = versioned(Log().turn("go").call("X"), 4)
    log.add(event("tool/result", {"turn": 1, "step": 1, "message": body}))
    (found,) = settled(log)
    assert (found.texts, found.is_error, found.status.value) == (("no",), True, "error")


@pytest.mark.parametrize("kind", ["system/message", "assistant/attempt", "developer/message"])
def test_new_types_carry_nothing(kind: str) -> None:
    log = versioned(Log().turn("go").run("X").add(event(kind, {"message": {}})), 4)
    plain = versioned(Log().turn("go").run("X"), 4)
    assert [type(found) for found in events(log)] == [type(found) for found in events(plain)]


# ---------------------------------------------------------------- the rest of a log


def test_what_the_model_said() -> None:
    content: Json = [
        {"type": "reasoning", "text": "hmm"},
        {"type": "text", "text": "a"},
        {"type": "tool-call", "id": "c1", "name": "X", "arguments": "{}"},
        {"type": "text", "text": "b"},
    ]
    wrapped: Json = {"turn": 1, "step": 1, "message": {"content": content}, "interrupted": True}
    usage: Json = {"inputTokens": 7, "outputTokens": 3}
    flat: Json = {"turn": 1, "step": 1, "content": content, "usage": usage}
    log = Log().turn("go")
    log.add(event("assistant/message", wrapped), event("assistant/message", flat))
    found = [item for item in events(log) if isinstance(item, AssistantMessage)]
    assert [(item.texts, item.usage) for item in found] == [
        (("a", "b"), None),
        (("a", "b"), Usage(input=7, output=3)),
    ]


def test_blocks_of_a_message() -> None:
    blocks: Json = [{"type": "text", "text": "see"}, {"type": "image"}, {"type": "file"}]
    log = Early()
    log.records[2] = event("user/message", {"content": blocks, "source": HUMAN})
    (found,) = (item for item in events(log.run("X").records) if isinstance(item, UserMessage))
    assert found.texts == ("see", "[image]", "[resource]")


def test_a_descriptor_names_the_subagent() -> None:
    data: Json = {"mode": "one-shot", "provider": "spawn", "label": "explore"}
    log = Log(parentSession="p", origin="subagent").add(event("subagent/descriptor", data))
    (found,) = (item for item in events(log) if isinstance(item, AgentStart))
    assert (found.agent.id, found.parent, found.name) == ("s-1", "p", "explore")


COMPACTIONS: list[Any] = [
    pytest.param({}, 1, id="done"),
    pytest.param({"error": {"code": "X"}}, 0, id="failed"),
]


@pytest.mark.parametrize(("data", "count"), COMPACTIONS)
@pytest.mark.parametrize("family", ["compaction", "compact"])
def test_compaction(family: str, data: Json, count: int) -> None:
    log = Log().turn("go").run("X").done()
    log.add(event(f"{family}/start", {}), event(f"{family}/summary", {}))
    log.add(event(f"{family}/prune", {}), event(f"{family}/end", data))
    assert sum(isinstance(found, Compaction) for found in events(log)) == count
    assert problems(log) == []


def test_a_pruned_result_is_not_a_second_one() -> None:
    log = Log().turn("go").run("X")
    log.add(log.records[-1] | {"surfaceOp": {"op": "replace", "start": 1, "end": 1}})
    assert len(settled(log)) == 1
    assert problems(log) == []


ENVELOPES: list[Any] = [
    pytest.param(event("todo/write", {}), [], id="known-and-silent"),
    pytest.param(event("new/thing", {}), ["unknown-type"], id="unknown"),
    pytest.param(event("new/thing", {}, ignorable=True), [], id="unknown-but-ignorable"),
    pytest.param(event("new/thing", {}, ignorable="yes"), ["unknown-type"], id="not-quite"),
    pytest.param({"data": {}}, ["malformed"], id="no-type"),
    pytest.param({"type": 7}, ["malformed"], id="type-no-string"),
    pytest.param(event("tool/call", None), ["malformed"], id="no-data"),
    pytest.param(event("tool/call", []), ["malformed"], id="data-no-object"),
    pytest.param(event("tool/call", {"name": "X"}), ["malformed"], id="call-without-id"),
    pytest.param(event("tool/call", {"callId": "c"}), ["malformed"], id="call-without-name"),
    pytest.param(event("tool/result", {}), ["malformed"], id="result-without-id"),
    pytest.param(event("tool/result", {"message": {"content": [7]}}), ["malformed"], id="no-block"),
    pytest.param(event("user/message", {}), ["malformed"], id="message-without-source"),
    pytest.param(event("user/message", {"source": {}}), ["malformed"], id="source-without-kind"),
    pytest.param(event("tool/code-dispatch-start", {}), ["malformed"], id="sub-call-without-id"),
    pytest.param(event("tool/code-dispatch", {}), ["malformed"], id="sub-result-without-id"),
    pytest.param(event("tool/code-dispatch", {"subCallId": "x"}), ["stray-result"], id="stray"),
    pytest.param(event("agent/inbox/spliced", {}), ["malformed"], id="splice-of-nothing"),
    pytest.param(
        event("agent/inbox/spliced", {"target": "other", "start": 0}), ["malformed"], id="no-list"
    ),
    pytest.param(
        event("agent/inbox/spliced", {"target": STEP, "start": -1}), ["malformed"], id="no-place"
    ),
    pytest.param(
        event("agent/inbox/spliced", {"target": STEP, "start": 0, "removedCount": 10**12}),
        [],
        id="a-claim-of-more-than-there-is",
    ),
]


@pytest.mark.parametrize(("record", "kinds"), ENVELOPES)
def test_a_wrong_shape_is_a_problem(record: Record, kinds: list[str]) -> None:
    log = Log().turn("go").run("X", "X").add(record).run("X")
    assert [kind for _, kind, _ in problems(log)] == kinds
    assert reminders(log) == [("X", "c3", 3)]


def test_problems_name_what_was_left_out() -> None:
    log = Log().add(event("new/thing", {}), event("tool/call", {}))
    found = [item for item in events(log) if isinstance(item, Problem)]
    assert [(item.severity.value, item.line, item.skipped) for item in found] == [
        ("note", 2, True),
        ("warning", 3, True),
    ]


def test_a_log_without_a_header() -> None:
    log = Log().turn("go").run("X", "X", "X")
    records = log.records[1:]
    start = next(iter(events(records)))
    assert isinstance(start, SessionStart)
    assert (start.session, start.unique_id) == ("x", False)
    assert problems(records) == [("warning", "no-header", 1)]
    assert reminders(records) == [("X", "c3", 3)]


def test_two_logs_in_one() -> None:
    log = Log().turn("go").run("X", "X")
    both = [*log.records, *log.records]
    assert reminders(both, 2) == [("X", "c2", 2), ("X", "c2", 2)]
    ends = [found.line for found in events(both) if isinstance(found, SessionEnd)]
    assert ends == [len(log.records), len(both)]


def test_an_empty_log_gives_nothing() -> None:
    assert list(events([])) == []


Change = Callable[[dict[str, Json]], None]


@pytest.mark.parametrize(
    "arguments",
    [pytest.param({}, id="an-object"), pytest.param(None, id="null")],
)
def test_arguments_that_are_no_text_are_a_value(arguments: Json) -> None:
    log = Log().turn("go").call("X", arguments)
    assert [(call.arguments_text, call.arguments) for call in started(log)] == [(None, arguments)]
