"""OpenAI chat messages: data sets, saved histories and request logs (`conversations`, `chat`)."""

from typing import Final

from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.shared.chat import ROLES, ChatMessages
from repeat_reminder.formats.shared.conversations import (
    ConversationReader,
    Dialect,
    document_records,
    sampled,
)
from repeat_reminder.formats.shared.foreign import is_foreign

NAME: Final = "openai-chat"
SAID: Final = ("content", "tool_calls", "function_call")


def is_message(record: Record) -> bool:
    """Tell whether a record is a chat message."""
    role = record.get("role")
    return isinstance(role, str) and role in ROLES and any(key in record for key in SAID)


DIALECT: Final = Dialect(name=NAME, lists=("messages",), mapper=ChatMessages, is_message=is_message)


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a message with a role and content or tool calls."""
    if is_foreign(sample):
        return None
    messages = sampled(sample, DIALECT.lists)
    found = next((message for message in messages if is_message(message)), None)
    return None if found is None else f"a message of role {found['role']}"


def reader(origin: Origin) -> ConversationReader:
    """Make the reader of one log."""
    return ConversationReader(origin, DIALECT)


FORMAT: Final = Format(
    name=NAME,
    title="OpenAI chat messages",
    where="data sets and request logs: one session a line, one message a line, or one JSON list",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=reader,
    records=document_records(DIALECT),
    lossy="which sessions belong together; whether a call failed",
)
