"""Seeded logs for the benchmark: the same seed and size give the same bytes, anywhere.

`drawing` draws, and one module or function a format writes what it draws. A log of 300 MB has about
as many lines, calls, reminders and sessions as the README says. Memory is bounded by one session,
whatever the size.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.benchmarks.claude_corpus import claude
from tests.benchmarks.codex_corpus import codex
from tests.benchmarks.drawing import SESSION, Call, Generator, Lines
from tests.benchmarks.dsh_corpus import dsh

AGENTS: Final = 50
"""Agents that a canonical log has at a time."""
HERE: Final = Path(__file__).parent

Corpus = Callable[[Generator, Lines, int], None]


def canonical(draw: Generator, lines: Lines, size: int) -> None:
    """Write one session of many agents side by side, calls without results: every line counts."""
    lines.add({"type": "session", "id": draw.id("s-"), "results": False})
    while lines.size < size:
        end = min(size, lines.size + SESSION)
        agents = [draw.id("agent-") for _ in range(AGENTS)]
        waiting: dict[str, Iterator[Call]] = {}
        while lines.size < end:
            agent = draw.random.choice(agents)
            for _ in range(draw.random.choice([1, 1, 2, 4])):
                call = next(waiting.get(agent, iter(())), None)
                if call is None:
                    if draw.chance(0.3):
                        lines.add({"type": "user_message", "agent": agent})
                    waiting[agent] = draw.calls(draw.random.randint(3, 30))
                    break
                name, arguments = call
                short = {k: _short(v) for k, v in arguments.items()}
                lines.add({"type": "tool_call", "agent": agent, "name": name, "arguments": short})


def _short(value: object) -> object:
    return value[:60] if isinstance(value, str) else value[:2] if isinstance(value, list) else value


CORPORA: Final[dict[str, Corpus]] = {
    "claude": claude,
    "codex": codex,
    "dsh": dsh,
    "canonical": canonical,
}
SMALL: Final = (claude, claude, codex, dsh)
"""What small files are, in turn."""


def name_of(what: str, seed: int) -> str:
    """Name what a seed gives: the name changes with the code that makes it."""
    parts = [*sorted(HERE.glob("*_corpus.py")), HERE / "corpora.py", HERE / "drawing.py"]
    code = b"".join(part.read_bytes() for part in parts)
    return f"{what}-seed{seed}-{hashlib.sha256(code).hexdigest()[:8]}"


def write(corpus: str, path: Path, size: int, seed: int) -> None:
    """Write a corpus of about so many bytes, unless it is there."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    with half.open("wb", buffering=1 << 20) as file:
        CORPORA[corpus](Generator(seed), Lines(file.write), size)
    half.rename(path)


def small(folder: Path, count: int, seed: int) -> None:
    """Write many small logs of several formats, unless they are there."""
    if folder.exists():
        return
    half = folder.with_name(f"{folder.name}.part")
    half.mkdir(parents=True, exist_ok=True)
    draw = Generator(seed)
    for number in range(count):
        corpus = SMALL[number % len(SMALL)]
        with (half / f"{number:05d}-{corpus.__name__}.jsonl").open("wb") as file:
            corpus(draw, Lines(file.write), draw.size(50_000, 600_000, 0.9))
    half.rename(folder)
