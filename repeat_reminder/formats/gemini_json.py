"""Gemini CLI chats of the older form: one document, ``chats/session-*.json``; see `gemini`."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from repeat_reminder.events import Problem
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Record, Sample, Shape
from repeat_reminder.formats.shared.documents import documents, sampled
from repeat_reminder.formats.shared.gemini import GeminiReader
from repeat_reminder.formats.shared.lenient import objects
from repeat_reminder.source import Log

NAME: Final = "gemini-json"


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: one object with the members of a chat, whatever the file's name."""
    for chat in sampled(sample):
        if isinstance(chat.get("messages"), list) and {"sessionId", "projectHash"} <= chat.keys():
            return "an object with sessionId, projectHash and messages"
    return None


def records(log: Log) -> Iterator[Record | Problem]:
    """Yield each chat's header, then its messages; raises as `documents`."""
    for chat in documents(log):
        if isinstance(chat, Problem):
            yield chat
            continue
        yield {key: value for key, value in chat.items() if key != "messages"}
        yield from objects(chat.get("messages"))


FORMAT: Final = Format(
    name=NAME,
    title="Gemini CLI chat (document)",
    where="~/.gemini/tmp/<project hash>/chats/session-*.json",
    shape=Shape.DOCUMENT,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=partial(GeminiReader, form=NAME),
    records=records,
    lossy="lines, resumes; prompts the CLI sends itself (Please continue.) look like a human's",
)
