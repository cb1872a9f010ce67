"""Notes about sessions that do not tell what the breaker's failure track goes by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from repeat_reminder.events import Problem, SessionEnd, SessionStart, Severity, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from repeat_reminder.events import Item, SessionId
    from repeat_reminder.render.header import Mounted

_NO_RESULTS: Final = "the log records no results: the breaker's failure track is blind here"
_NO_VALUES: Final = (
    "no result here has an exit code, a time-out or an HTTP status: the breaker sees failures in "
    "error flags and in the text of bash, pwsh and shell only"
)


def with_blind_spots(items: Iterable[Item], policies: Sequence[Mounted]) -> Iterable[Item]:
    """Return the items, with a note before the end of each session that hides failures.

    A file is told once, whatever sessions are in it. Without a failure track nothing is added.

    Args:
        items: what the engine yields, of one or many sessions.
        policies: what is mounted.
    """
    return _noted(items) if any(map(_has_failure_track, policies)) else items


def _has_failure_track(policy: Mounted) -> bool:
    stages = (policy.config.get("failWarnAt"), policy.config.get("failLimit"))
    return any(stage is not None for stage in stages)


def _noted(items: Iterable[Item]) -> Iterator[Item]:
    reading: dict[SessionId, _Reading] = {}
    told: set[str] = set()
    for item in items:
        match item:
            case SessionStart():
                reading[item.session] = _Reading(item)
            case ToolResult():
                reading[item.call.agent.session].add(item)
            case SessionEnd():
                session = reading.pop(item.session)
                note = session.note()
                if note and session.path not in told:
                    told.add(session.path)
                    yield note
            case _:
                pass
        yield item


class _Reading:
    """What the results of one session tell."""

    def __init__(self, start: SessionStart) -> None:
        self.path: Final = start.path
        self._recorded = start.records_results
        self._results = self._values = 0

    def add(self, result: ToolResult) -> None:
        self._results += 1
        self._values += result.value is not None

    def note(self) -> Problem | None:
        if not self._results or self._values:
            return None
        return Problem(
            path=self.path,
            line=None,
            severity=Severity.NOTE,
            kind="blind-track",
            message=_NO_VALUES if self._recorded else _NO_RESULTS,
        )
