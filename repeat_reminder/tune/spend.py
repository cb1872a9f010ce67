"""What runs cost after their n-th call: calls, seconds, tokens, for every n at once."""

import math
from collections.abc import Iterable
from itertools import accumulate

from repeat_reminder.render.tune.figures import Spend
from repeat_reminder.tune.runs import Run
from repeat_reminder.tune.table import SessionTable


class Spending:
    """Adds up runs by the position of their calls; `after` answers for any number of calls.

    Seconds pass between the results of neighbouring calls of a run. Tokens are those of the
    responses that made its calls, so what the agent did between them is not in it.
    """

    def __init__(self, runs: Iterable[tuple[SessionTable, Run]]) -> None:
        """Take the runs."""
        calls: list[int] = []
        seconds: list[float] = []
        tokens: list[int] = []
        self._timed = self._priced = False
        for table, run in runs:
            missing = run.length - len(calls)
            if missing > 0:
                calls += [0] * missing
                seconds += [0.0] * missing
                tokens += [0] * missing
            self._timed |= _add_seconds(seconds, table, run)
            self._priced |= bool(table.tokens)
            for at, row in enumerate(run.rows):
                calls[at] += 1
                if table.tokens:
                    tokens[at] += table.tokens[row]
        self._calls = _from_the_end(calls)
        self._seconds = _from_the_end(seconds)
        self._tokens = _from_the_end(tokens)

    def after(self, calls: int) -> Spend:
        """Return what all runs cost together after their first ``calls`` calls."""
        at = min(calls, len(self._calls) - 1)
        return Spend(
            calls=int(self._calls[at]),
            seconds=round(self._seconds[at], 3) if self._timed else None,
            tokens=int(self._tokens[at]) if self._priced else None,
        )


def _add_seconds(seconds: list[float], table: SessionTable, run: Run) -> bool:
    """Add the time from each call to the next; say whether any is known."""
    if not table.time:
        return False
    known = False
    for at in range(1, run.length):
        passed = table.time[run.rows[at]] - table.time[run.rows[at - 1]]
        if not math.isnan(passed):
            known = True
            seconds[at] += max(0.0, passed)
    return known


def _from_the_end(values: Iterable[float]) -> list[float]:
    """Return for each position the sum of what stands there and behind; 0 at the end."""
    backwards = [*values][::-1]
    return [*accumulate(backwards, initial=0)][::-1]
