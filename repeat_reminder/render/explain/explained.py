"""An explanation as one JSON document. Keys stand in a fixed order and none is left out."""

from typing import TYPE_CHECKING, Final, assert_never

from repeat_reminder.explain import (
    Account,
    Counted,
    Difference,
    Explained,
    Explanation,
    NearMiss,
    Reset,
    RunAccount,
    WindowAccount,
)
from repeat_reminder.jsontext import dumps
from repeat_reminder.render.header import Header
from repeat_reminder.render.replay.shapes import (
    Record,
    call_of,
    head_record,
    place_of,
    reminder_record,
    settling_of,
)

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import Standing

SCHEMA: Final = "repeat-reminder/explain@1"


def explanation_document(explanation: Explanation, header: Header) -> bytes:
    """Return an explanation as one JSON document and a final LF; it holds every call in full."""
    document: Record = {
        **head_record(header, SCHEMA),
        "calls": [_explained(one) for one in explanation.calls],
        "nearest": None if explanation.near is None else [_near(one) for one in explanation.near],
    }
    return dumps(document) + b"\n"


def _explained(one: Explained) -> Record:
    call, result = one.call, one.result
    path = one.session.path
    return {
        "path": path,
        "session": call.agent.session,
        "agent": call.agent.id,
        "tool": call.name,
        "outcome": one.outcome.value,
        "call": call_of(call),
        "result": {"line": result.line, "status": result.status.value} if result else None,
        "settled": settling_of(result),
        "inject_after": place_of(one.inject_after),
        "accounts": [_account(account) for account in one.accounts],
        "reminders": [reminder_record(said, path) for said in one.said],
    }


def _account(account: Account) -> Record:
    decision = account.decision
    head: Record = {
        "policy": account.policy,
        "tracked": account.tracked,
        "decided_by": {"list": decision.by, "pattern": decision.pattern} if decision.by else None,
    }
    match account:
        case RunAccount():
            return head | _run_account(account)
        case WindowAccount():
            return head | _window_account(account)
        case _:
            assert_never(account)


def _run_account(account: RunAccount) -> Record:
    before = account.before
    return {
        "key": account.key,
        "count": account.count,
        "run": [_counted(one) for one in account.run],
        "previous": _counted(account.previous) if account.previous else None,
        "before": {"last": _counted(before.last), "length": before.length} if before else None,
        "resets": [_reset(reset) for reset in account.resets],
        "difference": _difference(account.difference) if account.difference else None,
        "without_resets": account.without_resets,
        "next_threshold": account.next_threshold,
    }


def _window_account(account: WindowAccount) -> Record:
    after = {standing.fp: _standing(standing) for standing in account.after or ()}
    return {
        "fail_limit": account.fail_limit,
        "fingerprints": [
            {
                "fp": standing.fp,
                "cap": standing.cap,
                "before": _standing(standing),
                "after": after.get(standing.fp),
            }
            for standing in account.before
        ],
    }


def _standing(standing: "Standing") -> Record:
    return {
        "count": standing.occurrences,
        "failures": standing.streak,
        "exempt": standing.exempt,
        "refused": standing.refused,
    }


def _counted(one: Counted) -> Record:
    return {**call_of(one.call), "tool": one.call.name, "result": {"line": one.result_line}}


def _reset(reset: Reset) -> Record:
    return {"cause": reset.cause.value, "line": reset.line}


def _difference(difference: Difference) -> Record:
    return {
        "path": difference.path,
        "before": difference.before,
        "after": difference.after,
        "offset": difference.offset,
    }


def _near(miss: NearMiss) -> Record:
    return {
        "kind": miss.kind.value,
        "session": miss.agent.session,
        "agent": miss.agent.id,
        "tool": miss.first.call.name,
        "first": _counted(miss.first),
        "last": _counted(miss.last),
        "length": miss.length,
        "longest": miss.longest,
        "path": miss.path,
        "resets": [_reset(reset) for reset in miss.resets],
        "others": [_counted(one) for one in miss.others],
        "thresholds": list(miss.reached),
    }
