"""What a report says of itself: who made it, under which policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from repeat_reminder.events import Json

DEFAULT = "default"
"""Origin of a value that the user did not set."""


class Mounted(Struct, frozen=True, kw_only=True):
    """A policy as it was mounted."""

    name: str
    config: Mapping[str, Json]
    """Every key with its effective value, as ``Guard.config_record`` gives them."""
    origin: Mapping[str, str] = field(default_factory=dict)
    """Where each value came from: ``default``, a file, ``command line``, …"""
    answer: str | None = None
    """What the operator says to its questions; None of a policy that asks none."""

    @property
    def thresholds(self) -> tuple[int, ...]:
        """Run lengths that speak, ascending; empty in a policy without runs."""
        return tuple(sorted(int(value) for value in self.numbers("thresholds")))

    def numbers(self, key: str) -> list[int | float]:
        """Return the numbers of a list."""
        value = self.config.get(key)
        return [n for n in value if isinstance(n, int | float)] if isinstance(value, list) else []

    def texts(self, key: str) -> list[str]:
        """Return the texts of a list."""
        value = self.config.get(key)
        return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []

    def is_set(self, key: str) -> bool:
        """Tell whether the user chose the value; what has no known origin counts as chosen."""
        return self.origin.get(key) != DEFAULT


class Header(Struct, frozen=True, kw_only=True):
    """What stands at the head of a report."""

    version: str
    """Of this tool."""
    policies: tuple[Mounted, ...] = ()
    """In the order they are mounted; empty for ``--policy none``."""
