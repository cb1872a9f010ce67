"""What a validation comes to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from repeat_reminder.events import (
    Event,
    Problem,
    SessionEnd,
    SessionStart,
    Severity,
    Status,
    ToolCall,
    ToolResult,
)


class Usability(StrEnum):
    """What a log is good for."""

    USABLE = "usable"
    PARTLY = "partly usable"
    """Something of it was left out."""
    EMPTY = "nothing to count"
    """It has no tool calls."""
    UNUSABLE = "not usable"
    """It cannot be read, or an error makes its counts wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReport:
    """One log: what it is, what is in it, what is wrong with it."""

    path: str
    format: str | None = None
    """The reader that takes it; None if none does."""
    evidence: str | None = None
    """What the reader recognised it by."""
    compression: str | None = None
    records_results: bool = True
    sessions: int = 0
    agents: int = 0
    calls: int = 0
    settled: int = 0
    """Calls that count."""
    unfinished: int = 0
    lines: int = 0
    skipped_lines: int = 0
    duplicates_dropped: int = 0
    problems: Mapping[Severity, int]

    @property
    def usability(self) -> Usability:
        """Judge the log."""
        if self.format is None or self.problems.get(Severity.ERROR):
            return Usability.UNUSABLE
        if not self.calls:
            return Usability.EMPTY
        return Usability.PARTLY if self.skipped_lines else Usability.USABLE


@dataclass(slots=True)
class Counts:
    """Counts what goes by in one log."""

    sessions: int = 0
    agents: set[tuple[str, str]] = field(default_factory=set)
    """Of the open sessions."""
    agents_before: int = 0
    """Of those that have ended."""
    calls: int = 0
    settled: int = 0
    skipped_calls: int = 0
    lines: int = 0
    skipped_lines: int = 0
    duplicates: int = 0
    with_results: int = 0
    problems: Counter[Severity] = field(default_factory=Counter)

    def add(self, event: Event) -> None:
        """Count an event."""
        match event:
            case SessionStart():
                self.sessions += 1
                self.with_results += event.records_results
            case SessionEnd():
                self.lines += event.lines
                self.duplicates += event.duplicates_dropped
                ended = {agent for agent in self.agents if agent[0] == event.session}
                self.agents_before += len(ended)
                self.agents -= ended
            case ToolCall():
                self.calls += 1
                self.agents.add(event.agent)
            case ToolResult():
                self.settled += event.status is not Status.SKIPPED
                self.skipped_calls += event.status is Status.SKIPPED
            case Problem():
                self.problems[event.severity] += 1
                self.skipped_lines += event.skipped
            case _:
                pass

    def report(self, path: str, form: str, evidence: str, compression: str | None) -> LogReport:
        """Sum up."""
        return LogReport(
            path=path,
            format=form,
            evidence=evidence,
            compression=compression,
            records_results=bool(self.with_results) or not self.sessions,
            sessions=self.sessions,
            agents=self.agents_before + len(self.agents),
            calls=self.calls,
            settled=self.settled,
            unfinished=self.calls - self.settled - self.skipped_calls,
            lines=self.lines,
            skipped_lines=self.skipped_lines,
            duplicates_dropped=self.duplicates,
            problems=dict(self.problems),
        )
