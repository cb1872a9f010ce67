"""Near misses: neighbouring calls that are equal but for one argument."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from repeat_reminder.render.tune.advice_values import VolatileArgument
from repeat_reminder.tune.chained import Run
from repeat_reminder.tune.digests import WHOLE
from repeat_reminder.tune.glue import EXAMPLES
from repeat_reminder.tune.results import results_of
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen
from repeat_reminder.tune.table import NO_KEY, SessionTable

MOST: Final = 20
"""Arguments that are looked at, those with most near misses first."""
_LEAST: Final = 3
"""Arguments of two different calls that may have one in common."""
CLEAR: Final = 0.8
"""Share of runs with identical results from which on the evidence is clear."""


def volatile_arguments(
    sessions: Sequence[Chosen], choice: Choice, first: int
) -> list[VolatileArgument]:
    """Return the arguments without which there would be more runs, with the evidence.

    If the results of those runs are the same, the argument only hides a loop; if they differ, it
    says what is asked for.

    Args:
        sessions: chained under the choice.
        choice: the current scope and ignored arguments.
        first: the length from which a run counts here: the current first threshold.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], list[Chosen]] = {}
    for one in sessions:
        own = list(_near_misses(one.table, choice))
        pairs.update(own)
        for key in dict.fromkeys(own):
            where.setdefault(key, []).append(one)
    ranked = sorted(pairs, key=lambda key: (-pairs[key], key))[:MOST]
    found = [_evidence(key, pairs[key], where[key], choice, first) for key in ranked]
    return sorted(
        (one for one in found if one.results.runs),
        key=lambda one: (-one.results.runs, one.tool, one.argument),
    )


def _near_misses(table: SessionTable, choice: Choice) -> Iterator[tuple[str, str]]:
    """Yield tool and argument of every two neighbours that differ in that argument alone.

    They must have another argument in common: without its only argument, every call of a tool is
    the same.
    """
    tracked, ignored = choice.tracked(table.tools), choice.ignored
    keys = table.keys
    last_tool, last_key = [-1] * len(table.lane_agent), [NO_KEY] * len(table.lane_agent)
    for lane, tool, key in zip(table.lane, table.tool, table.key, strict=True):
        if not tracked[tool] or key == NO_KEY:
            continue
        if last_tool[lane] != tool:
            last_tool[lane], last_key[lane] = tool, key
            continue
        before, last_key[lane] = last_key[lane], key
        if before == key or len(keys[before]) + len(keys[key]) < _LEAST:
            continue
        one, other = set(keys[before]), set(keys[key])
        names = {name for name, _ in one ^ other} - ignored.of(table.tools[tool])
        if len(names) == 1 and one & other and WHOLE not in names:
            yield table.tools[tool], names.pop()


def _evidence(
    key: tuple[str, str], pairs: int, sessions: Sequence[Chosen], choice: Choice, first: int
) -> VolatileArgument:
    tool, argument = key
    looser = Choice(
        include=choice.include,
        exclude=choice.exclude,
        ignore_args=(*choice.ignore_args, f"{tool}:{argument}"),
    )
    runs: list[Run] = []
    places: list[str] = []
    for one in sessions:
        keys = one.table.keys_without(choice.ignored)
        for run in chain(one.table, looser).runs:
            if run.length >= first and _longest_equal(keys, run) < first:
                runs.append(run)
                places.append(one.table.place(run.rows[0]))
    results = results_of(runs)
    return VolatileArgument(
        tool=tool,
        argument=argument,
        pairs=pairs,
        results=results,
        verdict=_verdict(results.identical + results.volatile, results.runs - results.unknown),
        examples=tuple(places[:EXAMPLES]),
    )


def _longest_equal(keys: Sequence[int], run: Run) -> int:
    """Return the longest part of a run that is a run without ignoring more."""
    longest = part = 1
    for before, row in zip(run.rows, run.rows[1:], strict=False):
        part = part + 1 if keys[before] == keys[row] else 1
        longest = max(longest, part)
    return longest


def _verdict(alike: int, runs: int) -> str:
    """Judge by the runs whose results are recorded."""
    if not runs:
        return "mixed"
    if alike >= CLEAR * runs:
        return "for"
    return "against" if alike <= (1 - CLEAR) * runs else "mixed"
