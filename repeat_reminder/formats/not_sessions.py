"""Files that lie beside session logs and are none: say so, and where the sessions are."""

from collections.abc import Callable
from typing import Final, NamedTuple

from repeat_reminder.formats.model import Record, Sample


class NotSession(NamedTuple):
    """A kind of file that holds no tool calls, though an agent wrote it."""

    name: str
    is_one: Callable[[Record], bool]
    """Whether a record is of such a file."""
    message: str
    hint: str


def _with_keys(*keys: str) -> Callable[[Record], bool]:
    wanted = frozenset(keys)
    return lambda record: wanted <= record.keys()


def _is_journal_entry(record: Record) -> bool:
    return record.get("type") in ("started", "result", "error") and _with_keys("key", "agentId")(
        record
    )


def _is_ui_message(record: Record) -> bool:
    return _with_keys("ts", "type")(record) and ("say" in record or "ask" in record)


def _is_our_transcript(record: Record) -> bool:
    params = record.get("params")
    session = params.get("sessionId") if isinstance(params, dict) else None
    return isinstance(session, str) and session.startswith("{{sessionId")


NOT_SESSIONS: Final[tuple[NotSession, ...]] = (
    NotSession(
        "claude-history",
        _with_keys("display", "pastedContents", "project"),
        "not a session log: it is Claude Code's history of prompts, without tool calls",
        "the sessions lie in ~/.claude/projects/<project>/<session id>.jsonl",
    ),
    NotSession(
        "codex-history",
        _with_keys("session_id", "ts", "text"),
        "not a session log: it is Codex's history of prompts, without tool calls",
        "the sessions lie in ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl",
    ),
    NotSession(
        "gemini-logs",
        _with_keys("sessionId", "messageId", "type", "message"),
        "not a session log: it is Gemini CLI's log of prompts, without tool calls",
        "the sessions lie in ~/.gemini/tmp/<project>/chats/session-*",
    ),
    NotSession(
        "cline-ui",
        _is_ui_message,
        "not a session log: it is what Cline shows its user, without tool calls",
        "the session is api_conversation_history.json beside it",
    ),
    NotSession(
        "acp-transcript",
        _is_our_transcript,
        "not a session log: it is a transcript that repeat-reminder wrote",
        "replay the log it was made from",
    ),
    NotSession(
        "claude-journal",
        _is_journal_entry,
        "not a session log: it is the journal of a Claude Code workflow, without tool calls",
        "its agents' sessions lie in …/<session id>/subagents/workflows/*/agent-*.jsonl",
    ),
)
"""Known files that are no sessions, with what to say of each."""


def not_a_session(sample: Sample) -> tuple[str, str] | None:
    """Return message and hint if the log's beginning is that of a file known to be no session."""
    whole = sample.document
    entries = whole if isinstance(whole, list) else sample.records
    records = [entry for entry in entries if isinstance(entry, dict)]
    for kind in NOT_SESSIONS:
        if records and all(map(kind.is_one, records)):
            return kind.message, kind.hint
    return None
