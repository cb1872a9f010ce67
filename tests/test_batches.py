"""Many calls at once: a guard says of batches what it says of one call after the other."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repeat_reminder.batches import HUMAN, SPOKE, Batch, Left, PlainCall, PlainCalls
from repeat_reminder.engine import replay, replay_batches, take_batches
from repeat_reminder.events import Agent, AgentStart, Intervention, Json, SessionId, ToolResult
from repeat_reminder.formats.claude_code.plain import ClaudeCodeSkimmer
from repeat_reminder.formats.codex.plain import CodexSkimmer
from repeat_reminder.formats.dsh.plain import DshSkimmer
from repeat_reminder.formats.model import Skimmer
from repeat_reminder.formats.reading import read_log, skim_log
from repeat_reminder.formats.shared.waiting import MOST_WAITING
from repeat_reminder.policies.breaker import Breaker
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import open_log
from repeat_reminder.source.lines import Line
from tests.command import run

AGENT: Final = Agent(SessionId("s"), "main")
TEXTS: Final = (
    *("", "{}", '{"a":1}', '{"a":1.0}', '{"a":true}', '{ "a" : 1 }', '{"a":"1"}'),
    *('{"a":"x","b":2}', '{"b":2,"a":"x"}', '{"a":"\\u0078","b":2}', '{"a":"y","a":"x","b":2}'),
    *("[1]", "not json", '"x"', json.dumps({"long": "x" * 2_000})),
    json.dumps({"long": "x" * 2_000, "b": 1}),
)
"""Arguments of which some are the same, spelt otherwise."""
VALUES: Final[Sequence[bytes]] = (
    *(text.encode() for text in TEXTS if text not in {"", "not json", '{"a":"y","a":"x","b":2}'}),
    *(b'{"__proto__":1}', b'{"a":[1,{"b":2}]}', b'{"a":[1,{"b":2.0}]}', b'{"a":true}'),
)
"""The same, as values that were given as such."""


entries = st.lists(
    st.tuples(st.sampled_from(["a", "b", "skip", None, None]), st.integers(0, 15)), max_size=60
)


def plain(drawn: Sequence[tuple[str | None, int]], pool: Sequence[Left]) -> list[PlainCall]:
    """Make entries; what stands between calls is half the time a human's message."""
    made: list[PlainCall] = []
    for line, (tool, number) in enumerate(drawn, 1):
        left = pool[number % len(pool)]
        if tool is None:
            left = HUMAN if number % 5 == 0 else SPOKE
        made.append((line, tool, left, line, line, None))
    return made


def batches(made: list[PlainCall], cuts: Sequence[int]) -> Iterator[PlainCalls]:
    """Cut entries into batches."""
    index = 1
    bounds = sorted({0, len(made), *(cut % (len(made) + 1) for cut in cuts)})
    for start, end in pairwise(bounds):
        part = made[start:end]
        number = sum(entry[1] is not None for entry in part)
        yield PlainCalls(
            agent=AGENT,
            first_index=index,
            calls=part,
            number=number,
        )
        index += number


def in_batches(guard: Reminder, parts: Iterator[PlainCalls]) -> tuple[list[object], Counter[int]]:
    said: list[object] = []
    reached: Counter[int] = Counter()
    for part in parts:
        found = guard.on_calls(part)
        assert found.tracked == sum(found.reached.values())
        reached.update(found.reached)
        said += [told(each) for at, each in found.said if part.calls[at][0] == each.call.line]
        assert len(found.said) == len({at for at, _ in found.said})
    return said, +reached


def one_by_one(guard: Reminder, made: list[PlainCall]) -> tuple[list[object], Counter[int]]:
    said: list[object] = []
    reached: Counter[int] = Counter()
    for part in batches(made, range(len(made))):
        line, tool, left, _, settled, _ = part.calls[0]
        if tool is not None:
            made_call = part.call(0, part.first_index)
            verdict = guard.on_result(ToolResult(call=made_call, line=line, settled_line=settled))
            said += map(told, verdict.interventions)
            reached.update([verdict.run] if verdict.run else [])
        elif left == HUMAN:
            guard.on_user_message(AGENT)
    return said, reached


def told(said: Intervention) -> object:
    first = said.run_first
    assert first is not None
    place = (said.call.index, said.call.line, said.call.id, first.index, first.line, first.id)
    return place, said.count, said.text, said.arguments_preview


@pytest.mark.parametrize("pool", [TEXTS, VALUES], ids=["texts", "values"])
@pytest.mark.parametrize(
    "config",
    [
        ReminderConfig(thresholds=(2, 3, 5)),
        ReminderConfig(thresholds=(2,), exclude=("sk*",)),
        ReminderConfig(thresholds=(2, 4), include=("a",), ignore_args=("b", "a:long")),
    ],
    ids=["all", "a-tool-excluded", "arguments-ignored"],
)
@settings(max_examples=60)
@given(drawn=entries, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_batches_count_as_single_calls_do(
    pool: Sequence[Left],
    config: ReminderConfig,
    drawn: list[tuple[str | None, int]],
    cuts: list[int],
) -> None:
    made = plain(drawn, pool)
    found = in_batches(Reminder(config), batches(made, cuts))
    assert found == one_by_one(Reminder(config), made)


def test_only_one_guard_alone_takes_batches() -> None:
    assert take_batches([Reminder()])
    assert not take_batches([Reminder(), Reminder()])
    assert not take_batches([Breaker()])
    assert not take_batches([])


# ---------------------------------------------------------------- from lines


def codex(envelope: str, **payload: Json) -> str:
    return json.dumps(
        {"timestamp": "2026-01-02T03:04:05.678Z", "type": envelope, "payload": payload},
        separators=(",", ":"),
    )


def codex_call(call_id: str, name: str = "sh", text: str = "{}") -> list[str]:
    return [
        codex("response_item", type="function_call", name=name, arguments=text, call_id=call_id),
        codex("response_item", type="function_call_output", call_id=call_id, output="ok"),
    ]


CODEX_HEAD: Final = [codex("session_meta", id="t1", cwd="/x"), *codex_call("first", "begin")]
TOKENS: Final = codex("event_msg", type="token_count", info={"total_token_usage": {"n": 1}})
REASONING: Final = codex("response_item", type="reasoning", summary=[])
SAID: Final = codex(
    "response_item",
    type="message",
    role="assistant",
    content=[{"type": "output_text", "text": "x"}],
)
ASKED: Final = codex("event_msg", type="user_message", message="go on")
ASKED_ITEM: Final = codex(
    "response_item", type="message", role="user", content=[{"type": "input_text", "text": "go on"}]
)


INJECTED_ITEM: Final = ASKED_ITEM.replace("go on", "<environment_context>")


def dsh(kind: str, **data: Json) -> str:
    return json.dumps({"type": kind, "data": data}, separators=(",", ":"))


def dsh_step(step: int, call_id: str, name: str = "sh", text: str = "{}") -> list[str]:
    at: dict[str, Json] = {"turn": 1, "step": step}
    block: Json = {"type": "tool-result", "toolCallId": call_id, "content": [], "isError": False}
    message: Json = {
        "source": {"kind": "tool", "callId": call_id},
        "content": [block],
        "role": "user",
        "id": "m",
    }
    return [
        dsh("step/start", **at),
        dsh("tool/call", **at, callId=call_id, name=name, arguments=text),
        dsh("tool/result", **at, message=message),
        dsh("step/end", **at),
    ]


def claude(number: int, message: Json, kind: str, **around: Json) -> str:
    uuid = "00000000-0000-4000-8000-%012d"
    head: dict[str, Json] = {"parentUuid": uuid % (number - 1), "isSidechain": False}
    head |= {"cwd": "/x", "sessionId": "s1", **around}
    tail: dict[str, Json] = {"uuid": uuid % number, "timestamp": "2026-01-02T03:04:05Z"}
    middle: dict[str, Json] = {"type": kind, "message": message}
    if kind == "assistant":
        middle = {"message": message, "type": kind}
    return json.dumps(head | middle | tail, separators=(",", ":"))


def claude_call(
    number: int, call_id: str, message_id: str | None = None, **around: Json
) -> list[str]:
    block: Json = {"type": "tool_use", "id": call_id, "name": "sh", "input": {}}
    said: Json = {
        "model": "m",
        "id": message_id or f"msg-{number}",
        "role": "assistant",
        "content": [block],
        "usage": {"input_tokens": 1},
    }
    result: Json = {"tool_use_id": call_id, "type": "tool_result", "content": "ok"}
    return [
        claude(number, said, "assistant", **around),
        claude(number + 1, {"role": "user", "content": [result]}, "user", **around),
    ]


def giant(line: str) -> str:
    """Make a result long."""
    return line.replace('"ok"', f'"{"x" * 600_000}"')


def many(calls: Iterator[list[str]]) -> list[str]:
    return [line for lines in calls for line in lines]


CODEX_RUN: Final = many(codex_call(f"c{n}") for n in range(4))
CODEX_NEXT: Final = many(codex_call(f"d{n}") for n in range(4))
DSH_HEAD: Final = ['{"type":"session","version":0,"id":"s1"}', *dsh_step(0, "first", "begin")]
SEEDED: Final = '{"type":"session","version":0,"id":"s2","seedLength":6}'
CLAUDE_HEAD: Final = [
    claude(1, {"role": "user", "content": "go"}, "user"),
    *claude_call(2, "first"),
]
CHUNK: Final = dsh("assistant/chunk", turn=1, step=1, chunk={"type": "text-delta"})


def dsh_message(kind: str, message_id: str) -> dict[str, Json]:
    text: Json = {"type": "text", "text": "go on"}
    return {"content": [text], "source": {"kind": kind}, "role": "user", "id": message_id}


DSH_ASKED: Final = [
    dsh("agent/inbox/spliced", target="next-turn", start=0, inserted=[dsh_message("user", "m1")]),
    dsh("agent/inbox/spliced", target="next-turn", start=0, removedCount=1, inserted=[]),
    dsh("turn/start", turn=1),
    dsh("user/message", **dsh_message("user", "m1")),
    dsh("user/message", **dsh_message("plugin", "m2")),
]
DSH_NEXT: Final = many(dsh_step(n, f"d{n}") for n in range(5, 9))
DSH_RUN: Final = many(dsh_step(n, f"c{n}") for n in range(1, 5))
CLAUDE_RUN: Final = many(claude_call(4 + 2 * n, f"c{n}") for n in range(4))
DEEP: Final = '{"a":' + "[" * 6_000 + "]" * 6_000 + "}"
QUEUED: Final = claude(90, None, "attachment").replace(
    '"message":null', '"attachment":{"type":"queued_command","prompt":"and then"}'
)
NAMELESS: Final = '"sessionId":"s1",'


def thinking(number: int, message_id: str) -> str:
    said: Json = {
        "id": message_id,
        "content": [{"type": "thinking", "thinking": "hm"}],
        "usage": {"input_tokens": 5},
    }
    return claude(number, said, "assistant")


def blind(tool: str = "x", **more: Json) -> str:
    return json.dumps(
        {"type": "tool_call", "name": tool, "arguments": {}, **more}, separators=(",", ":")
    )


BLIND_HEAD: Final = ['{"type":"session","results":false}', blind("begin"), blind("begin")]

LOGS: Final[dict[str, list[str]]] = {
    "arguments that are nested too deep": [
        *(*CODEX_HEAD, *codex_call("d1", text=DEEP), *codex_call("d2", text=DEEP), *CODEX_RUN),
        *codex_call("e1", text='{"d":' + "[" * 990 + "]" * 990 + "}"),
        *codex_call("e2", text='{"d":' + "[" * 990 + "1" + "]" * 990 + "}"),
    ],
    "arguments in a line that are nested too deep": [
        *(*BLIND_HEAD, blind().replace("{}", DEEP), blind().replace("{}", DEEP)),
        *(blind().replace("{}", '{"d":' + "[" * 990 + f"{n}" + "]" * 990 + "}") for n in "12"),
    ],
    "the end of a step twice": [*DSH_HEAD, *DSH_RUN[:8], DSH_RUN[7], DSH_RUN[6], *DSH_RUN[8:]],
    "the end of a step of another session": [
        *(*DSH_HEAD, *DSH_RUN[:6], DSH_HEAD[0].replace("s1", "s2"), *DSH_RUN[6:]),
    ],
    "a step whose number is too long": [
        *DSH_HEAD,
        *(line.replace('"step":1', f'"step":{"1" * 5_000}') for line in dsh_step(1, "c1")),
        *DSH_RUN,
    ],
    "an agent that lines name in two ways": [
        *CLAUDE_HEAD,
        *(line.replace(NAMELESS, "") if n % 4 > 1 else line for n, line in enumerate(CLAUDE_RUN)),
    ],
    "a message in a step that the log names": [
        *(*BLIND_HEAD, blind(step=2), blind(step=2), '{"type":"user_message"}', blind(step=2)),
        blind(step=3),
    ],
    "ids with quotes": [
        *(*CODEX_HEAD, *codex_call('a","output":"z'), *codex_call("b\\"), *CODEX_RUN[:2]),
        codex_call('q","output":"z')[0],
        *(codex_call("q")[1].replace('"output":"ok"', '"output":"z","x":1'), *CODEX_RUN[2:]),
    ],
    "an id that another agent's call has": [
        *(*CLAUDE_HEAD, *claude_call(4, "c0", agentId="a")[:1], *CLAUDE_RUN, *CLAUDE_RUN[:2]),
        *claude_call(30, "c9"),
    ],
    "a message in a step while another agent acts": [
        *(*CLAUDE_HEAD, *CLAUDE_RUN[:6], QUEUED),
        *many(claude_call(20 + 2 * n, f"a{n}", agentId="a") for n in range(4)),
        *CLAUDE_RUN[6:],
    ],
    "thinking that goes on behind plain calls": [
        *(*CLAUDE_HEAD, thinking(60, "k2"), *CLAUDE_RUN[:6], thinking(61, "k2")),
    ],
    "a message without tokens between two lines of one message": [
        *(*CLAUDE_HEAD, *CLAUDE_RUN[:4], thinking(60, "k2"), *CLAUDE_RUN[4:6]),
        CLAUDE_RUN[6].replace('"usage"', '"unused"'),
        *(CLAUDE_RUN[7], claude_call(64, "c0", "msg-8")[0], claude_call(66, "c1", "k2")[0]),
    ],
    "a session that begins late": [
        *(*CLAUDE_HEAD, claude(70, None, "system", sessionId="s2", subtype="x"), *CLAUDE_RUN),
        *many(claude_call(80 + 2 * n, f"z{n}", sessionId="s2") for n in range(4)),
    ],
    "what the model says many times in one step": [
        *(*DSH_HEAD, dsh_step(1, "c1")[0], *([dsh("assistant/message", turn=1, step=1)] * 20)),
        *(*dsh_step(1, "c1")[1:], *DSH_RUN[4:]),
    ],
    "token counts before and behind a call without a result": [
        *(
            *CODEX_HEAD,
            codex_call("lost")[0],
            TOKENS,
            *CODEX_RUN[:6],
            *codex_call("c0")[:1],
            TOKENS,
        ),
    ],
    "a run of many blocks of lines": [
        *CODEX_HEAD,
        *many(codex_call(f"c{n}", text=json.dumps({"x": "y" * 3_000})) for n in range(300)),
    ],
    "a run that goes on behind a line that is parsed": [
        *CODEX_HEAD,
        *codex_call("c1"),
        codex("response_item", type="unheard_of"),
        *CODEX_RUN[4:],
    ],
    "a prompt told by its event alone, then as an item": [
        *(*CODEX_HEAD, ASKED_ITEM, ASKED, *CODEX_RUN[:4], ASKED, REASONING, ASKED_ITEM),
        *CODEX_RUN[4:],
    ],
    "a reminder that nothing follows": [*CODEX_HEAD, *CODEX_RUN[:6]],
    "a reminder that only tokens follow": [*CODEX_HEAD, *CODEX_RUN[:6], TOKENS],
    "a reminder that the model heeds in words": [*CODEX_HEAD, *CODEX_RUN[:6], SAID, TOKENS],
    "tokens while a result is awaited": [
        *(*CODEX_HEAD, codex_call("lost")[0], codex_call("other", "o")[0]),
        *(codex_call("other", "o")[1], *many(codex_call(f"p{n}") for n in range(3))),
        *([TOKENS] * 70),
        *CODEX_RUN,
    ],
    "tokens that are nested deep": [
        *CODEX_HEAD,
        *CODEX_RUN,
        TOKENS.replace('{"n":1}', '{"n":' + "[" * 600 + "]" * 600 + "}"),
        *CODEX_NEXT,
        TOKENS,
    ],
    "tokens of a message that are nested deep": [
        *CLAUDE_HEAD,
        *CLAUDE_RUN,
        *[
            line.replace('{"input_tokens":1}', '{"input_tokens":' + "[" * 600 + "]" * 600 + "}")
            for line in claude_call(60, "deep")
        ],
    ],
    "many prompts before an answer": [
        *CODEX_HEAD,
        *CODEX_RUN,
        *[ASKED_ITEM, ASKED] * 40,
        *CODEX_NEXT,
    ],
    "many prompts of a human and of others": [
        *CLAUDE_HEAD,
        *CLAUDE_RUN,
        *[claude(n, {"role": "user", "content": "go on"}, "user") for n in range(100, 140)],
        *claude_call(140, "answer"),
    ],
    "many messages behind the beginning of a step": [
        *(*DSH_HEAD, *DSH_RUN, *DSH_ASKED[:3], DSH_NEXT[0], *DSH_ASKED[3:] * 30, *DSH_NEXT[1:]),
    ],
    "parallel calls between single ones": [
        *(*CODEX_HEAD, *CODEX_RUN[:4], codex_call("p1")[0], codex_call("p2")[0]),
        *(codex_call("p2")[1], codex_call("p1")[1], *CODEX_RUN[4:]),
    ],
    "a call that stands there again": [*CODEX_HEAD, *CODEX_RUN, *CODEX_RUN[:4], *CODEX_RUN],
    "steps of a second session that begin with inherited ones": [
        *(*DSH_HEAD, *dsh_step(1, "c1"), SEEDED, CHUNK, CHUNK, *dsh_step(1, "c1")),
        *many(dsh_step(n, f"c{n}") for n in range(2, 6)),
    ],
    "steps named by other kinds of numbers": [
        *DSH_HEAD,
        *(line.replace('"step":1', '"step":true') for line in dsh_step(1, "c1")),
        *(line.replace('"step":2', '"step":2.0') for line in dsh_step(2, "c2")),
        *dsh_step(3, "c3"),
    ],
    "refused arguments": [
        *DSH_HEAD,
        *many(dsh_step(n, f"c{n}", text='{"a":-0}') for n in range(1, 4)),
        *many(dsh_step(n, f"c{n}", text='{"a":1e999}') for n in range(4, 7)),
        *many(dsh_step(n, f"c{n}", text='{"a":"3e5-0"}') for n in range(7, 10)),
    ],
    "one message whose calls are answered in between": [
        *CLAUDE_HEAD,
        *many(claude_call(4 + 2 * n, f"c{n}", "msg-one") for n in range(4)),
        *many(claude_call(14 + 2 * n, f"d{n}") for n in range(4)),
    ],
    "a working directory that changes to and fro": [
        *CLAUDE_HEAD,
        *many(claude_call(4 + 2 * n, f"c{n}", cwd="/x" if n % 2 else "/y") for n in range(8)),
    ],
    "lines of another session in between": [
        *CLAUDE_HEAD,
        *many(claude_call(4 + 2 * n, f"c{n}", sessionId=f"s{1 + n % 2}") for n in range(8)),
    ],
    "lines that are no objects": [
        *(*CLAUDE_HEAD, '[{"message":{"id":"m"},"uuid":"x"}]', '{"message":{"a":1},"uuid":[]}'),
        *(*claude_call(4, "c1"), '[1,{"message":{"content":[5]},"uuid":"x","type":"assistant"}]'),
        *(*claude_call(6, "c2"), '"message":{"', *claude_call(8, "c3")),
    ],
    "items that are no objects": [
        *(*CODEX_HEAD, *CODEX_RUN[:2], "[5]", "null", '{"payload":{"type":"reasoning"}}'),
        *('{"type":"response_item","payload":[]}', '{"type":["event_msg"],"payload":{"type":1}}'),
        *('{"type":"response_item","payload":{"type":["message"]}}', *CODEX_RUN[2:]),
    ],
    "a call that belongs to a server": [
        *CODEX_HEAD,
        *(line.replace('"call_id"', '"namespace":"n","call_id"') for line in CODEX_RUN),
    ],
    "items with more to them": [
        *CODEX_HEAD,
        *(line.replace('"payload":{', '"payload":{"id":"x",') for line in CODEX_RUN),
        *(line.replace('"call_id"', '"metadata":{"a":1},"call_id"') for line in CODEX_RUN),
    ],
    "giant results": [
        *(*CODEX_HEAD, *CODEX_RUN[:4], CODEX_RUN[4], giant(CODEX_RUN[5]), *CODEX_RUN[6:]),
        *(CODEX_RUN[0].replace('"c0"', '"c9"'), giant(CODEX_RUN[1].replace('"c0"', '"c9"'))),
    ],
    "giant results of a subagent": [
        *(*CLAUDE_HEAD, *claude_call(4, "c1", agentId="a"), *claude_call(6, "c2", agentId="a")),
        *(giant(line) for line in claude_call(8, "c3", agentId="a")),
        *(giant(line) for line in claude_call(10, "c4", agentId="a")),
    ],
    "a result that stands there again": [
        *(*CLAUDE_HEAD, *claude_call(4, "c1"), *claude_call(6, "c2"), claude_call(4, "c1")[1]),
        *(*claude_call(8, "c3"), *claude_call(10, "c4")),
    ],
}
"""Where what is taken in batches meets what is read line by line."""


@pytest.mark.parametrize("limit", [60, 120, 121, 122])
def test_what_is_told_of_long_lines_keeps_its_place(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = [*BLIND_HEAD, *[blind()] * 3, blind(pad="x" * 70), blind(), blind("y")]
    path.write_text("\n".join(lines) + "\r\n")
    words = ("replay", path, "-f", "jsonl", "--max-line-bytes", str(limit))
    assert run(*words).out == run(*words, "--validate").out


@pytest.mark.parametrize("form", ["jsonl", "full", "concise"])
@pytest.mark.parametrize("lines", LOGS.values(), ids=LOGS)
def test_a_log_replays_as_if_every_line_was_parsed(
    lines: list[str], form: str, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    fast, whole = (run("replay", path, "-f", form, *more) for more in ((), ("--validate",)))
    assert (fast.code, fast.out) == (whole.code, whole.out)
    assert "no calls" not in fast.out


TURNS: Final[dict[str, list[str]]] = {
    "codex": [*CODEX_HEAD, *CODEX_RUN, INJECTED_ITEM, ASKED_ITEM, ASKED, *CODEX_NEXT],
    "dsh": [*DSH_HEAD, *DSH_RUN, *DSH_ASKED, *DSH_NEXT],
    "dsh, messages behind the beginning of a step": [
        *(*DSH_HEAD, *DSH_RUN, *DSH_ASKED[:3], DSH_NEXT[0], *DSH_ASKED[3:], *DSH_NEXT[1:]),
    ],
    "claude-code": [
        *CLAUDE_HEAD,
        *CLAUDE_RUN,
        claude(80, {"role": "user", "content": "<system-reminder>"}, "user"),
        claude(81, {"role": "user", "content": "go on"}, "user"),
        *many(claude_call(82 + 2 * n, f"d{n}") for n in range(4)),
    ],
}
"""Of each log the calls of two turns, four in each, and a message that no human wrote."""


@pytest.mark.parametrize("lines", TURNS.values(), ids=TURNS)
def test_a_batch_goes_on_over_messages_for_the_model(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with open_log(str(path)) as log:
        parts = [
            part for event in skim_log(log) if isinstance(event, Batch) for part in event.parts
        ]
    assert [(part.number, part.prompts, len(part.calls)) for part in parts] == [(8, 1, 10)]
    fast, whole = (run("replay", path, "-f", "jsonl", *more) for more in ((), ("--validate",)))
    assert fast.out == whole.out


@pytest.mark.parametrize(
    ("skimmer", "log"),
    [
        pytest.param(CodexSkimmer, "many prompts before an answer", id="codex"),
        pytest.param(ClaudeCodeSkimmer, "many prompts of a human and of others", id="claude-code"),
        pytest.param(DshSkimmer, "many messages behind the beginning of a step", id="dsh"),
    ],
)
def test_few_lines_are_held_for_an_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, skimmer: type[Skimmer], log: str
) -> None:
    held: list[int] = []
    rest = skimmer.rest

    def counted(self: Skimmer) -> list[Line]:
        lines = rest(self)
        held.append(len(lines))
        return lines

    monkeypatch.setattr(skimmer, "rest", counted)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{line}\n" for line in LOGS[log]))
    with open_log(str(path)) as opened:
        assert list(skim_log(opened))
    assert MOST_WAITING <= max(held) <= MOST_WAITING + 2


def test_a_subagent_may_begin_within_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    child = many(claude_call(60 + 2 * n, f"k{n}", agentId="kid") for n in range(3))
    lines = [*CLAUDE_HEAD, *CLAUDE_RUN, *child]
    path.write_text("".join(f"{line}\n" for line in lines))
    with open_log(str(path)) as log:
        (batch,) = [event for event in skim_log(log) if isinstance(event, Batch)]
    main, kid = batch.parts
    assert (main.number, kid.number) == (4, 3)
    assert [type(event) for event in kid.before] == [AgentStart]


FOUND: Final = sorted((Path(__file__).parent / "data" / "batches").glob("*.jsonl"))
"""Logs for which that did not hold once."""
LEFT_OUT: Final = frozenset({f"codex-tokens-{how}" for how in ("broken", "not-utf8", "torn")})
"""What is wrong with such lines is told by ``--validate`` alone."""


@pytest.mark.parametrize("more", [(), ("--thresholds", "2,3")], ids=["default", "more reminders"])
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_differed_once_does_not_any_more(path: Path, more: tuple[str, ...]) -> None:
    fast, whole = (
        run("replay", path, "-f", "jsonl", *more, *every) for every in ((), ("--validate",))
    )
    if path.stem in LEFT_OUT:
        assert reminders(fast.out) == reminders(whole.out)
    else:
        assert (fast.code, fast.out) == (whole.code, whole.out)


def reminders(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith('{"kind":"reminder"')]


class _Slow:
    """A pipe that gives little at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = BytesIO(data), size
        self._reader, writer = os.pipe()
        os.close(writer)

    def fileno(self) -> int:
        return self._reader

    def read1(self, _: int) -> bytes:
        return self._data.read(self._size)

    read = read1

    def close(self) -> None:
        os.close(self._reader)


def placed(items: Iterable[object]) -> list[object]:
    said = [item for item in items if isinstance(item, Intervention)]
    return [(told(each), each.inject_after, each.delivered) for each in said]


@pytest.mark.parametrize("size", [700, 20_000])
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_a_log_that_grows_replays_as_if_every_line_was_parsed(path: Path, size: int) -> None:
    found = []
    for care in ("fast", "whole"):
        guard = Reminder(ReminderConfig(thresholds=(2, 3, 4)))
        with closing(_Slow(path.read_bytes(), size)) as pipe:
            log = open_log("-", stdin=cast("BinaryIO", pipe))
            assert log.growing
            items: Iterable[object] = (
                replay_batches(skim_log(log), guard)
                if care == "fast"
                else replay(read_log(log), guard)
            )
            found.append(placed(items))
    assert found[0] == found[1]
