"""A check as one JSON document. Keys stand in a fixed order and none is left out."""

from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Json
from repeat_reminder.jsontext import dumps
from repeat_reminder.render.check.outcomes import (
    Change,
    Explanation,
    Outcome,
    Result,
    Summary,
    Unused,
    Written,
)
from repeat_reminder.render.replay.shapes import TOOL

SCHEMA = "repeat-reminder/check@1"

Record = dict[str, Json]


def check_document(summary: Summary, version: str) -> bytes:
    """Return a check as a JSON document and a final LF.

    Args:
        summary: the check.
        version: of this tool.
    """
    document: Record = {
        "schema": SCHEMA,
        "tool": {"name": TOOL, "version": version},
        "scenarios": [_scenario(result) for result in summary.results],
        "unused": [_unused(unused) for unused in summary.unused],
        "totals": _totals(summary),
        "partial": summary.partial,
        "accept": summary.accept,
        "accept_settled": summary.accept_settled if summary.accept else None,
        "delete": summary.delete,
        "exit_code": summary.exit_code,
    }
    return dumps(document) + b"\n"


def _scenario(result: Result) -> Record:
    return {
        "name": result.name,
        "path": result.path,
        "snapshot": result.snapshot,
        "outcome": result.outcome.value,
        "written": _written(result.written),
        "explanation": _explanation(result.explanation),
        "error": _error(result.error),
        "hint": result.hint,
        "seconds": round(result.seconds, 3),
    }


def _explanation(explanation: Explanation | None) -> Json:
    if explanation is None:
        return None
    return {
        "cause": explanation.cause.value,
        "line": explanation.line,
        "changes": [_change(change) for change in explanation.changes],
        "hint": explanation.hint,
        "diff": list(explanation.diff),
        "diff_omitted": explanation.diff_omitted,
    }


def _change(change: Change) -> Record:
    subject: Json = None
    if change.subject is not None:
        subject = {
            "plugin": change.subject.plugin,
            "tool": change.subject.tool,
            "count": change.subject.count,
            "label": change.subject.label,
        }
    return {
        "kind": change.kind.value,
        "subject": subject,
        "what": change.what or None,
        "before": change.before or None,
        "after": change.after or None,
        "line": change.line,
        "log": change.log,
    }


def _error(error: RepeatReminderError | None) -> Json:
    if error is None:
        return None
    return {
        "path": error.path,
        "line": error.line,
        "message": error.message,
        "hint": error.hint,
    }


def _unused(unused: Unused) -> Record:
    return {"path": unused.path, "written": _written(unused.written)}


def _written(written: Written | None) -> Json:
    return None if written is None else written.value


def _totals(summary: Summary) -> Record:
    return {
        "scenarios": len(summary.results),
        **{outcome.value: summary.count(outcome) for outcome in Outcome},
        "unused": len(summary.left_unused),
        "added": summary.wrote(Written.ADDED),
        "modified": summary.wrote(Written.MODIFIED),
        "deleted": summary.wrote(Written.DELETED),
    }
