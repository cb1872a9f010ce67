"""Log formats: one file each, asked in order whether a log is theirs."""

from typing import Final, NamedTuple

from repeat_reminder.errors import UsageError
from repeat_reminder.formats import canonical, dsh
from repeat_reminder.formats.model import Format, Sample

FORMATS: Final[tuple[Format, ...]] = (canonical.FORMAT, dsh.FORMAT)
"""Every reader. The first that recognises a log reads it."""


class Detection(NamedTuple):
    """Which reader takes a log, and why."""

    format: Format
    evidence: str


def detect(sample: Sample) -> Detection | None:
    """Ask every format whether the sample is of it."""
    for candidate in FORMATS:
        evidence = candidate.recognise(sample)
        if evidence is not None:
            return Detection(candidate, evidence)
    return None


def by_name(name: str) -> Format:
    """Return the format called ``name``.

    Raises:
        UsageError: no format has that name.
    """
    for candidate in FORMATS:
        if candidate.name == name:
            return candidate
    raise UsageError(
        f"no format is called {name!r}",
        hint=f"one of: auto, {', '.join(sorted(known.name for known in FORMATS))}",
    )
