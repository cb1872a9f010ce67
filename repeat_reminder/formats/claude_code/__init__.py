"""Claude Code transcripts: ``~/.claude/projects/<project>/<session>.jsonl`` and its subagents.

A step is one API message, told by ``message.id``: its blocks stand on lines of their own, and
results may stand between them. A chain belongs to one ``sessionId`` and one agent: ``agentId``,
else the first line of an inline sidechain, else the main agent. Lines with a ``uuid`` that was
seen are copies. ``progress`` lines repeat what subagents do and are not read.

Memory: what `Session` keeps, 60 bytes a line for its ``uuid``, and the lines of inline sidechains.
"""

from typing import Final

from repeat_reminder.formats import model
from repeat_reminder.formats.claude_code.proofs import irrelevant
from repeat_reminder.formats.claude_code.reader import NAME, ClaudeCodeReader
from repeat_reminder.formats.model import Format, Record, Sample, Shape
from repeat_reminder.formats.shared.lenient import members


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a line of a known type that has the keys of that type.

    Any line may tell, for a file can begin with bookkeeping. Qwen Code writes the same keys; its
    messages have ``parts``.
    """
    records = sample.records
    if any("parts" in members(record.get("message")) for record in records):
        return None
    return next((evidence for evidence in map(_evidence, records) if evidence), None)


def _evidence(record: Record) -> str | None:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _TELLING:
        return None
    if all(key in record for key in _TELLING[kind]):
        return f"a line of type {kind} with {', '.join(_TELLING[kind])}"
    return None


_LINKED: Final = ("uuid", "parentUuid", "sessionId")
_TELLING: Final[dict[str, tuple[str, ...]]] = {
    "user": (*_LINKED, "message"),
    "assistant": (*_LINKED, "message"),
    "attachment": (*_LINKED, "attachment"),
    "progress": (*_LINKED, "data"),
    "system": (*_LINKED, "userType"),
    "summary": ("summary", "leafUuid"),
    "file-history-snapshot": ("messageId", "snapshot"),
    "queue-operation": ("operation", "sessionId"),
    "last-prompt": ("sessionId", "lastPrompt"),
    "custom-title": ("sessionId", "customTitle"),
    "mode": ("sessionId", "mode"),
    "permission-mode": ("sessionId", "permissionMode"),
}
"""Line types of Claude Code, each with the keys that tell it from other logs' types."""


FORMAT: Final = Format(
    name=NAME,
    title="Claude Code transcript",
    where="~/.claude/projects/<project>/<session id>.jsonl, …/<session id>/subagents/agent-*.jsonl",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=ClaudeCodeReader,
    irrelevant=irrelevant,
    lossy="exit codes of commands that succeed; a resume that keeps the session id",
)
