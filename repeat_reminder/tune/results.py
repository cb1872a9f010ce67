"""Runs by what their results had in common."""

from collections import Counter
from collections.abc import Iterable

from repeat_reminder.render.tune.figures import Results
from repeat_reminder.tune.chained import Run
from repeat_reminder.tune.likeness import Likeness


def results_of(runs: Iterable[Run]) -> Results:
    """Count runs by their results."""
    counts = Counter(run.likeness for run in runs)
    return Results(
        identical=counts[Likeness.IDENTICAL],
        volatile=counts[Likeness.VOLATILE],
        changing=counts[Likeness.CHANGED],
        unknown=counts[Likeness.UNKNOWN],
    )
