"""What a sweep costs beside the one pass over the corpus that it needs.

``python tests/benchmarks/sweep.py [--corpus canonical] [--mb 20] [--seed 7] [--rounds 3]``

In this process, by CPU time, in turn: one plain replay of the corpus; the pass that makes the
tables; chaining them under one scope; scoring 1,000 threshold lists; chaining under 20 scopes; and
a breaker sweep of 20 whole configurations beside one breaker replay. Every figure is reported as
a share of the pass: median, smallest, largest. It judges nothing.
"""

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2]))

from repeat_reminder.api import read
from repeat_reminder.engine import replay
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.tune.breaker_configs import configurations
from repeat_reminder.tune.breaker_sweep import replayed
from repeat_reminder.tune.corpus import Corpus, corpus_of
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen, Scorer
from tests.benchmarks.corpora import CORPORA, write

LISTS: Final = list(itertools.islice(itertools.combinations(range(2, 30), 3), 1_000))
SCOPES: Final = 20
CONFIGS: Final = 20


def seconds(work: Callable[[], object]) -> float:
    """Return what a piece of work takes, by CPU time."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def corpus_at(path: Path, breaker: BreakerConfig | None = None) -> Corpus:
    """Make the tables."""
    table = FileReader(breaker=breaker)(str(path)).table
    if table is None:
        raise SystemExit(f"{path} cannot be read")
    return corpus_of([table])


def chosen(corpus: Corpus, choice: Choice) -> tuple[Chosen, ...]:
    """Chain all sessions under a scope."""
    return tuple(
        Chosen(table, chain(table, choice), at % 10 == 0)
        for at, table in enumerate(corpus.sessions)
    )


def drain(path: Path, guard: Reminder | Breaker) -> None:
    """Replay a log."""
    for _ in replay(read(path), guard):
        pass


def scored(sessions: tuple[Chosen, ...]) -> int:
    """Score all lists, from nothing."""
    scorer = Scorer(sessions)
    return sum(scorer.score(thresholds).messages for thresholds in LISTS)


def checked(path: Path, corpus: Corpus) -> str:
    """Compare one score with a replay, so that what is measured is right."""
    sessions = tuple(
        Chosen(table, chain(table, Choice()), is_stuck=False) for table in corpus.sessions
    )
    score = Scorer(sessions).score((3, 5, 8)).messages
    guard = Reminder(ReminderConfig())
    said = sum(type(item).__name__ == "Intervention" for item in replay(read(path), guard))
    return f"messages 3,5,8: {score:,} by arithmetic, {said:,} by replay"


def measured(path: Path) -> dict[str, float]:
    """Measure everything once."""
    config = BreakerConfig()
    found: dict[str, float] = {}
    found["replay"] = seconds(lambda: drain(path, Reminder()))
    found["pass (tables)"] = seconds(lambda: corpus_at(path))
    corpus = corpus_at(path)
    found["chain, 1 scope"] = seconds(lambda: chosen(corpus, Choice()))
    sessions = chosen(corpus, Choice())
    found["1,000 threshold lists"] = seconds(lambda: scored(sessions))
    tools = sorted({tool for table in corpus.sessions for tool in table.tools})
    scopes = [Choice(exclude=(tools[at % len(tools)],)) for at in range(SCOPES)]
    found[f"chain, {SCOPES} scopes"] = seconds(lambda: [chosen(corpus, one) for one in scopes])
    found["breaker replay"] = seconds(lambda: drain(path, Breaker(config)))
    found["pass (breaker tables)"] = seconds(lambda: corpus_at(path, config))
    whole = corpus_at(path, config)
    configs = [one for one, _, _ in configurations(config, [], [])][:CONFIGS]
    found[f"breaker, {len(configs)} configs"] = seconds(
        lambda: replayed(whole, configs, "unattended")
    )
    return found


def main() -> None:
    """Write the corpus, measure in turn, print shares of the pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", choices=sorted(CORPORA), default="canonical")
    parser.add_argument("--mb", type=float, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        write(given.corpus, path, int(given.mb * 1e6), given.seed)
        corpus = corpus_at(path)
        print(f"{len(corpus.sessions):,} sessions, {corpus.calls:,} calls; {checked(path, corpus)}")  # noqa: T201 - a report
        rounds = [measured(path) for _ in range(given.rounds)]
        for name in rounds[0]:
            shares = [one[name] / one["pass (tables)"] for one in rounds]
            spread = f"[{min(shares):.2%} .. {max(shares):.2%}]"
            absolute = median(one[name] for one in rounds)
            print(f"{name:<24} {median(shares):>9.2%} of the pass {spread}  {absolute:.3f} s")  # noqa: T201 - a report


if __name__ == "__main__":
    main()
