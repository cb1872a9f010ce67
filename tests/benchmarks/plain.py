"""A straightforward replay: parse every line, sort the keys of every call, count.

It reads what `corpora` writes and nothing else: no variants of a format, no damage, no texts. What
it prints are placements, one a line: the line where the call counted, agent, tool, count.
"""

import sys
from pathlib import Path
from typing import Any

import orjson

THRESHOLDS = (3, 5, 8)
Record = Any
"""One JSON object; the benchmark's own logs are of one shape each."""


class Replay:
    """One chain for each agent, and the calls that wait for their result."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.chains: dict[str, tuple[str, bytes, int]] = {}
        self.calls: dict[str, tuple[str, str, Record]] = {}
        self.placements: list[str] = []

    def count(self, line: int, agent: str, name: str, arguments: Record) -> None:
        """Count a call."""
        key = orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)
        last = self.chains.get(agent)
        count = last[2] + 1 if last is not None and last[:2] == (name, key) else 1
        self.chains[agent] = (name, key, count)
        if count in THRESHOLDS:
            self.placements.append(f"{line}\t{agent}\t{name}\t{count}")

    def settle(self, line: int, call_id: str) -> None:
        """Count a call whose result is here."""
        agent, name, arguments = self.calls.pop(call_id)
        self.count(line, agent, name, arguments)

    def reset(self, agent: str) -> None:
        """Forget the chain of an agent."""
        self.chains.pop(agent, None)


def canonical(replay: Replay, line: int, record: Record) -> None:
    """Read one record of our own log."""
    match record["type"]:
        case "session":
            replay.chains.clear()
        case "user_message":
            replay.reset(record["agent"])
        case "tool_call":
            replay.count(line, record["agent"], record["name"], record["arguments"])
        case _:
            pass


def claude(replay: Replay, line: int, record: Record) -> None:
    """Read one record of Claude Code's log."""
    if "message" not in record:
        return
    agent = record.get("agentId", "main")
    content = record["message"]["content"]
    if isinstance(content, str):
        replay.reset(agent)
        return
    for block in content:
        if block["type"] == "tool_use":
            replay.calls[block["id"]] = agent, block["name"], block["input"]
        elif block["type"] == "tool_result":
            replay.settle(line, block["tool_use_id"])


def codex(replay: Replay, line: int, record: Record) -> None:
    """Read one record of Codex's log."""
    payload = record["payload"]
    match payload.get("type"):
        case "user_message":
            replay.reset("main")
        case "function_call":
            arguments = orjson.loads(payload["arguments"])
            replay.calls[payload["call_id"]] = "main", payload["name"], arguments
        case "custom_tool_call":
            replay.calls[payload["call_id"]] = "main", payload["name"], payload["input"]
        case "function_call_output" | "custom_tool_call_output":
            replay.settle(line, payload["call_id"])
        case _:
            pass


def dsh(replay: Replay, line: int, record: Record) -> None:
    """Read one record of the DeepSeek Harness's log."""
    data = record.get("data")
    match record["type"]:
        case "user/message":
            if data["source"]["kind"] == "user":
                replay.reset("main")
        case "tool/call":
            replay.calls[data["callId"]] = "main", data["name"], orjson.loads(data["arguments"])
        case "tool/result":
            replay.settle(line, data["message"]["source"]["callId"])
        case _:
            pass


READERS = {"canonical": canonical, "claude": claude, "codex": codex, "dsh": dsh}


def main(corpus: str, path: str) -> None:
    """Replay a log and print its placements."""
    replay, read = Replay(), READERS[corpus]
    with Path(path).open("rb", buffering=1 << 20) as file:
        for number, line in enumerate(file, 1):
            read(replay, number, orjson.loads(line))
    sys.stdout.write("".join(f"{placement}\n" for placement in replay.placements))
