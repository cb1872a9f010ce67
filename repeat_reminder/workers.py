"""The same work on many items in several processes: results in order, a crash named, none lost.

One process holds one item at a time, or a few small ones; where those kill it they are done again,
one at a time, so that the culprit is known. A new process takes its place, and the others go on.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pickle import PicklingError, dumps, loads
from typing import Final, Generic, TypeAlias, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE: Final = 5.0
"""Seconds after which an idle process looks whether its parent is still there."""
_SHARES: Final = 32
"""Groups for each process, of items that are small."""
_MOST: Final = 16
"""Items in a group."""
_WINDOW: Final = 1_000
"""Items that are ordered among themselves; at most twice as many outcomes wait for their turn."""
if sys.platform == "linux":
    _CONTEXT: Final = get_context("fork")
else:
    _CONTEXT: Final = get_context("spawn")


@dataclass(frozen=True, slots=True)
class Crash:
    """Why an item has no result: the work raised, or its process died."""

    reason: str
    """One line."""
    trace: str = ""
    """Where it was raised, for those who will mend it."""


Outcome: TypeAlias = "Result | Crash"


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int = 1,
    weights: Sequence[float] | None = None,
    done: Callable[[int], None] | None = None,
) -> "Iterator[Outcome[Result]]":
    """Yield what the work makes of each item, in the order of the items, for any number of jobs.

    Args:
        work: what to do; with several jobs it, the items and the results must be picklable. What
            it raises becomes a `Crash`, but for `KeyboardInterrupt`.
        items: what to do it with.
        jobs: processes; with one, everything happens in this process.
        weights: how much work each item is; of those whose turn comes the heaviest are begun first.
        done: told the position of each item once it has its outcome.

    Raises:
        KeyboardInterrupt: the user has had enough; all processes are gone by then.
    """
    tell = done or _ignore
    if jobs <= 1 or len(items) <= 1:
        for at, item in enumerate(items):
            outcome = _attempt(work, item)
            tell(at)
            yield outcome
        return
    heavy = weights or [1] * len(items)
    groups = _groups(_in_windows(heavy), heavy, jobs)
    yield from _Crew(work, items, groups, min(jobs, len(groups)), tell).outcomes()


def _in_windows(weights: Sequence[float]) -> list[int]:
    """Order the positions: the heaviest first, but only so far ahead that few outcomes wait."""
    starts = range(0, len(weights), _WINDOW)
    windows = (range(start, min(start + _WINDOW, len(weights))) for start in starts)
    return [at for window in windows for at in sorted(window, key=lambda at: -weights[at])]


def _groups(order: Sequence[int], weights: Sequence[float], jobs: int) -> list[list[int]]:
    """Put neighbours together that are a small share of all: handing out costs time too."""
    share = sum(weights) / (jobs * _SHARES)
    groups: list[list[int]] = []
    room = 0.0
    for at in order:
        if groups and weights[at] <= room and len(groups[-1]) < _MOST:
            groups[-1].append(at)
        else:
            groups.append([at])
            room = share
        room -= weights[at]
    return groups


def _ignore(_at: int) -> None:
    """Tell nobody."""


def _attempt(work: Callable[[Item], Result], item: Item) -> "Outcome[Result]":
    try:
        return work(item)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other items go on
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return Crash(reason, traceback.format_exc())


# ---------------------------------------------------------------- several processes


@dataclass(slots=True)
class _Hand:
    """One process, and the positions of the items it holds."""

    process: BaseProcess
    line: "Connection"
    held: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Crew(Generic[Item, Result]):
    work: Callable[[Item], Result]
    items: Sequence[Item]
    todo: list[list[int]]
    """Positions not begun yet, in groups."""
    size: int
    tell: Callable[[int], None]
    hands: list[_Hand] = field(default_factory=list)

    def outcomes(self) -> "Iterator[Outcome[Result]]":
        ready: dict[int, Outcome[Result]] = {}
        self.todo.reverse()
        try:
            self.hands = [self._hire() for _ in range(self.size)]
            for hand in self.hands:
                self._give(hand)
            for at in range(len(self.items)):
                while at not in ready:
                    ready.update(self._collect())
                yield ready.pop(at)
        finally:
            self._dismiss()

    def _hire(self) -> _Hand:
        here, there = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_serve, args=(there, self.work, os.getpid()), daemon=True)
        process.start()
        there.close()
        return _Hand(process, here)

    def _give(self, hand: _Hand) -> None:
        """Hand out the next group; without one the process is let go."""
        hand.held = self.todo.pop() if self.todo else []
        # A process that died meanwhile is found when its answer is waited for.
        with suppress(OSError):
            hand.line.send([self.items[at] for at in hand.held])

    def _collect(self) -> "dict[int, Outcome[Result]]":
        """Wait until some items have their outcome."""
        busy = {hand.line: hand for hand in self.hands if hand.held}
        got: dict[int, Outcome[Result]] = {}
        for line in wait(list(busy)):
            hand = next(hand for known, hand in busy.items() if known is line)
            answers = self._answer(hand)
            got |= answers
            for at in answers:
                self.tell(at)
            self._give(hand)
        return got

    def _answer(self, hand: _Hand) -> "dict[int, Outcome[Result]]":
        try:
            answers: list[bytes] = hand.line.recv()
        except (EOFError, OSError):
            hand.process.join()
            reason = _death(hand.process.exitcode or 0)
            hand.line.close()
            new = self._hire()
            hand.process, hand.line = new.process, new.line
            if len(hand.held) == 1:
                return {hand.held[0]: Crash(reason)}
            self.todo += [[at] for at in reversed(hand.held)]
            return {}
        # What our own process has pickled.
        return {at: loads(one) for at, one in zip(hand.held, answers, strict=True)}  # noqa: S301

    def _dismiss(self) -> None:
        for hand in self.hands:
            if hand.held:
                hand.process.terminate()
            hand.line.close()
        for hand in self.hands:
            hand.process.join()


def _death(code: int) -> str:
    names = {one.value: one.name for one in signal.Signals}
    if code < 0:
        return f"the process that read it was killed by {names.get(-code, f'signal {-code}')}"
    return f"the process that read it ended with exit code {code}"


def _serve(line: "Connection", work: Callable[[Item], Result], parent: int) -> None:
    """Do what comes along the line, until nothing more does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to stop
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            while not line.poll(_PATIENCE):
                if os.getppid() != parent:
                    return
            group: list[Item] = line.recv()
            if not group:
                return
            line.send([_pickled(_attempt(work, item)) for item in group])


def _pickled(outcome: "Outcome[Result]") -> bytes:
    try:
        return dumps(outcome)
    except (PicklingError, TypeError, AttributeError, ValueError) as error:
        return dumps(Crash(f"its result cannot be handed over: {error}"))
