"""A DSH log of the benchmark: mostly chunks of a stream, one step a call."""

from collections.abc import Callable, Mapping

import orjson

from tests.benchmarks.drawing import SESSION, Generator, Lines, Value


def dsh(draw: Generator, lines: Lines, size: int) -> None:
    """Write sessions as the harness streams them: mostly chunks, one step a call."""

    def event(kind: str, data: Mapping[str, object], **rest: object) -> None:
        lines.add({"type": kind, "data": data, **rest})

    while lines.size < size:
        end = min(size, lines.size + SESSION)
        lines.add({"type": "session", "version": 0, "id": draw.id("s-"), "createdAt": 0,
                   "cwd": "/repo", "delegationDepth": 0})  # fmt: skip
        turn = 0
        while lines.size < end:
            turn += 1
            _dsh_turn(draw, event, turn)


def _dsh_turn(draw: Generator, event: Callable[..., None], turn: int) -> None:
    content = [{"type": "text", "text": draw.text(150, 5_000, 1)}]
    prompt: Value = {"content": content, "source": {"kind": "user"}, "role": "user"}
    prompt |= {"id": draw.id("m-")}
    queue: Value = {"target": "next-turn", "start": 0}
    event("agent/inbox/spliced", queue | {"inserted": [prompt]})
    event("turn/start", {"turn": turn})
    event("agent/inbox/spliced", queue | {"removedCount": 1, "inserted": []})
    for step, (name, arguments) in enumerate(draw.calls(draw.random.randint(3, 30)), 1):
        at: Value = {"turn": turn, "step": step}
        event("step/start", at)
        if step == 1:
            event("user/message", prompt, surfaceOp="append")
        _dsh_step(draw, event, at, name, orjson.dumps(arguments).decode())
        event("step/end", at)
    event("turn/end", {"turn": turn, "reason": {"kind": "completed"}})


def _dsh_step(
    draw: Generator, event: Callable[..., None], at: Value, name: str, arguments: str
) -> None:
    call_id, content, first = draw.id("call_"), list[Value](), draw.random.randrange(10_000)

    def streamed(kind: str, field: str, text: str, most: int, block: Value) -> None:
        index: Value = {"index": len(content)}
        event("assistant/chunk", {**at, "chunk": {"type": "block-start", **index}})
        start = 0
        while start < len(text):
            end = start + draw.random.randint(3, most)
            chunk = {"type": kind, **index, field: text[start:end]}
            event("assistant/chunk", {**at, "chunk": chunk})
            start = end
        event("assistant/chunk", {**at, "chunk": {"type": "block-end", **index, "block": block}})
        content.append(block)

    if draw.chance(0.5):
        text = draw.text(245, 3_000, 0.8)
        streamed("text-delta", "text", text, 12, {"type": "text", "text": text})
    block: Value = {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}
    streamed("tool-call-delta", "argumentsDelta", arguments, 24, block)
    usage: Value = {"inputTokens": 4_100, "outputTokens": 55}
    event("assistant/chunk", {**at, "chunk": {"type": "usage", "usage": usage}})
    message = {"role": "assistant", "content": content, "source": {"kind": "model"}}
    # The chunks that a message was put together from, by number.
    seqs = list(range(first, first + len(arguments) // 12))
    body: Value = {**at, "message": message, "usage": usage}
    event("assistant/message", body, sourceEventSeqs=seqs, surfaceOp="append")
    event("tool/call", {**at, "callId": call_id, "name": name, "arguments": arguments})
    told: Value = {"type": "tool-result", "toolCallId": call_id}
    told |= {"content": [{"type": "text", "text": draw.text(735, 200_000)}], "isError": False}
    source = {"kind": "tool", "callId": call_id}
    result = {"source": source, "content": [told], "role": "user", "id": draw.id("m-")}
    event("tool/result", {**at, "message": result}, surfaceOp="append")
