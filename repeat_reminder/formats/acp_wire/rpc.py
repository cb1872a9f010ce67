"""JSON-RPC as logs have it: messages among other text, and the requests that answers belong to."""

import re
from typing import Final, NamedTuple

from repeat_reminder import jsontext
from repeat_reminder.events import Json
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.lenient import members, text

DEPTH: Final = jsontext.MAX_DEPTH + 16
"""A message may be a few levels deeper than the arguments in it."""

_MESSAGE: Final = re.compile(rb'(?:\[\s{0,4})?\{\s{0,4}"')
_VERSION: Final = re.compile(rb'(?:\[\s{0,4})?\{\s{0,4}"jsonrpc"')


def parse(data: bytes) -> Json:
    """Read a line: a message or a batch, behind and before whatever else stands in the line.

    Raises:
        NotJson: there is no message in it.
    """
    error = None
    for pattern in (_MESSAGE, _VERSION):
        begin = pattern.search(data)
        start = begin.start() if begin else 0
        end = max(data.rfind(b"}"), data.rfind(b"]")) + 1
        try:
            return jsontext.loads(data[start : end if end > start else None], max_depth=DEPTH)
        except jsontext.NotJson as failed:
            error = error or type(failed)(failed.reason, failed.column + start)
    raise error or jsontext.NotJson("no message", 1)


def message_of(record: Record) -> Record:
    """Return the message that a record is, or that a logger put into it."""
    if "jsonrpc" in record:
        return record
    wrapped = (value for value in record.values() if isinstance(value, dict))
    return next((value for value in wrapped if "jsonrpc" in value), record)


class Request(NamedTuple):
    """What is remembered of a request until its answer comes."""

    method: str
    session: str | None
    cwd: Json
    call: str | None
    options: Json
    """The choices of a request for permission."""


class Requests:
    """The requests of both sides that have no answer yet."""

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: dict[tuple[bool, str | float], list[Request]] = {}

    def remember(self, number: Json, method: str, params: Record) -> None:
        """Take note of a request."""
        request = Request(
            method,
            session=text(params.get("sessionId")),
            cwd=params.get("cwd"),
            call=text(members(params.get("toolCall")).get("toolCallId")),
            options=params.get("options"),
        )
        key = _key(number)
        if key is not None:
            self._waiting.setdefault(key, []).append(request)

    def answered(self, number: Json) -> Request | None:
        """Hand out the request that an answer is for.

        Both sides count their requests, so two may wait under one number: the newer is answered
        first, for an agent asks its client while it works on the client's own request.
        """
        key = _key(number)
        waiting = self._waiting.get(key) if key is not None else None
        if key is None or not waiting:
            return None
        request = waiting.pop()
        if not waiting:
            del self._waiting[key]
        return request


def _key(number: Json) -> tuple[bool, str | float] | None:
    """Return a request's number as a key: ``1`` and ``"1"`` are two."""
    if isinstance(number, str | int | float):
        return isinstance(number, str), number
    return None
