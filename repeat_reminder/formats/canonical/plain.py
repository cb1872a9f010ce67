"""Calls of a canonical log that records no results, as `convert` and most writers spell them.

A line is read by its shape; the arguments are left as they stand there.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from msgspec import Raw, Struct

from repeat_reminder.batches import HUMAN, TOOL, Batch, PlainCall, PlainCalls
from repeat_reminder.events import Event
from repeat_reminder.formats.session import Session
from repeat_reminder.formats.shared.depth import SHALLOW, may_be_deep
from repeat_reminder.formats.shared.lenient import MAIN
from repeat_reminder.formats.shared.shapes import NOT_SO_SHAPED, decoder_of, is_utf8
from repeat_reminder.source.lines import Line

_BRACE: Final = ord("{")


class _Call(Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="tool_call"):
    name: str
    arguments: Raw
    agent: str = MAIN


class _Asked(Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="user_message"):
    agent: str = MAIN
    content: Raw = Raw()
    ts: Raw = Raw()


_decode: Callable[[bytes], _Call | _Asked] = decoder_of(_Call | _Asked)  # type: ignore[arg-type]


class CanonicalSkimmer:
    """See `formats.model.Skimmer`."""

    def __init__(self, session: Callable[[], Session | None]) -> None:
        """Take calls for the session that is being read when asked."""
        self.line = 0
        self._ask = session
        self._session: Session | None = None
        self._done: dict[str, list[PlainCall]] = {}
        """What each agent has done since `taken`."""

    def skim(self, lines: Iterator[Line]) -> list[Line]:
        """See `Skimmer.skim`."""
        session = self._session = self._ask()
        if session is None:
            return list(islice(lines, 1))
        done, number, filled = self._done, self.line, session.filled
        left: list[Line] = []
        for number, data in lines:
            try:
                found = _decode(data)
            except NOT_SO_SHAPED:
                left = [(number, data)]
                break
            if type(found) is _Call:
                arguments = bytes(found.arguments)
                deep = len(arguments) > SHALLOW and may_be_deep(arguments)
                if arguments[0] == _BRACE and not deep and (data.isascii() or is_utf8(data)):
                    entries = done.get(found.agent)
                    if entries is None:
                        entries = done[found.agent] = []
                    filled += 1
                    entries.append((number, found.name, arguments, filled, number, None))
                    continue
            elif isinstance(found, _Asked) and self._asks(number, found, data):
                continue
            left = [(number, data)]
            break
        session.filled = filled
        self.line = number
        return left

    def taken(self) -> list[Event | Batch]:
        """See `Skimmer.taken`."""
        session = self._session
        if session is None or not self._done:
            return []
        told: list[Event | Batch] = []
        parts: list[PlainCalls] = []
        for agent, entries in self._done.items():
            prompts = [*map(TOOL, entries)].count(None)
            # Whether the last step goes on makes no difference: without results, any event ends it.
            begun, part = session.take(agent, entries, len(entries) - prompts, prompts=prompts)
            told += begun
            parts.append(part)
        self._done = {}
        return [*told, Batch(parts=tuple(parts))]

    def rest(self) -> list[Line]:
        """See `Skimmer.rest`: no line waits for another."""
        return []

    def _asks(self, number: int, asked: _Asked, data: bytes) -> bool:
        """Take in a message of a human."""
        content = bytes(asked.content)
        if not is_utf8(data) or (content.startswith(b"[") and not content[1:-1].strip()):
            return False  # it is broken, or nothing was said
        entries = self._done.get(asked.agent)
        if entries is None:
            if self._session is None or self._session.in_named_step(asked.agent):
                return False
            entries = self._done[asked.agent] = []
        entries.append((number, None, HUMAN, 0, number, None))
        return True
