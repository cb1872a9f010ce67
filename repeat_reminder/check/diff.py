"""Two transcripts line by line, as they stand in the files or in few words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Final, NamedTuple

from repeat_reminder.check.align import Pair, pairs
from repeat_reminder.check.lines import Line
from repeat_reminder.check.transcript import key_of
from repeat_reminder.check.words import parting, shown_line

CONTEXT: Final = 2
"""Equal lines shown around a difference."""
_LEAD, _WINDOW = 60, 400
"""Characters of a long line that are shown: before its first difference, and in all."""


class DiffMode(StrEnum):
    """Which kind of diff an explanation has."""

    UNIFIED = "unified"
    SEMANTIC = "semantic"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffStyle:
    """How much of a diff an explanation has."""

    mode: DiffMode = DiffMode.UNIFIED
    most: int = 40
    """Lines at most; 0 for all."""


class _Row(NamedTuple):
    """One line of a diff, with how far each file has come before it."""

    sign: str
    text: str
    old: int
    new: int


def diff_lines(
    old: bytes, new: bytes, before: Sequence[Line], after: Sequence[Line], mode: DiffMode
) -> list[str]:
    """Return a diff of two transcripts. It is to be read: long lines are cut.

    Lines are paired by what they tell, so that numbers that shift tear nothing apart.

    Args:
        old: the one file, with LF line ends.
        new: the other.
        before: the lines of the one, read.
        after: the lines of the other, read.
        mode: raw lines, few words, or nothing at all.
    """
    if mode is DiffMode.NONE:
        return []
    same = pairs([key_of(line) for line in before], [key_of(line) for line in after])
    if mode is DiffMode.UNIFIED:
        texts, others = _raw_lines(old), _raw_lines(new)
        equal = {(i, j) for i, j in same if texts[i] == others[j]}
    else:
        texts, others = ([shown_line(line) for line in side] for side in (before, after))
        # Two lines with one key may still differ in the policy, which is no part of the session.
        equal = {(i, j) for i, j in same if before[i].note("policy") == after[j].note("policy")}
    return list(_hunks(list(_rows(texts, others, same, equal))))


def _raw_lines(data: bytes) -> list[str]:
    return data.rstrip(b"\n").decode("utf-8", "backslashreplace").split("\n")


def _rows(
    old: Sequence[str], new: Sequence[str], same: Sequence[Pair], equal: set[Pair]
) -> Iterator[_Row]:
    at_old = at_new = 0
    for i, j in [*same, (len(old), len(new))]:
        yield from _changed(old[at_old:i], new[at_new:j], at_old, at_new)
        if (i, j) in equal:
            yield _Row(" ", _window(old[i], 0), i, j)
        else:
            yield from _changed(old[i : i + 1], new[j : j + 1], i, j)
        at_old, at_new = i + 1, j + 1


def _changed(old: Sequence[str], new: Sequence[str], at_old: int, at_new: int) -> Iterator[_Row]:
    starts = [parting(a, b) for a, b in zip_longest(old, new, fillvalue="")]
    for n, text in enumerate(old):
        yield _Row("-", _window(text, starts[n]), at_old + n, at_new)
    for n, text in enumerate(new):
        yield _Row("+", _window(text, starts[n]), at_old + len(old), at_new + n)


def _window(text: str, difference: int) -> str:
    """Cut a long line to the part around its first difference."""
    if len(text) <= _WINDOW:
        return text
    start = min(max(0, difference - _LEAD), len(text) - _WINDOW)
    head, tail = "…" * (start > 0), "…" * (start + _WINDOW < len(text))
    return f"{head}{text[start : start + _WINDOW]}{tail}"


def _hunks(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield the changed rows with some context, each stretch under its ``@@`` line."""
    changed = [n for n, row in enumerate(rows) if row.sign != " "]
    shown = sorted({n for at in changed for n in range(at - CONTEXT, at + CONTEXT + 1)})
    shown = [n for n in shown if 0 <= n < len(rows)]
    start = 0
    for end in range(1, len(shown) + 1):
        if end == len(shown) or shown[end] != shown[end - 1] + 1:
            yield from _hunk(rows[shown[start] : shown[end - 1] + 1])
            start = end


def _hunk(rows: Sequence[_Row]) -> Iterator[str]:
    old = sum(row.sign != "+" for row in rows)
    new = sum(row.sign != "-" for row in rows)
    yield f"@@ -{rows[0].old + 1},{old} +{rows[0].new + 1},{new} @@"
    for row in rows:
        yield row.sign + row.text
