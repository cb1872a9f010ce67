"""The overview of a corpus as JSON and as CSV."""

from typing import Final

from repeat_reminder.jsontext import dumps
from repeat_reminder.render.tune.csv_text import Record, csv_of
from repeat_reminder.render.tune.records import corpus_record, results_record, spend_record
from repeat_reminder.render.tune.stats_values import GroupRow, LongRun, StatsReport

SCHEMA: Final = "repeat-reminder/stats@1"


def stats_json(report: StatsReport) -> bytes:
    """Return an overview as one JSON document with a final LF."""
    return dumps(stats_record(report)) + b"\n"


def stats_record(report: StatsReport) -> Record:
    """Return an overview as a JSON object; every key is always there."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "repeat-reminder", "version": report.version},
        "command": report.command,
        "corpus": corpus_record(report.corpus),
        "scope": dict(report.scope),
        "formats": dict(report.formats),
        "agents": report.agents,
        "lines": report.lines,
        "unfinished": report.unfinished,
        "failed": report.failed,
        "human_messages": report.human_messages,
        "recorded_reminders": report.recorded_reminders,
        "duplicates_dropped": report.duplicates,
        "run_lengths": [{"length": one.length, "runs": one.number} for one in report.lengths],
        "results": results_record(report.results),
        "longest_runs": [_run(run) for run in report.longest],
        "failure_streaks": [
            {"length": one.length, "streaks": one.number} for one in report.streaks
        ],
        "longest_failure_streaks": [
            {
                "length": one.length,
                "place": one.place,
                "session": one.session,
                "agent": one.agent,
                "tools": list(one.tools),
            }
            for one in report.longest_streaks
        ],
        "spend_after_third_call": spend_record(report.spend),
        "by": report.by,
        "groups": [_group(row) for row in report.groups],
    }


def stats_csv(report: StatsReport) -> bytes:
    """Return the groups of an overview as CSV, a row each."""
    return csv_of([_group(row) for row in report.groups])


def _run(run: LongRun) -> Record:
    return {
        "length": run.length,
        "place": run.place,
        "session": run.session,
        "agent": run.agent,
        "tool": run.tool,
        "results": run.results,
        "cut": run.cut,
        "arguments_preview": run.preview,
    }


def _group(row: GroupRow) -> Record:
    return {
        "name": row.name,
        "sessions": row.sessions,
        "calls": row.calls,
        "tracked": row.tracked,
        "failed": row.failed,
        "repeats": row.repeats,
        "runs": row.runs,
        "runs_of_three": row.runs_of_three,
        "longest_run": row.longest,
        "results": results_record(row.results),
        "spend_after_third_call": spend_record(row.spend),
    }
