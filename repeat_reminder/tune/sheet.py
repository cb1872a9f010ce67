"""The table of one session while it is written."""

import math
from array import array
from collections import OrderedDict
from typing import Final

from repeat_reminder.canonical import canonical_of, preview
from repeat_reminder.events import (
    Agent,
    InjectedMessage,
    SessionEnd,
    SessionStart,
    ToolCall,
    ToolResult,
)
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.tune.digests import Parts, identity, parts_of
from repeat_reminder.tune.failures import failed
from repeat_reminder.tune.likeness import Likeness, Results
from repeat_reminder.tune.recorded import about
from repeat_reminder.tune.table import NO_KEY, NO_LINE, Recorded, SessionTable

PREVIEW_CHARS: Final = 160
_FILLED: Final = "c"
"""How ids begin that readers fill in; digits follow. They are no identity."""
_MEMO: Final = 4_096
_SHORT: Final = 1_024
_RECENT: Final = 64
"""Calls of an agent among which the one that a reminder names is looked for."""


class _Names:
    """Numbers for names, in the order of appearance."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


class Sheet:
    """The table of a session while it is written."""

    def __init__(self, start: SessionStart) -> None:
        """Begin with nothing but the session's start."""
        self._start = start
        self._agents, self._tools = _Names(), _Names()
        self._lanes: dict[str, int] = {}
        """The lane of each agent that may go on."""
        self._lane_agent = array("I")
        self._keys: dict[tuple[int, Parts], int] = {}
        self._seen_twice: dict[int, str] = {}
        self._memo: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._parts: list[Parts] = []
        self._results = Results()
        self._pending_tokens: dict[str, int] = {}
        self._recent: dict[str, list[tuple[str, str, int]]] = {}
        """By agent: id, tool and row of its last calls."""
        self._ids: list[str] = []
        self._recorded: list[Recorded] = []
        self._lane, self._tool, self._key = array("I"), array("I"), array("I")
        self._line, self._index = array("I"), array("I")
        self._likeness, self._failed = array("B"), array("B")
        self._time, self._tokens, self._identity = array("d"), array("Q"), array("Q")
        self.unfinished = self.resets = 0

    @property
    def rows(self) -> int:
        """Calls that have settled."""
        return len(self._lane)

    def agent(self, name: str) -> int:
        """Return the number of an agent."""
        return self._agents.number(name)

    # ------------------------------------------------------------ what happens

    def started(self, call: ToolCall) -> None:
        """Note a call that has not settled yet."""
        self.unfinished += 1
        self._agents.number(call.agent.id)

    def spent(self, agent: Agent, tokens: int) -> None:
        """Put tokens down to the call that the agent settles next."""
        self._pending_tokens[agent.id] = self._pending_tokens.get(agent.id, 0) + tokens

    def leave_lane(self, agent: str) -> None:
        """Let the agent's next call begin another lane."""
        lane = self._lanes.pop(agent, None)
        if lane is not None:
            self._results.forget(lane)

    def reminded(self, message: InjectedMessage) -> None:
        """Note a reminder that the log holds."""
        agent = message.agent.id
        row = about(message, self._recent.get(agent, ()))
        read = message.delivered is not False
        self._recorded.append(Recorded(row, len(self._lane), self._agents.number(agent), read))

    def settled(self, result: ToolResult) -> None:
        """Write the row of a call."""
        call = result.call
        row = len(self._lane)
        lane = self._lane_of(call.agent.id)
        tool = self._tools.number(call.name)
        key = self._key_of(call, tool)
        parts = None if key == NO_KEY else self._parts[key]
        self.unfinished -= 1
        self._lane.append(lane)
        self._tool.append(tool)
        self._key.append(key)
        self._line.append(call.line or NO_LINE)
        self._index.append(call.index)
        self._likeness.append(self._compared(result, lane, parts))
        self._failed.append(failed(result))
        time = call.time if result.time is None else result.time
        self._time.append(math.nan if time is None else time)
        self._tokens.append(self._pending_tokens.pop(call.agent.id, 0))
        self._identity.append(self._identity_of(call, parts))
        self._ids.append(call.id if call.line is None else "")
        recent = self._recent.setdefault(call.agent.id, [])
        recent.append((call.id, call.name, row))
        if len(recent) > 2 * _RECENT:
            del recent[:_RECENT]

    # ------------------------------------------------------------ parts of a row

    def _lane_of(self, agent: str) -> int:
        lane = self._lanes.get(agent)
        if lane is None:
            lane = self._lanes[agent] = len(self._lane_agent)
            self._lane_agent.append(self._agents.number(agent))
        return lane

    def _key_of(self, call: ToolCall, tool: int) -> int:
        text = call.arguments_text
        short = (call.name, text) if text is not None and len(text) <= _SHORT else None
        known = self._memo.get(short) if short else None
        if known is None:
            try:
                parts = parts_of(call)
            except TooDeep:
                return NO_KEY
            known = self._keys.get((tool, parts))
            if known is None:
                known = self._keys[tool, parts] = len(self._parts)
                self._parts.append(parts)
                self._remember(short, known)
                return known
            self._remember(short, known)
        if known not in self._seen_twice:
            text = canonical_of(call.arguments_text, call.arguments)
            self._seen_twice[known] = preview(text, PREVIEW_CHARS)[0]
        return known

    def _remember(self, short: tuple[str, str] | None, key: int) -> None:
        if short is None:
            return
        self._memo[short] = key
        if len(self._memo) > _MEMO:
            self._memo.popitem(last=False)

    def _compared(self, result: ToolResult, lane: int, parts: Parts | None) -> Likeness:
        if not result.call.result_recorded:
            return Likeness.UNKNOWN
        return self._results.compare(lane, result.call.name, parts, result.texts)

    def _identity_of(self, call: ToolCall, parts: Parts | None) -> int:
        if not self._start.unique_call_ids or parts is None:
            return 0
        if call.id.startswith(_FILLED) and call.id[1:].isdecimal():
            return 0
        return identity(self._start.format, call.name, call.id, parts) or 1

    # ------------------------------------------------------------ the whole

    def table(self, end: SessionEnd) -> SessionTable:
        """Return the whole."""
        start = self._start
        labels = start.labels or {}
        outcome = labels.get("outcome")
        open_lanes = set(self._lanes.values())
        return SessionTable(
            session=start.session,
            path=start.path,
            format=start.format,
            label=outcome if isinstance(outcome, str) else None,
            unique_id=start.unique_id,
            parent=start.parent,
            records_results=start.records_results,
            agents=tuple(self._agents.numbers),
            tools=tuple(self._tools.numbers),
            lane_agent=self._lane_agent,
            lane_open=array("B", [lane in open_lanes for lane in range(len(self._lane_agent))]),
            keys=tuple(self._parts),
            previews=tuple(self._seen_twice.items()),
            lane=self._lane,
            tool=self._tool,
            key=self._key,
            line=self._line,
            index=self._index,
            likeness=self._likeness,
            failed=self._failed,
            time=array("d") if all(map(math.isnan, self._time)) else self._time,
            tokens=self._tokens if any(self._tokens) else array("Q"),
            identity=self._identity if any(self._identity) else array("Q"),
            ids=tuple(self._ids) if any(self._ids) else (),
            recorded=tuple(self._recorded),
            unfinished=self.unfinished,
            resets=self.resets,
            lines=end.lines,
            skipped_lines=end.skipped_lines,
            duplicates=end.duplicates_dropped,
        )
