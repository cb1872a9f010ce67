"""The breaker's vocabulary: why calls failed, and which measures an intervention is about."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from repeat_reminder.events import FingerprintHit


class Reason(StrEnum):
    """What kind of evidence of a failure there is."""

    ERROR = "error"
    EXIT = "exit"
    TIMEOUT = "timeout"
    SIGNAL = "signal"
    HTTP = "http"
    SANDBOX = "sandbox"
    EXCEPTION = "exception"
    CURL = "curl"


class Cause(NamedTuple):
    """Why one call failed."""

    reason: Reason
    detail: str = ""
    """The evidence itself, such as an exit code; empty where there is none."""


# a bare tuple, for every call makes some
Measure: TypeAlias = tuple[str, str, float]
"""A fingerprint that is counted, because it has a limit; what an agent's state knows it by; the
limit."""


class Hit(NamedTuple):
    """A measure that has reached something: a stage, or a limit."""

    fp: str
    key: str
    times: int
    """Occurrences, this call included, or failures in a row."""
    cap: float | None
    """The limit of the measure on the hit's track; None where that track has no gate."""
    cause: Cause | None = None
    """The last failure; None for a hit of the occurrence track."""

    @property
    def summary(self) -> str:
        """The line a message's source carries; the fingerprint is never cut."""
        times = (
            f"\N{MULTIPLICATION SIGN} {self.times}"
            if self.cause is None
            else f"failed x{self.times}"
        )
        return f"{self.fp} {times}"

    def record(self) -> FingerprintHit:
        """Return what records and transcripts say about it."""
        track = "occurrence" if self.cause is None else "failure"
        return FingerprintHit(self.fp, self.times, self.cap, track)
