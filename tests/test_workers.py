"""Several processes: results in order, a crash names its item and loses no other."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repeat_reminder import workers
from repeat_reminder.workers import Crash, each


def _square(number: int) -> int:
    if number == 3:
        raise ValueError("three\nis bad")
    time.sleep(0.002 * (number % 3))
    return number * number


def _die(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5:
        os._exit(7)
    return number


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    found = list(each(_square, list(range(9)), jobs=jobs, weights=list(range(9))))
    assert [one for one in found if not isinstance(one, Crash)] == [
        n * n for n in range(9) if n != 3
    ]


def test_the_heaviest_come_first_of_those_whose_turn_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_WINDOW", 3)
    assert workers._in_windows([1, 5, 9, 7, 8, 2, 4]) == [2, 1, 0, 4, 3, 5, 6]  # noqa: SLF001 - the order itself


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_the_work_raises_is_the_items_own_crash(jobs: int) -> None:
    found = list(each(_square, [1, 3, 4], jobs=jobs))
    assert isinstance(found[1], Crash)
    assert found[1].reason == "ValueError: three"
    assert "three\nis bad" in found[1].trace
    assert (found[0], found[2]) == (1, 16)


def test_small_items_are_handed_out_together() -> None:
    weights = [100, 40, 30, 2, 1, 1]
    groups = workers._groups(range(6), weights, 1)  # noqa: SLF001 - the groups themselves
    assert groups == [[0], [1], [2], [3, 4, 5]]
    assert max(map(len, workers._groups(range(900), [1] * 900, 1))) == 16  # noqa: SLF001


def test_items_that_are_handed_out_with_one_that_kills_are_not_lost() -> None:
    items = [1] * 700 + [2] + [3] * 700
    found = list(each(_die, items, jobs=2))
    assert [at for at, one in enumerate(found) if isinstance(one, Crash)] == [700]
    assert [one for one in found if not isinstance(one, Crash)] == [1] * 700 + [3] * 700


def test_a_process_that_dies_loses_no_other_item() -> None:
    found = list(each(_die, list(range(8)), jobs=2))
    crashed = {at: one.reason for at, one in enumerate(found) if isinstance(one, Crash)}
    assert crashed == {
        2: "the process that read it was killed by SIGKILL",
        5: "the process that read it ended with exit code 7",
    }
    assert [one for one in found if not isinstance(one, Crash)] == [0, 1, 3, 4, 6, 7]


def test_every_item_is_told_once() -> None:
    told: list[int] = []
    list(each(_square, [1, 2, 4, 5], jobs=2, done=told.append))
    assert sorted(told) == [0, 1, 2, 3]


def test_a_result_that_cannot_be_handed_over_is_a_crash() -> None:
    found = list(each(_unpicklable, [1, 2], jobs=2))
    assert all(isinstance(one, Crash) and "handed over" in one.reason for one in found)


def _unpicklable(_number: int) -> object:
    return lambda: None


SLOW = """
import os, sys, time
from repeat_reminder.workers import each

def work(item):
    os.write(1, f"{os.getpid()}\\n".encode())  # one piece: two processes write here
    time.sleep(60)

try:
    list(each(work, [1, 2, 3], jobs=2))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")
def test_the_users_interrupt_ends_every_process(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    with subprocess.Popen(  # noqa: S603 - this very Python
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        children = [int(running.stdout.readline()) for _ in range(2)]
        os.killpg(running.pid, signal.SIGINT)
        assert running.wait(10) == 130
        assert running.stderr is not None
        assert running.stderr.read() == b""
    assert not any(map(_lives, children))


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
