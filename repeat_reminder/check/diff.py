"""Two transcripts line by line, as they stand in the files or in few words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from repeat_reminder import jsontext
from repeat_reminder.check.align import Pair, pairs
from repeat_reminder.check.lines import Line
from repeat_reminder.check.transcript import key_of
from repeat_reminder.check.words import parting, shown_line, whole_line

CONTEXT: Final = 2
"""Equal lines shown around a difference."""
_LEAD, _NEAR = 24, 40
"""Characters of a long line before its first difference: shown, and not worth leaving out."""
_ENVELOPE = re.compile(
    r'\{"jsonrpc":"2\.0","method":"session/update","params":\{"sessionId":"[^"\\]*","update":'
    r'\{"sessionUpdate":'
)
"""What every line of a transcript begins with."""


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
    width: int = 400
    """Characters of each line at most, its sign aside."""


class _Text(NamedTuple):
    """One line in forms that tell more and more: a pair is shown in the first that differs."""

    forms: tuple[str, ...]
    start: int = 0
    """Characters that all lines begin with."""


class _Row(NamedTuple):
    """One line of a diff, with how far each file has come before it."""

    sign: str
    text: str
    start: int
    """First character worth showing."""
    old: int
    new: int


def diff_lines(
    old: bytes, new: bytes, before: Sequence[Line], after: Sequence[Line], style: DiffStyle
) -> list[str]:
    """Return a diff of two transcripts. It is to be read: of a long line the difference is shown.

    Lines are paired by what they tell, so that numbers that shift tear nothing apart.

    Args:
        old: the one file, with LF line ends.
        new: the other.
        before: the lines of the one, read.
        after: the lines of the other, read.
        style: raw lines, few words, or nothing at all, and how wide; the caller counts them.
    """
    mode = style.mode
    if mode is DiffMode.NONE:
        return []
    same = pairs([key_of(line) for line in before], [key_of(line) for line in after])
    if mode is DiffMode.UNIFIED:
        texts, others = _raw_lines(old), _raw_lines(new)
        equal = {(i, j) for i, j in same if texts[i] == others[j]}
    else:
        texts, others = ([_in_few_words(line) for line in side] for side in (before, after))
        # Two lines with one key may still differ in the policy, which is no part of the session.
        equal = {(i, j) for i, j in same if before[i].note("policy") == after[j].note("policy")}
    return list(_hunks(list(_rows(texts, others, same, equal)), style.width))


def _raw_lines(data: bytes) -> list[_Text]:
    lines = data.rstrip(b"\n").decode("utf-8", "backslashreplace").split("\n")
    return [
        _Text((line,), found.end() if (found := _ENVELOPE.match(line)) else 0) for line in lines
    ]


def _in_few_words(line: Line) -> _Text:
    """Take the first line of a text, the whole text, or else all that there is."""
    return _Text((shown_line(line), whole_line(line), jsontext.dumps(line.update).decode()))


def _rows(
    old: Sequence[_Text], new: Sequence[_Text], same: Sequence[Pair], equal: set[Pair]
) -> Iterator[_Row]:
    at_old = at_new = 0
    for i, j in [*same, (len(old), len(new))]:
        yield from _changed(old[at_old:i], new[at_new:j], at_old, at_new)
        if (i, j) in equal:
            yield _row(" ", old[i], i, j)
        else:
            yield from _changed(old[i : i + 1], new[j : j + 1], i, j)
        at_old, at_new = i + 1, j + 1


def _changed(
    old: Sequence[_Text], new: Sequence[_Text], at_old: int, at_new: int
) -> Iterator[_Row]:
    couples = list(zip(old, new, strict=False))
    for n, text in enumerate(old):
        other = new[n] if n < len(couples) else None
        yield _row("-", text, at_old + n, at_new, other)
    for n, text in enumerate(new):
        other = old[n] if n < len(couples) else None
        yield _row("+", text, at_old + len(old), at_new + n, other)


def _row(sign: str, text: _Text, old: int, new: int, other: _Text | None = None) -> _Row:
    """Make a row that shows where a line parts from its counterpart, if it has one."""
    if other is None:
        return _Row(sign, text.forms[0], text.start, old, new)
    couples = list(zip(text.forms, other.forms, strict=True))
    mine, its = next(((a, b) for a, b in couples if a != b), couples[0])
    difference = parting(mine, its)
    near = text.start <= difference <= text.start + _NEAR
    return _Row(sign, mine, text.start if near else max(0, difference - _LEAD), old, new)


def _window(text: str, start: int, width: int) -> str:
    """Cut a line that is too long to the part that matters."""
    if len(text) <= width:
        return text
    head = "…" * (start > 0)
    rest = text[start:]
    room = width - len(head)
    return f"{head}{rest}" if len(rest) <= room else f"{head}{rest[: room - 1]}…"


def _hunks(rows: Sequence[_Row], width: int) -> Iterator[str]:
    """Yield the changed rows with some context, each stretch under its ``@@`` line."""
    changed = [n for n, row in enumerate(rows) if row.sign != " "]
    shown = sorted({n for at in changed for n in range(at - CONTEXT, at + CONTEXT + 1)})
    shown = [n for n in shown if 0 <= n < len(rows)]
    start = 0
    for end in range(1, len(shown) + 1):
        if end == len(shown) or shown[end] != shown[end - 1] + 1:
            yield from _hunk(rows[shown[start] : shown[end - 1] + 1], width)
            start = end


def _hunk(rows: Sequence[_Row], width: int) -> Iterator[str]:
    old = sum(row.sign != "+" for row in rows)
    new = sum(row.sign != "-" for row in rows)
    yield f"@@ -{rows[0].old + 1},{old} +{rows[0].new + 1},{new} @@"
    for row in rows:
        yield row.sign + _window(row.text, row.start, width)
