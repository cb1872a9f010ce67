"""The DeepSeek Harness's log."""

from typing import Final

from tests.respelling.calls import Made, Step, answers
from tests.respelling.writer import Record, Writer

CODES: Final = (
    *("TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN", "ABORTED_BEFORE_DISPATCH", "ABORTED"),
    *("UNKNOWN_TOOL", "TOOL_ERROR"),
)


class Dsh(Writer):
    """The DeepSeek Harness's log: an inbox, chunks, steps; ids of calls come again."""

    ids = 7

    def header(self) -> list[Record]:
        """Begin a session."""
        self.turn = self.number = self.at = 0
        self.waiting: list[Record] = []
        first: Record = {"type": "session", "version": 0, "id": self.id("s-")}
        return [first | {"createdAt": 0, "cwd": "/repo", "delegationDepth": 0}]

    def event(self, kind: str, data: Record, **rest: object) -> Record:
        """Write a line, with a number and a time in some versions."""
        self.at += 1
        stamp: Record = {"seq": self.at, "time": 1_700_000_000_000 + self.at}
        return {"type": kind, **(stamp if self.stamped else {}), "data": data, **rest}

    def step(self, _agent: str | None, step: Step, /) -> list[Record]:
        """Write calls and results."""
        self.number += 1
        at: Record = {"turn": self.turn, "step": self.number}
        chunk: Record = {"type": "text-delta", "index": 0, "text": self.told()}
        blocks = [
            {"type": "tool-call", "id": m.id, "name": m.name, "arguments": m.text} for m in step
        ]
        message: Record = {"role": "assistant", "content": blocks, "source": {"kind": "model"}}
        found = [self.event("step/start", dict(at)), *self.prompt()]
        found += [self.event("assistant/chunk", {**at, "chunk": chunk})]
        found += [self.event("assistant/message", {**at, "message": message}, surfaceOp="append")]
        calls = [
            self.event("tool/call", {**at, "callId": m.id, "name": m.name, "arguments": m.text})
            for m in step
        ]
        results = {made.id: self.result(at, made) for made in step}
        if self.draw.random() < 0.5:  # one after the other
            for call, made in zip(calls, step, strict=True):
                found += [call, results[made.id]]
        else:
            found += calls + [results[made.id] for made in answers(self.draw, step)]
        return [*found, self.event("step/end", dict(at))]

    def result(self, at: Record, made: Made) -> Record:
        """Write a result, some of calls that went wrong or never ran."""
        code = self.draw.choice([None] * (60 if self.plain else 12) + list(CODES))
        block: Record = {"type": "tool-result", "toolCallId": made.id}
        block |= {"content": [{"type": "text", "text": self.told()}], "isError": code is not None}
        body: Record = {"source": {"kind": "tool", "callId": made.id}, "content": [block]}
        body |= {"role": "user", "id": self.id("m-")}
        error: Record = (
            {} if code is None else {"error": {"name": "E", "code": code, "message": "x"}}
        )
        return self.event("tool/result", {**at, "message": body, **error}, surfaceOp="append")

    def prompt(self) -> list[Record]:
        """Land what the request of this step reads."""
        waiting, self.waiting = self.waiting, []
        return [self.event("user/message", each, surfaceOp="append") for each in waiting]

    def user(self, _agent: str | None, /) -> list[Record]:
        """Let a human speak, or a program."""
        kind = "user" if self.draw.random() < 0.8 else "schedule"
        content = [{"type": "text", "text": "go on. " + self.told()}]
        message: Record = {"content": content, "source": {"kind": kind}, "role": "user"}
        message["id"] = self.id("m-")
        self.waiting = [message]
        self.turn, self.number = self.turn + 1, 0
        queue: Record = {"target": "next-turn", "start": 0}
        return [
            self.event("agent/inbox/spliced", queue | {"inserted": [message]}),
            self.event("turn/start", {"turn": self.turn}),
            self.event("agent/inbox/spliced", queue | {"removedCount": 1, "inserted": []}),
        ]

    def aside(self, _agent: str | None, /) -> list[Record]:
        """Write something that changes nothing."""
        kind = self.draw.choice(["request/header", "todo/write", "no/such-type", "llm/retry"])
        return [self.event(kind, {"callId": "c1", "text": self.told()})]

    def again(self, _agent: str | None, /) -> list[Record]:
        """Write something that stands there already, or a resume."""
        at: Record = {"turn": self.turn, "step": self.number}
        nobody = Made(id=self.id("none"), name="x", text="")
        seed = self.event("session/end-seed", {})
        return self.draw.choice([[self.result(at, nobody)], [seed]])
