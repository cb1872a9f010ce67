"""What a sweep costs beside the one pass over the corpus that it needs.

In this process, by CPU time, in turn: one plain replay of the corpus; the pass that makes the run
tables; chaining them under one scope; scoring 1,000 threshold lists; chaining under many scopes,
and scoring all lists under each; and a breaker sweep of whole configurations beside one breaker
replay. Every figure is a multiple of the pass: median, smallest, largest. Only a score that is not
what a replay says fails it.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from repeat_reminder.api import read
from repeat_reminder.engine import replay
from repeat_reminder.events import Intervention
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.tune.breaker_configs import configurations
from repeat_reminder.tune.breaker_sweep import replayed
from repeat_reminder.tune.corpus import Corpus, corpus_of
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen, Scorer
from tests.benchmarks.contest import corpus_in
from tests.benchmarks.measuring import ratios, tell

LISTS: Final = list(itertools.islice(itertools.combinations(range(2, 30), 3), 1_000))
CONFIGS: Final = 20
MOST_MB: Final = 20
"""A larger corpus says nothing more."""
TABLES: Final = "pass (run tables)"


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


def scopes(corpus: Corpus, count: int) -> list[Choice]:
    """Return choices of tools: without some of them, or of some alone."""
    tools = sorted({tool for table in corpus.sessions for tool in table.tools})
    some = itertools.chain.from_iterable(
        itertools.combinations(tools, size) for size in range(1, len(tools) + 1)
    )
    both = (
        choice
        for part in some
        for choice in (Choice(exclude=tuple(part)), Choice(include=tuple(part)))
    )
    return list(itertools.islice(both, count))


def drain(path: Path, guard: Reminder | Breaker) -> None:
    """Replay a log."""
    for _ in replay(read(path), guard):
        pass


def scored(sessions: tuple[Chosen, ...]) -> int:
    """Score all lists, from nothing."""
    scorer = Scorer(sessions)
    return sum(scorer.score(thresholds).messages for thresholds in LISTS)


def is_right(path: Path, corpus: Corpus) -> bool:
    """Compare one score with a replay, so that what is measured is right."""
    sessions = tuple(
        Chosen(table, chain(table, Choice()), is_stuck=False) for table in corpus.sessions
    )
    score = Scorer(sessions).score((3, 5, 8)).messages
    guard = Reminder(ReminderConfig())
    said = sum(isinstance(item, Intervention) for item in replay(read(path), guard))
    tell(f"sweep: messages of 3,5,8: {score:,} by arithmetic, {said:,} by replay")
    return score == said


def measured(path: Path, count: int) -> Iterator[tuple[str, float]]:
    """Measure everything once."""
    config = BreakerConfig()
    yield "replay", seconds(lambda: drain(path, Reminder()))
    yield TABLES, seconds(lambda: corpus_at(path))
    corpus = corpus_at(path)
    yield "chain, 1 scope", seconds(lambda: chosen(corpus, Choice()))
    sessions = chosen(corpus, Choice())
    yield f"{len(LISTS):,} threshold lists", seconds(lambda: scored(sessions))
    choices = scopes(corpus, count)
    what = f"{len(choices)} scopes"
    yield f"chain, {what}", seconds(lambda: [chosen(corpus, one) for one in choices])
    yield (
        f"{what} x {len(LISTS):,} lists",
        seconds(lambda: [scored(chosen(corpus, one)) for one in choices]),
    )
    yield "breaker replay", seconds(lambda: drain(path, Breaker(config)))
    yield "pass (breaker tables)", seconds(lambda: corpus_at(path, config))
    whole = corpus_at(path, config)
    configs = [one for one, _, _ in configurations(config, [], [])][:CONFIGS]
    yield (
        f"breaker, {len(configs)} configs",
        seconds(lambda: replayed(whole, configs, "unattended")),
    )


def sweep(folder: Path, mb: float, seed: int, rounds: int, count: int) -> bool:
    """Measure in turn on the canonical corpus, and tell multiples of the pass."""
    path = corpus_in(folder, "canonical", min(mb, MOST_MB), seed)
    corpus = corpus_at(path)
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    tell(f"sweep: {len(corpus.sessions):,} sessions, {corpus.calls:,} calls, {size}")
    right = is_right(path, corpus)
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, taken in measured(path, count):
            found.setdefault(name, []).append(taken)
    for name, times in found.items():
        tell(f"sweep: {name} takes x pass {ratios(times, found[TABLES])}")
    return right
