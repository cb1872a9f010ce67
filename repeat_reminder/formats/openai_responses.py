"""Items of OpenAI's Responses API: saved inputs and request logs (`conversations`)."""

from collections.abc import Iterable, Iterator
from typing import Final

from repeat_reminder.events import Event
from repeat_reminder.formats import model
from repeat_reminder.formats.model import Format, Origin, Record, Sample, Shape
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.conversations import (
    ConversationReader,
    Dialect,
    document_records,
    sampled,
)
from repeat_reminder.formats.shared.foreign import is_foreign
from repeat_reminder.formats.shared.human import injected_source, is_human
from repeat_reminder.formats.shared.lenient import MAIN
from repeat_reminder.formats.shared.response_items import CALLS, OUTPUTS, ResponseItems

NAME: Final = "openai-responses"
INJECTED: Final = ("<system-reminder>",)


class ResponseMessages:
    """Maps the items of one session; a message may lack its type, as in the API."""

    def __init__(self, session: Session) -> None:
        """Take the session the items belong to."""
        self._session = session
        self._items = ResponseItems(session, MAIN)

    def message(self, line: int | None, message: Record) -> Iterable[Event]:
        """Map one item."""
        if message.get("type", "message") == "message":
            return self._message(line, message)
        return self._items.item(line, message)

    def _message(self, line: int | None, message: Record) -> Iterator[Event]:
        texts, role = texts_of(message.get("content")), message.get("role")
        if role == "assistant":
            yield from self._items.assistant(line, texts)
        elif role == "user" and texts:
            self._items.end_response()
            human = is_human(texts, INJECTED)
            source = {"kind": "user"} if human else injected_source(NAME, texts, INJECTED)
            yield from self._session.user(MAIN, line, texts, source=source, resets=human)


def _is_item(record: Record) -> bool:
    return isinstance(record.get("type"), str) or isinstance(record.get("role"), str)


DIALECT: Final = Dialect(
    name=NAME, lists=("input", "items", "output"), mapper=ResponseMessages, is_message=_is_item
)


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: a call or output with a call_id, or a message with typed texts."""
    if is_foreign(sample):
        return None
    for item in sampled(sample, DIALECT.lists):
        kind = item.get("type")
        if isinstance(kind, str) and kind in CALLS | OUTPUTS and "call_id" in item:
            return f"an item of type {kind} with a call_id"
        if kind == "message" and _has_typed_text(item):
            return "an item of type message with a typed text"
    return None


def _has_typed_text(item: Record) -> bool:
    content = item.get("content")
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") in ("input_text", "output_text")
        for block in content
    )


def reader(origin: Origin) -> ConversationReader:
    """Make the reader of one log."""
    return ConversationReader(origin, DIALECT)


FORMAT: Final = Format(
    name=NAME,
    title="OpenAI Responses items",
    where="saved inputs and request logs: one session a line or file, or one item a line",
    shape=Shape.LINES,
    status=model.Status.SPECIFIED,
    recognise=recognise,
    reader=reader,
    records=document_records(DIALECT),
    lossy="which items came in one response; whether a call failed",
)
