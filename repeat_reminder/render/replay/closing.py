"""The lines that close a report for people: what it all came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repeat_reminder.events import Tier
from repeat_reminder.render.look import plural
from repeat_reminder.render.wording import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repeat_reminder.render.header import Header
    from repeat_reminder.render.look import Look
    from repeat_reminder.render.tally import Tally


def totals_lines(tally: Tally, header: Header, look: Look) -> Iterator[str]:
    """Yield the totals: what was said, what was read, what was left unsaid."""
    if header.policies:
        yield look.join(
            f"{_said(tally)}{_runs(tally)}",
            f"{plural(tally.refused, 'refused call')} ran in the recording"
            if tally.refused
            else "",
            f"{tally.undelivered:,} pending, never delivered" if tally.undelivered else "",
            f"{plural(tally.characters, 'character')} injected" if tally.reminders else "",
        )
    yield look.join(
        plural(tally.sessions, "session"),
        plural(tally.agents, "agent"),
        f"{plural(tally.calls, 'call')} ({tally.tracked:,} tracked)",
        f"{tally.unfinished:,} unfinished" if tally.unfinished else "",
        f"{plural(tally.duplicates_dropped, 'copy', 'copies')} dropped"
        if tally.duplicates_dropped
        else "",
        f"{plural(tally.lines, 'line')}, {tally.skipped_lines:,} skipped"
        if tally.lines or tally.skipped_lines
        else "",
    )
    if any(policy.thresholds for policy in header.policies):
        tail = f"silent tail after the last threshold: {_tail(tally, header)}"
        yield look.join(f"longest run {tally.longest_run:,}", tail)


def _said(tally: Tally) -> str:
    """Count by tier and action: ``4 reminders (2 gentle, 2 detailed)``."""
    kinds = [(label, tally.said[label]) for label in LABELS if tally.said[label]]
    noun = "reminder" if all(isinstance(label, Tier) for label, _ in kinds) else "intervention"
    if not kinds:
        return f"no {noun}s"
    parts = ", ".join(f"{number:,} {label}" for label, number in kinds)
    return f"{plural(tally.reminders, noun)} ({parts})"


def _runs(tally: Tally) -> str:
    """Say in how many runs, if all are about runs: each that speaks at all speaks gently once."""
    runs = tally.said[Tier.GENTLE]
    only = runs and tally.reminders == runs + tally.said[Tier.DETAILED]
    return f" in {plural(runs, 'run')}" if only else ""


def _tail(tally: Tally, header: Header) -> str:
    spoken = [policy for policy in header.policies if policy.thresholds]
    tails = [tally.tail(policy.name, policy.thresholds[-1]) for policy in spoken]
    calls, runs = (sum(numbers) for numbers in zip(*tails, strict=True))
    return f"{plural(calls, 'call')} in {plural(runs, 'run')}" if calls else "none"
