"""The corpora: the product beside three others that read the same file and print the same."""

import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tests.benchmarks.corpora import name_of, write
from tests.benchmarks.measuring import HERE, MEASURED, Took, mib, ratios, tell, took, workroom

PEERS: Final = {
    "loads": "orjson.loads",
    "plain": "plain replay",
    "node": "node",
    "bare": "the barest replay",
}
SILENT: Final = ("loads", "bare")
"""Who finds no placements."""
_SAID: Final = re.compile(r":\d+: \S+ (\S+) (\S+) x(\d+) after=(\d+)")


class Placement(NamedTuple):
    """Where a reminder lands: behind the line of a result."""

    line: int
    agent: str
    tool: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took, and what it found."""

    took: Took
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
        """Yield every contestant and its command."""
        python = [*MEASURED, str(self.report)]
        yield "replay", [*python, "replay", str(self.path), "-f", "concise", "-q"]
        yield "loads", [*python, "loads", str(self.path)]
        yield "bare", [*python, "bare", self.corpus, str(self.path)]
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
        used = took(command, output, report=self.report)
        found = [] if name in SILENT else placements(self.corpus, output, self.path)
        return Run(took=used, placements=len(found), digest=digest(found))


def placements(corpus: str, output: Path, path: Path) -> list[Placement]:
    """Read what the product or a peer has printed, in order."""
    found: list[Placement] = []
    with output.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(f"{path}:"):
                said = _SAID.match(line, len(str(path)))
                if said is None:
                    raise SystemExit(f"not understood: {line}")
                agent, tool, count, place = said.groups()
                # The one agent of a DSH session has the session's name.
                agent = "main" if corpus == "dsh" else agent
            else:
                place, agent, tool, count = line.rstrip("\n").split("\t")
            found.append(Placement(int(place), agent, tool, int(count)))
    return sorted(found)


def digest(found: Sequence[Placement]) -> str:
    """Make one short text of placements."""
    return hashlib.sha256("\n".join(map(str, found)).encode()).hexdigest()[:16]


def corpus_in(folder: Path, corpus: str, mb: float, seed: int) -> Path:
    """Return a corpus; it is written if it is not there."""
    path = folder / f"{name_of(f'{corpus}-{mb:g}mb', seed)}.jsonl"
    write(corpus, path, int(mb * 1_000_000), seed)
    return path


def contest(corpus: str, path: Path, rounds: int) -> bool:
    """Run a corpus and tell the ratios; return whether everybody found the same."""
    runs: dict[str, list[Run]] = {}
    with workroom() as folder:
        one = Contest(corpus=corpus, path=path, folder=folder)
        for _ in range(rounds):
            for name, command in one.commands():
                runs.setdefault(name, []).append(one.run(name, command))
    times = {name: [run.took.cpu for run in found] for name, found in runs.items()}
    for peer, title in PEERS.items():
        told = ratios(times[peer], times["replay"]) if peer in runs else "not installed"
        tell(f"{corpus} replay/{title} {told}")
    tell(f"{corpus} the barest replay/orjson.loads {ratios(times['loads'], times['bare'])}")
    peaks = (f"{name} {mib([run.took for run in found])}" for name, found in runs.items())
    tell(f"{corpus} peak MiB: {', '.join(peaks)}")
    return _agree(corpus, runs)


def _agree(corpus: str, runs: dict[str, list[Run]]) -> bool:
    mine = runs["replay"][0]
    tell(f"{corpus} placements={mine.placements:,} sha={mine.digest}")
    digests = {run.digest for name in runs if name not in SILENT for run in runs[name]}
    if len(digests) == 1 and mine.placements:
        return True
    for name in runs:
        tell(f"{corpus} DIFFERS: {name} {runs[name][0].placements} {runs[name][0].digest}")
    return False


def described(path: Path) -> str:
    """Say which bytes a corpus has."""
    with path.open("rb") as file:
        sha = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{path.stat().st_size / 1e6:.1f} MB, sha256 {sha[:16]}"
