"""Seeded logs for the benchmark: the same seed and size give the same bytes, anywhere.

The mix is made up, not measured on real sessions: most bytes are results, some calls are repeated,
and a part of the repeats spells its arguments in another order.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import orjson

Value = dict[str, object]
Call = tuple[str, Value]

_TEXT: Final = (
    "agent await buffer build chain check class client compile config count define error expect "
    "false fetch file find for from header import index install item join key line link list load "
    "map match message model name node none object open option package parse path plan queue read "
    "reply request reset result return run server session set socket split start state step stream "
    "string test text thread time token tool true turn type update user value wait while write"
)
WORDS: Final = _TEXT.split()
REPEATED: Final = 0.1
"""How many calls begin a run of equal ones."""
SHUFFLED: Final = 0.2
"""How many repeats have their arguments in another order."""
SESSION: Final = 2_000_000
"""Bytes after which a canonical log goes on with another session."""
CHUNK: Final = 24
"""Characters that a streamed chunk holds at most."""


class Generator:
    """Draws texts, ids and calls."""

    def __init__(self, seed: int) -> None:
        """Fill the pool that all texts are cut from."""
        self.random = random.Random(seed)  # noqa: S311 - reproducible, not secret
        self._pool = " ".join(self.random.choices(WORDS, k=200_000))
        self._made = 0

    def text(self, typical: int, most: int) -> str:
        """Draw a text: half are shorter than typical, a few are very long."""
        size = min(most, max(8, int(self.random.lognormvariate(0, 1.4) * typical)))
        start = self.random.randrange(len(self._pool) - size)
        text = self._pool[start : start + size]
        return text.replace(" ", "\n", 3) + ' "quoted" \\ \u00e9' if self.chance(0.2) else text

    def id(self, prefix: str) -> str:
        """Make an id that nothing else has."""
        self._made += 1
        return f"{prefix}{self._made:06x}{self.random.getrandbits(64):016x}"

    def chance(self, share: float) -> bool:
        """Tell whether something of this probability happens."""
        return self.random.random() < share

    def path(self) -> str:
        """Draw a path."""
        return "/src/" + "/".join(self.random.choices(WORDS, k=3)) + ".py"

    def calls(self, count: int) -> Iterator[Call]:
        """Draw about this many calls, some in runs."""
        made = 0
        while made < count:
            name, arguments = self._call()
            times = self.random.choice([2, 2, 3, 3, 4, 5, 6, 9]) if self.chance(REPEATED) else 1
            for _ in range(times):
                made += 1
                yield name, self._respelled(arguments)

    def _respelled(self, arguments: Value) -> Value:
        if not self.chance(SHUFFLED):
            return arguments
        keys = list(arguments)
        self.random.shuffle(keys)
        return {key: arguments[key] for key in keys}

    def _call(self) -> Call:
        kind = self.random.random()
        if kind < 0.4:
            command = " ".join(self.random.choices(WORDS, k=self.random.randint(2, 12)))
            return "bash", {"command": command, "timeout": 120_000, "description": "run it"}
        if kind < 0.7:
            return "read", {"path": self.path(), "offset": self.random.randint(1, 2_000)}
        if kind < 0.85:
            old, new = self.text(150, 6_000), self.text(200, 6_000)
            return "edit", {"path": self.path(), "old": old, "new": new}
        return "grep", {"pattern": self.random.choice(WORDS), "path": self.path(), "-n": True}


class _Lines:
    """Writes JSON lines and counts their bytes."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self.size = 0

    def add(self, record: Mapping[str, object]) -> None:
        line = orjson.dumps(record) + b"\n"
        self._write(line)
        self.size += len(line)


def canonical(draw: Generator, lines: _Lines, size: int) -> None:
    """Write many agents side by side, calls without results: every line counts."""
    while lines.size < size:
        end = min(size, lines.size + SESSION)
        lines.add({"type": "session", "id": draw.id("s-"), "results": False})
        agents = [draw.id("agent-") for _ in range(50)]
        waiting: dict[str, Iterator[Call]] = {}
        while lines.size < end:
            agent = draw.random.choice(agents)
            call = next(waiting.get(agent, iter(())), None)
            if call is None:
                lines.add({"type": "user_message", "agent": agent})
                waiting[agent] = draw.calls(draw.random.randint(3, 30))
                continue
            name, arguments = call
            short = {k: v[:60] if isinstance(v, str) else v for k, v in arguments.items()}
            lines.add({"type": "tool_call", "agent": agent, "name": name, "arguments": short})


def claude(draw: Generator, lines: _Lines, size: int) -> None:
    """Write one session with subagents: long results, each told twice."""
    session = draw.id("session-")
    parent: str | None = None

    def entry(kind: str, message: Mapping[str, object], side: str | None, **rest: object) -> None:
        nonlocal parent
        uuid = draw.id("u-")
        head: Value = {"parentUuid": parent, "isSidechain": side is not None, "cwd": "/repo"}
        head |= {"sessionId": session, "userType": "external", "version": "2.1.9"}
        head |= {"agentId": side} if side else {}
        tail: Value = {"uuid": uuid, "timestamp": "2026-01-02T03:04:05.678Z"}
        lines.add({**head, "type": kind, "message": message, **tail, **rest})
        parent = uuid

    def said(block: Value, side: str | None) -> None:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 41_233, "output_tokens": 127}
        message: Value = {"id": draw.id("msg_"), "type": "message", "role": "assistant"}
        entry("assistant", message | {"content": [block], "usage": usage}, side)

    while lines.size < size:
        parent = None
        side = draw.id("a") if draw.chance(0.2) else None
        entry("user", {"role": "user", "content": draw.text(120, 4_000)}, side)
        for name, arguments in draw.calls(draw.random.randint(3, 40)):
            if draw.chance(0.4):
                said({"type": "text", "text": draw.text(200, 4_000)}, side)
            use = draw.id("toolu_")
            said({"type": "tool_use", "id": use, "name": name, "input": arguments}, side)
            told = draw.text(1_500, 150_000)
            block = {"tool_use_id": use, "type": "tool_result", "content": told}
            again = {"stdout": told, "stderr": "", "interrupted": False}
            entry("user", {"role": "user", "content": [block]}, side, toolUseResult=again)


def codex(draw: Generator, lines: _Lines, size: int) -> None:
    """Write one thread: arguments as text, reasoning and token counts between."""

    def entry(kind: str, payload: Mapping[str, object]) -> None:
        lines.add({"timestamp": "2026-01-02T03:04:05.678Z", "type": kind, "payload": payload})

    entry("session_meta", {"id": draw.id("t-"), "cwd": "/repo", "cli_version": "0.142.4"})
    while lines.size < size:
        text = draw.text(120, 4_000)
        content = [{"type": "input_text", "text": text}]
        entry("response_item", {"type": "message", "role": "user", "content": content})
        entry("event_msg", {"type": "user_message", "message": text, "images": []})
        for name, arguments in draw.calls(draw.random.randint(3, 40)):
            if draw.chance(0.5):
                sealed = draw.text(1_200, 6_000)
                entry("response_item", {"type": "reasoning", "encrypted_content": sealed})
            made = {"call_id": draw.id("call_")}
            spelled = orjson.dumps(arguments).decode()
            item = {"type": "function_call", "name": name, "arguments": spelled, **made}
            entry("response_item", item)
            told = {"type": "function_call_output", **made, "output": draw.text(900, 150_000)}
            entry("response_item", told)
            usage = {"input_tokens": 31_221, "output_tokens": 1_230, "total_tokens": 32_451}
            info = {"total_token_usage": usage, "model_context_window": 272_000}
            entry("event_msg", {"type": "token_count", "info": info})


def dsh(draw: Generator, lines: _Lines, size: int) -> None:
    """Write one session as the harness streams it: mostly chunks, one step a call."""

    def event(kind: str, data: Mapping[str, object], **rest: object) -> None:
        lines.add({"type": kind, "data": data, **rest})

    lines.add({"type": "session", "version": 0, "id": draw.id("s-"), "createdAt": 0,
               "cwd": "/repo", "delegationDepth": 0})  # fmt: skip
    turn = 0
    while lines.size < size:
        turn += 1
        content = [{"type": "text", "text": draw.text(120, 4_000)}]
        prompt = {"content": content, "source": {"kind": "user"}, "role": "user"}
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
    call_id = draw.id("call_")
    for kind, field, text in (
        ("text-delta", "text", draw.text(250, 3_000)),
        ("tool-call-delta", "argumentsDelta", arguments),
    ):
        start = 0
        while start < len(text):
            end = start + draw.random.randint(3, CHUNK)
            chunk = {"type": kind, "index": 0, field: text[start:end]}
            event("assistant/chunk", {**at, "chunk": chunk})
            start = end
    block = {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}
    message = {"role": "assistant", "content": [block], "source": {"kind": "model"}}
    event("assistant/message", {**at, "message": message}, surfaceOp="append")
    event("tool/call", {**at, "callId": call_id, "name": name, "arguments": arguments})
    told = {"type": "tool-result", "toolCallId": call_id, "isError": False}
    told |= {"content": [{"type": "text", "text": draw.text(700, 150_000)}]}
    source = {"kind": "tool", "callId": call_id}
    body = {"source": source, "content": [told], "role": "user", "id": draw.id("m-")}
    event("tool/result", {**at, "message": body}, surfaceOp="append")


CORPORA: Final = {"claude": claude, "codex": codex, "dsh": dsh, "canonical": canonical}


def write(corpus: str, path: Path, size: int, seed: int) -> None:
    """Write a corpus of about so many bytes, unless it is there."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    with half.open("wb", buffering=1 << 20) as file:
        CORPORA[corpus](Generator(seed), _Lines(file.write), size)
    half.rename(path)
