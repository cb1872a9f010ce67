"""What a reader finds in a log, in the shape of the tables of right answers.

Such a table has one JSON object a file: ``{file, position, sessions: [{id, agents, runs,
reminders, settled}]}``. ``position`` is ``line``, or ``ordinal`` in files without lines: there a
call's place is its number among the calls of its session, and every line is null. Names of agents
are free, so what is compared is grouped by agent and sorted.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from repeat_reminder.engine import replay
from repeat_reminder.events import (
    Agent,
    Intervention,
    Item,
    SessionStart,
    Settlement,
    ToolCall,
    UserMessage,
)
from repeat_reminder.formats.model import Format
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import open_log

THRESHOLDS: Final = (2, 3, 5, 8)

Case = dict[str, Any]
"""A row of a table, as JSON gives it."""
Bundle = dict[str, Any]
"""All that is expected of one agent."""


def cases(table: Path) -> list[Case]:
    """Return the rows of a table; none if it is not there."""
    if not table.exists():
        return []
    return [json.loads(line) for line in table.read_text("utf-8").splitlines()]


def items(path: Path, form: Format) -> list[Item]:
    """Replay a log with the thresholds of the tables."""
    with open_log(str(path)) as log:
        guard = Reminder(ReminderConfig(thresholds=THRESHOLDS))
        return list(replay(read_log(log, form), guard))


@dataclass(slots=True)
class _Found:
    calls: list[tuple[Agent, int]] = field(default_factory=list)
    bundles: dict[str, Bundle] = field(default_factory=dict)

    def ordinal(self, call: ToolCall) -> int:
        return self.calls.index((call.agent, call.index)) + 1

    def bundle(self, agent: str) -> Bundle:
        return self.bundles.setdefault(
            agent, {"calls": 0, "resets": 0, "settled": [], "reminders": []}
        )


def found(replayed: Iterable[Item], *, by_line: bool) -> list[tuple[str, list[Bundle]]]:
    """Return session ids and, agent by agent, what was found."""
    sessions: defaultdict[str, _Found] = defaultdict(_Found)
    order: list[str] = []
    for item in replayed:
        match item:
            case SessionStart():
                order.append(item.session)
            case ToolCall():
                session = sessions[item.agent.session]
                session.calls.append((item.agent, item.index))
                session.bundle(item.agent.id)["calls"] += 1
            case UserMessage():
                sessions[item.agent.session].bundle(item.agent.id)["resets"] += item.resets
            case Settlement():
                call = item.result.call
                session = sessions[call.agent.session]
                place = item.inject_after.line if item.inject_after else None
                session.bundle(call.agent.id)["settled"].append(
                    [call.name, item.count, call.line if by_line else session.ordinal(call), place]
                )
            case Intervention():
                session = sessions[item.call.agent.session]
                session.bundle(item.call.agent.id)["reminders"].append(_reminder(item, session))
            case _:
                pass
    return [(each, _sorted(sessions[each].bundles.values())) for each in order]


def _reminder(said: Intervention, session: _Found) -> dict[str, Any]:
    return {
        "tool": said.call.name,
        "count": said.count,
        "call_id": said.call.id,
        "call_ordinal": session.ordinal(said.call),
        "call_line": said.call.line,
        "result_line": said.result.line if said.result else None,
        "inject_after_line": said.inject_after.line if said.inject_after else None,
    }


def expected(case: Case) -> list[tuple[str | None, list[Bundle]]]:
    """Return what a row expects, in the same shape as `found`."""
    return [
        (session["id"], _sorted(map(_of_agent(session), session["agents"])))
        for session in case["sessions"]
    ]


def _of_agent(session: dict[str, Any]) -> Any:  # noqa: ANN401 - a function over JSON
    def bundle(row: dict[str, Any]) -> Bundle:
        agent = row["agent"]
        return {
            "calls": row["calls_settled"] + row["unfinished"],
            "resets": row["human_resets"],
            "settled": [entry[1:] for entry in session["settled"] if entry[0] == agent],
            "reminders": [
                {key: value for key, value in entry.items() if key != "agent"}
                for entry in session["reminders"]
                if entry["agent"] == agent
            ],
        }

    return bundle


def _sorted(bundles: Iterable[Bundle]) -> list[Bundle]:
    """Order agents by what they did; one that did nothing may be listed or not."""
    silent = {"calls": 0, "resets": 0, "settled": [], "reminders": []}
    return sorted((b for b in bundles if b != silent), key=lambda b: json.dumps(b, sort_keys=True))


def check(case: Case, path: Path, form: Format) -> None:
    """Compare a log with its row: ids where the row names them, then agent by agent."""
    got = found(items(path, form), by_line=case["position"] == "line")
    want = expected(case)
    assert len(got) == len(want)
    for (session_id, bundles), (wanted_id, wanted) in zip(got, want, strict=True):
        assert wanted_id in (None, session_id)
        _forget_filled_ids(bundles, wanted)
        assert bundles == wanted
    _check_table(case)


def _forget_filled_ids(bundles: list[Bundle], wanted: list[Bundle]) -> None:
    """Drop the ids of calls that have none in the log: there the row says null."""
    for got, want in zip(bundles, wanted, strict=False):
        for reminder, said in zip(got["reminders"], want["reminders"], strict=False):
            if said["call_id"] is None:
                reminder["call_id"] = None


def _check_table(case: Case) -> None:
    """Check that a row agrees with itself: its runs and longest runs follow from what settled."""
    for session in case["sessions"]:
        for row in session["agents"]:
            settled = [entry for entry in session["settled"] if entry[0] == row["agent"]]
            assert len(settled) == row["calls_settled"]
            assert max((entry[2] for entry in settled), default=0) == row["longest_run"]
        lengths = Counter(tuple(run[:3]) for run in session["runs"])
        assert lengths == Counter(_runs(session["settled"]))


def _runs(settled: list[list[Any]]) -> list[tuple[str, str, int]]:
    """Return agent, tool and length of every run of two or more."""
    runs: list[tuple[str, str, int]] = []
    newest: dict[str, tuple[str, str, int]] = {}
    for agent, tool, count, *_ in settled:
        if count == 1 and agent in newest:
            runs.append(newest.pop(agent))
        newest[agent] = (agent, tool, count)
    return [run for run in (*runs, *newest.values()) if run[2] > 1]
