"""Words, signs and colours for what a guard did, the same in every report for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from repeat_reminder.events import Action, Tier
from repeat_reminder.render.look import Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repeat_reminder.events import FingerprintHit, Intervention
    from repeat_reminder.render.look import Look

LABELS: Final = (*Tier, *(action for action in Action if action is not Action.REMIND))
"""What an intervention can be called, in the order of loudness."""

_MARKS: Final[dict[Tier | Action, str]] = {
    Tier.GENTLE: "!",
    Tier.DETAILED: "!!",
    Action.WARN: "!",
    Action.SUMMARIZE: "!!",
    Action.FAIL_WARN: "!!",
    Action.ASK: "?",
}
_QUIET: Final = ("!", "?")


def label(said: Intervention) -> str:
    """Name what an intervention is: its tier, or else its action."""
    return (said.tier or said.action).value


def mark(said: Intervention, look: Look) -> str:
    """Return a sign for how loud it is, for readers without colour; a denial is crossed out."""
    return _MARKS.get(said.tier or said.action, look.glyphs.times)


def style_of(said: Intervention) -> Style:
    """Return the colour for how loud it is."""
    return Style.WARNING if _MARKS.get(said.tier or said.action) in _QUIET else Style.ERROR


def numbers(hit: FingerprintHit) -> str:
    """Say how far a fingerprint has come: ``7/12``, ``fails 3/5``, without a cap ``7``."""
    return f"{'fails ' if hit.track == 'failure' else ''}{hit.hits}{_cap(hit)}"


def cap_of(said: Intervention) -> str:
    """Return ``/12`` if the count of an intervention has a cap, else nothing."""
    return _cap(said.fingerprints[0]) if said.fingerprints else ""


def fingerprints(hits: Sequence[FingerprintHit], look: Look) -> str:
    """List fingerprints with their numbers."""
    return ", ".join(f"{look.safe(hit.fp)} {numbers(hit)}" for hit in hits)


def _cap(hit: FingerprintHit) -> str:
    return "" if hit.cap is None else f"/{hit.cap:g}"
