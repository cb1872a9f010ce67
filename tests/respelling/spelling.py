"""Spells one record in all the ways JSON allows.

A record is a tree that can hold what a dict cannot: members that stand there twice, and numbers as
they are written.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final, TypeAlias


class Raw(str):
    """JSON text that is put into a line as it is."""

    __slots__ = ()


class Members(list[tuple[str, "Node"]]):
    """The members of an object, in their order, some perhaps twice."""


Node: TypeAlias = "str | int | float | list[Node] | Members | None"

ARGUMENTS: Final = frozenset({"arguments", "input", "action"})
"""Keys whose values are a call's arguments: a member more would make another call of it."""


DEEP: Final = 50
"""Levels that are not worth a recursion."""
_HALF: Final = re.compile("[\ud800-\udfff]")


def tree(value: object) -> Node:
    """Make a tree of values, dicts, lists and raw texts."""
    match value:
        case Members():
            return value
        case dict():
            return Members((str(key), tree(item)) for key, item in value.items())
        case list():
            return [tree(item) for item in value]
        case str() | int() | float() | None:
            return value
        case _:
            raise TypeError(type(value))


def parsed(text: str) -> Node:
    """Read a JSON text and keep what is written: numbers, doubled members. Deep ones stay texts."""
    if text.count("[") + text.count("{") > DEEP:
        return Raw(text)
    found: Node = json.loads(
        text, object_pairs_hook=Members, parse_int=Raw, parse_float=Raw, parse_constant=Raw
    )
    return found


def entries(node: Node) -> list[Node]:
    """Return what an array holds; nothing else holds any."""
    if isinstance(node, list) and not isinstance(node, Members):
        return node  # members are a list too, of other things
    return []


# ---------------------------------------------------------------- spelling


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a line is written."""

    escapes: float = 0
    """The share of characters that are escaped without need."""
    gaps: tuple[str, ...] = ("",)
    """What may stand between tokens."""
    after: str = ""
    """What stands behind commas and colons, as Python writes it."""
    ascii: bool = False
    shuffled: bool = False
    numbers: bool = False
    """Whole numbers of arguments may be written as fractions or with exponents."""


USUAL: Final = Style()
"""As harnesses write: compact, nothing escaped without need."""
GAPS: Final = ("", "", " ", "\t", " \t ")
STYLES: Final = {
    "usual": USUAL,
    "escapes": Style(escapes=0.2),
    "few escapes": Style(escapes=0.01),
    "blanks": Style(gaps=GAPS),
    "a few blanks": Style(gaps=("",) * 19 + (" ",)),
    "as Python": Style(after=" ", ascii=True),
    "shuffled": Style(shuffled=True),
    "numbers": Style(numbers=True),
    "all": Style(escapes=0.1, gaps=GAPS, shuffled=True, numbers=True),
}


def spelled(node: Node, draw: Random, style: Style = USUAL, *, is_argument: bool = False) -> str:
    """Write a tree on one line."""

    def gap() -> str:
        return draw.choice(style.gaps)

    def inner(child: Node, key: str | None = None) -> str:
        inside = is_argument or key in ARGUMENTS
        return gap() + spelled(child, draw, style, is_argument=inside) + gap()

    comma, colon = f",{style.after}", f":{style.after}"
    match node:
        case Raw():
            return _number(node, draw) if style.numbers and is_argument else str(node)
        case str():
            return string(node, draw, style)
        case Members():
            parts = [
                f"{gap()}{string(key, draw, style)}{gap()}{colon}{inner(child, key)}"
                for key, child in _in_order(node, draw, style)
            ]
            return "{" + comma.join(parts) + "}"
        case list():
            return "[" + comma.join(inner(child) for child in entries(node)) + "]"
        case _:
            return json.dumps(node)


def _in_order(node: Members, draw: Random, style: Style) -> Sequence[tuple[str, Node]]:
    """Shuffle members, unless some stand there twice: of those the last one counts."""
    if not style.shuffled or len({key for key, _ in node}) < len(node):
        return node
    return draw.sample(node, len(node))


def _number(text: str, draw: Random) -> str:
    if re.fullmatch(r"-?[0-9]{1,15}", text) and text != "-0":
        return text + draw.choice(["", ".0", "e0", "E+0", ".000e-0"])
    return text


def string(text: str, draw: Random, style: Style = USUAL) -> str:
    """Write a string; halves of a character are always escaped, for no bytes stand for them."""
    if not style.escapes and not _HALF.search(text):
        return json.dumps(text, ensure_ascii=style.ascii)
    return '"' + "".join(_character(char, draw, style) for char in text) + '"'


def _character(char: str, draw: Random, style: Style) -> str:
    if not "\ud800" <= char <= "\udfff" and draw.random() >= style.escapes:
        return _usual(char)
    if char == "/" and draw.random() < 0.5:
        return "\\/"
    units = char.encode("utf-16-be", "surrogatepass").hex()
    units = units.upper() if draw.random() < 0.5 else units
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


@lru_cache(maxsize=4_096)
def _usual(char: str) -> str:
    return json.dumps(char, ensure_ascii=False)[1:-1]
