"""Codex's rollout."""

from tests.respelling.calls import Made, Step, answers
from tests.respelling.spelling import Members
from tests.respelling.writer import TIME, Record, Writer, plain


class Codex(Writer):
    """Codex's rollout: arguments as texts, an event beside every prompt."""

    def header(self) -> list[Record]:
        """Begin a session."""
        self.thread = self.id("t-")
        return [self.entry("session_meta", {"id": self.thread, "cwd": "/repo"})]

    def entry(self, kind: str, payload: Record) -> Record:
        """Write a line."""
        return {"timestamp": TIME, "type": kind, "payload": payload}

    def step(self, _agent: str | None, step: Step, /) -> list[Record]:
        """Write calls and results."""
        calls = [self.entry("response_item", self.call(made)) for made in step]
        found = calls + [
            self.entry("response_item", self.result(m)) for m in answers(self.draw, step)
        ]
        return [line for each in found for line in (each, *self.between())]

    def between(self) -> list[Record]:
        """Write what may stand inside a step, now and then."""
        if not self.chance(0.1):
            return []
        kind = self.draw.choice(["exec_command_end", "agent_message", "patch_apply_end"])
        return [self.entry("event_msg", {"type": kind, "call_id": "c1", "message": self.told()})]

    def call(self, made: Made) -> Record:
        """Write a call, some with free text."""
        rest: Record = {"metadata": {"turn_id": "x"}} if self.stamped and not self.plain else {}
        if len(made.text) % 7 == 1:
            found: Record = {"type": "custom_tool_call", "status": "completed", "call_id": made.id}
            return {**found, "name": made.name, "input": made.text, **rest}
        first: Record = {
            "type": "function_call",
            **({"id": "fc_1"} if self.stamped and not self.plain else {}),
        }
        space: Record = {"namespace": "ns"} if made.name == "mcp__a__b" else {}
        middle: Record = {"name": made.name, **space, "arguments": made.text}
        return {**first, **middle, "call_id": made.id, **rest}

    def result(self, made: Made) -> Record:
        """Write a result."""
        kind = "custom_tool_call_output" if len(made.text) % 7 == 1 else "function_call_output"
        output: object = self.told()
        if self.chance(0.2):
            output = [{"type": "input_text", "text": self.told()}]
        return {"type": kind, "call_id": made.id, "output": output}

    def user(self, _agent: str | None, /) -> list[Record]:
        """Let a human speak, or a program."""
        text = "go on. " + self.told()
        content = [{"type": "input_text", "text": text}]
        item = self.entry("response_item", {"type": "message", "role": "user", "content": content})
        event = self.entry("event_msg", {"type": "user_message", "message": text, "images": []})
        return [item, event] if self.draw.random() < 0.8 else [event]

    def aside(self, _agent: str | None, /) -> list[Record]:
        """Write something that changes nothing."""
        content = [{"type": "output_text", "text": self.told()}]
        usage: Record = {"total_token_usage": {"input_tokens": self._made}}
        return self.draw.choice(
            [
                [
                    self.entry(
                        "response_item", {"type": "reasoning", "encrypted_content": self.told()}
                    )
                ],
                [
                    self.entry(
                        "response_item",
                        {"type": "message", "role": "assistant", "content": content},
                    )
                ],
                [self.entry("event_msg", {"type": "token_count", "info": usage})],
                [self.entry("event_msg", {"type": "task_started"})],
                [self.entry("turn_context", {"cwd": "/repo"})],
                [self.entry("compacted", {"message": self.told()})],
                [self.entry("no_such_envelope", {"type": "function_call", "name": "bash"})],
            ]
        )

    def again(self, _agent: str | None, /) -> list[Record]:
        """Write something that stands there already, or a resume."""
        stray: Record = {"type": "function_call_output", "call_id": self.id("none"), "output": "x"}
        known = [plain(each) for each in self.records[self.since :]]
        calls = [each for each in known if _is_call(each["payload"])]
        copies = [self.draw.choice(calls)] if calls else []
        resumed = self.entry("session_meta", {"id": self.thread, "cwd": "/repo"})
        return self.draw.choice([[self.entry("response_item", stray)], copies, [resumed]])


def _is_call(payload: object) -> bool:
    return isinstance(payload, Members) and payload[0] == ("type", "function_call")
