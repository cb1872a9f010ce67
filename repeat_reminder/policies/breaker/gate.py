"""Which measures of a call have reached something, and which of them a message is about.

Pure questions to an agent's state; nothing here changes it. Mirrors ``wouldExceed``,
``failureHits`` and ``stageAdvisory`` of dsh-repeat-tool-breaker 0.5.2.
"""

from collections.abc import Iterable
from typing import NamedTuple

from repeat_reminder.events import Action
from repeat_reminder.policies.breaker.config import BreakerConfig
from repeat_reminder.policies.breaker.hits import Hit, Measure
from repeat_reminder.policies.breaker.window import AgentState, key_of

_RANKS = {kind: rank for rank, kind in enumerate(("host", "net", "site", "sink", "cmd", "exact"))}
"""Of several measures at one count, the one that names a target is the one to act on."""


class Standing(NamedTuple):
    """Where one fingerprint of a call stands at this moment."""

    fp: str
    occurrences: int
    """In the window."""
    cap: float | None
    """The occurrence limit; None switches the fingerprint off on both tracks."""
    streak: int
    """Failures in a row."""
    exempt: bool
    """Approved by the operator: neither recorded nor blocked."""
    refused: bool
    """Declined by the operator: blocked without another question."""


class Gate:
    """The limits and stages of one config, asked about the measures of one call."""

    def __init__(self, config: BreakerConfig) -> None:
        """Take the settings."""
        self._limits = config.limits
        self._fail_limit = config.fail_limit
        self._stages = {
            count: (level, action)
            for level, (action, count) in enumerate(
                ((Action.WARN, config.warn_at), (Action.SUMMARIZE, config.summarize_at))
            )
            if count is not None
        }

    def cap(self, fp: str) -> float | None:
        """Return the limit of a fingerprint; None switches it off on both tracks."""
        return next((cap for _, _, cap in self.measures([fp])), None)

    def measures(self, fps: Iterable[str]) -> tuple[Measure, ...]:
        """Return the fingerprints that have a limit, their own or that of their kind."""
        limits = self._limits
        found: list[Measure] = []
        for fp in fps:
            cap = limits[fp] if fp in limits else limits.get(fp[: fp.index(":")])
            if cap is not None:
                found.append((fp, key_of(fp), cap))
        return tuple(found)

    def standing(self, fp: str, state: AgentState) -> Standing:
        """Return what is known about a fingerprint."""
        key = key_of(fp)
        streak = state.streaks.get(key)
        return Standing(
            fp=fp,
            occurrences=state.counts.get(key, 0),
            cap=self.cap(fp),
            streak=0 if streak is None else streak.length,
            exempt=key in state.exempt,
            refused=key in state.refused,
        )

    def blocking(self, measures: Iterable[Measure], state: AgentState) -> list[Hit]:
        """Return the hits that stop a call: failures first, each track in fingerprint order.

        The call is not recorded yet, so it counts as one more.
        """
        failures: list[Hit] = []
        repeats: list[Hit] = []
        limit = self._fail_limit
        counts, streaks, exempt = state.counts, state.streaks, state.exempt
        for fp, key, cap in measures:
            if key in exempt:
                continue
            streak = streaks.get(key)
            if streak is not None and limit is not None and streak.length >= limit:
                failures.append(Hit(fp, key, streak.length, limit, streak.last))
            times = counts.get(key, 0) + 1
            if times >= cap:
                repeats.append(Hit(fp, key, times, cap))
        return failures + repeats

    def stage(self, measures: Iterable[Measure], state: AgentState) -> tuple[Action, Hit] | None:
        """Return the strongest stage that a call reaches, and the measure to name.

        Only equality speaks, so each crossing does once. Exempt measures are not left out: as
        their count falls behind a sliding window, they can cross again.
        """
        strongest: tuple[tuple[int, int, int], Action, Hit] | None = None
        counts = state.counts
        for fp, key, cap in measures:
            times = counts.get(key, 0) + 1
            reached = self._stages.get(times)
            if reached is None:
                continue
            level, action = reached
            strength = (level, times, -_rank(fp))
            if strongest is None or strength > strongest[0]:
                strongest = (strength, action, Hit(fp, key, times, cap))
        return None if strongest is None else strongest[1:]


def best(crossings: Iterable[Hit]) -> Hit | None:
    """Return the crossing to speak about: the longest, then the one that names a target best."""
    return max(crossings, key=lambda hit: (hit.times, -_rank(hit.fp)), default=None)


def _rank(fp: str) -> int:
    return _RANKS.get(fp[: fp.index(":")], len(_RANKS))
