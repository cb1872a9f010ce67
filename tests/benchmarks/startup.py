"""How long a small job takes from nothing, beside a bare typer program and Python itself."""

import json
import sys
from pathlib import Path
from statistics import median
from typing import Final

from tests.benchmarks.measuring import HERE, PRODUCT, Took, ratios, tell, took, workroom

LINES: Final = 5
BARE: Final = HERE / "bare_typer.py"


def startup(rounds: int) -> bool:
    """Tell what a replay of five lines takes, beside the others."""
    with workroom() as folder:
        log = folder / "five.jsonl"
        log.write_text("".join(f"{json.dumps(_call(number))}\n" for number in range(LINES)))
        commands = {
            "replay": [*PRODUCT, "replay", str(log), "-f", "concise", "-q"],
            "typer": [sys.executable, str(BARE), "somebody"],
            "python": [sys.executable, "-c", "pass"],
        }
        for command in commands.values():  # compiled files are there from now on
            took(command, folder / "output")
        runs: dict[str, list[Took]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                runs[name].append(took(command, folder / "output"))
        _check(commands["replay"], folder / "output", log)
    times = {name: [run.cpu for run in found] for name, found in runs.items()}
    for peer in ("typer", "python"):
        told = ratios(times["replay"], times[peer])
        tell(f"startup: replay of {LINES} lines takes x {peer} {told}")
    told = ", ".join(f"{name} {median(found) * 1e3:.0f}" for name, found in times.items())
    tell(f"startup: milliseconds of CPU: {told}")
    return True


def _call(number: int) -> dict[str, object]:
    return {"type": "tool_call", "id": f"c{number}", "name": "bash", "arguments": {"command": "x"}}


def _check(command: list[str], output: Path, log: Path) -> None:
    """Make sure that what was measured is a replay."""
    took(command, output)
    if not output.read_text().startswith(f"{log}:3: "):
        raise SystemExit("the replay of five equal calls did not say so")
