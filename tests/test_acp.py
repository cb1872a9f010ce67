"""The ACP transcript: every row of its tables, on streams of items made by hand."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from acp.schema import SessionNotification
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from repeat_reminder.events import (
    Action,
    Agent,
    AgentEnd,
    AgentStart,
    AssistantMessage,
    CallId,
    Compaction,
    FingerprintHit,
    InjectedMessage,
    Intervention,
    Item,
    Json,
    Place,
    Problem,
    Resume,
    SessionEnd,
    SessionId,
    SessionStart,
    Settlement,
    Severity,
    Source,
    Status,
    StepEnd,
    StepStart,
    Tier,
    ToolCall,
    ToolResult,
    UserMessage,
)
from repeat_reminder.render.acp import acp_lines
from repeat_reminder.render.acp.notes import Policies

EXAMPLE = Path(__file__).parent / "data" / "acp" / "five-equal-calls.acp.jsonl"
GENTLE = (
    "You are repeating the exact same tool call with identical arguments. Carefully analyze the "
    "previous result before calling again: if the task is not complete, try a different approach "
    "or different arguments instead of repeating the call."
)
DETAILED = (
    "Repeated tool call detected:\n- tool: bash\n- consecutive_calls: 5\n"
    '- arguments: {"command":"npm test"}\n'
    "The repeated calls are not making progress. Do not call this tool with these exact arguments "
    "again. Inspect the latest result and choose a different action, different arguments, or "
    "finish the task if enough evidence has been gathered."
)
REMINDER: Policies = [
    (
        "reminder",
        {"thresholds": [3, 5, 8], "include": [], "exclude": [], "argumentsPreviewChars": 500},
    )
]
BREAKER: Policies = [("breaker", {"window": 16})]
MAIN = Agent(SessionId("s-1"), "main")
HUMAN: Source = {"kind": "user"}
HIT = FingerprintHit('exact:read:{"file_path":"a"}', 12, 12, "occurrence")
HIT_JSON: Json = {
    "fp": 'exact:read:{"file_path":"a"}',
    "count": 12,
    "cap": 12,
    "track": "occurrence",
}
BLOCKED = "REPEAT_TOOL_BLOCKED\nread did not run."

Update = dict[str, Json]


# ---------------------------------------------------------------- items by hand


def start(
    session: str = "s-1", *, cwd: str | None = None, unique: bool = False, log_format: str = "test"
) -> SessionStart:
    return SessionStart(
        session=SessionId(session),
        line=1,
        format=log_format,
        path="log.jsonl",
        cwd=cwd,
        unique_id=unique,
    )


def user(*texts: str, agent: Agent = MAIN, source: Source = HUMAN) -> UserMessage:
    return UserMessage(
        agent=agent, line=2, texts=texts, source=source, resets=source.get("kind") == "user"
    )


def injected(*texts: str, source: Source) -> InjectedMessage:
    return InjectedMessage(agent=MAIN, line=2, texts=texts, source=source)


def says(*texts: str, agent: Agent = MAIN) -> AssistantMessage:
    return AssistantMessage(agent=agent, line=3, texts=texts)


def call(  # noqa: PLR0913 - the fields of a call
    index: int = 1,
    name: str = "bash",
    arguments: Json = None,
    *,
    text: str | None = None,
    agent: Agent = MAIN,
    call_id: str | None = None,
    recorded: bool = True,
) -> ToolCall:
    return ToolCall(
        agent=agent,
        id=CallId(call_id or f"c{index}"),
        index=index,
        line=4,
        name=name,
        arguments_text=text,
        arguments={} if arguments is None else arguments,
        result_recorded=recorded,
    )


def result(of: ToolCall, *texts: str, status: Status = Status.OK) -> ToolResult:
    return ToolResult(call=of, line=5, settled_line=5, status=status, texts=texts)


def remind(
    of: ToolCall,
    count: int = 3,
    text: str = GENTLE,
    tier: Tier = Tier.GENTLE,
    *,
    delivered: bool = True,
) -> Intervention:
    source: Source = {
        "kind": "plugin",
        "plugin": "repeat-tool-reminder",
        "form": "notice",
        "summary": f"{of.name} \u00d7 {count}",
    }
    return Intervention(
        policy="reminder",
        action=Action.REMIND,
        call=of,
        text=text,
        source=source,
        count=count,
        tier=tier,
        threshold=count,
        delivered=delivered,
    )


def breaker(
    action: Action, of: ToolCall, *, outcome: str | None = None, text: str = BLOCKED
) -> Intervention:
    return Intervention(
        policy="breaker",
        action=action,
        call=of,
        text=text,
        source={"kind": "plugin", "plugin": "repeat-tool-breaker", "summary": "fp \u00d7 12"},
        count=12,
        fingerprints=(HIT,),
        outcome=outcome,
    )


# ---------------------------------------------------------------- lines, always validated


def transcript(items: Iterable[Item], policies: Policies = REMINDER) -> list[bytes]:
    lines = list(acp_lines(items, policies))
    for line in lines:
        validate(line)
    return lines


def validate(line: bytes) -> None:
    """Hold a line against the official schema, and against what this product promises of it."""
    assert line.endswith(b"}}}\n")
    assert line.count(b"\n") == 1
    message = json.loads(line)
    assert list(message) == ["jsonrpc", "method", "params"]
    assert (message["jsonrpc"], message["method"]) == ("2.0", "session/update")
    params = message["params"]
    # The models ignore what they do not know and mend what is wrong; both show in the way back.
    model = SessionNotification.model_validate(params)
    assert model.model_dump(by_alias=True, exclude_unset=True) == params
    assert all(key.startswith("repeat-reminder/") for key in params["update"].get("_meta", {}))


def updates(items: Iterable[Item], policies: Policies = REMINDER) -> list[Update]:
    return [json.loads(line)["params"]["update"] for line in transcript(items, policies)]


def sessions(items: Iterable[Item]) -> list[str]:
    return [json.loads(line)["params"]["sessionId"] for line in transcript(items)]


def notes(items: Iterable[Item], policies: Policies = REMINDER) -> list[Json]:
    return [update.get("_meta") for update in updates(items, policies)]


def chunk(text: str, number: int = 1, kind: str = "user_message_chunk") -> Update:
    return {
        "sessionUpdate": kind,
        "content": {"type": "text", "text": text},
        "messageId": f"msg_{number}",
    }


def content(text: str) -> Json:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


# ---------------------------------------------------------------- 7: the example


def five_equal_calls() -> list[Item]:
    items: list[Item] = [
        start(log_format="canonical"),
        user("Fix the failing build"),
        says("I run the tests first."),
    ]
    for index in range(1, 6):
        made = call(index, arguments={"command": "npm test"})
        items += made, result(made, "1 failing")
        if index == 3:
            items.append(remind(made))
        if index == 5:
            items.append(remind(made, 5, DETAILED, Tier.DETAILED))
    return [*items, says("The test needs a missing fixture; I stop here.")]


def test_the_worked_example_comes_out_byte_for_byte() -> None:
    assert b"".join(transcript(five_equal_calls())) == EXAMPLE.read_bytes()


# ---------------------------------------------------------------- 2: from items to lines

READ = call(name="read", arguments={"file_path": "a"})
TOOL: dict[str, Json] = {"kind": "coordinator", "name": "lead"}

EVENTS: dict[str, tuple[Item, list[Update]]] = {
    "a human message": (user("hi"), [chunk("hi")]),
    "a human message without text": (user(""), [chunk("")]),
    "a refused message has no line": (user(), []),
    "a message of other kind names its source": (
        user("go", source=TOOL),
        [chunk("go") | {"_meta": {"repeat-reminder/source": TOOL}}],
    ),
    "blocks share one message id": (user("a", "[image]"), [chunk("a"), chunk("[image]")]),
    "assistant text": (says("ok"), [chunk("ok", kind="agent_message_chunk")]),
    "assistant blocks without text have no line": (
        says("", "ok", ""),
        [chunk("ok", kind="agent_message_chunk")],
    ),
    "an assistant message without text has no line": (says(), []),
    "a call starts in progress": (
        READ,
        [
            {
                "sessionUpdate": "tool_call",
                "toolCallId": "call_1",
                "title": "read",
                "kind": "read",
                "status": "in_progress",
                "rawInput": {"file_path": "a"},
            }
        ],
    ),
    "a compaction": (
        Compaction(agent=MAIN, line=9),
        [
            {
                "sessionUpdate": "session_info_update",
                "_meta": {"repeat-reminder/event": {"type": "compaction"}},
            }
        ],
    ),
    "a resume": (
        Resume(session=MAIN.session, agent=None, line=9),
        [
            {
                "sessionUpdate": "session_info_update",
                "_meta": {"repeat-reminder/event": {"type": "resume"}},
            }
        ],
    ),
    "a step start has no line": (StepStart(agent=MAIN, line=1), []),
    "a step end has no line": (StepEnd(agent=MAIN, line=1, after=Place(1, READ.id)), []),
    "an agent start has no line": (AgentStart(agent=MAIN, line=1), []),
    "an agent end has no line": (AgentEnd(agent=MAIN, line=1), []),
    "a session end has no line": (SessionEnd(session=MAIN.session, line=1), []),
    "a settlement has no line": (
        Settlement(
            policy="reminder", result=result(READ), tracked=True, count=1, inject_after=None
        ),
        [],
    ),
    "a problem has no line": (
        Problem(path="p", line=1, severity=Severity.NOTE, kind="k", message="m"),
        [],
    ),
}


@pytest.mark.parametrize(("item", "expected"), EVENTS.values(), ids=EVENTS)
def test_an_item_gives_its_lines(item: Item, expected: list[Update]) -> None:
    assert updates([start(), item])[1:] == expected


def test_the_first_line_of_a_session_names_format_and_every_policy() -> None:
    policies = [*REMINDER, *BREAKER]
    assert notes([start(log_format="dsh")], policies) == [
        {
            "repeat-reminder/transcript": {"schema": 1, "format": "dsh"},
            "repeat-reminder/policy": [
                {"name": "reminder", "config": REMINDER[0][1]},
                {"name": "breaker", "config": {"window": 16}},
            ],
        }
    ]


def test_a_log_without_results_has_completed_calls_and_no_updates() -> None:
    made = call(recorded=False)
    kinds = [(u["sessionUpdate"], u["status"]) for u in updates([start(), made, result(made)])[1:]]
    assert kinds == [("tool_call", "completed")]


GUARDS: dict[str, tuple[Source, Policies, bool]] = {
    "the reminder's own": ({"kind": "plugin", "plugin": "repeat-tool-reminder"}, REMINDER, False),
    "the reminder's old name": ({"kind": "plugin", "plugin": "repeat-tool-guard"}, REMINDER, False),
    "the reminder's own kind": ({"kind": "repeat-tool-reminder"}, REMINDER, False),
    "the breaker's own": ({"kind": "plugin", "plugin": "repeat-tool-breaker"}, BREAKER, False),
    "a breaker that is not replayed": (
        {"kind": "plugin", "plugin": "repeat-tool-breaker"},
        REMINDER,
        True,
    ),
    "a reminder where nothing is replayed": ({"kind": "repeat-tool-reminder"}, [], True),
    "another plugin": ({"kind": "plugin", "plugin": "todo"}, REMINDER, True),
    "a source that makes no sense": ({"kind": ["x"], "plugin": {"a": [1.0]}}, REMINDER, True),
}


@pytest.mark.parametrize(("source", "policies", "kept"), GUARDS.values(), ids=GUARDS)
def test_a_recorded_message_of_a_replayed_guard_is_left_out(
    source: Source, policies: Policies, *, kept: bool
) -> None:
    line = chunk("text") | {"_meta": {"repeat-reminder/source": source}}
    got = updates([start(), injected("text", source=source)], policies)[1:]
    assert got == ([line] if kept else [])


def test_a_recorded_message_without_text_still_shows() -> None:
    assert updates([start(), injected(source=TOOL)])[1:] == [
        chunk("") | {"_meta": {"repeat-reminder/source": TOOL}}
    ]


PREVIEWS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "one line": (("1 failing",), "1 failing"),
    "first line that is not blank": (("\n \t\r\n  first \nsecond",), "  first "),
    "first block that is not blank": (("", "\n", "here"), "here"),
    "CRLF": (("a\r\nb",), "a"),
    "other separators do not end a line": (("a\u2028b\x85c\x0cd",), "a\u2028b\x85c\x0cd"),
    "nothing": ((), None),
    "blank": (("\n \n",), None),
    "200 units": (("x" * 200,), "x" * 200),
    "201 units": (("x" * 201,), "x" * 200 + "…"),
    "a long line is cut, a second one is not shown": (("x" * 200 + "\ny",), "x" * 200),
    "an astral character is two units": (("😀" * 100,), "😀" * 100),
    "astral and too long": (("😀" * 101,), "😀" * 100 + "…"),
    "a cut may leave half a pair": (("x" * 199 + "😀",), "x" * 199 + "\ud83d…"),
    "lone surrogates are one unit": (("\udc00" * 200,), "\udc00" * 200),
}


@pytest.mark.parametrize(("texts", "expected"), PREVIEWS.values(), ids=PREVIEWS)
def test_a_result_shows_its_first_line(texts: tuple[str, ...], expected: str | None) -> None:
    update = updates([start(), READ, result(READ, *texts)])[2]
    assert update.get("content") == (None if expected is None else content(expected))


# ---------------------------------------------------------------- 3, 4: status and kind


@pytest.mark.parametrize("status", Status)
def test_only_ok_is_completed(status: Status) -> None:
    update = updates([start(), READ, result(READ, status=status)])[2]
    assert update == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "call_1",
        "status": "completed" if status is Status.OK else "failed",
    }


KINDS = {
    "execute": "bash pwsh shell local_shell exec exec_command run_shell_command run_command "
    "execute_command terminal run_code powershell Bash",
    "read": "read read_file read_many_files view cat notebookread list_directory ls NotebookRead",
    "edit": "write write_file edit edit_file multiedit apply_patch str_replace replace "
    "notebookedit insert MultiEdit",
    "search": "grep glob search search_file_content web_search websearch google_web_search "
    "codebase_search WebSearch",
    "fetch": "web_fetch webfetch fetch WebFetch",
    "think": "think todo_write todowrite write_todos update_plan TodoWrite",
    "switch_mode": "exit_plan_mode exitplanmode enter_plan_mode ExitPlanMode",
    "delete": "delete delete_file remove_file",
    "move": "move move_file rename_file",
    "other": "task mcp__fs__read bash2 my_bash reads execute",
}


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in KINDS.items() for name in names.split()]
)
def test_the_whole_tool_name_gives_the_kind(name: str, kind: str) -> None:
    assert updates([start(), call(name=name)])[1]["kind"] == kind


# ---------------------------------------------------------------- rawInput

RAW: dict[str, tuple[ToolCall, bytes]] = {
    "keys are sorted, indexes first": (
        call(arguments={"b": 1, "a": {"10": 1, "9": 2}}),
        b'{"a":{"9":2,"10":1},"b":1}',
    ),
    "numbers as JavaScript prints them": (
        call(text='{"a":[1.0,1e21,-0,1e-7,9007199254740993,1e400]}'),
        b'{"a":[1,1e+21,0,1e-7,9007199254740992,null]}',
    ),
    "no arguments": (call(text=""), b"{}"),
    "broken text is a string": (call(text="{oops"), b'"{oops"'),
    "lone surrogates are escaped": (call(text=r'{"a":"\ud83d"}'), rb'{"a":"\ud83d"}'),
    "the rest is raw": (call(arguments={"a": "é\u2028😀"}), '{"a":"é\u2028😀"}'.encode()),
    "nested to the limit": (call(text="[" * 4000 + "]" * 4000), b"[" * 4000 + b"]" * 4000),
    "nested too deep": (call(text="[" * 9000 + "]" * 9000), b'"[nested too deep]"'),
}


@pytest.mark.parametrize(("made", "expected"), RAW.values(), ids=RAW)
def test_raw_input_is_the_canonical_arguments(made: ToolCall, expected: bytes) -> None:
    *_, line = acp_lines([start(), made], REMINDER)
    assert line.endswith(b',"rawInput":' + expected + b"}}}\n")


# ---------------------------------------------------------------- 5: what guards do


def test_an_undelivered_reminder_says_so() -> None:
    *_, note = notes([start(), READ, result(READ), remind(READ, delivered=False)])
    assert note == {
        "repeat-reminder/injected": {
            "source": {
                "kind": "plugin",
                "plugin": "repeat-tool-reminder",
                "form": "notice",
                "summary": "read \u00d7 3",
            },
            "toolCallId": "call_1",
            "count": 3,
            "threshold": 3,
            "tier": "gentle",
            "delivered": False,
        }
    }


@pytest.mark.parametrize("action", [Action.WARN, Action.SUMMARIZE, Action.FAIL_WARN])
def test_a_breaker_advisory_has_an_action_and_fingerprints(action: Action) -> None:
    said = breaker(action, READ, text="try another way")
    *_, update = updates([start(), READ, result(READ), said], BREAKER)
    assert update == chunk("try another way") | {
        "_meta": {
            "repeat-reminder/injected": {
                "source": dict(said.source),
                "toolCallId": "call_1",
                "count": 12,
                "action": action.value,
                "fingerprints": [HIT_JSON],
                "delivered": True,
            }
        }
    }


def ask_meta(outcome: str) -> Json:
    return {
        "repeat-reminder/ask": {
            "plugin": "repeat-tool-breaker",
            "outcome": outcome,
            "fingerprints": [HIT_JSON],
        }
    }


def denied_meta(recorded: str) -> Json:
    return {
        "repeat-reminder/denied": {
            "plugin": "repeat-tool-breaker",
            "fingerprints": [HIT_JSON],
            "recorded_status": recorded,
        }
    }


ASK_YES = breaker(Action.ASK, READ, outcome="allowed-once", text="may it?")
ASK_NO = breaker(Action.ASK, READ, outcome="rejected", text="may it?")
ASK_NOBODY = breaker(Action.ASK, READ, outcome="unavailable", text=BLOCKED)
DENY = breaker(Action.DENY, READ)

GATES: dict[str, tuple[list[Item], str, Json, str | None]] = {
    "allowed once: it runs": ([ASK_YES], "pending", ask_meta("allowed-once"), None),
    "denied without asking": ([DENY], "in_progress", None, f"Error: {BLOCKED}"),
    "asked, rejected": ([ASK_NO], "pending", ask_meta("rejected"), "Error: may it?"),
    "asked, nobody there": (
        [ASK_NOBODY],
        "pending",
        ask_meta("unavailable"),
        f"Error: {BLOCKED}",
    ),
    "asked, rejected: the model reads another text than the operator": (
        [replace(ASK_NO, denial=BLOCKED)],
        "pending",
        ask_meta("rejected"),
        f"Error: {BLOCKED}",
    ),
    "asked, rejected, denied in other words": (
        [ASK_NO, DENY],
        "pending",
        ask_meta("rejected"),
        f"Error: {BLOCKED}",
    ),
    "allowed, and denied all the same": (
        [ASK_YES, DENY],
        "pending",
        ask_meta("allowed-once"),
        f"Error: {BLOCKED}",
    ),
}


@pytest.mark.parametrize(("gates", "status", "ask", "denial"), GATES.values(), ids=GATES)
@pytest.mark.parametrize("recorded", [Status.OK, Status.ERROR])
def test_a_gate_shows_at_the_call_and_in_place_of_the_result(
    gates: list[Item], status: str, ask: Json, denial: str | None, recorded: Status
) -> None:
    _, made, settled = updates([start(), *gates, READ, result(READ, "recorded", status=recorded)])
    assert (made["status"], made.get("_meta")) == (status, ask)
    was = "completed" if recorded is Status.OK else "failed"
    assert settled == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "call_1",
        "status": "failed" if denial else was,
        "content": content(denial or "recorded"),
    } | ({"_meta": denied_meta(was)} if denial else {})


def test_a_gate_prints_as_the_protocol_page_shows() -> None:
    _, made, settled = transcript([start(), ASK_NOBODY, READ, result(READ)], BREAKER)
    assert made.endswith(
        b'"title":"read","kind":"read","status":"pending","rawInput":{"file_path":"a"},'
        b'"_meta":{"repeat-reminder/ask":{"plugin":"repeat-tool-breaker","outcome":"unavailable",'
        b'"fingerprints":[{"fp":"exact:read:{\\"file_path\\":\\"a\\"}","count":12,"cap":12,'
        b'"track":"occurrence"}]}}}}}\n'
    )
    assert settled.endswith(
        b'"status":"failed","content":[{"type":"content","content":{"type":"text","text":'
        b'"Error: REPEAT_TOOL_BLOCKED\\nread did not run."}}],"_meta":{"repeat-reminder/denied":'
        b'{"plugin":"repeat-tool-breaker","fingerprints":[{"fp":'
        b'"exact:read:{\\"file_path\\":\\"a\\"}","count":12,"cap":12,"track":"occurrence"}],'
        b'"recorded_status":"completed"}}}}}\n'
    )


def test_a_denial_shows_even_where_no_results_are_recorded() -> None:
    made = call(name="read", recorded=False)
    _, began, settled = updates([start(), breaker(Action.DENY, made), made, result(made)])
    assert (began["status"], settled["status"]) == ("in_progress", "failed")


def test_a_call_the_harness_skipped_never_came_before_the_guard() -> None:
    settled = updates([start(), DENY, READ, result(READ, "no", status=Status.SKIPPED)])[2]
    assert (settled["content"], settled.get("_meta")) == (content("no"), None)


def test_a_denial_concerns_its_own_call_only() -> None:
    second = call(2, "read", {"file_path": "a"})
    items: list[Item] = [start(), DENY, READ, second, result(second, "ok"), result(READ, "ok")]
    statuses = {str(u["toolCallId"]): u["status"] for u in updates(items)[1:]}
    assert statuses == {"call_1": "failed", "call_2": "completed"}


# ---------------------------------------------------------------- 6: normalisation

SUB = Agent(MAIN.session, "sub-agent-1")
LONG = "0198c0de-aaaa-7bbb-8ccc-000000000001"


def test_agents_are_numbered_as_they_are_seen() -> None:
    other = Agent(MAIN.session, "other")
    items: list[Item] = [
        start(),
        user("a"),
        says("b", agent=other),
        says("c", agent=SUB),
        user("d"),
    ]
    assert sessions(items) == [
        "{{sessionId}}",
        "{{sessionId}}",
        "{{sessionId:2}}",
        "{{sessionId:3}}",
        "{{sessionId}}",
    ]


def test_a_child_introduced_first_is_not_the_root() -> None:
    items: list[Item] = [
        start(),
        AgentStart(agent=SUB, line=1, parent="main"),
        says("b", agent=SUB),
        user("a"),
    ]
    assert sessions(items) == ["{{sessionId}}", "{{sessionId:2}}", "{{sessionId}}"]


def test_events_of_an_agent_carry_its_token() -> None:
    items: list[Item] = [start(), user("a"), Compaction(agent=SUB, line=1)]
    items += (Resume(session=MAIN.session, agent=agent, line=1) for agent in (SUB, None))
    assert sessions(items)[2:] == ["{{sessionId:2}}", "{{sessionId:2}}", "{{sessionId}}"]


def test_numbering_goes_on_over_sessions() -> None:
    child = Agent(SessionId("s-2"), "main")
    first, second = call(), call(agent=child)
    items: list[Item] = [
        start(),
        user("a"),
        first,
        result(first),
        SessionEnd(session=MAIN.session, line=9),
    ]
    items += start("s-2"), user("b", agent=child), second, result(second), remind(second)
    lines = updates(items)
    assert [u.get("toolCallId") for u in lines if "toolCallId" in u] == [
        "call_1",
        "call_1",
        "call_2",
        "call_2",
    ]
    assert [u["messageId"] for u in lines if "messageId" in u] == ["msg_1", "msg_2", "msg_3"]
    assert sessions(items)[-5:] == ["{{sessionId:2}}"] * 5


def test_a_session_id_that_is_not_unique_is_another_session_each_time() -> None:
    once: list[Item] = [start(), user("a"), call(), SessionEnd(session=MAIN.session, line=9)]
    assert sessions(once * 2) == ["{{sessionId}}"] * 3 + ["{{sessionId:2}}"] * 3
    assert [u["toolCallId"] for u in updates(once * 2) if "toolCallId" in u] == ["call_1", "call_2"]


def test_a_unique_session_in_a_second_file_keeps_its_token_and_numbers_new_calls() -> None:
    once: list[Item] = [start(unique=True), user("a"), call()]
    once.append(SessionEnd(session=MAIN.session, line=9))
    assert sessions(once * 2) == ["{{sessionId}}"] * 6
    assert [u["toolCallId"] for u in updates(once * 2) if "toolCallId" in u] == ["call_1", "call_2"]


def test_a_repeated_call_id_is_a_call_of_its_own() -> None:
    first, second = call(1, call_id="x"), call(2, call_id="x")
    items: list[Item] = [start(), first, result(first, "one"), second, result(second, "two")]
    assert [u["toolCallId"] for u in updates(items)[1:]] == ["call_1", "call_1", "call_2", "call_2"]


def test_a_stream_without_a_session_start_still_gives_lines() -> None:
    assert sessions([user("a"), READ, result(READ)]) == ["{{sessionId}}"] * 3


def leaky(session: str, cwd: str) -> list[Item]:
    """Make a session with its id and folder in every text there is."""
    root = Agent(SessionId(session), "main")
    hit = FingerprintHit(f"exact:x:{cwd}/f", 3, 3, "occurrence")
    made = call(1, f"{cwd}/tool", {f"{cwd}/k": [session, {"v": cwd}]}, agent=root)
    denied = call(2, agent=root)
    secret = f"{session} in {cwd}/src"
    said = remind(made, text=secret)
    return [
        start(session, cwd=cwd, unique=True),
        user(secret, agent=root),
        user(secret, agent=root, source={"kind": "x", "of": [secret]}),
        says(secret, agent=root),
        made,
        result(made, secret),
        said,
        replace(breaker(Action.WARN, made, text=secret), fingerprints=(hit,)),
        replace(breaker(Action.ASK, denied, outcome="rejected", text=secret), fingerprints=(hit,)),
        denied,
        result(denied),
    ]


def test_ids_and_folder_are_replaced_in_every_text() -> None:
    lines = b"".join(transcript(leaky(LONG, "/home/me/proj")))
    assert LONG.encode() not in lines
    assert b"/home" not in lines
    assert b'"rawInput":{"{{cwd}}/k":["{{sessionId}}",{"v":"{{cwd}}"}]}' in lines
    assert lines == b"".join(transcript(leaky(LONG[::-1], "D:\\work")))


def test_only_unique_ids_are_replaced_in_texts() -> None:
    session = start(LONG)
    text = f"{LONG} {SUB.id}"
    item = user(text, agent=Agent(session.session, SUB.id))
    assert updates([session, item])[1] == chunk(text)


def test_agent_ids_of_a_unique_session_are_replaced_in_texts() -> None:
    items: list[Item] = [
        start(unique=True),
        user("a"),
        says("x", agent=SUB),
        user(f"ask {SUB.id}, not main"),
    ]
    assert updates(items)[3] == chunk("ask {{sessionId:2}}, not main", 3)


# ---------------------------------------------------------------- append-only


def without_injected(lines: Iterable[bytes]) -> list[Update]:
    """Drop what the policy adds: its line, its messages, their share of the message numbers."""
    kept = [json.loads(line)["params"] for line in lines]
    kept = [
        params
        for params in kept
        if not {"repeat-reminder/injected", "repeat-reminder/policy"}
        & params["update"].get("_meta", {}).keys()
    ]
    numbers: dict[str, str] = {}
    for params in kept:
        update = params["update"]
        if "messageId" in update:
            update["messageId"] = numbers.setdefault(update["messageId"], f"m{len(numbers)}")
    return kept


TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
AGENTS = st.sampled_from([MAIN, SUB])


@st.composite
def streams(draw: st.DrawFn) -> list[Item]:
    """Draw a session of two agents in any order, with reminders at any place behind a call."""
    items: list[Item] = [start(cwd=draw(st.none() | TEXTS), unique=draw(st.booleans()))]
    calls: list[ToolCall] = []
    for index in range(1, draw(st.integers(1, 8))):
        agent = draw(AGENTS)
        made = call(index, draw(TEXTS), draw(JSONS), agent=agent, call_id=draw(TEXTS) or None)
        calls.append(made)
        text = draw(TEXTS)
        items += made, says(text, agent=agent) if draw(st.booleans()) else user(text, agent=agent)
        if draw(st.booleans()):
            items.append(result(made, draw(TEXTS), draw(TEXTS)))
        if draw(st.booleans()):
            items.append(remind(draw(st.sampled_from(calls)), text=draw(TEXTS)))
    return items


@given(streams())
def test_a_reminder_only_ever_adds_lines(items: list[Item]) -> None:
    plain = [item for item in items if not isinstance(item, Intervention)]
    assert without_injected(transcript(items)) == without_injected(transcript(plain, []))


def test_the_comparison_would_notice_a_changed_line() -> None:
    items = five_equal_calls()
    changed = [
        replace(item, texts=("x",)) if isinstance(item, ToolResult) else item for item in items
    ]
    assert without_injected(transcript(items)) != without_injected(transcript(changed))


# ---------------------------------------------------------------- hostile text

HOSTILE = {
    "ansi": "\x1b[31mred\x1b[0m\x9b2J",
    "bidi": "\u202eevil\u2066",
    "markup": "[bold]x[/nope]",
    "newlines": "a\nb\r\nc\u2028d\x85",
    "json": '"}}\n{"jsonrpc":"2.0"}',
    "nul": "\x00\x7f",
    "lone surrogates": "\ud83d \ude00\ud83d",
    "astral": "😀\U0010ffff",
    "tokens": "{{sessionId}} {{cwd}} call_1 msg_1",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_stays_one_line_and_comes_back_whole(text: str) -> None:
    made = call(name=text, arguments={text: text})
    source: Source = {"kind": text, text: [text]}
    items: list[Item] = [
        start(),
        user(text),
        user(text, source=source),
        made,
        remind(made, text=text),
    ]
    first, second, began, said = updates(items)[1:]
    assert first == chunk(text)
    assert second["_meta"] == {"repeat-reminder/source": source}
    assert (began["title"], began["rawInput"]) == (text, {text: text})
    assert said["content"] == {"type": "text", "text": text}


@given(TEXTS, TEXTS, JSONS, TEXTS)
def test_no_text_raises_or_breaks_a_line(text: str, cwd: str, value: Json, name: str) -> None:
    session = start(f"{text}-12345678", cwd=cwd, unique=True)
    agent = Agent(session.session, name)
    made = call(name=name, arguments=value, text=text or None, agent=agent, call_id=text)
    items: Sequence[Item] = [
        session,
        user(text, name, agent=agent, source={"kind": "x", "deep": value}),
        says(text, agent=agent),
        replace(breaker(Action.DENY, made, text=text), fingerprints=(HIT._replace(fp=text),)),
        made,
        result(made, name, text),
        replace(remind(made, text=text), source={"kind": "plugin", "summary": text}),
    ]
    for line in transcript(items):
        line.decode()
