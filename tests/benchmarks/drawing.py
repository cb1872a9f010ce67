"""Draws texts, ids and calls for the logs of the benchmark; a seed always gives the same.

The mix is made up, not measured on real sessions: six calls in a hundred bring a reminder, a fifth
of the repeats spells its arguments in another order, and a few runs are broken off by another call.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import orjson

Value = dict[str, object]
Call = tuple[str, Value]

SESSION: Final = 2_000_000
"""Bytes after which a log goes on with another session."""
TIME: Final = "2026-01-02T03:04:05.678Z"

_TEXT: Final = (
    "agent await buffer build chain check class client compile config count define error expect "
    "false fetch file find for from header import index install item join key line link list load "
    "map match message model name node none object open option package parse path plan queue read "
    "reply request reset result return run server session set socket split start state step stream "
    "string test text thread time token tool true turn type update user value wait while write"
)
WORDS: Final = _TEXT.split()
BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
REPEATED: Final = 0.07
"""How many calls begin a run of equal ones."""
RUNS: Final = (2, 2, 2, 3, 3, 4, 5, 6, 8, 10)
BROKEN_OFF: Final = 0.12
"""How many repeats have another call behind them, so that the run begins anew."""
SHUFFLED: Final = 0.2
"""How many repeats have their arguments in another order."""
LINES: Final = 25_000
"""Lines of the pool that all texts are cut from: about 1.3 MB."""


def _source(draw: random.Random, words: list[str]) -> str:
    indent = "    " * draw.randrange(4)
    return f"{indent}{words[0]} = {words[1]}({', '.join(words[2:])})"


def _json(_: random.Random, words: list[str]) -> str:
    return f'  "{words[0]}": "{"/".join(words[1:])}.py",'


def _listed(draw: random.Random, words: list[str]) -> str:
    return f"src/{'/'.join(words)}.ts:{draw.randrange(900)}:\t{words[0]}"


def _numbered(draw: random.Random, words: list[str]) -> str:
    return f"{draw.randrange(999):6d}\t{' '.join(words)}"


def _coloured(draw: random.Random, words: list[str]) -> str:
    return f"\x1b[3{draw.randrange(8)}m{words[0]}\x1b[0m {' '.join(words[1:])}"


def _foreign(draw: random.Random, _: list[str]) -> str:
    return "".join(chr(0x4E00 + draw.randrange(2_000)) for _ in range(draw.randrange(8, 32)))


def _misleading(_: random.Random, words: list[str]) -> str:
    return f'{{"type":"tool_use","name":"{words[0]}","input":{{}}}} {{"type":"user/message"}}'


_SHAPES: Final[dict[Callable[[random.Random, list[str]], str], int]] = {
    _source: 48,
    _json: 15,
    _listed: 12,
    _numbered: 15,
    _coloured: 4,
    _foreign: 4,
    _misleading: 2,
}


@lru_cache(maxsize=1)
def _pool() -> str:
    """Make what all texts are cut from: lines as tools print them."""
    draw = random.Random("pool")  # noqa: S311 - reproducible, not secret
    shapes = draw.choices(list(_SHAPES), list(_SHAPES.values()), k=LINES)
    return "\n".join(shape(draw, draw.choices(WORDS, k=draw.randint(3, 10))) for shape in shapes)


class Lines:
    """Writes JSON lines and counts their bytes."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        """Take what writes bytes."""
        self._write = write
        self.size = 0

    def add(self, record: Mapping[str, object]) -> None:
        """Write a record."""
        line = orjson.dumps(record) + b"\n"
        self._write(line)
        self.size += len(line)


class Generator:
    """Draws texts, ids and calls."""

    def __init__(self, seed: int) -> None:
        """Begin with a seed."""
        self.random = random.Random(seed)  # noqa: S311 - reproducible, not secret
        self._pool = _pool()
        self._made = 0

    def size(self, typical: int, most: int, spread: float = 1.4) -> int:
        """Draw a size: half are smaller than typical, a few are very large."""
        return min(most, max(8, int(self.random.lognormvariate(0, spread) * typical)))

    def text(self, typical: int, most: int, spread: float = 1.4) -> str:
        """Draw a text of such a size."""
        size = self.size(typical, most, spread)
        start = self.random.randrange(len(self._pool) - size)
        return self._pool[start : start + size]

    def opaque(self, least: int, most: int) -> str:
        """Draw something that is no text: a picture, or what a provider has sealed."""
        size = self.random.randint(least, most)
        part = "".join(self.random.choices(BASE64, k=min(size, 1_000)))
        return (part * (size // len(part) + 1))[:size]

    def id(self, prefix: str) -> str:
        """Make an id that nothing else has."""
        self._made += 1
        return f"{prefix}{self._made:06x}{self.random.getrandbits(64):016x}"

    def uuid(self) -> str:
        """Make an id of the usual 36 characters."""
        self._made += 1
        tail = f"{self.random.getrandbits(64):016x}"
        return f"{self._made:08x}-0000-4000-{tail[:4]}-{tail[4:]}"

    def chance(self, share: float) -> bool:
        """Tell whether something of this probability happens."""
        return self.random.random() < share

    def words(self, least: int, most: int) -> str:
        """Draw some words."""
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, most)))

    def path(self) -> str:
        """Draw a path."""
        return "/repo/src/" + "/".join(self.random.choices(WORDS, k=3)) + ".py"

    def calls(self, count: int) -> Iterator[Call]:
        """Draw about this many calls, some in runs."""
        made = 0
        while made < count:
            name, arguments = self._call()
            made += 1
            yield name, arguments
            if not self.chance(REPEATED):
                continue
            for _ in range(self.random.choice(RUNS) - 1):
                made += 1
                yield name, self._respelled(arguments)
                if self.chance(BROKEN_OFF):
                    made += 1
                    yield "todo_write", {"todos": []}

    def _respelled(self, arguments: Value) -> Value:
        if not self.chance(SHUFFLED):
            return arguments
        keys = list(arguments)
        self.random.shuffle(keys)
        return {key: arguments[key] for key in keys}

    def _call(self) -> Call:
        made = self.random.choices(list(_CALLS), list(_CALLS.values()))[0]
        return made(self)


def _bash(draw: Generator) -> Call:
    command = f'cd /repo && {draw.words(2, 14)} | grep -n "x"'
    return "bash", {"command": command, "description": draw.words(5, 5)}


def _read(draw: Generator) -> Call:
    part: Value = {"offset": draw.random.randint(1, 2_000), "limit": 200}
    return "read", {"path": draw.path()} | (part if draw.chance(0.5) else {})


def _edit(draw: Generator) -> Call:
    old, new = draw.text(200, 9_000, 0.9), draw.text(245, 9_000, 0.9)
    return "edit", {"path": draw.path(), "old": old, "new": new}


def _grep(draw: Generator) -> Call:
    return "grep", {"pattern": draw.words(1, 2), "path": draw.path(), "-n": True}


def _write(draw: Generator) -> Call:
    return "write", {"path": draw.path(), "content": draw.text(1_800, 60_000, 1)}


def _plan(draw: Generator) -> Call:
    items = [
        {"content": draw.words(6, 6), "status": draw.random.choice(["pending", "completed"])}
        for _ in range(draw.random.randint(2, 8))
    ]
    return "todo_write", {"todos": items}


def _task(draw: Generator) -> Call:
    return "task", {"description": draw.words(4, 4), "prompt": draw.text(665, 9_000, 0.7)}


def _glob(draw: Generator) -> Call:
    return "glob", {"pattern": f"**/{draw.words(1, 1)}*.ts"}


_CALLS: Final[dict[Callable[[Generator], Call], int]] = {
    _bash: 34,
    _read: 26,
    _edit: 14,
    _grep: 10,
    _write: 4,
    _plan: 4,
    _task: 2,
    _glob: 6,
}
