"""What spans pass on to those below them: conversation and agent; see `otel`."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from repeat_reminder.formats.otel.spans import Span

OPERATION: Final = "gen_ai.operation.name"
CALL: Final = "execute_tool"
TOOL: Final = "gen_ai.tool.name"
CALL_ID: Final = "gen_ai.tool.call.id"
CONVERSATION: Final = "gen_ai.conversation.id"
AGENTS: Final = ("gen_ai.agent.id", "gen_ai.agent.name")


class _Node(NamedTuple):
    parent: str | None
    conversation: str | None
    agent: str | None
    operation: str | None
    tool: str | None
    call_id: str | None


class Tree:
    """The spans of all traces, as far as those below need to know them."""

    def __init__(self) -> None:
        """Begin without spans."""
        self._nodes: dict[tuple[str, str], _Node] = {}

    def add(self, span: Span) -> bool:
        """Take in a span; False if it was there before."""
        if span.id is None:
            return True
        key = (span.trace, span.id)
        if key in self._nodes:
            return False
        self._nodes[key] = _Node(
            span.parent,
            span.attribute(CONVERSATION),
            next((name for each in AGENTS if (name := span.attribute(each))), None),
            span.attribute(OPERATION),
            span.attribute(TOOL),
            span.attribute(CALL_ID),
        )
        return True

    def conversation(self, span: Span) -> str | None:
        """Return the conversation of a span: its own, or the nearest one above that names one."""
        named = (node.conversation for node in self._upwards(span.trace, span.id or span.parent))
        return span.attribute(CONVERSATION) or next(filter(None, named), None)

    def agent(self, span: Span) -> str | None:
        """Return the agent of a span: its own, or the nearest one above that names one."""
        own = next((name for each in AGENTS if (name := span.attribute(each))), None)
        named = (node.agent for node in self._upwards(span.trace, span.id or span.parent))
        return own or next(filter(None, named), None)

    def is_inner(self, call: Span) -> bool:
        """Tell whether the next GenAI span above a call's is of the same call."""
        call_id = call.attribute(CALL_ID)
        for node in self._upwards(call.trace, call.parent, below=call.id):
            if node.operation is not None:
                same = call_id is None or node.call_id in (None, call_id)
                return node.operation == CALL and node.tool == call.attribute(TOOL) and same
        return False

    def _upwards(
        self, trace: str, span_id: str | None, *, below: str | None = None
    ) -> Iterator[_Node]:
        """Yield a span and those above it, each once, though traces may go round."""
        passed = {below}
        while span_id is not None and span_id not in passed:
            node = self._nodes.get((trace, span_id))
            if node is None:
                return
            yield node
            passed.add(span_id)
            span_id = node.parent
