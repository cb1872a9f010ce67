"""What a comparison with a recording comes to."""

from dataclasses import dataclass, field
from enum import StrEnum

from repeat_reminder.events import Agent, Intervention
from repeat_reminder.parity.recorded import Recorded


class Verdict(StrEnum):
    """How a predicted and a recorded reminder compare."""

    MATCH = "match"
    MISSING = "missing"
    """Recorded, and not predicted."""
    EXTRA = "extra"
    """Predicted, and not recorded."""
    TEXT_DIFFERS = "text_differs"
    LANDING_DIFFERS = "landing_differs"


class Outcome(StrEnum):
    """What all comparisons come to."""

    EQUAL = "equal"
    DIFFERS = "differs"
    UNDECIDABLE = "undecidable"
    """All that differs may come from what a log does not tell."""
    NOTHING_RECORDED = "nothing_recorded"
    """The recording holds no reminder, so nothing is proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reminder: predicted, recorded, or both."""

    path: str
    agent: Agent
    verdict: Verdict
    line: int | None = None
    """Of the call, if it is known."""
    predicted: Intervention | None = None
    recorded: Recorded | None = None
    doubts: tuple[str, ...] = ()
    """What the log does not tell, if that explains the difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Settings under which the recording would be predicted better."""

    counts: tuple[int, ...] = ()
    """The counts that were recorded, if they make better thresholds."""
    preview_chars: int | None = None

    def options(self) -> str:
        """Spell the settings as options."""
        words = []
        if self.counts:
            words.append(f"--thresholds {','.join(map(str, self.counts))}")
        if self.preview_chars is not None:
            words.append(f"--arguments-preview-chars {self.preview_chars}")
        return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Figures of a comparison."""

    outcome: Outcome
    recorded: int
    predicted: int
    verdicts: dict[Verdict, int] = field(default_factory=dict)
    """Of each verdict, how many; undecidable ones among them."""
    undecidable: int = 0
    doubts: tuple[str, ...] = ()
    advice: Advice | None = None
    sessions: int = 0
    """Sessions compared."""
    silent_sessions: int = 0
    """Those of them that hold no reminder, though some are predicted."""

    @property
    def passed(self) -> bool:
        """Whether the recording was predicted."""
        return self.outcome is Outcome.EQUAL
