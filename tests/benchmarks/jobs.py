"""Many small files: two processes beside one, and a second look beside the first."""

import os
from pathlib import Path
from typing import Final

from tests.benchmarks.corpora import name_of, small
from tests.benchmarks.measuring import PRODUCT, Took, ratios, tell, took, workroom

FOLDER: Final = "REPEAT_REMINDER_CACHE_DIR"
NO_CACHE: Final = "--no-cache"


def small_files(folder: Path, count: int, seed: int) -> Path:
    """Return a folder of small logs; it is written if it is not there."""
    path = folder / name_of(f"small-{count}", seed)
    small(path, count, seed)
    size = sum(entry.stat().st_size for entry in os.scandir(path))
    tell(f"small: {count:,} files, {size / 1e6:.1f} MB")
    return path


def jobs(path: Path, rounds: int) -> bool:
    """Tell how much sooner two processes are done, and compare what they print."""
    runs: dict[int, list[Took]] = {1: [], 2: []}
    with workroom() as folder:
        for _ in range(rounds):
            for count, found in runs.items():
                words = ["replay", str(path), "-f", "concise", "-q", "-j", str(count)]
                found.append(took([*PRODUCT, *words], folder / f"{count}"))
        same = (folder / "1").read_bytes() == (folder / "2").read_bytes()
    wall = {count: [run.wall for run in found] for count, found in runs.items()}
    cpu = {count: [run.cpu for run in found] for count, found in runs.items()}
    tell(f"jobs: -j 2/-j 1, wall {ratios(wall[1], wall[2])}")
    tell(f"jobs: CPU of -j 2 in CPU of -j 1 {ratios(cpu[2], cpu[1])}")
    tell(f"jobs: output {'the same to the byte' if same else 'DIFFERS'}")
    return same


def cache(path: Path, rounds: int) -> bool:
    """Tell how much less a second ``tune`` takes, helping processes included."""
    runs: dict[str, list[Took]] = {"first": [], "second": []}
    same = True
    with workroom() as folder:
        plain = took([*PRODUCT, "tune", "--help"], folder / "help")
        has_cache = plain.cpu > 0 and NO_CACHE in (folder / "help").read_text()
        for number in range(rounds):
            env = {FOLDER: str(folder / f"cache-{number}")}
            for name, found in runs.items():
                words = ["tune", str(path), "-f", "json"]
                found.append(took([*PRODUCT, *words], folder / name, env=env))
            same = same and (folder / "first").read_bytes() == (folder / "second").read_bytes()
        if has_cache:
            words = ["tune", str(path), "-f", "json", NO_CACHE]
            took([*PRODUCT, *words], folder / "without")
            same = same and (folder / "without").read_bytes() == (folder / "first").read_bytes()
    times = {name: [run.cpu for run in found] for name, found in runs.items()}
    tell(f"cache: second tune/first {ratios(times['first'], times['second'])}")
    tell(f"cache: output {'the same to the byte' if same else 'DIFFERS'}")
    if not has_cache:
        tell(f"cache: this version has none ({NO_CACHE} is unknown)")
    return same
