"""Intervals are kept from one ``tune`` to the next. It makes no difference but in time."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.render.tune.figures import Interval
from repeat_reminder.tune import bootstrap, cache
from repeat_reminder.tune.bootstrap import mean_intervals
from repeat_reminder.tune.interval_cache import IntervalCache
from repeat_reminder.tune.store import Entry, Store, Unusable
from tests.command import run
from tests.corpus import Truth
from tests.corpus import write as write_corpus

GROUPS: dict[tuple[float, ...], int] = {(0.0, 1, 3): 30, (1.0, 1, 5): 7, (1.0, 1, 9): 3}
SHARES = [True, True, False]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that is not there yet."""
    monkeypatch.setenv("REPEAT_REMINDER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "readers", lambda: "as they are")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("logs"), Truth(sessions=20))


@pytest.fixture
def resampled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was resampled."""
    seen: list[Any] = []
    real = bootstrap._bootstrapped  # noqa: SLF001 - the work that is to be saved

    def noted(*asked: Any) -> list[Interval]:  # noqa: ANN401 - passed on as it is
        seen.append(asked)
        return real(*asked)

    monkeypatch.setattr(bootstrap, "_bootstrapped", noted)
    return seen


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("-f", "json"), id="with the bands of the curve"),
        pytest.param(("--try-exclude", "poll_job", "--max-warned", "30%"), id="several scopes"),
        pytest.param(("--hold-out", "30%", "--max-warned", "30%"), id="sessions held out"),
    ],
)
def test_the_second_run_resamples_nothing(
    folder: Path, logs: Path, resampled: list[Any], words: tuple[str, ...]
) -> None:
    without = run("tune", logs, *words, "--no-cache")
    assert not folder.exists()
    assert run("tune", logs, *words) == without
    assert resampled
    resampled.clear()
    assert run("tune", logs, *words) == without
    assert not resampled


@pytest.mark.parametrize(
    "words", [("--seed", "1"), ("--bootstrap", "200")], ids=["another seed", "fewer resamples"]
)
def test_what_is_asked_otherwise_is_resampled(
    folder: Path, logs: Path, resampled: list[Any], words: tuple[str, ...]
) -> None:
    run("tune", logs)
    resampled.clear()
    found = run("tune", logs, *words)
    assert folder.exists()
    assert resampled
    assert found == run("tune", logs, *words, "--no-cache")


class Shelf:
    """A memory of one run."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self.kept: dict[bytes, list[Interval]] = {}

    def find(self, key: bytes) -> list[Interval] | None:
        """Return what was kept."""
        return self.kept.get(key)

    def keep(self, key: bytes, intervals: Sequence[Interval]) -> None:
        """Keep intervals."""
        self.kept[key] = list(intervals)


def test_other_arguments_have_another_key() -> None:
    shelf = Shelf()
    asked: list[tuple[Any, Any, int, int]] = [
        (GROUPS, SHARES, 100, 0),
        ({**GROUPS, (1.0, 1, 9): 4}, SHARES, 100, 0),
        ({(1.0, 1, 9): 40, (0.0, 1, 3): 1}, SHARES, 100, 0),
        (GROUPS, [True, False, False], 100, 0),
        (GROUPS, SHARES, 101, 0),
        (GROUPS, SHARES, 100, 1),
    ]
    for groups, shares, resamples, seed in asked:
        for _ in range(2):
            found = mean_intervals(groups, shares, resamples=resamples, seed=seed, memory=shelf)
            assert found == mean_intervals(groups, shares, resamples=resamples, seed=seed)
    assert len(shelf.kept) == len(asked)


def test_the_order_of_sessions_makes_no_key() -> None:
    shelf = Shelf()
    for groups in (GROUPS, dict(reversed(GROUPS.items()))):
        mean_intervals(groups, SHARES, resamples=100, memory=shelf)
    assert len(shelf.kept) == 1


def kept(folder: Path) -> list[Interval]:
    one = IntervalCache(Store(folder))
    found = mean_intervals(GROUPS, SHARES, resamples=100, memory=one)
    one.write()
    assert one.fault is None
    return found


def test_whole_numbers_stay_whole(folder: Path) -> None:
    found = [mean_intervals({(2, 0.0): 9}, [False, False]), kept(folder), kept(folder)]
    assert repr(found[0]) == "[Interval(low=2, high=2), Interval(low=0.0, high=0.0)]"
    assert repr(found[1]) == repr(found[2])


@pytest.mark.parametrize("name", ["VERSION", "__version__", "readers"])
def test_another_version_resamples(
    folder: Path, resampled: list[Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    kept(folder)
    monkeypatch.setattr(cache, name, (lambda: "changed") if name == "readers" else 99)
    kept(folder)
    assert len(resampled) == 2


DAMAGES = [
    "UPDATE tables SET read = zeroblob(length(read)) WHERE ends = x''",
    "UPDATE tables SET read = x'C1' WHERE ends = x''",
    "UPDATE tables SET read = 1 WHERE ends = x''",
]


@pytest.mark.parametrize("damage", DAMAGES, ids=["zeros", "other bytes", "a number"])
def test_damage_is_told_once_and_changes_nothing(folder: Path, logs: Path, damage: str) -> None:
    wanted = run("tune", logs, "-f", "json", "--no-cache")
    run("tune", logs, "-f", "json")
    with closing(sqlite3.connect(Store(folder).path)) as database, database:
        done = database.execute(damage)
        assert done.rowcount > 1
    found = run("tune", logs, "-f", "json")
    assert (found.code, found.out) == (wanted.code, wanted.out)
    assert found.err.count("the cache of run tables is not used: an entry is damaged") == 1


def test_a_disk_that_is_full_by_then(
    folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = run("tune", logs, "--bootstrap", "0")
    assert folder.exists()

    def full(_store: Store, entries: Sequence[Entry]) -> None:
        if entries:
            raise Unusable("the disk is full")

    monkeypatch.setattr(Store, "put", full)
    assert run("tune", logs, "--bootstrap", "0") == wanted
    found = run("tune", logs)
    assert found.err.count("the cache of run tables is not used: the disk is full") == 1
    assert found.out == run("tune", logs, "--no-cache").out


def test_who_cannot_use_the_tables_is_not_told_twice(folder: Path, logs: Path) -> None:
    folder.mkdir()
    Store(folder).path.write_bytes(b"no database" * 1_000)
    found = run("tune", logs)
    assert found.err.count("the cache of run tables is not used") == 1
    assert found.out == run("tune", logs, "--no-cache").out
