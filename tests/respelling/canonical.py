"""Our own log, with results and without."""

from tests.respelling.calls import Made, Step, answers
from tests.respelling.writer import Record, Writer, plain


class Canonical(Writer):
    """Our own log, with results."""

    texts = False
    results = True

    def header(self) -> list[Record]:
        """Begin a session."""
        first: Record = {"type": "session", "id": self.id("s-")}
        if self.draw.random() < 0.5:
            first |= {"results": self.results}
        if self.draw.random() < 0.5:
            first["schema"] = "repeat-reminder/session@1"
        self.number = 0
        return [first]

    def agents(self) -> list[str | None]:
        """Name the agents of a session."""
        names = [None, "sub", 'a"b', "", "\u5de5", "agent-7"]
        return self.draw.sample(names, self.draw.randint(1, 3))

    def of(self, agent: str | None) -> Record:
        """Name the agent, the main one perhaps not."""
        if agent is None:
            return {} if self.stamped else {"agent": "main"}
        return {"agent": agent}

    def step(self, agent: str | None, step: Step, /) -> list[Record]:
        """Write calls and results."""
        self.number += 1
        named: Record = {"turn": 1, "step": self.number} if self.stamped else {}
        calls = [self.call(agent, made) | named for made in step]
        return calls + [self.result(agent, made) for made in answers(self.draw, step)]

    def call(self, agent: str | None, made: Made) -> Record:
        """Write a call; most have no text, so that their arguments are compared as values."""
        arguments: Record = {"arguments": made.value}
        if self.chance(0.1):
            arguments = {"arguments_text": made.text}
        middle: Record = {"id": made.id, "name": made.name}
        if self.seed % 2:
            return {"type": "tool_call", **middle, **self.of(agent), **arguments}
        return {"type": "tool_call", **self.of(agent), **middle, **arguments}

    def result(self, agent: str | None, made: Made) -> Record:
        """Write a result."""
        status = self.draw.choice([None, None, None, "ok", "error", "denied", "aborted", "skipped"])
        found: Record = {"type": "tool_result", "call_id": made.id, **self.of(agent)}
        found |= {"content": self.told()}
        return found if status is None else found | {"status": status}

    def user(self, agent: str | None, /) -> list[Record]:
        """Let a human speak, or a program."""
        told: Record = {"type": "user_message", **self.of(agent), "content": self.told() + "."}
        return [told if self.draw.random() < 0.8 else told | {"source": {"kind": "plugin"}}]

    def aside(self, agent: str | None, /) -> list[Record]:
        """Write something that changes nothing."""
        kind = self.draw.choice(["assistant_message", "compaction", "no_such_type", "step_end"])
        return [{"type": kind, **self.of(agent)}]

    def again(self, agent: str | None, /) -> list[Record]:
        """Write something that stands there already, or a resume."""
        if self.draw.random() < 0.4 or not self.results:
            return [{"type": "resume", **({"agent": "main"} | self.of(agent))}]
        stray: Record = {"type": "tool_result", "call_id": self.id("none"), **self.of(agent)}
        known = [plain(each) for each in self.records[self.since :]]
        calls = [each for each in known if each["type"] in {"tool_call", "tool_result"}]
        return [stray, *calls[-1:], self.draw.choice(calls)]


class Blind(Canonical):
    """Our own log, without results."""

    results = False

    def step(self, agent: str | None, step: Step, /) -> list[Record]:
        """Write calls and results."""
        return [self.call(agent, made) for made in step]

    def call(self, agent: str | None, made: Made) -> Record:
        """Write a call."""
        found = super().call(agent, made)
        return (
            found
            if self.stamped and not self.plain
            else {key: found[key] for key in found if key != "id"}
        )
