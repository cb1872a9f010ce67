"""The real plugin beside us on generated sessions: same call, same count, same text.

The full run: ``REPEAT_REMINDER_CALLS=200000 pytest tests/test_reminder_differential.py -s``.
"""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from repeat_reminder.cli import app
from tests.oracle_process import ask

CALLS = int(os.environ.get("REPEAT_REMINDER_CALLS", "20000"))
CALLS_A_SESSION = 500

TOOLS = ["bash", "read", "Bash", "mcp_a", "mcp_b", "todo_write", 'we\nird "x"', "工具", "a*b", "🙂"]
PATTERNS = ["bash", "mcp_*", "*_write", "*", "B*", "工*", "a*b", 'we*x"', "", "read?", "*🙂"]
TEXTS = [
    '{"command":"npm test"}',
    '{"path":"f","offset":1}',
    '{"offset":1.0,"path":"f"}',
    '{"a":{"y":[1,2,{"z":null}],"x":"\\u00e9"}}',
    '{ "a" : { "x" : "é", "y" : [1e0, 2, {"z":null}] } }',
    '{"10":1,"9":2,"01":5,"-1":6,"b":3}',
    '{"big":9007199254740993,"exp":1e21,"small":1e-7}',
    '{"big":9007199254740992,"exp":1000000000000000000000,"small":0.0000001}',
    '{"__proto__":{"a":1},"k":1}',
    '{"k":1}',
    '{"s":"\\ud83d\\ude42 \\ud800 \\u2028"}',
    '{"long":"' + "重复🙂" * 200 + '"}',
    '{"long":"' + "重复🙂" * 200 + 'x"}',
    "",
    "{}",
    "not json {",
    '"not json {"',
    "[1,2]",
    "[2,1]",
    '{"n":-0.0,"m":1e400}',
    '{"n":0,"m":null}',
]


class Session:
    """One generated session: canonical records, and the same as the plugin sees it."""

    def __init__(self, seed: int) -> None:
        """Generate from a seed."""
        self.random = random.Random(seed)  # noqa: S311 - a generator for tests
        self.config = self._config()
        self.plugin_events: list[dict[str, Any]] = [{"config": self.config}]
        self.call_at: dict[int, tuple[int, str]] = {}
        """By position in the plugin's events: session and call."""
        self.seed = seed
        self.calls = 0
        agents = [f"agent-{number}" for number in range(self.random.randint(1, 3))]
        self.records = list(self._interleaved([list(self._agent(agent)) for agent in agents]))

    def _config(self) -> dict[str, Any]:
        some = self.random.sample
        return {
            "thresholds": some([2, 3, 4, 5, 6, 8], self.random.randint(1, 3)),
            "include": some(PATTERNS, 2) if self.random.random() < 0.2 else [],
            "exclude": some(PATTERNS, 1) if self.random.random() < 0.3 else [],
            "argumentsPreviewChars": self.random.choice([1, 7, 80, 500]),
        }

    def _agent(self, agent: str) -> Iterator[list[dict[str, Any]]]:
        """Yield the steps and messages of one agent: mostly the calls it made before."""
        pool = [self._arguments() for _ in range(self.random.randint(1, 3))]
        current = self.random.choice(pool)
        made = 0
        while made < CALLS_A_SESSION // 3:
            if self.random.random() < 0.2:
                current = self.random.choice(pool)
            size = self.random.choice([1, 1, 1, 2, 4])
            made += size
            yield self._step(agent, [current] * size)
            yield from self._between(agent)

    def _arguments(self) -> tuple[str, list[str]]:
        name = self.random.choice(TOOLS)
        first = self.random.randrange(len(TEXTS))
        return name, [TEXTS[first], TEXTS[(first + 1) % len(TEXTS)], TEXTS[first]]

    def _step(self, agent: str, calls: list[tuple[str, list[str]]]) -> list[dict[str, Any]]:
        asked, answered = [], []
        for name, texts in calls:
            self.calls += 1
            call_id, text = f"k{self.calls}", self.random.choice(texts)
            asked.append(_call(agent, call_id, name, text))
            answered.append({"type": "tool_result", "agent": agent, "call_id": call_id})
            self.call_at[len(self.plugin_events)] = self.seed, call_id
            self.plugin_events.append({"agent": agent, "name": name, "text": text})
        self.random.shuffle(answered)
        steer = self.random.random() < 0.03
        if steer:
            self.plugin_events.append({"agent": agent, "user": True})
        return [*asked, *([{"type": "user_message", "agent": agent}] if steer else []), *answered]

    def _between(self, agent: str) -> Iterator[list[dict[str, Any]]]:
        draw = self.random.random()
        kind = "user" if draw < 0.04 else "schedule"
        if draw < 0.08:
            self.plugin_events.append({"agent": agent, "user": kind == "user"})
            yield [{"type": "user_message", "agent": agent, "source": {"kind": kind}}]
        elif draw < 0.1:
            self.plugin_events.append({"agent": agent, "resume": True})
            yield [{"type": "resume", "agent": agent}]
        elif draw < 0.3:
            yield [{"type": "assistant_message", "agent": agent, "content": "hm"}]
        elif draw < 0.35:
            yield [{"type": "compaction", "agent": agent}]

    def _interleaved(self, agents: list[list[list[dict[str, Any]]]]) -> Iterator[dict[str, Any]]:
        """Mix the agents' records, each in its own order."""
        queues = [[r for part in agent for r in part][::-1] for agent in agents]
        while queues := [queue for queue in queues if queue]:
            yield self.random.choice(queues).pop()


def _call(agent: str, call_id: str, name: str, text: str) -> dict[str, Any]:
    record = {"type": "tool_call", "agent": agent, "id": call_id, "name": name}
    return {**record, "arguments_text": text}


def replayed(session: Session, folder: Path) -> Iterator[dict[str, Any]]:
    """Write a session as a log and read the command's records of it."""
    log, config = folder / "s.jsonl", folder / "c.json"
    log.write_text("".join(json.dumps(record) + "\n" for record in session.records))
    config.write_text(json.dumps(session.config))
    done = CliRunner().invoke(
        app, ["replay", str(log), "-f", "jsonl", "-q", "--config", str(config)]
    )
    assert done.exit_code == 0, done.output
    for line in done.stdout_bytes.splitlines():
        record = json.loads(line)
        if record["kind"] == "reminder":
            yield record


def test_the_plugin_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours: dict[tuple[int, str], tuple[Any, ...]] = {}
    events: list[dict[str, Any]] = []
    call_at: dict[int, tuple[int, str]] = {}
    made = seed = 0
    while made < CALLS:
        session = Session(seed)
        call_at |= {at + len(events): call for at, call in session.call_at.items()}
        events += session.plugin_events
        for record in replayed(session, tmp_path):
            key = seed, record["call"]["id"]
            ours[key] = record["source"]["summary"], record["source"], record["text"]
        made, seed = made + session.calls, seed + 1
    theirs = {
        call_at[said["at"]]: (said["summary"], said["source"], said["text"])
        for said in ask("reminder.mjs", events)
    }
    assert ours == theirs
    assert len(ours) * 10 >= made
    with capsys.disabled():
        print(f"\n{made:,} calls in {seed:,} sessions: {len(ours):,} reminders, 0 differences")  # noqa: T201 - the figure
