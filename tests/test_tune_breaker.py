"""A breaker sweep is what replaying each whole config over each log and counting gives."""

import random
import statistics
from collections import Counter
from pathlib import Path

import pytest

from repeat_reminder.api import read
from repeat_reminder.engine import Replay, replay
from repeat_reminder.errors import UsageError
from repeat_reminder.events import Action, Intervention, Json, ToolCall, ToolResult
from repeat_reminder.policies import Verdict
from repeat_reminder.policies.answers import ANSWERS, Answer
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.render.tune.breaker_values import BreakerCandidate, BreakerReport
from repeat_reminder.render.tune.figures import Constraints
from repeat_reminder.tune.breaker_configs import DEFAULT_SWEEP, configurations
from repeat_reminder.tune.breaker_sweep import BreakerRequest, breaker_report
from repeat_reminder.tune.corpus import Corpus, corpus_of
from repeat_reminder.tune.labels import Label
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.request import Request
from tests.random_sessions import write

FREE = Constraints()
GATES = (Action.ASK, Action.DENY)
BASE: dict[str, Json] = {
    "exclude": ["read"],
    "limits": {"verb": 4, "site": 9, "exact": 6, "cmd": 6, "net": 5},
}


def corpus(paths: list[Path], config: BreakerConfig) -> Corpus:
    reads = [FileReader(breaker=config)(str(path)) for path in paths]
    return corpus_of([one.table for one in reads if one.table is not None])


def random_config(rng: random.Random) -> BreakerConfig:
    drawn: dict[str, Json] = {
        "window": rng.choice([4, 5, 8, 30]),
        "onLimit": rng.choice(["ask", "deny"]),
        "warnAt": rng.choice([None, 1, 2, 3, 7]),
        "summarizeAt": rng.choice([None, 2, 4]),
        "failWarnAt": rng.choice([None, 1, 2, 3]),
        "failLimit": rng.choice([None, 2, 2.5, 4]),
    }
    return BreakerConfig.from_mapping(BASE | drawn)


class Counted:
    """One session replayed with the real breaker, and counted by hand."""

    def __init__(self, path: Path, config: BreakerConfig, answer: Answer) -> None:
        """Replay and count."""
        items = [
            item
            for item in replay(read(path), Breaker(config, answer))
            if isinstance(item, Intervention)
        ]
        self.actions = Counter(item.action for item in items)
        self.gates = sum(self.actions[action] for action in GATES)
        self.messages = len(items) - self.gates
        self.first = _first(path, config, answer)


def _first(path: Path, config: BreakerConfig, answer: Answer) -> int | None:
    """Ask the guard itself, in the order of things; void gates do not count."""
    guard = _Noted(config, answer)
    engine = Replay([guard])
    for event in read(path):
        for _ in engine.feed(event):
            pass
    return guard.said[0][0] if guard.said else None


class _Noted(Breaker):
    def __init__(self, config: BreakerConfig, answer: Answer) -> None:
        super().__init__(config, answer)
        self.said: list[tuple[int, ToolCall, Action]] = []

    def on_call(self, call: ToolCall) -> tuple[Intervention, ...]:
        said = super().on_call(call)
        self.said += [(call.index, call, one.action) for one in said]
        return said

    def on_result(self, result: ToolResult) -> Verdict:
        verdict = super().on_result(result)
        if result.status == "denied":
            self._void(result.call)
        self.said += [(result.call.index, result.call, one.action) for one in verdict.interventions]
        return verdict

    def on_skipped(self, call: ToolCall) -> None:
        super().on_skipped(call)
        self._void(call)

    def _void(self, call: ToolCall) -> None:
        self.said = [one for one in self.said if one[1] is not call or one[2] not in GATES]


def brute(
    paths: list[Path], config: BreakerConfig, answer: Answer, stuck: list[bool]
) -> dict[str, object]:
    counted = [Counted(path, config, answer) for path in paths]
    cost = [one for one, lost in zip(counted, stuck, strict=True) if not lost]
    lost = [one for one, is_lost in zip(counted, stuck, strict=True) if is_lost]
    hits = [one.first for one in lost if one.first is not None]
    actions = sum((one.actions for one in cost), Counter[Action]())
    return {
        "messages": sum(one.messages for one in cost),
        "by_action": {action.value: actions[action] for action in Action if actions[action]},
        "sessions_warned": sum(bool(one.actions) for one in cost),
        "sessions_gated": sum(one.gates > 0 for one in cost),
        "gate_calls": sum(one.gates for one in cost),
        "caught": len(hits),
        "caught_gated": sum(one.gates > 0 for one in lost),
        "first_hit": statistics.median(hits) if hits else None,
        "all_messages": sum(one.messages for one in counted),
        "all_sessions_warned": sum(bool(one.actions) for one in counted),
        "all_sessions_gated": sum(one.gates > 0 for one in counted),
        "all_gate_calls": sum(one.gates for one in counted),
    }


def figures(one: BreakerCandidate, names: dict[str, object]) -> dict[str, object]:
    return {name: getattr(one, name) for name in names}


def swept(  # noqa: PLR0913 - all of a sweep
    paths: list[Path],
    config: BreakerConfig,
    stuck: list[bool],
    *,
    sweeps: tuple[str, ...] = (),
    answer: Answer = "unattended",
    constraints: Constraints = FREE,
) -> BreakerReport:
    whole = corpus(paths, config)
    order = [str(path) for path in paths]
    labels = [
        Label.STUCK if stuck[order.index(table.path)] else Label.UNKNOWN for table in whole.sessions
    ]
    common = Request(resamples=0, constraints=constraints)
    request = BreakerRequest(common=common, config=config, sweeps=sweeps, answer=answer)
    return breaker_report(whole, labels, request)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_config_counts_what_its_replay_counts(
    tmp_path: Path, seed: int, answer: Answer
) -> None:
    paths = write(tmp_path, 100 + seed, 12)
    stuck = [at % 4 == 0 for at in range(len(paths))]
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    loud = 0
    for _ in range(4):
        config = random_config(rng)
        report = swept(paths, config, stuck, sweeps=("window=6", "limits.cmd=3"), answer=answer)
        for one in report.candidates:
            now = BreakerConfig.from_mapping(dict(one.config))
            expected = brute(paths, now, answer, stuck)
            assert figures(one, expected) == expected
            loud += one.all_gate_calls > 0
    assert loud


def test_the_default_sweep_varies_one_key_at_a_time(tmp_path: Path) -> None:
    paths = write(tmp_path, 7, 6)
    report = swept(paths, BreakerConfig(), [False] * 6)
    assert report.candidates[0].is_now
    assert all(len(one.changes) == 1 for one in report.candidates[1:])
    assert {next(iter(one.changes)) for one in report.candidates[1:]} == set(DEFAULT_SWEEP)
    assert report.best is None


def test_sweeps_are_combined_into_whole_configurations() -> None:
    now = BreakerConfig()
    found = configurations(
        now, ["window=24,limits.exact=10"], ["warnAt=5,off", "failLimit=4,5,2.5"]
    )
    assert [changes for _, changes, _ in found] == [
        {},
        {"window": 24, "limits.exact": 10},
        {"warnAt": 5, "failLimit": 4},
        {"warnAt": 5},
        {"warnAt": 5, "failLimit": 2.5},
        {"warnAt": None, "failLimit": 4},
        {"warnAt": None},
        {"warnAt": None, "failLimit": 2.5},
    ]
    assert [named for *_, named in found] == [False, True] + [False] * 6
    assert found[1][0].limits["exact"] == 10
    assert found[1][0].limits["cmd"] == 12


@pytest.mark.parametrize(
    ("tried", "sweeps", "said"),
    [
        ([], ["windw=3"], "no key of the breaker"),
        ([], ["ignoreArgs=a"], "worked out once"),
        ([], ["window"], "has no values"),
        ([], ["window=2"], "window"),
        (["4,7,12"], [], "KEY=VALUE"),
        (["limits.exact=1"], [], "limits"),
    ],
)
def test_a_slip_of_the_pen_is_told(tried: list[str], sweeps: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        configurations(BreakerConfig(), tried, sweeps)


@pytest.mark.parametrize(
    ("constraints", "calls"),
    [(Constraints(max_messages=1.0), "message"), (Constraints(max_messages=0.0), "nothing")],
)
def test_the_best_meets_the_constraints(
    tmp_path: Path, constraints: Constraints, calls: str
) -> None:
    paths = write(tmp_path, 9, 8)
    sweeps = ("warnAt=off,2,3", "summarizeAt=off", "failWarnAt=off,1", "limits.exact=30")
    report = swept(paths, BreakerConfig(), [False] * 8, constraints=constraints, sweeps=sweeps)
    best = report.best
    assert best is not None
    assert best.per_session <= (constraints.max_messages or 0)
    assert not report.is_recommended
    assert (best.messages == 0) is (calls == "nothing")
