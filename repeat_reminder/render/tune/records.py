"""A tuning report as JSON."""

from fractions import Fraction
from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.jsontext import dumps
from repeat_reminder.render.tune.advice_values import (
    Advice,
    DeadStage,
    PollingTool,
    ReminderEffect,
    TransparencyTrap,
    UnmatchedPattern,
    VolatileArgument,
)
from repeat_reminder.render.tune.figures import Constraints, CorpusFigures, Interval, Results, Spend
from repeat_reminder.render.tune.values import (
    Candidate,
    Conformal,
    CurvePoint,
    HeldOut,
    TuneReport,
)

SCHEMA: Final = "repeat-reminder/tune@1"

Record = dict[str, Json]


def tune_json(report: TuneReport) -> bytes:
    """Return a report as one JSON document with a final LF."""
    return dumps(tune_record(report)) + b"\n"


def tune_record(report: TuneReport) -> Record:
    """Return a report as a JSON object; every key is always there."""
    best, config = report.best, report.best_config
    return {
        "schema": SCHEMA,
        "tool": {"name": "repeat-reminder", "version": report.version},
        "policy": {
            "name": "reminder",
            "config": dict(report.now),
            "origin": dict(report.origins),
        },
        "command": report.command,
        "corpus": corpus_record(report.corpus),
        "objective": report.objective,
        "constraints": constraints_record(report.constraints),
        "candidates": [candidate_record(one) for one in report.candidates],
        "best": None if best is None else report.candidates.index(best),
        "best_config": None if config is None else dict(config),
        "recommended": dict(config) if config is not None and report.is_recommended else None,
        "conformal": _conformal(report.conformal),
        "held_out": _held_out(report.held_out),
        **_distributions(report),
        **_sessions(report),
        "advice": [advice_record(one) for one in report.advice],
        "bootstrap": {"resamples": report.resamples, "seed": report.seed},
    }


def _conformal(bound: Conformal | None) -> Record | None:
    if bound is None:
        return None
    return {
        "alpha": float(bound.alpha),
        "sessions": bound.sessions,
        "first_threshold": bound.threshold,
        "sessions_needed": bound.needed,
        "sessions_without_end": bound.endless,
    }


def _held_out(held: HeldOut | None) -> Record | None:
    if held is None:
        return None
    return {
        "chosen_on": held.chosen_on,
        "sessions": held.sessions,
        "best": candidate_record(held.candidate),
    }


def _distributions(report: TuneReport) -> Record:
    return {
        "run_lengths": [
            {
                "length": row.length,
                "cost": row.cost,
                "stuck": row.stuck,
                "ok": row.ok,
                "unknown": row.unknown,
            }
            for row in report.lengths
        ],
        "curve": [_point(point) for point in report.curve],
        "tools": [
            {
                "tool": share.tool,
                "now": list(share.now),
                "best": None if share.best is None else list(share.best),
                "results": results_record(share.results),
            }
            for share in report.tools
        ],
        "survival": [{"tool": one.tool, "runs": list(one.reach)} for one in report.survival],
    }


def _point(point: CurvePoint) -> Record:
    low, high = point.low, point.high
    return {
        "first_threshold": point.first,
        "messages": point.messages,
        "sessions_warned": point.sessions_warned,
        "stuck_caught": point.caught,
        "warned_interval": None if low is None or high is None else [low, high],
        "messages_interval": interval_record(point.messages_interval),
    }


def _sessions(report: TuneReport) -> Record:
    return {
        "missed": [
            {"session": one.session, "place": one.place, "longest_run": one.longest}
            for one in report.missed
        ],
        "later": report.later,
        "changes": [
            {
                "session": one.session,
                "place": one.place,
                "label": one.label,
                "tool": one.tool,
                "arguments_preview": one.preview,
                "longest_run": one.longest,
                "now": one.now,
                "best": one.best,
            }
            for one in report.changes
        ],
    }


def candidate_record(one: Candidate) -> Record:
    """Return a candidate as a JSON object."""
    return {
        "thresholds": list(one.thresholds),
        "also_excluded": list(one.also_excluded),
        "messages": one.messages,
        "messages_per_session": one.per_session,
        "messages_p95": one.p95,
        "messages_max": one.most,
        "messages_interval": interval_record(one.messages_interval),
        "messages_off_policy": one.messages_off_policy,
        "sessions": one.sessions,
        "sessions_warned": one.sessions_warned,
        "warned": one.warned,
        "warned_interval": interval_record(one.warned_interval),
        "stuck": one.stuck,
        "stuck_caught": one.caught,
        "caught_interval": interval_record(one.caught_interval),
        "caught_at_least": one.caught_at_least,
        "first_hit": one.first_hit,
        "dead": list(one.dead),
        "spend_after": spend_record(one.spend_after),
        "all_messages": one.all_messages,
        "all_sessions_warned": one.all_sessions_warned,
        "unmet": None if one.unmet is None else list(one.unmet),
        "now": one.is_now,
        "named": one.is_named,
        "front": one.is_front,
        "best": one.is_best,
    }


def corpus_record(corpus: CorpusFigures) -> Record:
    """Return what was read as a JSON object."""
    return {
        "digest": corpus.digest,
        "files": corpus.files,
        "sessions": corpus.sessions,
        "calls": corpus.calls,
        "tracked": corpus.tracked,
        "labels": {"stuck": corpus.stuck, "ok": corpus.ok, "unknown": corpus.unknown},
        "cost_group": corpus.cost,
        "off_policy_sessions": corpus.off_policy,
        "runs_cut_by_reminder": corpus.cut_by_reminder,
        "runs_cut_by_log_end": corpus.cut_by_log,
        "copies_dropped": corpus.copies,
        "copied_sessions": corpus.copied_sessions,
        "skipped_lines": corpus.skipped_lines,
        "skipped_files": corpus.skipped_files,
    }


def advice_record(one: Advice) -> Record:
    """Return a piece of advice as a JSON object; ``kind`` says which."""
    match one:
        case DeadStage():
            return {"kind": "dead-stage", **_fields(one)}
        case UnmatchedPattern():
            return {"kind": "unmatched-pattern", **_fields(one)}
        case PollingTool():
            return {"kind": "polling-tool", **_fields(one)}
        case TransparencyTrap():
            return {"kind": "transparency-trap", **_fields(one)}
        case VolatileArgument():
            return {"kind": "near-miss", **_fields(one)}
        case ReminderEffect():
            return {"kind": "reminder-effect", **_fields(one)}


def _fields(one: Advice) -> Record:
    return {name: _plain(value) for name, value in one._asdict().items()}


def _plain(value: object) -> Json:
    match value:
        case Results():
            return results_record(value)
        case tuple():
            return [_plain(item) for item in value]
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise TypeError(type(value))


def results_record(results: Results) -> Record:
    """Return runs by their results as a JSON object."""
    return {
        "runs": results.runs,
        "identical": results.identical,
        "volatile": results.volatile,
        "changing": results.changing,
        "unknown": results.unknown,
    }


def spend_record(spend: Spend) -> Record:
    """Return what was spent as a JSON object; null where the logs do not tell."""
    return {"calls": spend.calls, "seconds": spend.seconds, "tokens": spend.tokens}


def interval_record(interval: Interval | None) -> Json:
    """Return an interval as a pair."""
    return None if interval is None else [interval.low, interval.high]


def constraints_record(constraints: Constraints) -> Record:
    """Return what was asked as a JSON object."""
    return {
        "max_warned": _share(constraints.max_warned),
        "max_messages_per_session": constraints.max_messages,
        "require_caught": _share(constraints.require_caught),
        "alpha": _share(constraints.alpha),
    }


def _share(share: Fraction | None) -> float | None:
    return None if share is None else float(share)
