"""A call of an ACP session: what its updates say, each replacing what was there.

The protocol has no name for a tool: agents put it into ``_meta``, or the kind and the title have to
do. An agent that never sends ``rawInput`` leaves the title to tell one call from another.
"""

from dataclasses import dataclass, field
from typing import Final

from repeat_reminder.events import Json, Status
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import Answer
from repeat_reminder.formats.shared.content import texts_of
from repeat_reminder.formats.shared.lenient import members, objects, text, whole

FINAL: Final = {"completed": Status.OK, "failed": Status.ERROR}
EMPTY: Final[tuple[Json, ...]] = (None, {}, [], "")


@dataclass(slots=True)
class Call:
    """A call as its updates have made it so far."""

    id: str
    agent: str
    line: int | None
    told: bool = False
    """It was given out without a result."""
    ended: bool = False
    titles: tuple[str, str] | None = None
    """The first and the newest."""
    kind: str | None = None
    name: str | None = None
    given: bool = False
    """The agent says what the arguments are."""
    arguments: Json = field(default_factory=dict)
    content: Json = None
    output: Json = None
    exit_code: int | None = None
    refused: Status | None = None

    def take(self, update: Record) -> None:
        """Take in an update; what it gives replaces what was there."""
        meta = members(update.get("_meta"))
        claude = members(meta.get("claudeCode"))
        named = (claude.get("toolName"), meta.get("toolName"), update.get("name"))
        self.name = self.name or next(filter(None, map(text, named)), None)
        self.kind = text(update.get("kind")) or self.kind
        title = text(update.get("title"))
        if title is not None:
            self.titles = (self.titles[0] if self.titles else title, title)
        if "rawInput" in update:
            self.given = self.given or update["rawInput"] is not None
            if update["rawInput"] not in EMPTY:
                self.arguments = update["rawInput"]
        if update.get("content") is not None:
            self.content = update["content"]
        if update.get("rawOutput") is not None:
            self.output = update["rawOutput"]
        code = whole(members(meta.get("terminal_exit")).get("exit_code"))
        self.exit_code = self.exit_code if code is None else code

    def tool(self) -> str:
        """Return the tool's name, or what comes closest."""
        return self.name or self.kind or (self.titles[0] if self.titles else "tool")

    def input(self) -> Json:
        """Return the arguments; where the agent gives none the title tells calls apart."""
        return self.arguments if self.given or not self.titles else {"title": self.titles[1]}

    def answer(self, line: int | None, status: str) -> Answer:
        """Make the result of a call that ends."""
        ended = FINAL[status]
        if ended is Status.ERROR and self.refused is not None:
            ended = self.refused
        blocks = [block.get("content") for block in objects(self.content)]
        texts = texts_of(list[Json](block for block in blocks if isinstance(block, dict)))
        if not texts and isinstance(self.output, str):
            texts = (self.output,)
        return Answer(
            line=line,
            status=ended,
            texts=texts,
            value=None if self.exit_code is None else {"exitCode": self.exit_code},
            is_error=ended is not Status.OK,
        )
