"""What a call is known by in a table: digests of its arguments, one for each name.

Digests are blake2b, so that they are the same in every process and on every day.
"""

from hashlib import blake2b
from typing import Final, TypeAlias

from repeat_reminder.canonical import canonical, parse_arguments
from repeat_reminder.events import ToolCall
from repeat_reminder.jsontext import MAX_DEPTH

Parts: TypeAlias = tuple[tuple[str, int], ...]
"""Names and value digests of the arguments, sorted by name."""

WHOLE: Final = "\0whole"
"""Stands for a name where the arguments are no object: they have one part."""
_VANISHES: Final = "__proto__"
"""The name that JavaScript takes for something else: it is never printed."""


def digest(data: bytes) -> int:
    """Return 64 bits of data."""
    return int.from_bytes(blake2b(data, digest_size=8).digest())


def parts_of(call: ToolCall) -> Parts:
    """Return the arguments in parts; equal parts mean equal canonical arguments.

    Raises:
        TooDeep: the arguments are nested too deep to count.
    """
    text = call.arguments_text
    value = call.arguments if text is None else parse_arguments(text)
    if not isinstance(value, dict):
        return ((WHOLE, digest(canonical(value).encode())),)
    texts = {name: canonical(item) for name, item in value.items() if name != _VANISHES}
    if any(map(_may_be_deep, texts.values())):
        canonical(value)
    return tuple(sorted([(name, digest(text.encode())) for name, text in texts.items()]))


def _may_be_deep(text: str) -> bool:
    """Tell whether one level more could be too deep; an object of depth n has n brackets."""
    return len(text) >= MAX_DEPTH and text.count("{") + text.count("[") >= MAX_DEPTH - 1


def identity(form: str, tool: str, call_id: str, parts: Parts) -> int:
    """Return what all copies of one call have in common, in whatever file they stand."""
    said = [form, tool, call_id, *(f"{name}\0{value:x}" for name, value in parts)]
    return digest("\0\0".join(said).encode("utf-8", "surrogatepass"))
