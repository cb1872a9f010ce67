"""Logs of agents that are lists of chat messages too, and mean something else by them."""

from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.formats.model import Record, Sample

AGENT_FILES: Final[tuple[frozenset[str], ...]] = (
    frozenset({"messages", "nextMessageId"}),
    frozenset({"messages", "agent", "sessionId"}),
    frozenset({"messages", "trajectory_format"}),
    frozenset({"messages", "info"}),
    frozenset({"messages", "projectHash"}),
)
"""Members that together tell the file of an agent: Amp, Cline, mini-swe-agent, Gemini, …"""

BLOCKS: Final = frozenset({"toolRequest", "toolResponse", "toolCall"})
"""Blocks of Goose and pi."""

WORDS: Final = ("<environment_details>", "mswea_bash_command")
"""What Cline, Roo and mini-swe-agent put into their messages."""


def is_foreign(sample: Sample) -> bool:
    """Tell a log that a reader of its own has to read."""
    whole = sample.document
    records = whole if isinstance(whole, list) else [*sample.records]
    return any(isinstance(record, dict) and _is_foreign(record) for record in records)


def _is_foreign(record: Record) -> bool:
    if any(keys <= record.keys() for keys in AGENT_FILES):
        return True
    content = record.get("content")
    blocks = content if isinstance(content, list) else [content]
    return "role" in record and any(map(_is_foreign_block, blocks))


def _is_foreign_block(block: Json) -> bool:
    text = block.get("text") if isinstance(block, dict) else block
    if isinstance(block, dict) and str(block.get("type")) in BLOCKS:
        return True
    return isinstance(text, str) and any(word in text for word in WORDS)
