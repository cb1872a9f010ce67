"""Every figure of a sweep is what replaying each config over each log and counting gives."""

import math
import random
import statistics
from pathlib import Path

import pytest

from repeat_reminder.api import read
from repeat_reminder.engine import Replay, replay
from repeat_reminder.events import (
    AssistantMessage,
    Event,
    Intervention,
    Settlement,
    ToolResult,
)
from repeat_reminder.policies import Verdict
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.render.tune.values import Candidate
from repeat_reminder.tune.corpus import Corpus, corpus_of
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.report import tune_report
from repeat_reminder.tune.request import Request
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen, Scorer
from tests.random_sessions import write

SCOPES = [
    Choice(),
    Choice(exclude=("todo_write",)),
    Choice(include=("bash", "p*")),
    Choice(include=("*",), exclude=("mcp_*", "read")),
    Choice(ignore_args=("n",)),
    Choice(exclude=("poll",), ignore_args=("bash:description", "mcp_fetch:n")),
    Choice(include=("nothing",)),
]
LISTS = [(2,), (3, 5, 8), (2, 3, 4, 5), (4, 7), (9, 12), (40,)]


def corpus(paths: list[Path]) -> Corpus:
    reads = [FileReader()(str(path)) for path in paths]
    return corpus_of([read.table for read in reads if read.table is not None])


def config(choice: Choice, thresholds: tuple[int, ...]) -> ReminderConfig:
    return ReminderConfig(
        thresholds=thresholds,
        include=choice.include,
        exclude=choice.exclude,
        ignore_args=choice.ignore_args,
    )


class Counted:
    """One session replayed and counted by hand."""

    def __init__(self, path: Path, settings: ReminderConfig) -> None:
        """Replay and count."""
        self.messages = 0
        self.first_hit: int | None = None
        self.tracked = self.longest = 0
        self.spent_calls = 0
        first = settings.thresholds[0]
        for item in replay(read(path), Reminder(settings)):
            match item:
                case Intervention():
                    self.messages += 1
                case Settlement(tracked=True, count=int(count)):
                    self.tracked += 1
                    self.longest = max(self.longest, count)
                    self.spent_calls += count > first
                case _:
                    pass
        self.first_hit = _first_hit(path, settings)


def _first_hit(path: Path, settings: ReminderConfig) -> int | None:
    """Ask the guard itself, in the order of counting."""
    guard = _Noted(settings)
    for _ in replay(read(path), guard):
        pass
    return guard.first


class _Noted(Reminder):
    def __init__(self, settings: ReminderConfig) -> None:
        super().__init__(settings)
        self.first: int | None = None

    def on_result(self, result: ToolResult) -> Verdict:
        verdict = super().on_result(result)
        if verdict.interventions and self.first is None:
            self.first = result.call.index
        return verdict


def brute(paths: list[Path], settings: ReminderConfig, stuck: list[bool]) -> dict[str, object]:
    counted = [Counted(path, settings) for path in paths]
    cost = [one for one, lost in zip(counted, stuck, strict=True) if not lost]
    lost = [one for one, is_lost in zip(counted, stuck, strict=True) if is_lost]
    own = sorted(one.messages for one in cost)
    hits = [one.first_hit for one in lost if one.first_hit is not None]
    longest = max((one.longest for one in counted), default=0)
    return {
        "messages": sum(own),
        "sessions": len(cost),
        "sessions_warned": sum(number > 0 for number in own),
        "p95": own[math.ceil(0.95 * len(own)) - 1] if own else 0,
        "most": max(own, default=0),
        "stuck": len(lost),
        "caught": len(hits),
        "first_hit": statistics.median(hits) if hits else None,
        "dead": tuple(one for one in settings.thresholds if one > longest),
        "all_messages": sum(one.messages for one in counted),
        "all_sessions_warned": sum(one.messages > 0 for one in counted),
        "spent": sum(one.spent_calls for one in counted),
    }


def scored(one: Candidate) -> dict[str, object]:
    names = [
        *("messages", "sessions", "sessions_warned", "p95", "most", "stuck", "caught"),
        *("first_hit", "dead", "all_messages", "all_sessions_warned"),
    ]
    return {name: getattr(one, name) for name in names} | {"spent": one.spend_after.calls}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("choice", SCOPES, ids=str)
def test_a_score_is_what_a_replay_counts(tmp_path: Path, seed: int, choice: Choice) -> None:
    paths = write(tmp_path, seed, 12, recorded=seed % 2 == 1)
    tables = corpus(paths).sessions
    by_path = {table.path: table for table in tables}
    stuck = [at % 4 == 0 for at in range(len(paths))]
    chosen = [
        Chosen(by_path[str(path)], chain(by_path[str(path)], choice), lost)
        for path, lost in zip(paths, stuck, strict=True)
    ]
    scorer = Scorer(tuple(chosen))
    for thresholds in LISTS:
        expected = brute(paths, config(choice, thresholds), stuck)
        assert scored(scorer.score(thresholds)) == expected
    assert (scorer.score((2,)).messages > 0) is (choice.include != ("nothing",))
    assert sum(one.chained.tracked for one in chosen) == sum(
        Counted(path, config(choice, (2,))).tracked for path in paths
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_the_candidates_of_a_report_are_replays_too(tmp_path: Path, seed: int) -> None:
    paths = write(tmp_path, seed + 50, 20)
    labels = [Label.STUCK if at % 5 == 0 else Label.UNKNOWN for at in range(len(paths))]
    whole = corpus(paths)
    order = [str(path) for path in paths]
    stuck = [label is Label.STUCK for label in labels]
    request = Request(
        config=ReminderConfig(exclude=("read",)),
        tried=((4, 7, 12),),
        try_exclude=("poll", "todo_*"),
        resamples=0,
    )
    sorted_labels = [labels[order.index(table.path)] for table in whole.sessions]
    report = tune_report(whole, sorted_labels, request)
    assert report.candidates[1].thresholds == (4, 7, 12)
    assert report.candidates[1].is_named
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    some = [*report.candidates[:2], *rng.sample(report.candidates[2:], 6)]
    for one in some:
        choice = Choice(exclude=("read", *one.also_excluded))
        assert scored(one) == brute(paths, config(choice, one.thresholds), stuck)


def test_seconds_and_tokens_after_a_call_are_added_up_by_hand(tmp_path: Path) -> None:
    paths = write(tmp_path, 3, 10)
    tables = {table.path: table for table in corpus(paths).sessions}
    chosen = [Chosen(t, chain(t, Choice()), is_stuck=False) for t in tables.values()]
    scorer = Scorer(tuple(chosen))
    for first in (2, 3, 5):
        seconds = tokens = 0.0
        for path in paths:
            more = _spent(path, first)
            seconds, tokens = seconds + more[0], tokens + more[1]
        spend = scorer.spend_after(first)
        assert spend.seconds == pytest.approx(seconds)
        assert spend.tokens == tokens


def _spent(path: Path, first: int) -> tuple[float, int]:
    """Walk through a session with the guard's own counts."""
    guard = _Timed(first)
    for event in read(path):
        if isinstance(event, AssistantMessage) and event.usage is not None:
            guard.pending[event.agent.id] = (
                guard.pending.get(event.agent.id, 0) + event.usage.input + event.usage.output
            )
        guard.feed(event)
    return guard.seconds, guard.tokens


class _Timed(Reminder):
    def __init__(self, first: int) -> None:
        super().__init__(ReminderConfig(thresholds=(2,)))
        self.after = first
        self.pending: dict[str, int] = {}
        self.seconds, self.tokens = 0.0, 0
        self.last: dict[str, float | None] = {}
        self._engine = Replay([self])

    def feed(self, event: Event) -> None:
        for _ in self._engine.feed(event):
            pass

    def on_result(self, result: ToolResult) -> Verdict:
        verdict = super().on_result(result)
        agent = result.call.agent.id
        time = result.call.time if result.time is None else result.time
        tokens = self.pending.pop(agent, 0)
        if verdict.run is not None:
            if verdict.run > self.after:
                self.tokens += tokens
                before = self.last.get(agent)
                if time is not None and before is not None:
                    self.seconds += max(0.0, time - before)
            self.last[agent] = time
        return verdict
