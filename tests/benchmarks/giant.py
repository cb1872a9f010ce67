"""One giant line that says nothing, between calls: what it costs, and that it changes nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from repeat_reminder.formats import by_name
from tests.benchmarks.contest import Placement, corpus_in, placements
from tests.benchmarks.measuring import MEASURED, Took, mib, ratios, tell, took, workroom

HEADS: Final = {
    "claude": b'{"parentUuid":"u-1","isSidechain":false,"type":"progress","data":{"text":"',
    "codex": b'{"timestamp":"2026-01-02T03:04:05.678Z","type":"response_item",'
    b'"payload":{"type":"reasoning","encrypted_content":"',
    "dsh": b'{"type":"assistant/chunk","data":{"text":"',
}
TAILS: Final = {"claude": b'"},"uuid":"u-giant"}\n', "codex": b'"}}\n', "dsh": b'"}}\n'}
NAMES: Final = {"claude": "claude-code"}
AROUND_MB: Final = 8


def giant(corpus: str, folder: Path, mb: float, seed: int, rounds: int) -> bool:
    """Tell what a log with a giant line takes, beside the same log without, and beside orjson."""
    if corpus not in HEADS:
        tell(f"{corpus} giant: every line of this format counts; nothing to leave out")
        return True
    path = corpus_in(folder, corpus, AROUND_MB, seed)
    with workroom() as room:
        big = room / "giant.jsonl"
        at = _with_giant(corpus, path, big, int(mb * 1_000_000))
        runs: dict[str, list[Took]] = {"with": [], "without": [], "loads": []}
        for _ in range(rounds):
            for name, command in _commands(room / "peak", path, big):
                used = took(command, room / name, report=room / "peak")
                runs[name].append(used)
        same = _moved(placements(corpus, room / "without", path), at) == placements(
            corpus, room / "with", big
        )
    times = {name: [run.cpu for run in found] for name, found in runs.items()}
    what = f"{corpus} giant {mb:g} MB:"
    tell(f"{what} replay/orjson.loads {ratios(times['loads'], times['with'])}")
    tell(f"{what} time with/without it {ratios(times['with'], times['without'])}")
    tell(f"{what} peak MiB {', '.join(f'{name} {mib(found)}' for name, found in runs.items())}")
    tell(f"{what} placements {'the same' if same else 'DIFFER'}")
    return same


def _commands(report: Path, path: Path, big: Path) -> Iterator[tuple[str, list[str]]]:
    for name, log in (("with", big), ("without", path)):
        yield name, [*MEASURED, str(report), "replay", str(log), "-f", "concise", "-q"]
    yield "loads", [*MEASURED, str(report), "loads", str(big)]


def _with_giant(corpus: str, path: Path, big: Path, size: int) -> int:
    """Copy a log and put a giant in the middle; return the line that it is behind."""
    head, tail = HEADS[corpus], TAILS[corpus]
    proof = by_name(NAMES.get(corpus, corpus)).irrelevant
    if proof is None or not proof(head + tail):
        raise SystemExit(f"{corpus}: the giant line is not one that can be left out")
    lines = path.read_bytes().splitlines(keepends=True)
    half = len(lines) // 2
    with big.open("wb") as file:
        file.writelines(lines[:half])
        file.write(head)
        for _ in range(size // 1_000_000):
            file.write(b"x" * 1_000_000)
        file.write(tail)
        file.writelines(lines[half:])
    return half


def _moved(found: list[Placement], at: int) -> list[Placement]:
    """Return the placements as they are if a line comes behind the given one."""
    return [one._replace(line=one.line + (one.line > at)) for one in found]
