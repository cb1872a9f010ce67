"""How time and memory grow with a log: its beginnings of 1, 2, 4 and 8 parts of 8."""

from pathlib import Path
from typing import Final

from tests.benchmarks.measuring import MEASURED, Took, mib, ratios, tell, took, workroom

PARTS: Final = (1, 2, 4, 8)


def growth(corpus: str, path: Path, rounds: int) -> bool:
    """Replay beginnings of a corpus, cut behind a line, and tell time and peaks of each."""
    runs: dict[int, list[Took]] = {part: [] for part in PARTS}
    with workroom() as folder:
        report = folder / "peak"
        for part in PARTS:
            _beginning(path, folder / f"{part}.jsonl", path.stat().st_size * part // PARTS[-1])
        for _ in range(rounds):
            for part, found in runs.items():
                words = ["replay", f"{part}.jsonl", "-f", "concise", "-q"]
                command = [*MEASURED, str(report), *words]
                found.append(took(command, folder / "output", report=report))
    once = [run.cpu for run in runs[1]]
    for part in PARTS[1:]:
        told = ratios([run.cpu for run in runs[part]], once)
        tell(f"{corpus} growth: time of {part}x/1x {told}")
    tell(f"{corpus} growth: peak MiB {', '.join(f'{part}x {mib(runs[part])}' for part in PARTS)}")
    return True


def _beginning(path: Path, to: Path, size: int) -> None:
    """Copy the lines that end within so many bytes, a piece at a time."""
    left = size
    with path.open("rb") as source, to.open("wb") as target:
        while left and (line := source.readline()):
            if len(line) > left:
                return
            target.write(line)
            left -= len(line)
