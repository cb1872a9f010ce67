"""Which lines of a Codex rollout need no parsing: reasoning, and events that repeat items."""

from typing import Final

REPEATS: Final = (
    *("agent_message", "agent_message_delta", "agent_reasoning", "agent_reasoning_delta"),
    *("agent_reasoning_raw_content", "agent_reasoning_section_break", "exec_command_begin"),
    *("exec_command_end", "exec_command_output_delta", "item_completed", "item_started"),
    *("mcp_tool_call_begin", "mcp_tool_call_end", "patch_apply_begin", "patch_apply_end"),
    *("raw_response_item", "stream_error", "task_complete", "turn_complete", "turn_diff"),
    *("view_image_tool_call", "web_search_begin", "web_search_end"),
)
"""Types of ``event_msg`` that are not read."""

BEGIN: Final = b'{"timestamp":"'
TIME: Final = len('{"timestamp":"2026-01-02T03:04:05.678')
SILENT: Final = (
    b'Z","type":"response_item","payload":{"type":"reasoning"',
    b'Z","type":"response_item","payload":{"type":"message","role":"developer"',
    *(b'Z","type":"event_msg","payload":{"type":"%s"' % kind.encode() for kind in REPEATS),
)
"""What may follow the time, up to the value that decides."""


def irrelevant(line: bytes) -> bool:
    """See `Format.irrelevant`: behind the time stand an envelope and a type that are not read.

    The writer puts time, envelope and payload in that order. The first quote behind the beginning
    of the time is the one that ends it, for the ``Z`` before it is no backslash. From there on the
    bytes are compared, so that nothing is escaped.
    """
    return (
        line.startswith(SILENT, TIME) and line.startswith(BEGIN) and line.find(b'"', 14) == TIME + 1
    )
