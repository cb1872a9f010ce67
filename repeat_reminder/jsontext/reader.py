"""The complete JSON reader: accepts exactly what ``JSON.parse`` accepts, without recursion.

It serves the texts that orjson refuses: the ones beyond its limits (lone surrogates, numbers
outside the double range, deep nesting), and the ones that are no JSON, to say what is wrong where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from repeat_reminder.jsontext.limits import MAX_DEPTH, TooDeep, nodes
from repeat_reminder.jsontext.scanner import Scanner

if TYPE_CHECKING:
    from repeat_reminder.events import Json

_Container: TypeAlias = "list[Json] | dict[str, Json]"
_CLOSING = {"[": "]", "{": "}"}


def read(text: str, max_depth: int = MAX_DEPTH) -> Json:
    """Read one JSON text.

    An integer that fits 64 bits becomes an int (as in orjson), every other number a float; ``-0``
    becomes ``-0.0``, what overflows becomes infinite. Halves of a surrogate pair are joined, lone
    ones stay. The last value of a repeated key stays, at the place of the first.

    Raises:
        NotJson: the text is not JSON.
        TooDeep: it is, but its value has more than ``max_depth`` levels.
    """
    return _Reader(text, max_depth).read()


class _Reader(Scanner):
    """A place in a text, and the containers that are open there."""

    __slots__ = ("containers", "deep_at", "keys", "max_depth", "value")

    def __init__(self, text: str, max_depth: int) -> None:
        super().__init__(text)
        self.max_depth = max_depth
        self.containers: list[_Container] = []
        self.keys: list[str] = []
        """One for each open object: the key whose value comes next."""
        self.deep_at = 0
        """Column of the first level too many, 0 as long as there is none."""
        self.value: Json = None

    def read(self) -> Json:
        more = True
        while more:
            if self.peek() not in _CLOSING:
                more = self.settle(self.scalar())
            elif not self.enter():
                more = self.settle(self.containers.pop())
        self.end()
        # Only now: a text that breaks further on is no JSON, however deep, and a value that a
        # repeated key replaced is not there.
        if self.deep_at and any(
            isinstance(node, _PitList | _PitDict) for node in nodes(self.value)
        ):
            raise TooDeep.than(self.max_depth, self.deep_at)
        return self.value

    def enter(self) -> bool:
        """Open a container; tell whether it has a first value to read."""
        mark = self.peek()
        deep = len(self.containers) >= self.max_depth
        if deep and not self.deep_at:
            self.deep_at = self.pos + 1
        self.pos += 1
        self.containers.append(_container(mark, deep=deep))
        if self.take(_CLOSING[mark]):
            return False
        if mark == "{":
            self.keys.append(self.key())
        return True

    def settle(self, value: Json) -> bool:
        """Put a value where it belongs, and with it each container that ends there.

        Tell whether another value follows; if not, ``self.value`` is the whole.
        """
        while self.containers:
            parent = self.containers[-1]
            if isinstance(parent, dict):
                parent[self.keys.pop()] = value
                if self.more("}"):
                    self.keys.append(self.key())
                    return True
            else:
                parent.append(value)
                if self.more("]"):
                    return True
            value = self.containers.pop()
        self.value = value
        return False


class _PitList(list["Json"]):
    """An array below the limit: read to its end, but not kept."""

    def append(self, _item: Json) -> None:
        """Forget the item."""


class _PitDict(dict[str, "Json"]):
    """An object below the limit: read to its end, but not kept."""

    def __setitem__(self, _key: str, _item: Json) -> None:
        """Forget the member."""


# Shared: a line of 100 million brackets costs a pointer for each, not an object.
_PIT_LIST = _PitList()
_PIT_DICT = _PitDict()


def _container(mark: str, *, deep: bool) -> _Container:
    """Make what a bracket opens."""
    if mark == "[":
        return _PIT_LIST if deep else []
    return _PIT_DICT if deep else {}
