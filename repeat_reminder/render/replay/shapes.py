"""The JSON records of a report, one function each.

Keys stand in a fixed order and none is left out; within a major version keys are only added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from repeat_reminder.events import Action, Json, Place, SessionEnd, Tier
from repeat_reminder.render.tally import GATES

if TYPE_CHECKING:
    from repeat_reminder.events import Intervention, Problem, Settlement, ToolCall, ToolResult
    from repeat_reminder.render.header import Header, Mounted
    from repeat_reminder.render.tally import AgentTally, SessionTally, Tally

SCHEMA = "repeat-reminder/replay@1"
TOOL = "repeat-reminder"

Record: TypeAlias = "dict[str, Json]"


def reminder_record(said: Intervention, path: str) -> Record:
    """Return the record of an intervention; those of the breaker have four keys more."""
    before = said.action in GATES
    after = Place(said.call.line, said.call.id) if before else said.inject_after
    first = said.run_first
    record: Record = {
        "kind": "reminder",
        "path": path,
        "session": said.call.agent.session,
        "agent": said.call.agent.id,
        "policy": said.policy,
        "action": said.action.value,
        "tier": said.tier.value if said.tier else None,
        "tool": said.call.name,
        "count": said.count,
        "threshold": said.threshold,
        "call": call_of(said.call),
        "result": result_of(said.result),
        "settled": None if before else settling_of(said.result),
        "inject_after": place_of(after),
        "delivered": said.delivered,
        "run": {"first_call": first.id, "first_line": first.line} if first else None,
        "arguments_preview": said.arguments_preview,
        "arguments_omitted_chars": said.arguments_omitted,
        "source": dict(said.source),
        "text": said.text,
    }
    if said.action is not Action.REMIND:
        record["fingerprints"] = [
            {"fp": hit.fp, "count": hit.hits, "cap": hit.cap, "track": hit.track}
            for hit in said.fingerprints
        ]
        record["outcome"] = said.outcome
        record["denial"] = said.denial
        ended = said.result if before and said.call.result_recorded else None
        record["recorded_status"] = ended.status.value if ended else None
    return record


def call_record(settled: Settlement, path: str) -> Record:
    """Return the record of how one policy counted one call."""
    call = settled.result.call
    return {
        "kind": "call",
        "path": path,
        "session": call.agent.session,
        "agent": call.agent.id,
        "policy": settled.policy,
        "tool": call.name,
        "tracked": settled.tracked,
        "count": settled.count,
        "call": call_of(call),
        "result": result_of(settled.result),
        "settled": settling_of(settled.result),
        "inject_after": place_of(settled.inject_after),
    }


def problem_record(problem: Problem) -> Record:
    """Return the record of a problem. One that is about no file has the path null."""
    return {
        "kind": "problem",
        "path": problem.path or None,
        "line": problem.line,
        "severity": problem.severity.value,
        "message": problem.message,
        "hint": problem.hint,
    }


def session_record(session: SessionTally) -> Record:
    """Return the record of a session that has ended."""
    start, end = session.start, session.end or SessionEnd(session=session.start.session, line=None)
    return {
        "kind": "session",
        "id": start.session,
        "path": start.path,
        "format": start.format,
        "compression": start.compression,
        "lines": end.lines,
        "skipped_lines": end.skipped_lines,
        "agents": [_agent(agent) for agent in session.agents.values()],
        "duplicates_dropped": end.duplicates_dropped,
        "recorded_reminders": session.recorded_reminders,
    }


def totals_record(tally: Tally) -> Record:
    """Return the record that closes a report."""
    return {
        "kind": "totals",
        "sessions": tally.sessions,
        "calls": tally.calls,
        "tracked": tally.tracked,
        "reminders": tally.reminders,
        "by_tier": {tier.value: tally.said[tier] for tier in Tier},
        "skipped_lines": tally.skipped_lines,
        "problems": tally.problems.total(),
    }


def head_record(header: Header, schema: str = SCHEMA) -> Record:
    """Return what opens a report: its schema, who made it, under which policies."""
    return {
        "schema": schema,
        "tool": {"name": TOOL, "version": header.version},
        "policy": [_policy(policy) for policy in header.policies],
    }


def _policy(policy: Mounted) -> Record:
    """Describe a policy; one that asks has what the operator says, too."""
    record: Record = {
        "name": policy.name,
        "config": dict(policy.config),
        "origin": {**policy.origin},
    }
    return record | ({"answer": policy.answer} if policy.answer else {})


def _agent(agent: AgentTally) -> Record:
    return {
        "id": agent.id,
        "parent": agent.parent,
        "calls": agent.calls,
        "tracked": agent.tracked,
        "unfinished": agent.unfinished,
        "longest_run": agent.longest_run,
        "reminders": agent.reminders,
        "resets": agent.resets,
    }


def call_of(call: ToolCall) -> Record:
    """Name a call."""
    return {
        "id": call.id,
        "index": call.index,
        "line": call.line,
        "turn": call.turn,
        "step": call.step,
    }


def result_of(result: ToolResult | None) -> Json:
    """Tell where a result stands."""
    return None if result is None else {"line": result.line}


def settling_of(result: ToolResult | None) -> Json:
    """Tell where a call counted."""
    return None if result is None else {"line": result.settled_line}


def place_of(place: Place | None) -> Json:
    """Tell where messages land."""
    return None if place is None else {"line": place.line, "call_id": place.call_id}
