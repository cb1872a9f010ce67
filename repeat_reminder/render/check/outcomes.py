"""What a check has found, as values: every report of a check is a function of these."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from repeat_reminder.errors import RepeatReminderError


class Outcome(StrEnum):
    """How a scenario came out."""

    OK = "ok"
    CHANGED = "changed"
    """Its transcript is not its snapshot."""
    MISSING = "missing"
    """It has no snapshot."""
    ERROR = "error"
    """It could not be judged."""


class Written(StrEnum):
    """What an update did to a snapshot; the value is git's letter for it."""

    ADDED = "A"
    MODIFIED = "M"
    DELETED = "D"


class Cause(StrEnum):
    """Why a transcript is not its snapshot."""

    GUARD = "guard"
    """Only injected lines differ, under the same policy."""
    POLICY = "policy"
    """Only what the guard adds differs, under another policy."""
    SESSION = "session"
    """Lines of the session itself differ."""
    READER = "reader"
    """The same session is read or written down differently."""
    SNAPSHOT = "snapshot"
    """The snapshot is no transcript, or not as it was written."""


class ChangeKind(StrEnum):
    """What kind of thing changed, as the headline names it."""

    MOVED = "moved"
    ADDED = "added"
    REMOVED = "removed"
    TEXT = "text"
    POLICY = "policy"
    SESSION = "session"
    READER = "reader"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a guard did, as a transcript tells it."""

    tool: str
    count: int | None
    label: str
    """Its tier, else its action."""
    plugin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs between a snapshot and this run. Its texts come from logs."""

    kind: ChangeKind
    subject: Subject | None = None
    """What moved, came or went; None for what is no intervention."""
    what: str = ""
    """Of the other kinds: the setting, or what it is about."""
    before: str = ""
    after: str = ""
    line: int | None = None
    """Line of the snapshot it is about, if it is in there."""
    log: str | None = None
    """``file:line`` of the triggering call in this run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a transcript is not its snapshot."""

    cause: Cause
    changes: tuple[Change, ...]
    """In the order of the headline, at least one."""
    line: int
    """First line of the snapshot that differs."""
    hint: str | None = None
    diff: tuple[str, ...] = ()
    """Lines that begin with ``-``, ``+``, a blank or ``@@``; text of logs, not yet safe."""
    diff_omitted: int = 0
    """Lines of the diff that were too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One scenario, judged."""

    name: str
    path: str
    snapshot: str
    outcome: Outcome
    explanation: Explanation | None = None
    """Of a changed one that was not written."""
    error: RepeatReminderError | None = None
    hint: str | None = None
    """What may explain that there is no snapshot."""
    written: Written | None = None
    """Set if an update accepted it: it is no failure then."""
    seconds: float = 0.0
    received: bytes | None = field(default=None, repr=False)
    """This run's transcript, if it is not the snapshot."""

    @property
    def failed(self) -> bool:
        """Tell whether it is a finding: an unaccepted difference, or no snapshot."""
        return self.outcome in (Outcome.CHANGED, Outcome.MISSING) and self.written is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """A snapshot that belongs to no scenario."""

    path: str
    written: Written | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A whole check."""

    results: Sequence[Result] = ()
    unused: Sequence[Unused] = ()
    unused_allowed: bool = False
    partial: bool = False
    """Scenarios were filtered or left out: unused snapshots were not looked for."""
    accept: str | None = None
    """The command that accepts what changed or is new."""
    accept_settled: str | None = None
    """The same without the settings that were typed, to use once a file has them; None if no
    setting was typed."""
    delete: str | None = None
    """The command that deletes what is unused, and accepts all else."""
    exit_code: int = 0

    def count(self, outcome: Outcome) -> int:
        """Count the scenarios that came out so and were not accepted."""
        return sum(one.outcome is outcome and one.written is None for one in self.results)

    def wrote(self, written: Written) -> int:
        """Count the snapshots that an update treated so."""
        found = [one.written for one in self.results] + [one.written for one in self.unused]
        return found.count(written)

    @property
    def left_unused(self) -> tuple[Unused, ...]:
        """The unused snapshots that are still there."""
        return tuple(one for one in self.unused if one.written is None)
