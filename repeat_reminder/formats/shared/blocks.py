"""Messages made of blocks, as Anthropic's API has them, in the logs of agents.

A step is one assistant message. Its results are blocks of a user-role message behind it. A message
of role ``user`` is a human's unless it brings results or all its blocks are texts of the harness.
"""

from collections.abc import Callable, Iterator
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Event, Json, Status, Usage
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.session import USER, Answer, Session
from repeat_reminder.formats.shared.content import PLACEHOLDERS, texts_of
from repeat_reminder.formats.shared.human import injected_source, is_human
from repeat_reminder.formats.shared.lenient import MAIN, malformed, objects, text

UNSAID: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
"""Blocks of an assistant message that are not what it says."""

RESULT: Final = frozenset({"tool_result"})

AnswerOf = Callable[[int | None, Record, float | None], tuple[str | None, Answer | None]]
"""From line, result block and time to the id of its call and the answer; None is no result yet."""


def plain_answer(
    line: int | None, block: Record, time: float | None
) -> tuple[str | None, Answer | None]:
    """Read a result as Anthropic's API has it."""
    failed = block.get("is_error") is True
    answer = Answer(
        line=line,
        status=Status.ERROR if failed else Status.OK,
        texts=result_texts(block.get("content")),
        is_error=failed,
        time=time,
    )
    return text(block.get("tool_use_id")), answer


def said(content: Json, unsaid: frozenset[str] = UNSAID) -> tuple[str, ...]:
    """Return what an assistant message says, beside its blocks of some types."""
    if not isinstance(content, list):
        return texts_of(content)
    return texts_of([part for part in content if not is_of(part, unsaid)])


def result_texts(content: Json) -> tuple[str, ...]:
    """Return what a result says: texts as they are, values without text as JSON."""
    if content is None or isinstance(content, str):
        return () if content is None else (content,)
    parts = content if isinstance(content, list) else [content]
    return tuple(map(_result_text, parts))


def _result_text(part: Json) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        said, kind = part.get("text"), part.get("type")
        if isinstance(said, str):
            return said
        if isinstance(kind, str) and kind in PLACEHOLDERS:
            return PLACEHOLDERS[kind]
    return jsontext.dumps(part).decode()


class BlockMessages:
    """Maps the messages of one agent of one session."""

    def __init__(
        self,
        session: Session,
        *,
        kind: str,
        agent: str = MAIN,
        answer_of: AnswerOf = plain_answer,
        injected: tuple[str, ...] = (),
    ) -> None:
        """Take the session that the messages belong to.

        Args:
            session: gets what the messages say.
            kind: the format's name, the source of what the harness writes in the user's role.
            agent: who calls.
            answer_of: reads a result block.
            injected: how texts of the harness begin.
        """
        self._session = session
        self._kind = kind
        self._agent = agent
        self._answer_of = answer_of
        self._injected = injected
        self._step = 0

    def message(
        self,
        line: int | None,
        message: Record,
        *,
        usage: Usage | None = None,
        time: float | None = None,
    ) -> Iterator[Event]:
        """Map a message of role ``user`` or ``assistant``; other roles give nothing."""
        role, content = message.get("role"), message.get("content")
        if role == "user":
            yield from self.user(line, content, time)
        elif role == "assistant":
            yield from self.assistant(line, content, usage, time)

    def assistant(
        self, line: int | None, content: Json, usage: Usage | None, time: float | None
    ) -> Iterator[Event]:
        """Map what the model said and called."""
        self._step += 1
        calls = [block for block in objects(content) if block.get("type") == "tool_use"]
        texts = said(content)
        if texts or usage or not calls:
            yield from self._session.assistant(
                self._agent, line, texts, key=self._step, usage=usage, time=time
            )
        for block in calls:
            yield from self._call(line, block, time)

    def _call(self, line: int | None, block: Record, time: float | None) -> Iterator[Event]:
        name, arguments = text(block.get("name")), block.get("input")
        if name is None:
            yield malformed(self._session, line, "a tool_use without a name")
            return
        yield from self._session.call(
            self._agent,
            name,
            line,
            call_id=text(block.get("id")),
            text=text(arguments),
            value=arguments,
            key=self._step,
            time=time,
        )

    def user(self, line: int | None, content: Json, time: float | None) -> Iterator[Event]:
        """Map the results in a user-role message, then what else it says."""
        results = [block for block in objects(content) if is_of(block, RESULT)]
        for block in results:
            yield from self._result(line, block, time)
        if isinstance(content, list):
            content = [part for part in content if not is_of(part, RESULT)]
        texts = texts_of(content)
        if not texts:
            return
        human = not results and is_human(texts, self._injected)
        source = USER if human else injected_source(self._kind, texts, self._injected)
        yield from self._session.user(
            self._agent, line, texts, source=source, resets=human, time=time
        )

    def _result(self, line: int | None, block: Record, time: float | None) -> Iterator[Event]:
        call_id, answer = self._answer_of(line, block, time)
        if answer is None:
            return
        if call_id is None:
            yield malformed(self._session, line, "a tool_result without the id of a call")
            return
        yield from self._session.result(call_id, answer, line, agent=self._agent)


def is_of(part: Json, kinds: frozenset[str]) -> bool:
    """Tell whether a value is a block of one of the types."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in kinds
