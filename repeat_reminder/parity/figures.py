"""Figures of a comparison, and which settings would predict the recording better."""

from collections import Counter
from collections.abc import Collection

from repeat_reminder.parity.finding import Advice, Finding, Outcome, Summary, Verdict


class Figures:
    """Counts what was found; nothing of a session is kept."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.reached: Counter[int] = Counter()
        """By run length: tracked calls that came to it."""
        self.heard: Counter[int] = Counter()
        """By count: recorded reminders."""
        self.agreed: Counter[int] = Counter()
        """Those of them whose call has the very same count here, or is not known."""
        self._verdicts: Counter[Verdict] = Counter()
        self._undecidable = 0
        self._sessions = 0
        self._silent = 0
        """Sessions without any reminder, where some were predicted."""
        self._foreign = 0
        """Predictions in them."""
        self._doubts: dict[str, None] = {}
        self._previews: Counter[int | None] = Counter()
        """Of reminders whose text differs: how much of the arguments the recorded ones quote."""

    def end_session(self, found: Collection[Finding], *, holds: bool) -> None:
        """Count a session and its findings.

        Args:
            found: what was found in it.
            holds: whether it holds a reminder.
        """
        self._sessions += 1
        self._silent += bool(found) and not holds
        self._foreign += 0 if holds else len(found)
        for finding in found:
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        """Count a finding."""
        self._verdicts[finding.verdict] += 1
        self._undecidable += bool(finding.doubts)
        self._doubts |= dict.fromkeys(finding.doubts)
        if finding.verdict is Verdict.TEXT_DIFFERS and finding.recorded:
            self._previews[finding.recorded.preview_chars] += 1

    def summary(self, thresholds: Collection[int], preview_chars: int) -> Summary:
        """Return what everything so far comes to.

        Args:
            thresholds: those that were replayed.
            preview_chars: how much of the arguments was quoted.
        """
        both = self._verdicts.total() - self._missing - self._extra
        return Summary(
            outcome=self._outcome(both + self._missing),
            recorded=both + self._missing,
            predicted=both + self._extra,
            verdicts={verdict: self._verdicts[verdict] for verdict in Verdict},
            undecidable=self._undecidable,
            doubts=tuple(self._doubts),
            sessions=self._sessions,
            silent_sessions=self._silent,
            advice=self._advice(thresholds, preview_chars),
        )

    @property
    def _missing(self) -> int:
        return self._verdicts[Verdict.MISSING]

    @property
    def _extra(self) -> int:
        return self._verdicts[Verdict.EXTRA]

    def _outcome(self, recorded: int) -> Outcome:
        different = self._verdicts.total() - self._verdicts[Verdict.MATCH]
        if different and different == self._undecidable:
            return Outcome.UNDECIDABLE
        if not recorded:
            return Outcome.NOTHING_RECORDED
        return Outcome.DIFFERS if different else Outcome.EQUAL

    def _advice(self, thresholds: Collection[int], preview_chars: int) -> Advice | None:
        counts = tuple(sorted(self.heard))
        better = bool(counts) and set(counts) != set(thresholds) and self._is_better(counts)
        quoted = next(iter(self._previews), None) if len(self._previews) == 1 else None
        if not better and quoted in (None, preview_chars):
            return None
        return Advice(
            counts=counts if better else (),
            preview_chars=None if quoted == preview_chars else quoted,
        )

    def _is_better(self, counts: Collection[int]) -> bool:
        """Thresholds never change a count, so what others would have said is arithmetic."""
        matched = sum(min(self.agreed[count], self.reached[count]) for count in counts)
        spoken = sum(self.reached[count] for count in counts)
        wrong = (self.heard.total() - matched) + (spoken - matched)
        return wrong < self._missing + self._extra - self._foreign
