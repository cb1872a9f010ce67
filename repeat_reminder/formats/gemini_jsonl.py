"""Gemini CLI chats of the newer form: one record a line, ``chats/*.jsonl``; see `gemini`."""

from functools import partial
from typing import Final

from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Sample, Shape
from repeat_reminder.formats.shared.gemini import GeminiReader, is_header
from repeat_reminder.formats.shared.lenient import members

NAME: Final = "gemini-jsonl"

CHANGES: Final = frozenset({"lastUpdated", "messages", "sessionId"})
"""Members of a chat that ``$set`` changes, each telling enough."""


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a header, a message of the model, or a change to the chat."""
    for record in sample.records:
        if record.get("type") == "gemini" and "content" in record and "id" in record:
            return "a record of type gemini with id and content"
        if is_header(record) and "messages" not in record:
            return "a header with sessionId and projectHash"
        if CHANGES & members(record.get("$set")).keys():
            return "a $set record"
    return None


FORMAT: Final = Format(
    name=NAME,
    title="Gemini CLI chat (lines)",
    where="~/.gemini/tmp/<project hash>/chats/session-*.jsonl, …/chats/<parent id>/<id>.jsonl",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=partial(GeminiReader, form=NAME),
    lossy="prompts the CLI sends itself (Please continue.) look like a human's",
)
