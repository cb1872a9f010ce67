"""What stands under ``_meta`` of a transcript line: the only fields that are not the protocol's.

Every function returns the one member that the line's ``_meta`` has.
"""

from collections.abc import Sequence

from repeat_reminder.events import Action, Intervention, Json, Source
from repeat_reminder.jsontext import dumps, loads
from repeat_reminder.render.acp.normalise import Normaliser

SCHEMA = 1
"""Version of these fields."""

Policies = Sequence[tuple[str, dict[str, Json]]]
"""Name and full config of every mounted policy, in their order."""
Note = dict[str, Json]

_STAMPS = {
    "reminder": ("repeat-tool-reminder", "repeat-tool-guard"),
    "breaker": ("repeat-tool-breaker",),
}
"""Per policy what its plugin signs its messages with, the current name first."""


def stamps(policies: Policies) -> tuple[str, ...]:
    """Return the signatures of the plugins whose part the policies play."""
    return tuple(stamp for name, _ in policies for stamp in _STAMPS.get(name, ()))


def transcript_note(log_format: str, policies: Policies) -> Note:
    """Say what was replayed and how: a changed policy is a changed line."""
    return {
        "repeat-reminder/transcript": {"schema": SCHEMA, "format": log_format},
        "repeat-reminder/policy": [{"name": name, "config": config} for name, config in policies],
    }


def event_note(kind: str) -> Note:
    """Say what happened to the session: ``compaction`` or ``resume``."""
    return {"repeat-reminder/event": {"type": kind}}


def source_note(source: Source, normaliser: Normaliser) -> Note:
    """Say who a message is from that no human wrote."""
    return {"repeat-reminder/source": _source(source, normaliser)}


def injected_note(said: Intervention, call_number: str, normaliser: Normaliser) -> Note:
    """Say which call made a policy speak, and why."""
    if said.action is Action.REMIND:
        cause: Note = {
            "threshold": said.threshold,
            "tier": None if said.tier is None else said.tier.value,
        }
    else:
        cause = {
            "action": said.action.value,
            "fingerprints": _fingerprints(said, normaliser),
        }
    return {
        "repeat-reminder/injected": {
            "source": _source(said.source, normaliser),
            "toolCallId": call_number,
            "count": said.count,
            **cause,
            "delivered": said.delivered,
        }
    }


def ask_note(ask: Intervention, normaliser: Normaliser) -> Note:
    """Say that the operator was asked before the call, and the answer."""
    return {
        "repeat-reminder/ask": {
            "plugin": _plugin(ask),
            "outcome": ask.outcome,
            "fingerprints": _fingerprints(ask, normaliser),
        }
    }


def denied_note(denial: Intervention, recorded_status: str, normaliser: Normaliser) -> Note:
    """Say why the call did not run, and how the recorded one ended."""
    return {
        "repeat-reminder/denied": {
            "plugin": _plugin(denial),
            "fingerprints": _fingerprints(denial, normaliser),
            "recorded_status": recorded_status,
        }
    }


def _plugin(said: Intervention) -> str:
    return _STAMPS.get(said.policy, (said.policy,))[0]


def _source(source: Source, normaliser: Normaliser) -> Json:
    return loads(normaliser.json(dumps(dict(source)).decode()))


def _fingerprints(said: Intervention, normaliser: Normaliser) -> Json:
    return [
        {"fp": normaliser.text(hit.fp), "count": hit.hits, "cap": hit.cap, "track": hit.track}
        for hit in said.fingerprints
    ]
