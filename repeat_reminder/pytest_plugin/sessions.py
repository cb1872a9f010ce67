"""Short sessions written by hand, for tests that need no file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from repeat_reminder.events import Json
from repeat_reminder.jsontext import dumps

Record = dict[str, Json]

_HEAD: Final[Record] = {"type": "session", "schema": "repeat-reminder/session@1", "id": "session"}


@dataclass(frozen=True, slots=True)
class SessionBuilder:
    """A session so far. Every method returns a longer one and leaves this as it is."""

    records: tuple[Record, ...] = ()
    acting: str = "main"
    """The agent whose records come next."""
    calls: int = 0

    def agent(self, name: str, /) -> Self:
        """Let another agent act from here on."""
        return replace(self, acting=name)

    def user(self, text: str, /) -> Self:
        """Add a human message, which ends the agent's run of calls."""
        return self.record(type="user_message", agent=self.acting, content=text)

    def say(self, text: str, /) -> Self:
        """Add a message of the model."""
        return self.record(type="assistant_message", agent=self.acting, content=text)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Json] | str | None = None,
        /,
        *,
        times: int = 1,
        **named: Json,
    ) -> Self:
        """Add calls of a tool, each answered at once.

        Args:
            tool: its name.
            arguments: all its arguments, or the text that the model sent; a way to give one that
                is called ``times``.
            times: how often it is called.
            named: its arguments, one by one.
        """
        longer = self
        for _ in range(times):
            number = f"c{longer.calls + 1}"
            call: Record = {"type": "tool_call", "id": number, "agent": self.acting, "name": tool}
            if isinstance(arguments, str):
                call["arguments_text"] = arguments
            else:
                call["arguments"] = {**(arguments or {}), **named}
            result: Record = {"type": "tool_result", "agent": self.acting, "call_id": number}
            longer = replace(longer, calls=longer.calls + 1)
            longer = longer.record(**call).record(**result, content="ok")
        return longer

    def record(self, **fields: Json) -> Self:
        """Add any record of the canonical log, such as ``type="compaction"``."""
        return replace(self, records=(*self.records, fields))

    def to_jsonl(self) -> bytes:
        """Return the session as a canonical log."""
        return b"".join(dumps(record) + b"\n" for record in (_HEAD, *self.records))

    def write(self, path: str | Path) -> Path:
        """Write the session as a canonical log, for instance as a new scenario."""
        target = Path(path)
        target.write_bytes(self.to_jsonl())
        return target
