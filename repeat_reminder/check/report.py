"""The report of a check: it counts outcomes and owns the exit code."""

import shlex
from dataclasses import dataclass, field

from repeat_reminder.check.keyword import can_name
from repeat_reminder.render.check.outcomes import Outcome, Result, Summary, Unused

PASSED, FINDING, BROKEN = 0, 1, 2
_MOST_NAMES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command line of a check, to make from it the one that accepts its findings."""

    words: tuple[str, ...] = ("repeat-reminder", "check")
    """With folders; without settings, and without what selects scenarios."""
    settings: tuple[str, ...] = ()
    """The settings that were typed."""
    keyword: str | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """A check under way."""

    command: Command
    allow_unused: bool = False
    results: list[Result] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    partial: bool = False
    """Not every scenario was judged, so nothing was said about unused snapshots."""

    @property
    def broken(self) -> bool:
        """Tell whether a scenario could not be judged."""
        return any(one.outcome is Outcome.ERROR for one in self.results)

    @property
    def exit_code(self) -> int:
        """Return 0 for nothing to say, 1 for a finding, 2 if something could not be judged."""
        if self.broken:
            return BROKEN
        left = () if self.allow_unused else self._left_unused
        return FINDING if self._failed or left else PASSED

    def summary(self) -> Summary:
        """Return the check as a value."""
        return Summary(
            results=tuple(self.results),
            unused=tuple(self.unused),
            unused_allowed=self.allow_unused,
            partial=self.partial,
            accept=self._accept() if self._failed else None,
            accept_settled=self._accept(settled=True) if self.command.settings else None,
            delete=self._update(None) if self._left_unused and not self.allow_unused else None,
            exit_code=self.exit_code,
        )

    @property
    def _failed(self) -> list[Result]:
        return [one for one in self.results if one.failed]

    @property
    def _left_unused(self) -> list[Unused]:
        return [one for one in self.unused if one.written is None]

    def _accept(self, *, settled: bool = False) -> str:
        """Name what failed, unless all did: an update of everything would accept more."""
        names = [one.name for one in self._failed]
        others = self.partial or self.unused or len(names) < len(self.results)
        if len(names) <= _MOST_NAMES and all(map(can_name, names)) and others:
            return self._update(" or ".join(names), settled=settled)
        return self._update(self.command.keyword, settled=settled)

    def _update(self, keyword: str | None, *, settled: bool = False) -> str:
        chosen = [] if keyword is None else ["-k", keyword]
        settings = () if settled else self.command.settings
        return shlex.join([*self.command.words, *settings, "--update", *chosen])
