"""What the smaller readers tell beside the counts: how calls ended, who spoke, tokens, folders."""

from collections.abc import Callable
from typing import Final

import pytest

from repeat_reminder.errors import FormatError
from repeat_reminder.events import (
    AssistantMessage,
    Compaction,
    Json,
    Problem,
    Resume,
    SessionStart,
    Severity,
    Status,
    ToolResult,
    Usage,
    UserMessage,
)
from repeat_reminder.formats import (
    amp,
    cline,
    cline_sdk,
    cursor,
    droid,
    goose,
    hermes,
    inspect_ai,
    mini_swe,
    otel,
    swe_agent,
    tau_bench,
    windsurf,
)
from repeat_reminder.formats.model import Format, Origin, Record, Sample
from repeat_reminder.formats.reading import read_log
from repeat_reminder.source import open_log
from tests.readers import events_of, file_events, of_type

OK, ERROR, DENIED, ABORTED, TIMEOUT = (
    *(Status.OK, Status.ERROR, Status.DENIED, Status.ABORTED),
    Status.TIMEOUT,
)
DENIAL: Final = "The user denied this operation and provided the following feedback:"
OPEN_FILES: Final = "<open_and_recently_viewed_files>\na\n</open_and_recently_viewed_files>"

End = tuple[Status, str, Json]
"""Status, text and structured value of a result."""

ENDS: Final[list[tuple[Format, str, list[End]]]] = [
    (
        amp.FORMAT,
        "thread.json",
        [
            (ERROR, "no such file", None),
            (OK, '{"content":"x"}', {"content": "x"}),
            (ABORTED, "stopped", None),
            (DENIED, "no", None),
            (OK, "a\n", {"output": "a\n", "exitCode": 2}),
        ],
    ),
    (
        cline.FORMAT,
        "results-as-text.json",
        [
            (OK, "body", None),
            (OK, "a", None),
            (OK, "body", None),
            (
                DENIED,
                f"{DENIAL}\n<feedback>\nnot that\n</feedback>",
                None,
            ),
            (OK, "<feedback> is a word in the file", None),
            (OK, "ok", None),
        ],
    ),
    (
        cline.FORMAT,
        "results-as-blocks.json",
        [
            (OK, "x", None),
            (
                ERROR,
                "The tool execution failed with the following error:\n<error>\nno\n</error>",
                None,
            ),
            (OK, "x", None),
        ],
    ),
    (
        cline_sdk.FORMAT,
        "session.json",
        [
            (OK, '{"query":"ls","result":"a\\n","success":true}', None),
            (ERROR, "command failed", None),
            (OK, "a", None),
        ],
    ),
    (
        windsurf.FORMAT,
        "trajectory.jsonl",
        [
            (OK, "a", {"exitCode": 0}),
            (OK, "other", {"exitCode": 1}),
            (DENIED, "", None),
            (ERROR, "", None),
            (OK, "x", None),
            (OK, "a", None),
            (OK, "b", None),
        ],
    ),
    (
        goose.FORMAT,
        "without-metadata.jsonl",
        [
            (ERROR, "failed", {"exitCode": 3}),
            (OK, "x", None),
            (
                DENIED,
                "The user has declined to run this tool. DO NOT attempt to call this tool again.",
                None,
            ),
            (ERROR, "no such tool", None),
        ],
    ),
    (
        inspect_ai.FORMAT,
        "log.json",
        [
            (OK, "x", None),
            (TIMEOUT, "took too long", {"timedOut": True}),
            (DENIED, "not allowed", None),
            (OK, "x", None),
            (OK, "x", None),
            (ERROR, "no", None),
        ],
    ),
    (
        mini_swe.FORMAT,
        "v1-list.json",
        [
            (OK, "<returncode>1</returncode>\n<output>\n</output>", {"exitCode": 1}),
            (
                TIMEOUT,
                "The last command <command>ls</command> timed out and has been killed.",
                {"timedOut": True},
            ),
            (OK, "", None),
        ],
    ),
    (
        mini_swe.FORMAT,
        "v2-text.traj.json",
        [(TIMEOUT, "x", {"exitCode": -1, "timedOut": True}), (OK, "x", {"exitCode": 0})],
    ),
    (
        otel.FORMAT,
        "spans.jsonl",
        [(ERROR, "", None), (OK, "", None), (OK, "", None), (OK, "", None), (OK, "", None)],
    ),
    (swe_agent.FORMAT, "run.traj", [(OK, "x", None)] * 4),
    (tau_bench.FORMAT, "results.json", [(OK, "1", None)] * 5),
]


@pytest.mark.parametrize(
    ("form", "name", "ends"), [pytest.param(*row, id=f"{row[0].name}/{row[1]}") for row in ENDS]
)
def test_a_result_says_how_its_call_ended(form: Format, name: str, ends: list[End]) -> None:
    results: list[ToolResult] = of_type(file_events(form, name), ToolResult)
    assert [(each.status, "".join(each.texts), each.value) for each in results] == ends
    assert all(each.is_error == (each.status in (ERROR, DENIED, ABORTED)) for each in results)


STARTS: Final = [
    (amp.FORMAT, "thread.json", [("T-00000000-0000-4000-8000-000000000001", "/home/u/my w", True)]),
    (cline.FORMAT, "calls-as-xml.json", [("calls-as-xml", None, False)]),
    (cline_sdk.FORMAT, "session.json", [("1767225600000_abcde", None, True)]),
    (
        droid.FORMAT,
        "session.jsonl",
        [
            ("11111111-2222-4333-8444-555555555555", "/w", True),
            ("66666666-7777-4888-8999-000000000000", "/v", True),
        ],
    ),
    (goose.FORMAT, "metadata-first.jsonl", [("metadata-first", "/w", False)]),
    (
        goose.FORMAT,
        "sessions.db",
        [
            ("20260101_1", "/w", False),
            ("20260101_2", "/v", False),
            ("without-row", None, False),
        ],
    ),
    (
        hermes.FORMAT,
        "state.db",
        [("20260101_100000_abcdef", None, True), ("20260101_110000_abcdef", "/w", True)],
    ),
    (inspect_ai.FORMAT, "log.json", [("b/1", None, False), ("b/2", None, False)]),
    (mini_swe.FORMAT, "v2-text.traj.json", [("x__y-1", "/testbed", False)]),
    (otel.FORMAT, "console.jsonl", [("c1", None, False)]),
]


@pytest.mark.parametrize(
    ("form", "name", "starts"), [pytest.param(*row, id=f"{row[0].name}/{row[1]}") for row in STARTS]
)
def test_a_session_has_id_and_folder_and_no_id_is_called_unique_that_is_not(
    form: Format, name: str, starts: list[tuple[str, str | None, bool]]
) -> None:
    begun: list[SessionStart] = of_type(file_events(form, name), SessionStart)
    assert [(each.session, each.cwd, each.unique_id) for each in begun] == starts
    assert all(each.format == form.name for each in begun)


def test_a_session_names_the_one_it_comes_from() -> None:
    parents = {
        form.name: [each.parent for each in of_type(file_events(form, name), SessionStart)]
        for form, name in ((goose.FORMAT, "sessions.db"), (hermes.FORMAT, "state.db"))
    }
    assert parents == {
        "goose": [None, "20260101_1", None],
        "hermes": [None, "20260101_100000_abcdef"],
    }


@pytest.mark.parametrize(
    ("form", "name", "usage", "time"),
    [
        (amp.FORMAT, "thread.json", Usage(input=10, output=5), 1767225601.0),
        (cline_sdk.FORMAT, "session.json", Usage(input=10, output=2), 1767225601.0),
        (mini_swe.FORMAT, "v2-text.traj.json", Usage(input=9, output=4), 1767225600.5),
        (mini_swe.FORMAT, "v2-responses.traj.json", Usage(input=5, output=3), None),
        (goose.FORMAT, "metadata-first.jsonl", None, 1767225600.0),
    ],
    ids=["amp", "cline-sdk", "mini-swe", "mini-swe-responses", "goose"],
)
def test_the_first_answer_has_its_tokens_and_time(
    form: Format, name: str, usage: Usage | None, time: float | None
) -> None:
    first: AssistantMessage = of_type(file_events(form, name), AssistantMessage)[0]
    assert (first.usage, first.time) == (usage, time)


SPOKEN: Final = [
    (amp.FORMAT, "thread.json", [("go", True), ("beside a result", False), ("do not", True)]),
    (
        cursor.FORMAT,
        "transcript.jsonl",
        [
            (
                f"{OPEN_FILES}|<user_query>\ngo\n</user_query>",
                True,
            ),
            ("<system_reminder>\nbe brief\n</system_reminder>", False),
            ("again", True),
        ],
    ),
    (
        goose.FORMAT,
        "without-metadata.jsonl",
        [
            ("go", True),
            ("so far: nothing", False),
            ("go on", True),
            ("beside a result", False),
        ],
    ),
    (
        hermes.FORMAT,
        "state.db",
        [
            ("go", True),
            ("Review the conversation above and update the skill library.", False),
            ("[CONTEXT COMPACTION] Earlier turns were summarised.", False),
            ("look|[image]", True),
            ("[IMPORTANT: Background process proc_1 exited.]", False),
        ],
    ),
    (
        inspect_ai.FORMAT,
        "log.json",
        [
            ("go", True),
            ("Please go on.", False),
            ("And now.", False),
            ("another", True),
            ("go", True),
        ],
    ),
    (
        mini_swe.FORMAT,
        "v2-tools.traj.json",
        [
            ("Fix it.", True),
            ("Error parsing tool call arguments.", False),
            ("<returncode>0</returncode>", False),
            ("no, do this instead", False),
        ],
    ),
    (swe_agent.FORMAT, "run.traj", [("fix it", True)]),
    (windsurf.FORMAT, "trajectory.jsonl", [("go", True), ("again", True)]),
]


@pytest.mark.parametrize(
    ("form", "name", "spoken"), [pytest.param(*row, id=f"{row[0].name}/{row[1]}") for row in SPOKEN]
)
def test_only_what_a_human_says_resets(
    form: Format, name: str, spoken: list[tuple[str, bool]]
) -> None:
    messages: list[UserMessage] = of_type(file_events(form, name), UserMessage)
    assert [("|".join(each.texts), each.resets) for each in messages] == spoken
    assert all((each.source.get("kind") == "user") == each.resets for each in messages)


@pytest.mark.parametrize(
    ("form", "name", "kind", "lines"),
    [
        (droid.FORMAT, "session.jsonl", Compaction, [6]),
        (droid.FORMAT, "session.jsonl", Resume, [10]),
        (cline.FORMAT, "results-as-blocks.json", Compaction, [None]),
        (hermes.FORMAT, "state.db", Compaction, [None]),
    ],
    ids=["droid-compaction", "droid-resume", "cline-compaction", "hermes-compaction"],
)
def test_compactions_and_resumes_are_told(
    form: Format, name: str, kind: type, lines: list[int | None]
) -> None:
    assert [event.line for event in of_type(file_events(form, name), kind)] == lines


PROBLEMS: Final = [
    (amp.FORMAT, "thread.json", ["unfinished", "unfinished"]),
    (cline.FORMAT, "results-as-text.json", ["stray-result", "unfinished"]),
    (cursor.FORMAT, "transcript.jsonl", ["malformed"]),
    (goose.FORMAT, "without-metadata.jsonl", ["unparsed-call", "stray-result", "unfinished"]),
    (hermes.FORMAT, "state.db", ["unfinished"]),
    (inspect_ai.FORMAT, "log.eval", ["unreadable-sample"]),
    (otel.FORMAT, "spans.jsonl", ["copy", "copy"]),
    (swe_agent.FORMAT, "run.traj", ["malformed", "unfinished"]),
    (windsurf.FORMAT, "trajectory.jsonl", ["unfinished"]),
]


@pytest.mark.parametrize(
    ("form", "name", "kinds"),
    [pytest.param(*row, id=f"{row[0].name}/{row[1]}") for row in PROBLEMS],
)
def test_what_does_not_count_is_told(form: Format, name: str, kinds: list[str]) -> None:
    problems: list[Problem] = of_type(file_events(form, name), Problem)
    assert [each.kind for each in problems] == kinds
    left_out = {"malformed", "unreadable-sample"}
    assert all(each.skipped == (each.kind in left_out) for each in problems)


def test_a_task_of_cline_is_called_after_its_folder() -> None:
    origin = Origin(
        path="tasks/1767225600000/api_conversation_history.json", name="api_conversation_history"
    )
    events = [*cline.ClineReader(origin).record(None, {"messages": []})]
    assert [event.session for event in of_type(events, SessionStart)] == ["1767225600000"]


# ---------------------------------------------------------------- traces


def span(start: int, span_id: str, parent: Json = None, **attributes: Json) -> Record:
    return {
        "traceId": "t",
        "spanId": span_id,
        "parentSpanId": parent,
        "startTimeUnixNano": start,
        "attributes": {
            f"gen_ai.{key.replace('__', '.')}": value for key, value in attributes.items()
        },
    }


def call(start: int, span_id: str, parent: Json = None, **attributes: Json) -> Record:
    return span(
        start, span_id, parent, operation__name="execute_tool", tool__name="open", **attributes
    )


def test_calls_without_arguments_are_left_out_for_they_all_look_the_same() -> None:
    (problem,) = events_of(otel.FORMAT, [call(1, "a"), call(2, "b")])
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.severity, problem.skipped) == (
        "no-arguments",
        Severity.WARNING,
        True,
    )
    assert "2 calls" in problem.message


def test_a_trace_that_goes_round_ends() -> None:
    records = [call(1, "a", "b", tool__call__arguments="{}"), span(0, "b", "a")]
    assert len(of_type(events_of(otel.FORMAT, records), ToolResult)) == 1


@pytest.mark.parametrize(
    ("above", "counted"),
    [
        ({"operation__name": "execute_tool", "tool__name": "open", "tool__call__id": "c"}, 1),
        ({"operation__name": "execute_tool", "tool__name": "open", "tool__call__id": "d"}, 2),
        ({"operation__name": "execute_tool", "tool__name": "other"}, 2),
        ({"operation__name": "invoke_agent"}, 1),
    ],
    ids=["the-same-call-is-one", "another-id", "another-tool", "an-agent-is-no-call"],
)
def test_a_span_right_below_its_own_call_is_no_other_call(
    above: dict[str, Json], counted: int
) -> None:
    records = [
        span(1, "a", tool__call__arguments="{}", **above),
        span(2, "h", "a", system="http"),
        call(3, "b", "h", tool__call__arguments="{}", tool__call__id="c"),
    ]
    assert len(of_type(events_of(otel.FORMAT, records), ToolResult)) == counted


# ---------------------------------------------------------------- recognition


@pytest.mark.parametrize(
    "form",
    [
        amp.FORMAT,
        cline.FORMAT,
        cline_sdk.FORMAT,
        inspect_ai.FORMAT,
        mini_swe.FORMAT,
        swe_agent.FORMAT,
    ],
    ids=lambda form: form.name,
)
def test_what_is_not_one_json_value_is_an_error_with_the_reason(
    form: Format, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("logs") / "log.json"
    path.write_text('{"messages": [')
    with open_log(str(path)) as log, pytest.raises(FormatError, match="not one JSON value"):
        list(read_log(log, form))


def document(value: Json) -> Sample:
    return Sample(
        path="x", kind="text", records=[value] if isinstance(value, dict) else [], document=value
    )


def lines(*records: Record) -> Sample:
    return Sample(path="x", kind="text", records=records)


def tables(*names: str) -> Sample:
    return Sample(path="x", kind="sqlite", records=(), names=names)


USE: Final[Json] = {"type": "tool_use", "id": "a", "name": "b", "input": {}}
PI_USE: Final[Json] = {"type": "toolCall", "id": "a", "name": "b", "arguments": {}}
CALLED: Final[Json] = {"role": "assistant", "content": [USE]}
FOREIGN: Final[list[tuple[str, Format, Sample]]] = [
    ("anthropic-list", cline.FORMAT, document([{"role": "user", "content": "hi"}])),
    ("openai-list", mini_swe.FORMAT, document([{"role": "user", "content": "hi"}])),
    ("openai-request", amp.FORMAT, document({"messages": [], "model": "m"})),
    ("gemini-chat", cline_sdk.FORMAT, document({"sessionId": "s", "messages": []})),
    ("opencode-export", mini_swe.FORMAT, document({"info": {"id": "s"}, "messages": [{}]})),
    ("any-json", inspect_ai.FORMAT, document({"version": 2, "eval": "x", "samples": []})),
    ("any-trace", otel.FORMAT, lines({"attributes": {"http.method": "GET"}, "spanId": "x"})),
    ("pi-message", droid.FORMAT, lines({"type": "message", "message": {"content": [PI_USE]}})),
    ("claude-line", droid.FORMAT, lines({"type": "message", "uuid": "u", "message": CALLED})),
    ("claude-line", cursor.FORMAT, lines({"role": "user", "uuid": "u", "message": CALLED})),
    ("chat-line", cursor.FORMAT, lines({"role": "user", "content": "x"})),
    ("any-status", windsurf.FORMAT, lines({"type": "job", "status": "done", "result": {}})),
    ("chat-line", goose.FORMAT, lines({"role": "user", "created": 1, "content": [{}]})),
    ("crush", goose.FORMAT, tables("files", "goose_db_version", "messages", "sessions")),
    ("crush", hermes.FORMAT, tables("files", "goose_db_version", "messages", "sessions")),
    ("hermes", goose.FORMAT, tables("messages", "messages_fts", "schema_version", "sessions")),
    ("goose", hermes.FORMAT, tables("messages", "schema_version", "sessions")),
    ("opencode", hermes.FORMAT, tables("message", "part", "session")),
    ("demo", swe_agent.FORMAT, document({"trajectory": [{"x": 1, "y": 2}]})),
    ("any-list", tau_bench.FORMAT, document([{"task_id": 1, "messages": []}])),
]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "sample"),
    [pytest.param(form, sample, id=f"{what}-is-not-{form.name}") for what, form, sample in FOREIGN],
)
def test_logs_that_look_alike_are_not_taken(form: Format, sample: Sample) -> None:
    assert form.recognise(sample) is None


@pytest.mark.parametrize(
    ("form", "sample"),
    [
        pytest.param(
            hermes.FORMAT,
            tables("messages", "messages_fts", "schema_version", "sessions"),
            id="hermes-with-search",
        ),
        pytest.param(
            inspect_ai.FORMAT, document({"version": 2, "eval": {}, "plan": {}}), id="header"
        ),
        pytest.param(swe_agent.FORMAT, document({"trajectory": [], "history": []}), id="no-steps"),
        pytest.param(
            droid.FORMAT,
            lines({"type": "message", "message": {"role": "assistant", "content": [USE]}}),
            id="droid-without-header",
        ),
        pytest.param(
            goose.FORMAT,
            lines(
                {"role": "user", "created": 1, "content": [{}], "metadata": {"userVisible": True}}
            ),
            id="goose-without-calls",
        ),
        pytest.param(
            cline.FORMAT,
            document([{"role": "user", "content": "[read_file for 'a'] Result:\nx"}]),
            id="roo-without-details",
        ),
    ],
)
def test_logs_without_the_usual_mark_are_taken(form: Format, sample: Sample) -> None:
    assert form.recognise(sample)


# ---------------------------------------------------------------- results that come late


def asked(call_id: str, tool: str) -> Record:
    use: Json = {"type": "tool_use", "id": call_id, "name": tool, "input": {}}
    entry: Json = {"id": call_id, "function": {"name": tool, "arguments": "{}"}}
    return {"role": "assistant", "content": [use], "tool_calls": [entry]}


def amp_result(call_id: str) -> Record:
    run: Json = {"status": "done", "result": "x"}
    return {"role": "user", "content": [{"type": "tool_result", "toolUseID": call_id, "run": run}]}


def block_result(call_id: str) -> Record:
    block: Json = {"type": "tool_result", "tool_use_id": call_id, "content": "x"}
    return {"role": "user", "content": [block]}


def chat_result(call_id: str) -> Record:
    return {"role": "tool", "tool_call_id": call_id, "content": "x"}


def droid_line(message: Record) -> Record:
    return {"type": "message", "message": message}


def inspect_asked(call_id: str, tool: str) -> Record:
    call: Json = {"id": call_id, "function": tool, "arguments": {}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def goose_asked(call_id: str, tool: str) -> Record:
    call: Json = {"status": "success", "value": {"name": tool, "arguments": {}}}
    request: Json = {"type": "toolRequest", "id": call_id, "toolCall": call}
    return {"role": "assistant", "content": [request]}


def goose_result(call_id: str) -> Record:
    result: Json = {"status": "success", "value": []}
    response: Json = {"type": "toolResponse", "id": call_id, "toolResult": result}
    return {"role": "user", "content": [response]}


def hermes_asked(call_id: str, tool: str) -> Record:
    calls = f'[{{"id": "{call_id}", "function": {{"name": "{tool}", "arguments": ""}}}}]'
    return {"role": "assistant", "content": "", "tool_calls": calls}


def late(ask: Callable[[str, str], Record], answer: Callable[[str], Record]) -> list[Record]:
    """Two steps of one call; the second's result comes first."""
    return [ask("1", "first"), ask("2", "second"), answer("2"), answer("1")]


LATE: Final[list[tuple[Format, list[Record]]]] = [
    (amp.FORMAT, [{"messages": [*late(asked, amp_result)]}]),
    (cline.FORMAT, [{"messages": [*late(asked, block_result)]}]),
    (cline_sdk.FORMAT, [{"messages": [*late(asked, block_result)]}]),
    (droid.FORMAT, [*map(droid_line, late(asked, block_result))]),
    (goose.FORMAT, late(goose_asked, goose_result)),
    (hermes.FORMAT, late(hermes_asked, chat_result)),
    (inspect_ai.FORMAT, [{"messages": [*late(inspect_asked, chat_result)]}]),
    (mini_swe.FORMAT, [{"messages": [*late(asked, chat_result)]}]),
    (tau_bench.FORMAT, [{"traj": [*late(asked, chat_result)]}]),
]


@pytest.mark.parametrize(("form", "records"), [pytest.param(*row, id=row[0].name) for row in LATE])
def test_a_late_result_settles_its_call_where_the_step_stands(
    form: Format, records: list[Record]
) -> None:
    results: list[ToolResult] = of_type(events_of(form, records), ToolResult)
    assert [each.call.name for each in results] == ["first", "second"]
