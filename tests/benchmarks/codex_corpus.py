"""A Codex rollout of the benchmark: reasoning and token counts between the calls."""

from collections.abc import Callable, Mapping

import orjson

from tests.benchmarks.drawing import SESSION, TIME, Generator, Lines, Value


def codex(draw: Generator, lines: Lines, size: int) -> None:
    """Write threads: arguments as text, reasoning and token counts between."""

    def entry(kind: str, payload: Mapping[str, object]) -> None:
        lines.add({"timestamp": TIME, "type": kind, "payload": payload})

    def turn() -> None:
        text = draw.text(150, 5_000, 1)
        content = [{"type": "input_text", "text": text}]
        entry("turn_context", {"cwd": "/repo", "approval_policy": "never", "model": "gpt-x"})
        entry("response_item", {"type": "message", "role": "user", "content": content})
        entry("event_msg", {"type": "user_message", "message": text, "images": []})
        for name, arguments in draw.calls(draw.random.randint(3, 40)):
            _codex_call(draw, entry, name, arguments)

    while lines.size < size:
        end = min(size, lines.size + SESSION)
        told = {"cwd": "/repo", "cli_version": "0.142.4", "instructions": draw.text(6_000, 6_000)}
        entry("session_meta", {"id": draw.id("t-"), **told})
        while lines.size < end:
            turn()


def _codex_call(
    draw: Generator, entry: Callable[[str, Mapping[str, object]], None], name: str, arguments: Value
) -> None:
    if draw.chance(0.5):
        summary = [{"type": "summary_text", "text": draw.text(80, 80)}]
        sealed = {"content": None, "encrypted_content": draw.opaque(800, 3_000)}
        entry("response_item", {"type": "reasoning", "summary": summary, **sealed})
    if draw.chance(0.2):
        text = draw.text(150, 2_000, 0.8)
        said = [{"type": "output_text", "text": text}]
        entry("response_item", {"type": "message", "role": "assistant", "content": said})
        entry("event_msg", {"type": "agent_message", "message": text})
    made, told = {"call_id": draw.id("call_")}, draw.text(900, 200_000)
    if name == "edit":
        patch = f"*** Begin Patch\n{arguments['old']}\n*** End Patch"
        item = {"type": "custom_tool_call", "status": "completed", **made, "name": "apply_patch"}
        entry("response_item", {**item, "input": patch})
        entry("response_item", {"type": "custom_tool_call_output", **made, "output": "Success"})
    else:
        spelled = orjson.dumps(arguments).decode()
        item = {"type": "function_call", "name": name, "arguments": spelled, **made}
        entry("response_item", item)
        output = orjson.dumps({"output": told, "metadata": {"exit_code": 0}}).decode()
        entry("response_item", {"type": "function_call_output", **made, "output": output})
    usage = {"input_tokens": 31_221, "cached_input_tokens": 29_000, "output_tokens": 1_230}
    info = {"total_token_usage": usage, "model_context_window": 272_000}
    entry("event_msg", {"type": "token_count", "info": info, "rate_limits": {"used": 12.0}})
