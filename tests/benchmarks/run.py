"""How fast a replay is, as ratios measured in one run; and whether it finds the same placements.

``python tests/benchmarks/run.py [--corpus dsh,canonical] [--mb 300] [--seed 7] [--rounds 5]``

For each corpus four programs read the same file in turn, round after round, each in a process of
its own: the product, ``orjson.loads`` of every line, a plain replay, and the plugin's algorithm in
node. A ratio says how many times faster the product is, by CPU time: median, smallest, largest.
No figure fails the run. Another set of placements does.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.benchmarks.corpora import CORPORA, write  # noqa: E402 - found through the line before

PEERS = {"loads": "orjson.loads", "plain": "plain replay", "node": "node"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took, and what it found."""

    cpu: float
    """Seconds, in the program and in the kernel for it."""
    peak_mib: float | None
    placements: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One corpus, and who reads it."""

    corpus: str
    path: Path
    folder: Path
    """For reports and outputs."""

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Yield every contestant and its command, but for the place of its report."""
        python = [sys.executable, str(HERE / "measured.py"), str(self.report)]
        yield "replay", [*python, "replay", str(self.path), "-f", "jsonl", "-q"]
        yield "loads", [*python, "loads", str(self.path)]
        yield "plain", [*python, "plain", self.corpus, str(self.path)]
        node = shutil.which("node")
        if node:
            script = str(HERE / "reference.mjs")
            yield "node", [node, script, str(self.report), self.corpus, str(self.path)]

    @property
    def report(self) -> Path:
        """Where a contestant leaves its peak."""
        return self.folder / "peak"

    def run(self, name: str, command: Sequence[str]) -> Run:
        """Run a contestant once, alone."""
        output = self.folder / "output"
        self.report.unlink(missing_ok=True)
        with output.open("wb") as stream:
            process = subprocess.Popen(command, stdout=stream, cwd=self.folder)  # noqa: S603 - ours
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{name} failed on {self.path}: exit {process.returncode}")
        found = sorted(_placements(name, output))
        peak = self.report.read_text() if self.report.exists() else ""
        return Run(
            cpu=usage.ru_utime + usage.ru_stime,
            peak_mib=int(peak) / 1024 if peak else None,
            placements=len(found),
            digest=hashlib.sha256("\n".join(found).encode()).hexdigest()[:16],
        )


def _placements(name: str, output: Path) -> Iterator[str]:
    """Read what a contestant found: line, agent, tool, count."""
    with output.open(encoding="utf-8") as lines:
        for line in lines:
            if name != "replay":
                yield line.rstrip("\n")
            elif line.startswith('{"kind":"reminder"'):
                record = json.loads(line)
                agent = record["agent"] if record["agent"] != record["session"] else "main"
                place = record["settled"]["line"]
                yield f"{place}\t{agent}\t{record['tool']}\t{record['count']}"


def contest(corpus: str, path: Path, rounds: int) -> bool:
    """Run a corpus and tell the ratios; return whether everybody found the same."""
    runs: dict[str, list[Run]] = {}
    with tempfile.TemporaryDirectory() as folder:
        one = Contest(corpus=corpus, path=path, folder=Path(folder))
        for _ in range(rounds):
            for name, command in one.commands():
                runs.setdefault(name, []).append(one.run(name, command))
    mine = runs["replay"][0]
    digests = {run.digest for name in runs if name != "loads" for run in runs[name]}
    for peer, title in PEERS.items():
        if peer in runs:
            _tell(f"{corpus:<9} replay/{title:<12} {_ratios(runs['replay'], runs[peer])}")
        else:
            _tell(f"{corpus:<9} replay/{title:<12} not installed")
    peaks = " ".join(f"{name} {_mib(found)}" for name, found in runs.items())
    _tell(f"{corpus:<9} peak MiB: {peaks}")
    _tell(f"{corpus:<9} placements={mine.placements:,} sha={mine.digest}")
    if len(digests) > 1 or not mine.placements:
        for name in runs:
            _tell(f"{corpus:<9} DIFFERS: {name} {runs[name][0].placements} {runs[name][0].digest}")
        return False
    return True


def _ratios(mine: Sequence[Run], theirs: Sequence[Run]) -> str:
    found = sorted(other.cpu / own.cpu for own, other in zip(mine, theirs, strict=True))
    return f"{median(found):6.2f} [{found[0]:.2f}..{found[-1]:.2f}] n={len(found)}"


def _mib(runs: Sequence[Run]) -> str:
    peaks = [run.peak_mib for run in runs if run.peak_mib is not None]
    return f"{max(peaks):.0f}" if peaks else "?"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Generate what is missing, run every corpus, and exit with 1 if placements differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpus", default=",".join(CORPORA), help="names, with commas between")
    parser.add_argument("--mb", type=float, default=100, help="size of each corpus")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep the corpora here")
    options = parser.parse_args()
    default = Path(tempfile.gettempdir()) / "repeat-reminder-corpora"
    folder = (options.folder or default).resolve()
    same = True
    for corpus in options.corpus.split(","):
        if corpus not in CORPORA:
            parser.error(f"no corpus {corpus!r}: {', '.join(CORPORA)}")
        path = folder / f"{corpus}-{options.mb:g}mb-seed{options.seed}.jsonl"
        write(corpus, path, int(options.mb * 1_000_000), options.seed)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        _tell(f"{corpus:<9} {path.stat().st_size / 1e6:.1f} MB, sha256 {digest[:16]}")
        same = contest(corpus, path, options.rounds) and same
    raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    main()
