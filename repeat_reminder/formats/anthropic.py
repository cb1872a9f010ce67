"""Anthropic message lists: saved histories and request logs (`conversations`, `chat`)."""

from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Sample, Shape
from repeat_reminder.formats.openai_chat import is_message
from repeat_reminder.formats.shared.chat import ChatMessages
from repeat_reminder.formats.shared.conversations import (
    ConversationReader,
    Dialect,
    document_records,
    sampled,
)
from repeat_reminder.formats.shared.foreign import is_foreign

NAME: Final = "anthropic"
TELLING: Final = frozenset({"tool_use", "tool_result"})

DIALECT: Final = Dialect(name=NAME, lists=("messages",), mapper=ChatMessages, is_message=is_message)


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a message with a block of type tool_use or tool_result."""
    if is_foreign(sample):
        return None
    for message in sampled(sample, DIALECT.lists):
        kind = _telling_block(message.get("content"))
        if kind is not None and is_message(message):
            return f"a message of role {message['role']} with a block of type {kind}"
    return None


def _telling_block(content: Json) -> str | None:
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(kind, str) and kind in TELLING:
            return kind
    return None


def reader(origin: Origin) -> ConversationReader:
    """Make the reader of one log."""
    return ConversationReader(origin, DIALECT)


FORMAT: Final = Format(
    name=NAME,
    title="Anthropic messages",
    where="saved histories and request logs: one session a line or file, or one message a line",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=reader,
    records=document_records(DIALECT),
    lossy="which sessions belong together",
)
