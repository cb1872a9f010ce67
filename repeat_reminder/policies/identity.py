"""What makes two calls the same: their tool, and their arguments in canonical form."""

from functools import lru_cache
from typing import Any, AnyStr

from msgspec import Struct

from repeat_reminder.canonical import canonical, parse_arguments
from repeat_reminder.events import Json, ToolCall
from repeat_reminder.jsontext import MAX_DEPTH
from repeat_reminder.policies.patterns import matches

SHORT = 1_024
"""Characters of arguments that are kept as they are; of longer ones a digest is kept."""
_FEW = 64
"""Values looked at to weigh parsed arguments. Must stay below `MAX_DEPTH`."""


class IgnoredArguments(Struct, frozen=True):
    """Top-level argument names that are no part of a call's identity.

    An entry is ``name``, or ``tool:name`` for the tools that match the pattern ``tool``. The last
    colon separates, for tool names may hold some.
    """

    entries: tuple[str, ...] = ()

    def of(self, tool: str) -> frozenset[str]:
        """Return the names that are left out of the calls of one tool."""
        return _ignored_names(self.entries, tool) if self.entries else _NO_NAMES


_NO_NAMES: frozenset[str] = frozenset()


@lru_cache(maxsize=1_024)
def _ignored_names(entries: tuple[str, ...], tool: str) -> frozenset[str]:
    split = (entry.rpartition(":") for entry in entries)
    return frozenset(name for of, colon, name in split if not colon or matches(of, tool))


def identity_of(call: ToolCall, ignored: IgnoredArguments) -> str | bytes:
    """Return what a call has in common with its repeats, beside the tool; long texts as a digest.

    Raises:
        TooDeep: as in `compared`.
    """
    return shortened(compared(call, ignored))


def shortened(text: str) -> str | bytes:
    """Return a short text as it is, and the digest of a long one."""
    if len(text) <= SHORT:
        return text
    from hashlib import blake2b  # noqa: PLC0415 - few arguments are long, and OpenSSL comes along

    return blake2b(text.encode(), digest_size=16).digest()


def compared(call: ToolCall, ignored: IgnoredArguments) -> str:
    """Print the arguments of a call that are compared: canonical, without the ignored ones.

    Raises:
        TooDeep: they are nested too deep to count.
    """
    return printed(call.name, value_of(call), ignored)


def value_of(call: ToolCall) -> Json:
    """Return the arguments of a call as a value.

    Raises:
        TooDeep: as in `parse_arguments`.
    """
    text = call.arguments_text
    return call.arguments if text is None else parse_arguments(text)


def printed(tool: str, value: Json, ignored: IgnoredArguments) -> str:
    """Print arguments as they are compared.

    Raises:
        TooDeep: as in `canonical`.
    """
    full = canonical(value)  # first of all: arguments that are too deep never count
    names = ignored.of(tool)
    if not names or not isinstance(value, dict) or names.isdisjoint(value):
        return full
    return canonical({key: item for key, item in value.items() if key not in names})


def alike(one: Json, other: Json) -> bool | None:
    """Tell whether two values have equal texts, if a look at their members proves it.

    They have if the members are the same, of the same types, and hold nothing. They have not if a
    string differs or is not there; only an ASCII string proves it, for of others two may be
    printed alike (halves of a character).
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        return None
    same = len(one) == len(other)
    for key, member in one.items():
        theirs = other.get(key)
        if isinstance(member, str):
            if member == theirs:
                continue
            if member.isascii() and _prints(key):
                return False
            same = False
        elif key not in other or type(member) is not type(theirs) or member != theirs:
            same = False
        else:
            same = same and not isinstance(member, dict | list)
    return True if same else None


def differ(one: AnyStr, other: AnyStr) -> bool:
    """Tell from the spelling that two texts are not the same arguments; a no proves nothing.

    The first member of the one, if it is JSON, is a string. The other, which may be an object too,
    has none that begins so up to the next quote, and neither has an escape that stands for what can
    also be written plainly. A text has no key twice unless such an escape hides that. Or both are
    strings, in bytes, which are JSON for certain.
    """
    quote, colon, begin, escape, (unicode, slash), vanishes = _MARKS[type(one)]
    member = one.split(quote, 4)
    if len(member) != _FIRST_MEMBER or member[0] != begin:
        return isinstance(one, bytes) and _strings_differ(one, other)
    key, value = member[1], member[3]
    if quote + value + quote in other or member[2] != colon or not other.startswith(begin):
        return False
    if one.count(quote + key + quote) > 1 or key == vanishes or not value.isascii():
        return False
    if escape not in one and escape not in other:
        return True
    doubt = unicode in one or unicode in other or slash in one or slash in other
    return not doubt and escape not in key


def _strings_differ(one: bytes, other: bytes) -> bool:
    if one == other or not one.startswith(b'"') or not other.startswith(b'"'):
        return False
    return not any(written in text for written in _ESCAPES for text in (one, other))


_FIRST_MEMBER = 5
"""What comes before the key, key, colon, value, and the rest."""
_ESCAPES = (b"\\u", b"\\/")
_MARKS: dict[type, Any] = {
    bytes: (b'"', b":", b"{", b"\\", _ESCAPES, b"__proto__"),
    str: ('"', ":", "{", "\\", ("\\u", "\\/"), "__proto__"),
}


def _prints(key: str) -> bool:
    """Tell a key that is printed, and printed as no other key is."""
    return key.isascii() and key != "__proto__"


def size_of(call: ToolCall) -> int | None:
    """Weigh the arguments, in characters; None where a glance does not prove them shallow."""
    text = call.arguments_text
    if text is not None:
        shallow = len(text) <= MAX_DEPTH or text.count("{") + text.count("[") <= MAX_DEPTH
        return len(text) if shallow else None
    return _weight(call.arguments)


def _weight(value: Json) -> int | None:
    """Add up the characters in a value; None where a few looks do not prove it shallow."""
    size = 0
    if isinstance(value, dict) and len(value) < _FEW:  # nearly all: a few plain members
        for key, member in value.items():
            if type(member) is str:
                size += len(member)
            elif isinstance(member, dict | list):
                break
            size += len(key)
        else:
            return size
        size = 0
    todo: list[Json] = [value]
    for seen, node in enumerate(todo):
        if seen >= _FEW or (isinstance(node, dict | list) and len(node) > _FEW):
            return None
        if isinstance(node, str):
            size += len(node)
        elif isinstance(node, dict):
            todo += node.values()
            size += sum(map(len, node))
        elif isinstance(node, list):
            todo += node
    return size
