"""Calls that are repeated, nearly repeated, and spelled in many ways, for logs of any format."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.respelling.spelling import STYLES, Members, Node, parsed, spelled

LONG: Final = "long " * 300
DEEP: Final = 280
"""Levels that orjson reads and does not print."""
DEEPER: Final = 1_100
"""Levels that orjson does not read."""

ALIKE: Final[tuple[tuple[str, ...], ...]] = (
    ('{"command":"npm test"}', '{"command":"x","command":"npm test"}'),
    (
        '{"path":"/a/b","offset":1}',
        '{"offset":1.0,"path":"\\/a\\/b"}',
        '{"offset":1e0,"path":"/a/b"}',
    ),
    ('{"path":"/a/b","offset":2}', '{"offset":20e-1,"path":"/a/b"}'),
    ('{"path":"/a/b","offset":"1"}',),
    ('{"a":{"b":[1,{"c":2}]},"d":null}', '{"d":null,"a":{"b":[1,{"c":2.0}]}}'),
    ('{"a":{"b":[1,{"c":3}]},"d":null}',),
    ('{"a":{"b":[1,{"c":2,"e":false}]},"d":null}',),
    ('{"n":9007199254740993}', '{"n":9007199254740992}', '{"n":9007199254740992.0}'),
    ('{"n":9007199254740994}',),
    ('{"n":123456789012345678901234}', '{"n":1.2345678901234568e23}'),
    ('{"n":1e400}', '{"n":null}', '{"n":-1e999}'),
    ('{"n":0}', '{"n":-0}', '{"n":-0.0}', '{"n":0e5}'),
    ('{"k":1}', '{"__proto__":{"a":1},"k":1}', '{"k":1,"\\u005f_proto__":5}'),
    ('{"k":{"x":1}}', '{"k":{"__proto__":null,"x":1}}'),
    ('{"s":"\\ud83d\\ude42"}', '{"s":"\U0001f642"}'),
    ('{"s":"\\ud83d"}', '{"s":"\\uD83D"}'),
    ('{"s":"\\ude42\\ud83d"}',),
    ('{"s":"\u00e9\u2028\u5de5"}', '{"s":"\\u00e9\\u2028\u5de5"}'),
    ('{"s":"e\u0301\u2028\u5de5"}',),
    ('{"10":1,"9":2,"a":3}', '{"a":3,"9":2,"10":1}'),
    (f'{{"text":"{LONG}","end":1}}', f'{{"end":1,"text":"{LONG}"}}'),
    (f'{{"text":"{LONG}","end":2}}',),
    (f'{{"text":"{LONG}!","end":1}}',),
    ('{"a":true}',),
    ('{"a":1}', '{"a":1.0}', '{"a":0.1e1}'),
    ('{"a":"true"}',),
    ("{}", "{ }"),
    ("[]",),
    ("[1,2]", "[1.0,2]"),
    ("[2,1]",),
    ("null",),
    ('""',),
    ('"text"', '"te\\u0078t"'),
    ("5", "5.0"),
    (f'{{"d":{"[" * DEEP}{"]" * DEEP}}}',),
    (f'{{"d":{"[" * DEEP}1{"]" * DEEP}}}',),
    (f"{'[' * DEEPER}{']' * DEEPER}",),
    ('{"x":"{\\"type\\":\\"tool_call\\",\\"name\\":\\"bash\\",\\"arguments\\":{}}"}',),
    ('{"type":"tool_call","name":"bash","id":"c1","call_id":"c1","arguments":{}}',),
)
"""Arguments that are one call, in several spellings; the groups differ, some only just."""

TEXTS: Final[tuple[tuple[str, ...], ...]] = (
    ("", "{}"),
    ("not json {", '"not json {"'),
    ('{"command":"npm test"',),
    ("\ufeff{}",),
    (" ", '" "'),
    ("NaN",),
    ('{"a":01}',),
    ('{"a":1}\x00',),
    ("\U0001f642 \u5de5\u5177 \u2028",),
    ("\ud800",),
)
"""More of them, where arguments are texts: these are no JSON."""

TOOLS: Final = (
    *("bash", "bash", "bash", "read", "Read", "", "tool_call", "user/message", "mcp__a__b"),
    *("\u5de5\u5177", 'we"ird\\', "a\nb", "\ud800", "\U0001f642", "tool_use", "type"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call that a model makes."""

    id: str
    name: str
    text: str
    """Its arguments as JSON text, perhaps none."""

    @property
    def value(self) -> Node:
        """The arguments as a tree."""
        return parsed(self.text)


Step = tuple[Made, ...]


class Caller:
    """Draws steps: mostly one call again and again, alone or several at a time."""

    def __init__(self, draw: Random, prefix: str, *, texts: bool, ids: int, most: int) -> None:
        """Begin.

        Args:
            draw: where chance comes from.
            prefix: what the ids of calls begin with.
            texts: arguments are texts, so that they need not be JSON.
            ids: how many ids there are.
            most: how many calls a step may have.
        """
        self._draw = draw
        self._prefix = prefix
        self._groups = draw.sample(ALIKE, 4) + (draw.sample(TEXTS, 2) if texts else [])
        self._tools = draw.sample(TOOLS, 3)
        self._texts = texts
        self._ids = ids
        self._most = most
        self._made = 0

    def steps(self, runs: int) -> Iterator[Step]:
        """Yield the steps of some runs; a run may end right before, at, or behind a threshold."""
        for _ in range(runs):
            name, group = self._draw.choice(self._tools), self._draw.choice(self._groups)
            left = self._draw.choice([1, 2, 3, 3, 4, 5, 5, 6, 8, 8, 9])
            while left > 0:
                size = min(self._most, self._draw.choice([1, 1, 1, 2, 3]))
                yield tuple(self._make(name, group) for _ in range(size))
                left -= size

    def _make(self, name: str, group: tuple[str, ...]) -> Made:
        if self._draw.random() < 0.02:
            group = self._draw.choice(self._groups)
        self._made += 1
        text = self._draw.choice(group)
        if self._texts and self._draw.random() < 0.3 and group in ALIKE:
            style = self._draw.choice(list(STYLES.values()))
            text = spelled(parsed(text), self._draw, style, is_argument=True)
        return Made(id=f"{self._prefix}-{self._made % self._ids}", name=name, text=text)


def answers(draw: Random, step: Step) -> list[Made]:
    """Return the calls of a step in the order of their results."""
    return list(step) if draw.random() < 0.5 else draw.sample(step, len(step))


GIANTS: Final = 0.001
"""How many texts are longer than any line that is held before it is judged."""
SAID: Final[tuple[Callable[[str], str], ...]] = (
    lambda _: "ok",
    lambda _: "",
    lambda _: '\u5de5\u5177 \ud83d \U0001f642 \\ " / \x1b[31m\n\t',
    lambda line: line,
    lambda line: f"{line}\n{line}",
    lambda line: json_in(json_in(line)),
)
"""What a result may say: perhaps a whole line of the log itself."""


def json_in(text: str) -> str:
    """Put a text into a JSON array."""
    return spelled([text], Random(0))  # noqa: S311 - the usual style draws nothing


def said(draw: Random, earlier: list[Members]) -> str:
    """Draw what a result says."""
    line = spelled(draw.choice(earlier), draw)[:1_500] if earlier else "{}"
    if draw.random() < GIANTS:
        return f"{'giant ' * 45_000}{line}"
    return draw.choice(SAID)(line)
