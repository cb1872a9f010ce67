"""The JSON records of a comparison with a recording."""

from repeat_reminder.events import Intervention, Json
from repeat_reminder.parity import Finding, Recorded, Summary
from repeat_reminder.render.replay.shapes import (
    Record,
    call_of,
    place_of,
    result_of,
    settling_of,
)


def parity_record(finding: Finding) -> Record:
    """Return the record of one reminder: predicted, recorded, or both."""
    said, recorded = finding.predicted, finding.recorded
    return {
        "kind": "parity",
        "path": finding.path,
        "session": finding.agent.session,
        "agent": finding.agent.id,
        "line": finding.line,
        "verdict": finding.verdict.value,
        "undecidable": bool(finding.doubts),
        "doubts": list(finding.doubts),
        "tool": said.call.name if said else recorded.tool if recorded else None,
        "count": said.count if said else recorded.count if recorded else None,
        "predicted": _predicted(said) if said else None,
        "recorded": _recorded(recorded) if recorded else None,
    }


def _predicted(said: Intervention) -> Record:
    return {
        "call": call_of(said.call),
        "result": result_of(said.result),
        "settled": settling_of(said.result),
        "inject_after": place_of(said.inject_after),
        "delivered": said.delivered,
        "text": said.text,
    }


def _recorded(recorded: Recorded) -> Record:
    message = recorded.message
    texts: list[Json] = [*message.texts]
    return {
        "stamp": recorded.stamp,
        "line": message.line,
        "trigger": place_of(message.trigger),
        "delivered": message.delivered,
        "texts": texts,
    }


def parity_totals(summary: Summary) -> Record:
    """Return what a comparison comes to, for the record of the totals."""
    return {
        "outcome": summary.outcome.value,
        "recorded": summary.recorded,
        "predicted": summary.predicted,
        **{verdict.value: number for verdict, number in summary.verdicts.items()},
        "undecidable": summary.undecidable,
        "doubts": list(summary.doubts),
        "try": summary.advice.options() if summary.advice else None,
    }
