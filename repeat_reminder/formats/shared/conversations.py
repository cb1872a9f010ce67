"""Lists of messages: one session a line, a file, or one message a line; and logs of requests.

A proxy logs every request with its whole history, so that one session stands in the log many times
over, longer each time. A request that goes on where an earlier one of the last `WAITING` ended
takes its place; what nothing goes on from is a session.

Memory: at most `WAITING` conversations; of one message a line only what `Session` keeps.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from repeat_reminder import jsontext
from repeat_reminder.errors import FormatError
from repeat_reminder.events import Event, Json, Problem, SessionId, SessionStart, Severity
from repeat_reminder.formats.model import Origin, Record, Sample
from repeat_reminder.formats.session import PATIENCE, Session
from repeat_reminder.formats.shared.lenient import objects, text
from repeat_reminder.source import Log

WAITING: Final = 16
"""How many conversations wait for a request that goes on from them."""

WRAPPERS: Final = ("request", "body", "request_body", "kwargs", "params", "data")
"""Members of a logged request that may hold its list."""

IDS: Final = ("session_id", "sessionId", "conversation_id", "thread_id", "id")

Messages = list[Json]


class Mapper(Protocol):
    """Maps the messages of one session."""

    def message(self, line: int | None, message: Record) -> Iterable[Event]:
        """Map one message."""


class Dialect(Struct, frozen=True, kw_only=True):
    """What tells one kind of message list from another."""

    name: str
    lists: tuple[str, ...]
    """Members that hold a conversation."""
    mapper: Callable[[Session], Mapper]
    is_message: Callable[[Record], bool]


class _Conversation(NamedTuple):
    line: int | None
    record: Record
    messages: Messages


class ConversationReader:
    """Reads lists of messages in any container; see `formats.model.Reader`."""

    def __init__(self, origin: Origin, dialect: Dialect) -> None:
        """Begin at the top of a file."""
        self._origin = origin
        self._dialect = dialect
        self._waiting: deque[_Conversation] = deque()
        self._numbered = 0
        self._single: tuple[Session, Mapper] | None = None
        """The file's one session, where each line is a message."""

    def record(self, line: int | None, record: Record) -> Iterator[Event]:
        """Map one line, or one conversation of a document."""
        messages = messages_in(record, self._dialect.lists)
        if messages is not None:
            yield from self._take(_Conversation(line, record, messages))
        elif self._dialect.is_message(record):
            if self._single is None:
                session = self._session(self._origin.name, line)
                self._single = session, self._dialect.mapper(session)
            yield from self._single[1].message(line, record)

    def end(self, line: int | None) -> Iterator[Event]:
        """Map what waits, and end the session of single messages."""
        while self._waiting:
            yield from self._map(self._waiting.popleft())
        if self._single is not None:
            yield from self._single[0].end(line)

    def _take(self, new: _Conversation) -> Iterator[Event]:
        """Let a request take the place of the one it goes on from."""
        for position, old in enumerate(self._waiting):
            if goes_on(old.messages, new.messages):
                del self._waiting[position]
                yield self._replaced(old, new)
                break
        self._waiting.append(new)
        if len(self._waiting) > WAITING:
            yield from self._map(self._waiting.popleft())

    def _map(self, conversation: _Conversation) -> Iterator[Event]:
        line, record, messages = conversation
        self._numbered += 1
        given = next((found for key in IDS if (found := text(record.get(key)))), None)
        session = self._session(given or self._filled(line), line)
        mapper = self._dialect.mapper(session)
        yield from session.begin()
        for message in objects(messages):
            yield from mapper.message(line, message)
        yield from session.end(line)

    def _filled(self, line: int | None) -> str:
        """Name a session without id after its line, or after the file."""
        if line is not None:
            return f"line{line}"
        return self._origin.name if self._numbered == 1 else f"{self._origin.name}-{self._numbered}"

    def _session(self, session_id: str, line: int | None) -> Session:
        start = SessionStart(
            session=SessionId(session_id),
            line=line,
            format=self._dialect.name,
            path=self._origin.path,
            compression=self._origin.compression,
        )
        # Providers may count call ids from 0 in every answer.
        return Session(start, ids_repeat=True, patience=PATIENCE)

    def _replaced(self, old: _Conversation, new: _Conversation) -> Problem:
        where = "a later one" if new.line is None else f"line {new.line}"
        return Problem(
            path=self._origin.path,
            line=old.line,
            severity=Severity.NOTE,
            kind="growing",
            message=f"{where} goes on from this request; it is counted there",
        )


def messages_in(record: Record, keys: tuple[str, ...]) -> Messages | None:
    """Return the conversation that a record holds, itself or in the request it logs."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, list):
            return value
    for wrapper in WRAPPERS:
        inner = record.get(wrapper)
        if isinstance(inner, dict):
            for key in keys:
                value = inner.get(key)
                if isinstance(value, list):
                    return value
    return None


def goes_on(old: Messages, new: Messages) -> bool:
    """Tell whether a request is the next one after an earlier one: that, its answer, and more."""
    if not 0 < len(old) < len(new) or _is_answer(old[-1]) or not _is_answer(new[len(old)]):
        return False
    return all(_same(before, after) for before, after in zip(old, new, strict=False))


def _is_answer(message: Json) -> bool:
    """Tell what a model wrote: a message of the assistant, or another item of its response."""
    if not isinstance(message, dict):
        return False
    kind = message.get("type")
    return message.get("role") == "assistant" or (
        isinstance(kind, str) and (kind == "reasoning" or kind.endswith("_call"))
    )


def _same(before: Json, after: Json) -> bool:
    # Cache marks move to the newest messages with every request.
    return before == after or _unmarked(before) == _unmarked(after)


def _unmarked(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    plain = {key: value for key, value in message.items() if key != "cache_control"}
    content = message.get("content")
    if isinstance(content, list):
        plain["content"] = [*map(_unmarked, content)]
    return plain


def conversations_of(document: Json, keys: tuple[str, ...]) -> list[Record]:
    """Return the conversations of a JSON value: itself, those it lists, or the one it is."""
    if isinstance(document, dict):
        return [document]
    records = objects(document)
    if any(messages_in(record, keys) is not None for record in records):
        return records
    return [{keys[0]: [*records]}] if records else []


def sampled(sample: Sample, keys: tuple[str, ...]) -> list[Record]:
    """Return the messages at a log's beginning, whatever holds them."""
    whole = sample.document is not None
    records = conversations_of(sample.document, keys) if whole else sample.records
    found: list[Record] = []
    for record in records:
        messages = messages_in(record, keys)
        found += [record] if messages is None else objects(messages)
    return found


def document_records(dialect: Dialect) -> Callable[[Log], Iterator[Record | Problem]]:
    """Make what reads a file that is one JSON value.

    It raises:
        FormatError: the file is no JSON.
        SourceError: it cannot be read.
    """

    def records(log: Log) -> Iterator[Record | Problem]:
        problems: list[Problem] = []
        data = log.text(problems.append)
        yield from problems
        try:
            document = jsontext.loads(data)
        except (jsontext.NotJson, jsontext.TooDeep) as error:
            raise FormatError(f"not one JSON value: {error.reason}", path=log.path) from error
        yield from conversations_of(document, dialect.lists)

    return records
