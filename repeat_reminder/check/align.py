"""Which entries of two lists are the same, after as few insertions and deletions as possible."""

from collections.abc import Sequence
from typing import Final, TypeAlias

MOST_EDITS: Final = 400
"""Lists that differ by more are not worth the search: time and memory grow with its square."""

Pair: TypeAlias = tuple[int, int]


def pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[Pair]:
    """Pair the entries that two lists have in common, in order.

    The greedy algorithm of Myers (1986). Lists that differ too much are paired at their beginning
    and their end only.

    Returns:
        Indexes into the one and the other list, both ascending.
    """
    head = 0
    shorter = min(len(old), len(new))
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    return [
        *((i, i) for i in range(head)),
        *((head + i, head + j) for i, j in middle),
        *((len(old) - i, len(new) - i) for i in range(tail, 0, -1)),
    ]


def _middle(old: Sequence[bytes], new: Sequence[bytes]) -> list[Pair]:
    if not old or not new:
        return []
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_EDITS) + 1):
        trace.append(dict(reached))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reached[k - 1] < reached[k + 1])
            x = reached[k + 1] if down else reached[k - 1] + 1
            while x < len(old) and x - k < len(new) and old[x] == new[x - k]:
                x += 1
            reached[k] = x
            if x >= len(old) and x - k >= len(new):
                return _walked_back(trace, len(old), len(new))
    return []


def _walked_back(trace: Sequence[dict[int, int]], x: int, y: int) -> list[Pair]:
    """Return the diagonal steps of the path that ended at ``x``, ``y``."""
    found: list[Pair] = []
    for edits in range(len(trace) - 1, -1, -1):
        reached, k = trace[edits], x - y
        down = k == -edits or (k != edits and reached[k - 1] < reached[k + 1])
        from_k = k + 1 if down else k - 1
        from_x = reached[from_k] if edits else 0
        from_y = from_x - from_k if edits else 0
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            found.append((x, y))
        x, y = from_x, from_y
    return found[::-1]
