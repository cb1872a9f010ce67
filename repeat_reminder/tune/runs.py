"""Runs of identical calls, chained over a table: any scope, without reading the log again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from repeat_reminder.policies.identity import IgnoredArguments
from repeat_reminder.policies.patterns import Scope
from repeat_reminder.tune.chained import Chained, walked
from repeat_reminder.tune.superchains import SuperChains
from repeat_reminder.tune.table import SessionTable

MOST_SCOPES: Final = 8
"""Scopes whose runs a table remembers: most patterns match no tool of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of a config decides which calls are one run."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore_args: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        """Return the tools that are tracked."""
        return _scope(self.include, self.exclude)

    def tracked(self, tools: Sequence[str]) -> tuple[bool, ...]:
        """Tell of some tools which are tracked."""
        scope = self.scope
        if scope.tracks_everything:
            return (True,) * len(tools)
        return tuple(map(scope.tracks, tools))

    @property
    def ignored(self) -> IgnoredArguments:
        """Return the arguments that are no part of a call's identity."""
        return IgnoredArguments(self.ignore_args)

    def without(self, *patterns: str) -> "Choice":
        """Return the choice that excludes more tools."""
        return Choice(
            include=self.include,
            exclude=(*self.exclude, *patterns),
            ignore_args=self.ignore_args,
        )


@lru_cache(maxsize=256)
def _scope(include: tuple[str, ...], exclude: tuple[str, ...]) -> Scope:
    """Keep what a scope has decided: the next session calls the same tools."""
    return Scope(include, exclude)


class Chains:
    """The runs of a table under any scope, with the same arguments ignored.

    Most tables are asked about one scope alone, so only a second one is worth finding the
    super-chains for.
    """

    def __init__(self, table: SessionTable, choice: Choice) -> None:
        """Take the ignored arguments of a choice; chain nothing yet."""
        self.ignore_args = choice.ignore_args
        self._table = table
        self._keys = table.keys_without(choice.ignored)
        self._super_chains: SuperChains | None = None
        self._known: dict[tuple[bool, ...], Chained] = {}
        """By the tools that are tracked."""

    def under(self, choice: Choice) -> Chained:
        """Return the runs under the scope of a choice."""
        tracked = choice.tracked(self._table.tools)
        known = self._known.get(tracked)
        if known is None:
            if self._known and self._super_chains is None:
                self._super_chains = SuperChains(self._table, self._keys)
            if len(self._known) >= MOST_SCOPES:
                del self._known[next(iter(self._known))]
            known = self._known[tracked] = (
                self._super_chains.chained(tracked)
                if self._super_chains is not None
                else walked(self._table, self._keys, tracked)
            )
        return known


def chain(table: SessionTable, choice: Choice) -> Chained:
    """Chain the calls of a session.

    A run has the rows that a replay with the same include, exclude and ignore-args would count as
    1, 2, 3, …: `policies.chains.Chains` is the rule, this is its arithmetic.

    The table remembers its runs for the ignored arguments that are asked about first: a report
    looks at many scopes, and at other arguments only in passing.
    """
    known = table.chains
    if known is None or known.ignore_args != choice.ignore_args:
        new = Chains(table, choice)
        if known is None:
            table.remember(new)
        known = new
    return known.under(choice)
