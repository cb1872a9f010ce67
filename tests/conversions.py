"""Logs of every format, and what replaying one tells: to compare a log with its conversion."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from repeat_reminder.convert import canonical_lines
from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Agent,
    CallId,
    Event,
    Intervention,
    Item,
    Place,
    Problem,
    SessionStart,
    Settlement,
    ToolCall,
    UserMessage,
)
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import DEFAULT_LIMITS, open_log
from repeat_reminder.source.log import Log
from tests.expectations import cases

ROOT: Final = Path(__file__).parents[1]
DATA: Final = ROOT / "tests" / "data"
SHARED: Final = ROOT.parent / "shared"
THRESHOLDS: Final = (2, 3, 5, 8)


def _tabled(folder: Path) -> list[Path]:
    """List the logs that a table of right answers names."""
    rows = cases(folder / "expected.jsonl")
    return [folder / str(row["file"]) for row in rows if not row.get("not_a_session")]


LOGS: Final = [
    *sorted((ROOT / "fixtures").glob("*.jsonl")),
    *(log for folder in sorted(DATA.iterdir()) for log in _tabled(folder)),
    *_tabled(SHARED / "sessions"),
    *_tabled(SHARED / "sessions-dsh"),
]
"""Our own logs of every format, and the recorded ones where they lie beside the project."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT if path.is_relative_to(ROOT) else SHARED).as_posix()


def events_of(path: Path) -> list[Event]:
    with open_log(str(path)) as log:
        return list(read_log(log))


def read_back(data: bytes) -> list[Event]:
    """Read a conversion; of a log without a session it is empty."""
    if not data:
        return []
    with Log("converted.jsonl", io.BytesIO(data), limits=DEFAULT_LIMITS) as log:
        return list(read_log(log))


def converted(events: Iterable[Event]) -> list[Event]:
    return read_back(b"".join(canonical_lines(events)))


def replayed(
    events: Iterable[Event], thresholds: Sequence[int] = THRESHOLDS, preview: int = 500
) -> list[Item]:
    config = ReminderConfig(thresholds=tuple(thresholds), arguments_preview_chars=preview)
    return list(replay(events, Reminder(config)))


@dataclass(slots=True)
class Told:
    """What a replay tells of one agent; calls by their ordinal."""

    calls: list[str] = field(default_factory=list)
    resets: int = 0
    settled: list[Any] = field(default_factory=list)
    reminders: list[Any] = field(default_factory=list)


def told(items: Iterable[Item]) -> dict[str, dict[str, Told]]:
    """Tell by session and agent what was counted, and what was said where."""
    sessions: dict[str, dict[str, Told]] = {}
    numbers: dict[tuple[Agent, CallId], int] = {}

    def of(agent: Agent) -> Told:
        return sessions.setdefault(agent.session, {}).setdefault(agent.id, Told())

    def landing(agent: Agent, place: Place | None) -> int | None:
        return None if place is None else numbers[agent, place.call_id]

    for item in items:
        match item:
            case SessionStart():
                sessions.setdefault(item.session, {})
            case ToolCall():
                numbers[item.agent, item.id] = item.index
                of(item.agent).calls.append(item.name)
            case UserMessage():
                of(item.agent).resets += item.resets
            case Settlement():
                agent = item.result.call.agent
                place = landing(agent, item.inject_after)
                call = item.result.call
                of(agent).settled.append((call.name, call.index, item.count, place))
            case Intervention():
                agent = item.call.agent
                place = landing(agent, item.inject_after)
                said = (item.call.name, item.call.index, item.count, place, item.delivered)
                of(agent).reminders.append(said)
            case _:
                pass
    return sessions


def anonymous(sessions: dict[str, dict[str, Told]]) -> list[list[Told]]:
    """Leave out the names, which a redaction changes; order tells who is who."""
    return [list(agents.values()) for agents in sessions.values()]


def complaints(events: Iterable[Event]) -> list[str]:
    """Name the problems that a conversion must not have."""
    natural = {"unfinished", "no-calls"}
    return [e.message for e in events if isinstance(e, Problem) and e.kind not in natural]
