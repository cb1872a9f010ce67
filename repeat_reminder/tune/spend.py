"""What runs cost after their n-th call: calls, seconds, tokens, for every n at once."""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate

from repeat_reminder.render.tune.figures import Spend
from repeat_reminder.tune.chained import Run
from repeat_reminder.tune.table import SessionTable


class Spending:
    """Adds up runs by the position of their calls; `after` answers for any number of calls.

    Seconds pass between the results of neighbouring calls of a run. Tokens are those of the
    responses that made its calls, so what the agent did between them is not in it.
    """

    def __init__(self, runs: Iterable[tuple[SessionTable, Run]]) -> None:
        """Take the runs."""
        many = list(runs)
        lengths = Counter([len(run.rows) for _, run in many])
        longest = max(lengths, default=0)
        calls = list(accumulate([lengths[length] for length in range(longest, 0, -1)]))[::-1]
        seconds = [0.0] * longest
        tokens = [0] * longest
        self._timed = self._priced = False
        for table, run in many:
            if table.time:
                self._timed |= _add_seconds(seconds, table, run)
            if table.tokens:
                self._priced = True
                for at, row in enumerate(run.rows):
                    tokens[at] += table.tokens[row]
        self._calls = _from_the_end(calls)
        self._seconds = _from_the_end(seconds)
        self._tokens = _from_the_end(tokens)
        self._known: dict[int, Spend] = {}

    def after(self, calls: int) -> Spend:
        """Return what all runs cost together after their first ``calls`` calls."""
        at = min(calls, len(self._calls) - 1)
        if at not in self._known:
            self._known[at] = Spend(
                calls=int(self._calls[at]),
                seconds=round(self._seconds[at], 3) if self._timed else None,
                tokens=int(self._tokens[at]) if self._priced else None,
            )
        return self._known[at]


def _add_seconds(seconds: list[float], table: SessionTable, run: Run) -> bool:
    """Add the time from each call to the next; say whether any is known."""
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
