"""The record types that DSH writes, of every version read: an unknown one is worth a note."""

from typing import Final

_EVENTS: Final = frozenset(
    f"{family}/{name}"
    for family, names in {
        "agent": "inbox/spliced",
        "agent-preset": "selected",
        "approval": "asked decided policy",
        "assistant": "attempt chunk message",
        "command": "done run",
        "compact": "end prune start summary",
        "compaction": "end prune start summary",
        "context": "message",
        "deliverables": "presented",
        "developer": "message",
        "feedback": "message-delete message-put record",
        "goal": "change",
        "hook": "invoked result",
        "image": "offload",
        "llm": "retry retry-started",
        "mode": "set",
        "model": "selection",
        "permission": "preset",
        "plan": "mode",
        "request": "context header header-delta",
        "sandbox": "mode",
        "schedule": "change",
        "session": "end-seed title title-llm-request",
        "session-log-deepseek": "delivery-accepted",
        "steering": "message",
        "step": "end start",
        "subagent": "catalog descriptor model-selection-policy",
        "system": "message",
        "team": "member message/delivered message/queued task",
        "todo": "write",
        "tool": "call code-dispatch code-dispatch-start ptc-dispatch ptc-dispatch-start result",
        "tool-workflow": "agent-end agent-start run-end run-start",
        "turn": "end start",
        "user": "message",
        "web": "deepseek-search-llm-request",
        "workspace": "changes",
    }.items()
    for name in names.split()
)

PACKED: Final[dict[str, str]] = {
    "text-chunks": "texts",
    "reasoning-chunks": "texts",
    "tool-call-chunks": "args",
}
"""Rows that stand for several streamed chunks, and the list that has one entry for each."""

KNOWN: Final = _EVENTS | PACKED.keys()
"""What DSH writes."""
