"""What is asked of a tuning run, checked and complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.figures import Constraints
from repeat_reminder.tune.bootstrap import RESAMPLES, Memory
from repeat_reminder.tune.candidates import Objective


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One tuning run."""

    config: ReminderConfig = field(default_factory=ReminderConfig)
    """The current config."""
    origins: Mapping[str, str] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    objective: Objective = Objective.EARLY
    tried: tuple[tuple[int, ...], ...] = ()
    """Threshold lists that the user named, each ascending."""
    try_exclude: tuple[str, ...] = ()
    """Patterns to exclude too, for comparison: each alone, and all together."""
    hold_out: Fraction = Fraction(0)
    """Share of the sessions that the choice is not made on."""
    resamples: int = RESAMPLES
    memory: Memory | None = None
    """Of intervals; makes no difference but in time."""
    in_full: bool = True
    """Work out also what a page on a terminal does not show: the corpus's digest, the intervals of
    the curve."""
    seed: int = 0
    version: str = ""
    command: str = ""
    skipped_lines: int = 0
    skipped_files: int = 0
