"""Where JSON ends: how deep it goes, how exact numbers are, and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repeat_reminder.events import Json

MAX_DEPTH = 5_000
"""Levels of objects and arrays that count; a guard that recurses in JavaScript fails near here."""
EXACT = 2**53
"""A double holds every integer up to this one."""


class NotJson(ValueError):  # noqa: N818  # says what the text is, as the callers ask
    """A text that is not JSON (RFC 8259).

    Args:
        reason: what is wrong, without the place; printable ASCII.
        column: where, from 1: in characters of a `str`, in bytes of `bytes`.
    """

    def __init__(self, reason: str, column: int) -> None:
        """Keep the parts apart, for a caller that knows the line."""
        super().__init__(reason, column)
        self.reason = reason
        self.column = column

    def __str__(self) -> str:
        """Say what is wrong and where."""
        return f"{self.reason} (column {self.column})"


class TooDeep(NotJson):
    """JSON without a fault, but nested deeper than allowed.

    ``column`` is where the first level too many opens; 1 for a value that was no text.
    """

    @classmethod
    def than(cls, max_depth: int, column: int = 1) -> TooDeep:
        """Make one that names the limit."""
        return cls(f"nested deeper than {max_depth:,} levels", column)


def nodes(value: Json) -> Iterator[Json]:
    """Yield a value and all values in it, level by level, without recursion."""
    todo = [value]
    for node in todo:
        yield node
        if isinstance(node, dict):
            todo += node.values()
        elif isinstance(node, list):
            todo += node
