"""Claude Code's transcript."""

from typing import Final

from tests.respelling.calls import Made, Step, answers
from tests.respelling.writer import TIME, Record, Writer, plain

OTHER: Final = "other"
"""The main agent of another session that is written to the same file."""


class Claude(Writer):
    """Claude Code's transcript: steps by message id, subagents, two session ids in one file."""

    texts = False

    def header(self) -> list[Record]:
        """Begin a session."""
        self.session = self.id("session-")
        self.parent: str | None = None
        self.linked: dict[str | None, str] = {}
        summary: Record = {"type": "summary", "summary": "x", "leafUuid": "u"}
        return [summary] if self.draw.random() < 0.5 else []

    def agents(self) -> list[str | None]:
        """Name the agents of a session."""
        return self.draw.sample([None, "a1", "b2", OTHER], self.draw.randint(1, 3))

    def uuid(self) -> str:
        """Make the id of a line: 36 characters, as they all have."""
        number = int(self.id("").rpartition("-")[2])
        return f"{number:08x}-0000-4000-8000-{self.seed:012x}"

    def entry(self, agent: str | None, kind: str, message: Record, **rest: object) -> Record:
        """Write a line around a message, in one of the orders that there have been."""
        uuid, is_main = self.uuid(), agent in {None, OTHER}
        head: Record = {"parentUuid": self.linked.get(agent), "isSidechain": not is_main}
        head |= {} if is_main else {"agentId": agent}
        session = f"{self.session}-2" if agent in {OTHER, "b2"} else self.session
        head |= {"userType": "external", "cwd": "/repo", "sessionId": session}
        self.linked[agent] = uuid
        tail: Record = {"uuid": uuid, "timestamp": TIME}
        if (self.stamped or self.plain) and kind == "assistant":
            return {**head, "message": message, "requestId": "r", "type": kind, **tail, **rest}
        return {**head, "type": kind, "message": message, **tail, **rest}

    def step(self, agent: str | None, step: Step, /) -> list[Record]:
        """Write calls and results."""
        message = self.id("msg_")
        blocks: list[Record] = [
            {"type": "tool_use", "id": made.id, "name": made.name, "input": made.value}
            for made in step
        ]
        if self.chance(0.2):
            blocks.insert(0, {"type": "text", "text": self.told()})
        in_order = self.draw.random() < 0.3
        if self.chance(0.2):
            return [self.said(agent, message, blocks), *self.results(agent, step)]
        found = [self.said(agent, message, [block]) for block in blocks]
        if not in_order:
            return found + self.results(agent, step)
        by_id = {made.id: made for made in step}
        return [
            line
            for line, block in zip(found, blocks, strict=True)
            for line in (line, *self.results(agent, _one(by_id, block)))
        ]

    def said(self, agent: str | None, message: str, blocks: list[Record]) -> Record:
        """Write a line of the model's message."""
        usage: Record = {"input_tokens": 3, "output_tokens": 127}
        body: Record = {"model": "claude-x", "id": message, "type": "message", "role": "assistant"}
        body |= {"content": blocks, "stop_reason": None, "usage": usage}
        return self.entry(agent, "assistant", body)

    def results(self, agent: str | None, step: Step, /) -> list[Record]:
        """Write results, each on its line or all on one."""
        blocks: list[Record] = []
        told = ""
        for made in answers(self.draw, step):
            told = self.told()
            block: Record = {"tool_use_id": made.id, "type": "tool_result", "content": told}
            if self.chance(0.2):
                block["content"] = [{"type": "text", "text": told}]
            if self.chance(0.2):
                block = {"type": "tool_result", "tool_use_id": made.id, "content": told}
            blocks.append(block | ({"is_error": True} if self.draw.random() < 0.1 else {}))
        if self.chance(0.2) and blocks:
            return [self.entry(agent, "user", {"role": "user", "content": blocks})]
        return [
            self.entry(agent, "user", {"role": "user", "content": [block]}, toolUseResult=told)
            for block in blocks
        ]

    def user(self, agent: str | None, /) -> list[Record]:
        """Let a human speak, or a program."""
        text = "go on. " + self.told()
        content = text if self.draw.random() < 0.6 else [{"type": "text", "text": text}]
        meta: Record = {"isMeta": True} if self.draw.random() < 0.2 else {}
        return [self.entry(agent, "user", {"role": "user", "content": content}, **meta)]

    def aside(self, agent: str | None, /) -> list[Record]:
        """Write something that changes nothing."""
        line = self.entry(agent, "progress", {"role": "user", "content": [self.told()]})
        line["data"] = {"type": "hook_progress", "text": self.told()}
        text: list[Record] = [{"type": "text", "text": self.told()}]
        return self.draw.choice([[line], [self.said(agent, self.id("msg_"), text)]])

    def again(self, agent: str | None, /) -> list[Record]:
        """Write something that stands there already, or a resume."""
        block = {"tool_use_id": self.id("none"), "type": "tool_result", "content": "x"}
        stray = self.entry(agent, "user", {"role": "user", "content": [block]})
        linked = [each for each in map(plain, self.records) if each.get("uuid")]
        return [stray, self.draw.choice(linked)] if linked else [stray]


def _one(by_id: dict[str, Made], block: Record) -> Step:
    return tuple(by_id[key] for key in [str(block.get("id"))] if key in by_id)
