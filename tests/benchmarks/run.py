"""How fast a replay is, as ratios measured in one run; and whether it finds the same placements.

``python tests/benchmarks/run.py [--corpus dsh,canonical] [--mb 300] [--seed 7] [--rounds 5]``

For each corpus five programs read the same file in turn, round after round, each in a process of
its own: the product, ``orjson.loads`` of every line, the barest replay, a plain replay, and the
plugin's algorithm in node. All but the second and third print one line a reminder. A ratio says how
many times faster the product is, by CPU time: median, smallest, largest. No figure fails the run.
Another set of placements does.

Each of these measures something else, alone or with others; the corpora run if none is given, or
if ``--corpora`` is::

    --growth        beginnings of a corpus: 1, 2, 4 and 8 parts of 8
    --giant [MB]    one giant line that says nothing
    --sweep [N]     threshold lists and scopes, in units of the one pass they need
    --startup [N]   five lines, beside a bare typer program and Python
    --jobs          many small files: two processes beside one, by wall time
    --cache         many small files: a second ``tune`` beside the first
    --breaker       what a call costs the breaker
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks import breaker
from tests.benchmarks.contest import contest, corpus_in, described
from tests.benchmarks.corpora import CORPORA
from tests.benchmarks.giant import giant
from tests.benchmarks.growth import growth
from tests.benchmarks.jobs import cache, jobs, small_files
from tests.benchmarks.measuring import machine, tell
from tests.benchmarks.startup import startup
from tests.benchmarks.sweep import sweep


def count(text: str) -> int:
    """Read how many; none is not a number of rounds or files."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def size(text: str) -> float:
    """Read a size; nothing is none."""
    if not (amount := float(text)) > 0:
        raise ValueError(text)
    return amount


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default=",".join(CORPORA), help="names, with commas between")
    parser.add_argument("--mb", type=size, default=100, help="size of each corpus")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rounds", type=count, default=3)
    parser.add_argument("--small", type=count, default=2_000, help="files of --jobs and --cache")
    parser.add_argument("--folder", type=Path, help="keep the corpora here")
    for name in ("corpora", "growth", "jobs", "cache", "breaker"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--giant", type=size, nargs="?", const=400, metavar="MB")
    parser.add_argument("--sweep", type=count, nargs="?", const=200, metavar="SCOPES")
    parser.add_argument("--startup", type=count, nargs="?", const=15, metavar="ROUNDS")
    asked = parser.parse_args()
    asked.corpus = asked.corpus.split(",")
    for corpus in asked.corpus:
        if corpus not in CORPORA:
            parser.error(f"no corpus {corpus!r}: {', '.join(CORPORA)}")
    default = Path(tempfile.gettempdir()) / "repeat-reminder-corpora"
    asked.folder = (asked.folder or default).resolve()
    return asked


def measures(asked: argparse.Namespace) -> Iterator[Callable[[], bool]]:
    """Yield what is asked for, in the order of the help."""
    seed, rounds = asked.seed, asked.rounds
    others = (asked.growth, asked.giant, asked.sweep, asked.startup, asked.jobs, asked.cache)
    for name in asked.corpus:
        if asked.corpora or not (any(others) or asked.breaker):
            yield partial(_contest, asked, name)
        if asked.growth:
            yield partial(_growth, asked, name)
        if asked.giant:
            yield partial(giant, name, asked.folder, asked.giant, seed, rounds)
    if asked.sweep:
        yield partial(sweep, asked.folder, asked.mb, seed, rounds, asked.sweep)
    if asked.startup:
        yield partial(startup, asked.startup)
    if asked.jobs:
        yield lambda: jobs(_small(asked), rounds)
    if asked.cache:
        yield lambda: cache(_small(asked), rounds)
    if asked.breaker:
        yield partial(_breaker, asked)


def _contest(asked: argparse.Namespace, corpus: str) -> bool:
    path = corpus_in(asked.folder, corpus, asked.mb, asked.seed)
    tell(f"{corpus} {described(path)}")
    return contest(corpus, path, asked.rounds)


def _growth(asked: argparse.Namespace, corpus: str) -> bool:
    return growth(corpus, corpus_in(asked.folder, corpus, asked.mb, asked.seed), asked.rounds)


def _small(asked: argparse.Namespace) -> Path:
    return small_files(asked.folder, asked.small, asked.seed)


def _breaker(asked: argparse.Namespace) -> bool:
    for line in breaker.report(16_000, asked.rounds, asked.seed):
        tell(f"breaker: {line}")
    return True


def main() -> None:
    """Measure what is asked for, and exit with 1 if anybody found something else."""
    asked = options()
    for line in machine():
        tell(line)
    found = [measure() for measure in measures(asked)]
    raise SystemExit(0 if all(found) else 1)


if __name__ == "__main__":
    main()
