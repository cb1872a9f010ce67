"""Random sessions in the canonical log, with everything that can change a run."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

from repeat_reminder.formats.model import Record

TOOLS = ["bash", "read", "todo_write", "poll", "mcp_fetch"]
COMMANDS = ["make", "ls -la", "curl -s https://e.org/a", "curl https://e.org/a --max-time {n}"]
CONTENTS = ["ok", "ok", "3 left", "4 left", "done", "", "[exit code: 1]\nboom", "id 4f3a9c2b11"]
STATUSES = ["ok"] * 8 + ["error", "denied", "aborted", "timeout", "skipped"]
REMINDER: Record = {"kind": "plugin", "plugin": "repeat-tool-reminder", "form": "notice"}


class Maker:
    """Makes one session."""

    def __init__(self, rng: random.Random, name: str, *, recorded: bool) -> None:
        """Start a session; with ``recorded``, reminders may stand in it."""
        self.rng = rng
        self.recorded = recorded
        self.records: list[Record] = [{"type": "session", "id": name}]
        self.calls = 0
        self.last: dict[str, Record] = {}

    def arguments(self, tool: str) -> Record:
        """Draw arguments from few."""
        rng = self.rng
        if tool == "bash":
            command = rng.choice(COMMANDS).format(n=rng.randrange(3))
            return {"command": command, "description": rng.choice("ab")}
        if tool == "mcp_fetch":
            return {"url": f"https://e.org/{rng.randrange(2)}", "n": rng.randrange(2)}
        found: Record = {"q": rng.randrange(2)}
        if rng.random() < 0.3:
            found["n"] = rng.randrange(3)
        return found

    def call(self, agent: str) -> Record:
        """Call something, most of the time what was called before."""
        if agent not in self.last or self.rng.random() < 0.4:
            tool = self.rng.choice(TOOLS)
            self.last[agent] = {"name": tool, "arguments": self.arguments(tool)}
        self.calls += 1
        call: Record = {"type": "tool_call", "id": f"k{self.calls}", "agent": agent}
        return call | self.last[agent] | self.time()

    def time(self) -> Record:
        """Say when it is, most of the time."""
        now: Record = {"ts": 1_000 * self.calls}
        return now if self.rng.random() < 0.8 else {}

    def answer(self, call: Record) -> Record:
        """Answer a call."""
        rng = self.rng
        return {
            "type": "tool_result",
            "call_id": call["id"],
            "agent": call["agent"],
            "content": rng.choice(CONTENTS),
            "status": rng.choice(STATUSES),
        } | self.time()

    def step(self) -> None:
        """Make calls of one step, their results in any order; now and then one is lost."""
        rng = self.rng
        agent = rng.choice(["main", "main", "main", "sub"])
        if rng.random() < 0.5:
            usage: Record = {"input_tokens": rng.randrange(90), "output_tokens": rng.randrange(9)}
            said: Record = {"type": "assistant_message", "agent": agent, "content": "hm"}
            self.records.append(said | {"usage": usage})
        calls = [self.call(agent) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        answers = [self.answer(call) for call in calls if rng.random() < 0.95]
        rng.shuffle(answers)
        self.records += calls
        if rng.random() < 0.05:
            self.user(agent)
        self.records += answers
        if self.recorded and rng.random() < 0.15:
            self.remind(agent, calls[-1])

    def remind(self, agent: str, call: Record) -> None:
        """Record a reminder."""
        source = REMINDER | {"summary": f"{call['name']} \N{MULTIPLICATION SIGN} 3"}
        self.records.append(
            {"type": "injected_message", "agent": agent, "content": "stop", "source": source}
        )

    def user(self, agent: str) -> None:
        """Let somebody speak."""
        kind = self.rng.choice(["user", "user", "plugin"])
        self.records.append(
            {"type": "user_message", "agent": agent, "content": "go", "source": {"kind": kind}}
        )

    def made(self) -> list[Record]:
        """Make the whole session."""
        rng = self.rng
        for _ in range(rng.randrange(2, 40)):
            self.step()
            if rng.random() < 0.06:
                self.user(rng.choice(["main", "sub"]))
            if rng.random() < 0.03:
                self.records.append({"type": "resume"})
            if rng.random() < 0.02:
                self.records.append({"type": "compaction", "agent": "main"})
            if rng.random() < 0.02:
                self.records.append({"type": "agent", "id": "sub", "state": "end"})
        return self.records


def sessions(seed: int, number: int, *, recorded: bool = False) -> Iterator[list[Record]]:
    """Yield the records of some sessions."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    for at in range(number):
        yield Maker(rng, f"s{seed}-{at}", recorded=recorded).made()


def write(folder: Path, seed: int, number: int, *, recorded: bool = False) -> list[Path]:
    """Write some sessions, a file each."""
    paths: list[Path] = []
    for at, records in enumerate(sessions(seed, number, recorded=recorded)):
        path = folder / f"{seed}-{at}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        paths.append(path)
    return paths
