"""What a call costs the breaker, beside the published plugin, for sessions of growing length.

``python -m tests.benchmarks.breaker`` reports microseconds of processor time a call, the median of
some rounds with the smallest and the largest; both sides take turns. It judges nothing. Node and
``npm ci --prefix tests/oracle`` are needed for the plugin's side.
"""

import argparse
import gc
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from repeat_reminder.events import Agent, CallId, SessionId, ToolCall, ToolResult
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.policies.breaker.fingerprints import identity

HERE: Final = Path(__file__).parent
PLUGIN: Final = HERE.parent / "oracle" / "node_modules" / "dsh-repeat-tool-breaker"
AGENT: Final = Agent(SessionId("s"), "main")
OUTPUT: Final = "src/cart.py:14: total = price * count\n" * 6

Event: TypeAlias = dict[str, Any]
Made: TypeAlias = tuple[str, dict[str, Any]]
Side: TypeAlias = Callable[[Sequence[Event]], float]


def _read(rng: Random) -> Made:
    return "read", {
        "file_path": f"/srv/shop/src/{rng.randrange(40)}.py",
        "offset": rng.randrange(9),
    }


def _edit(rng: Random) -> Made:
    text = "amount = price * count\n" * 8
    return "edit", {
        "file_path": "/srv/shop/src/cart.py",
        "old": text,
        "new": f"{text}{rng.random()}",
    }


def _bash(rng: Random) -> Made:
    command = rng.choice(["npm test -- --run", "git status --short", "grep -rn 'total' src | head"])
    return "bash", {"command": f"{command} # {rng.randrange(30)}", "description": "look"}


def _curl(rng: Random) -> Made:
    address = f"https://api.example.net/v1/items?page={rng.randrange(90)}&utm_source=x"
    return "bash", {"command": f"curl -sS --max-time 30 '{address}' -o items.json"}


def _fetch(rng: Random) -> Made:
    return "web_fetch", {"url": f"https://docs.example.org/guide/{rng.randrange(90)}"}


KINDS: Final[dict[str, tuple[Callable[[Random], Made], int]]] = {
    "read": (_read, 42),
    "edit": (_edit, 18),
    "bash": (_bash, 21),
    "fetch": (_fetch, 9),
    "curl": (_curl, 10),
}
"""Kinds of calls with their share in a hundred: about 2.45 fingerprints a call."""


def session(calls: int, seed: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Event]:
    """Make the calls of one session, each with its result; few are equal."""
    rng = Random(seed)  # noqa: S311 - repeatable, no secret
    shares = [KINDS[kind][1] for kind in kinds]
    events = []
    for kind in rng.choices(kinds, shares, k=calls):
        name, arguments = KINDS[kind][0](rng)
        value = {"exitCode": 1 if rng.random() < 0.05 else 0}
        events.append({"name": name, "arguments": arguments, "value": value, "text": OUTPUT})
    return events


def ours(events: Sequence[Event]) -> float:
    """Return microseconds a call; the answer to every question is yes, so that calls go on."""
    guard = Breaker(answer="approve")
    pairs = list(_pairs(events))
    gc.collect()
    gc.freeze()  # a replay holds no session, so nothing of it is looked through again and again
    start = time.process_time()
    for call, result in pairs:
        guard.on_call(call)
        guard.on_result(result)
    return (time.process_time() - start) / len(pairs) * 1e6


def _pairs(events: Sequence[Event]) -> Iterator[tuple[ToolCall, ToolResult]]:
    for index, event in enumerate(events, 1):
        call = ToolCall(
            agent=AGENT,
            id=CallId(f"c{index}"),
            index=index,
            line=index,
            name=event["name"],
            arguments_text=None,
            arguments=event["arguments"],
        )
        yield (
            call,
            ToolResult(
                call=call,
                line=index,
                settled_line=index,
                texts=(event["text"],),
                value=event["value"],
            ),
        )


def theirs(events: Sequence[Event]) -> float:
    """Return microseconds a call of the published plugin, under node."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(event) + "\n" for event in events)
        file.flush()
        done = subprocess.run(  # noqa: S603 - our own script
            ["node", str(HERE / "breaker.mjs"), file.name],  # noqa: S607 - whichever node there is
            capture_output=True,
            check=True,
        )
    return float(done.stdout)


def fingerprints_a_call(events: Sequence[Event]) -> float:
    """Return how many fingerprints a call has on average."""
    config = BreakerConfig()
    return statistics.mean(len(identity(e["name"], e["arguments"], config).fps) for e in events)


def figure(times: Sequence[float]) -> str:
    """Write the median with its spread."""
    return f"{statistics.median(times):6.2f} [{min(times):.2f}..{max(times):.2f}]"


def report(calls: int, rounds: int, seed: int) -> Iterator[str]:
    """Yield the lines of the report as they are known."""
    sides: dict[str, Side] = {"ours": ours}
    if shutil.which("node") and PLUGIN.is_dir():
        sides["plugin"] = theirs
    else:
        yield "the plugin is not installed: ours alone"
    mixed = fingerprints_a_call(session(2_000, seed))
    yield f"microseconds a call, median [least..most] of {rounds}; {mixed:.2f} fingerprints a call"
    for length in (calls // 16, calls // 4, calls):
        events = session(length, seed)
        yield f"{length:>7,} calls  {_turns(sides, events, rounds)}"
    for kind in KINDS:
        events = session(calls // 8, seed, [kind])
        yield f"{kind:>13}  {_turns(sides, events, rounds)}"


def _turns(sides: Mapping[str, Side], events: Sequence[Event], rounds: int) -> str:
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, cost in sides.items():
            times[side].append(cost(events))
    return "   ".join(f"{side} {figure(taken)}" for side, taken in times.items())


def main() -> None:
    """Read the command line and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=16_000, help="of the longest session")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    for line in report(asked.calls, asked.rounds, asked.seed):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
