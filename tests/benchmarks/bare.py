"""The barest replay: find the lines of calls and results, read the calls, count how they repeat.

What a replay in Python takes at least: it says nothing, tells no copies, knows no turns, and takes
every line to be as the writer spells it. Like `plain` it knows what `corpora` writes and nothing
else. Calls are the same if they are spelled the same.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

Call: TypeAlias = tuple[str, str, bytes | str]
"""Agent, tool, arguments."""


class _Use(Struct, gc=False):
    type: str
    id: str = ""
    name: str = ""
    input: Raw = Raw()


class _Message(Struct, gc=False):
    content: tuple[_Use]


class _Said(Struct, gc=False, rename="camel"):
    message: _Message
    session_id: str
    agent_id: str = ""


class _Item(Struct, gc=False):
    name: str
    call_id: str
    arguments: str = ""
    input: Raw = Raw()


class _Line(Struct, gc=False):
    payload: _Item


class _Data(Struct, gc=False, rename="camel"):
    name: str
    call_id: str
    arguments: str


class _Called(Struct, gc=False):
    data: _Data


class _Call(Struct, gc=False):
    name: str = ""
    arguments: Raw = Raw()
    agent: str = "main"


_THRESHOLDS: Final = (3, 5, 8)
_SAID: Final = b',"message":{"model"'
_RESULT: Final = b'"content":[{"tool_use_id":"'
_HEAD: Final = 700
"""How far into a line of Claude Code's the message is looked for."""
_TIME: Final = len('{"timestamp":"2026-01-02T03:04:05.678Z","type":"')
_CALLS: Final = (
    b'response_item","payload":{"type":"function_call",',
    b'response_item","payload":{"type":"custom_tool_call",',
)
_OUTPUTS: Final = (
    b'response_item","payload":{"type":"function_call_output",',
    b'response_item","payload":{"type":"custom_tool_call_output",',
)
_TOOL_CALL: Final = b'{"type":"tool/call"'
_TOOL_RESULT: Final = b'{"type":"tool/result"'


def claude(lines: Iterable[bytes]) -> Iterator[Call]:
    """Read the lines of the model; a call counts at the next result."""
    decode = msgspec.json.Decoder(_Said).decode
    waits: Call | None = None
    for line in lines:
        if line.find(_SAID, 0, _HEAD) > 0:
            said = decode(line)
            (block,) = said.message.content
            if block.type == "tool_use":
                waits = said.session_id + said.agent_id, block.name, bytes(block.input)
        elif waits is not None and line.find(_RESULT, 0, _HEAD) > 0:
            yield waits
            waits = None


def codex(lines: Iterable[bytes]) -> Iterator[Call]:
    """Read the items that are calls; a call counts at the next output."""
    decode = msgspec.json.Decoder(_Line).decode
    waits: Call | None = None
    for line in lines:
        if line.startswith(_CALLS, _TIME):
            item = decode(line).payload
            waits = "main", item.name, item.arguments or bytes(item.input)
        elif waits is not None and line.startswith(_OUTPUTS, _TIME):
            yield waits
            waits = None


def dsh(lines: Iterable[bytes]) -> Iterator[Call]:
    """Read the calls; each counts at the next result."""
    decode, begin, waits = msgspec.json.Decoder(_Called).decode, len(_TOOL_CALL), None
    for line in lines:
        head = line[:begin]
        if head == _TOOL_CALL:
            data = decode(line).data
            waits = "main", data.name, data.arguments
        elif waits is not None and line.startswith(_TOOL_RESULT):
            yield waits
            waits = None


def canonical(lines: Iterable[bytes]) -> Iterator[Call]:
    """Read every line: nearly all are calls."""
    decode = msgspec.json.Decoder(_Call).decode
    for line in lines:
        call = decode(line)
        yield call.agent, call.name, bytes(call.arguments)


READERS: Final[dict[str, Callable[[Iterable[bytes]], Iterator[Call]]]] = {
    "claude": claude,
    "codex": codex,
    "dsh": dsh,
    "canonical": canonical,
}


def main(corpus: str, path: str) -> None:
    """Count the calls of a file that reach a threshold."""
    runs: dict[str, tuple[str, bytes | str, int]] = {}
    reached = 0
    with Path(path).open("rb", buffering=1 << 20) as file:
        for agent, tool, arguments in READERS[corpus](file):
            run = runs.get(agent)
            times = 1
            if run is not None and run[0] == tool and run[1] == arguments:
                times = run[2] + 1
                reached += times in _THRESHOLDS
            runs[agent] = tool, arguments, times
    sys.stdout.write(f"{reached}\n")
