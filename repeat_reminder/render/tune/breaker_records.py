"""A sweep of breaker configurations as JSON."""

from repeat_reminder.jsontext import dumps
from repeat_reminder.render.tune.breaker_values import BreakerCandidate, BreakerReport
from repeat_reminder.render.tune.records import (
    SCHEMA,
    Record,
    constraints_record,
    corpus_record,
    interval_record,
)


def breaker_json(report: BreakerReport) -> bytes:
    """Return a breaker sweep as one JSON document with a final LF."""
    best = report.best
    record: Record = {
        "schema": SCHEMA,
        "tool": {"name": "repeat-reminder", "version": report.version},
        "policy": {"name": "breaker", "config": dict(report.now), "origin": dict(report.origins)},
        "command": report.command,
        "corpus": corpus_record(report.corpus),
        "objective": report.objective,
        "constraints": constraints_record(report.constraints),
        "answer": report.answer,
        "candidates": [breaker_record(one) for one in report.candidates],
        "best": None if best is None else report.candidates.index(best),
        "best_config": None if best is None else dict(best.config),
        "recommended": dict(best.config) if best is not None and report.is_recommended else None,
        "bootstrap": {"resamples": report.resamples, "seed": report.seed},
    }
    return dumps(record) + b"\n"


def breaker_record(one: BreakerCandidate) -> Record:
    """Return a candidate as a JSON object."""
    return {
        "config": dict(one.config),
        "changes": dict(one.changes),
        "messages": one.messages,
        "messages_per_session": one.per_session,
        "messages_interval": interval_record(one.messages_interval),
        "by_action": dict(one.by_action),
        "sessions": one.sessions,
        "sessions_warned": one.sessions_warned,
        "warned": one.warned,
        "warned_interval": interval_record(one.warned_interval),
        "sessions_gated": one.sessions_gated,
        "gated_interval": interval_record(one.gated_interval),
        "gate_calls": one.gate_calls,
        "stuck": one.stuck,
        "stuck_caught": one.caught,
        "stuck_gated": one.caught_gated,
        "caught_at_least": one.caught_at_least,
        "first_hit": one.first_hit,
        "all_messages": one.all_messages,
        "all_sessions_warned": one.all_sessions_warned,
        "all_sessions_gated": one.all_sessions_gated,
        "all_gate_calls": one.all_gate_calls,
        "unmet": None if one.unmet is None else list(one.unmet),
        "now": one.is_now,
        "named": one.is_named,
        "front": one.is_front,
        "best": one.is_best,
    }
