"""The barest loop: find the lines of calls, read what calls they are, do nothing with that.

No replay in Python can be faster, however little it proves, counts or says. Like `plain` it knows
what `corpora` writes and nothing else.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Raw, Struct


class _Use(Struct, gc=False):
    name: str = ""
    input: Raw = Raw()


class _Message(Struct, gc=False):
    content: tuple[_Use]


class _Said(Struct, gc=False):
    message: _Message


class _Call(Struct, gc=False):
    name: str = ""
    arguments: Raw = Raw()


class _Item(Struct, gc=False):
    payload: _Call


class _Called(Struct, gc=False):
    data: _Call


_SAID: Final = b',"message":{"model"'
_HEAD: Final = 700
"""How far into a line of Claude Code's the message is looked for."""
_TIME: Final = len('{"timestamp":"2026-01-02T03:04:05.678Z","type":"')
_CALLS: Final = (
    b'response_item","payload":{"type":"function_call",',
    b'response_item","payload":{"type":"custom_tool_call",',
)
_TOOL_CALL: Final = b'{"type":"tool/call"'


def claude(lines: Iterable[bytes]) -> None:
    """Read the lines of the model."""
    decode = msgspec.json.Decoder(_Said).decode
    for line in lines:
        if line.find(_SAID, 0, _HEAD) > 0:
            decode(line)


def codex(lines: Iterable[bytes]) -> None:
    """Read the items that are calls."""
    decode = msgspec.json.Decoder(_Item).decode
    for line in lines:
        if line.startswith(_CALLS, _TIME):
            decode(line)


def dsh(lines: Iterable[bytes]) -> None:
    """Read the calls."""
    decode, begin = msgspec.json.Decoder(_Called).decode, len(_TOOL_CALL)
    for line in lines:
        if line[:begin] == _TOOL_CALL:
            decode(line)


def canonical(lines: Iterable[bytes]) -> None:
    """Read every line: nearly all are calls."""
    decode = msgspec.json.Decoder(_Call).decode
    for line in lines:
        decode(line)


READERS: Final[dict[str, Callable[[Iterable[bytes]], None]]] = {
    "claude": claude,
    "codex": codex,
    "dsh": dsh,
    "canonical": canonical,
}


def main(corpus: str, path: str) -> None:
    """Read a file."""
    with Path(path).open("rb", buffering=1 << 20) as file:
        READERS[corpus](file)
