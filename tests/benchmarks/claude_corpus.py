"""A Claude Code transcript of the benchmark: sessions with subagents, most results told twice."""

from tests.benchmarks.drawing import SESSION, TIME, Generator, Lines, Value


class _Claude:
    """One session: whose line comes next, and what it hangs on."""

    def __init__(self, draw: Generator, lines: Lines) -> None:
        self.draw, self.lines = draw, lines
        self.session = draw.uuid()
        self.parent: str | None = None
        self.side: str | None = None

    def entry(self, before: Value, after: Value) -> None:
        """Write a line of the conversation: its own members, and those behind its id."""
        uuid = self.draw.uuid()
        head: Value = {"parentUuid": self.parent, "isSidechain": self.side is not None}
        head |= {"userType": "external", "cwd": "/repo/src", "sessionId": self.session}
        head |= {"version": "2.1.9", "gitBranch": "main"}
        head |= {"agentId": self.side} if self.side else {}
        self.lines.add({**head, **before, "uuid": uuid, "timestamp": TIME, **after})
        self.parent = uuid

    def user(self, content: object, **after: object) -> None:
        """Write a message of a user, or a result."""
        self.entry({"type": "user", "message": {"role": "user", "content": content}}, after)

    def said(self, block: Value) -> None:
        """Write a block of a model's message."""
        cached = {"ephemeral_5m_input_tokens": 812, "ephemeral_1h_input_tokens": 0}
        usage: Value = {"input_tokens": 3, "cache_creation_input_tokens": 812}
        usage |= {"cache_read_input_tokens": 41_233, "cache_creation": cached, "output_tokens": 127}
        message: Value = {"model": "claude-x", "id": self.draw.id("msg_"), "type": "message"}
        message |= {"role": "assistant", "content": [block], "stop_reason": None, "usage": usage}
        self.entry({"message": message, "requestId": self.draw.id("req_"), "type": "assistant"}, {})

    def call(self, name: str, arguments: Value) -> None:
        """Write a call, what the model thinks before it, and its result."""
        draw = self.draw
        if draw.chance(0.3):
            sealed = draw.opaque(300, 900)
            thought = draw.text(400, 8_000, 0.8)
            self.said({"type": "thinking", "thinking": thought, "signature": sealed})
        if draw.chance(0.35):
            self.said({"type": "text", "text": draw.text(200, 4_000, 0.9)})
        use = draw.id("toolu_")
        self.said({"type": "tool_use", "id": use, "name": name, "input": arguments})
        told, again = self._told(name)
        block = {"tool_use_id": use, "type": "tool_result", "content": told}
        self.user([block], toolUseResult=again)
        if draw.chance(0.15):
            data = {"type": "hook_progress", "hookEvent": "PostToolUse", "command": "callback"}
            self.entry({"type": "progress", "data": data, "toolUseID": use}, {})

    def _told(self, name: str) -> tuple[object, object]:
        """Draw a result as the model reads it, and as the harness keeps it beside that."""
        draw = self.draw
        if name == "read" and draw.chance(0.012):
            picture = {"type": "base64", "data": draw.opaque(700_000, 1_300_000)}
            return [{"type": "image", "source": picture}], {"type": "image"}
        told = draw.text(1_000, 200_000, 1.5)
        match name:
            case "bash":
                return told, {"stdout": told, "stderr": "", "interrupted": False}
            case "read":
                return told, {"type": "text", "file": {"content": told, "numLines": 40}}
            case _:
                return told, told[:2_000]


def claude(draw: Generator, lines: Lines, size: int) -> None:
    """Write sessions with subagents: long results, most told twice."""
    while lines.size < size:
        end = min(size, lines.size + SESSION)
        one = _Claude(draw, lines)
        lines.add({"type": "summary", "summary": "x y z", "leafUuid": draw.uuid()})
        while lines.size < end:
            one.side = None
            lines.add({"type": "file-history-snapshot", "messageId": draw.uuid(), "snapshot": {}})
            one.user(draw.text(150, 5_000, 1))
            for name, arguments in draw.calls(draw.random.randint(3, 40)):
                if draw.chance(0.04):
                    one.side = None if one.side else draw.id("a")
                one.call(name, arguments)
