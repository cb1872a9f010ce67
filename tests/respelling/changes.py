"""What may be done to a record: some of it keeps its meaning, some makes another record of it.

Changes are made to members of the record and of the objects in it, never inside a call's arguments.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, TypeAlias

from tests.respelling.spelling import ARGUMENTS, STYLES, Members, Node, entries, spelled

Pools: TypeAlias = Mapping[str, Sequence[Node]]
"""Values that the records of one log have, by key."""
Change: TypeAlias = Callable[[Random, Members, Pools], None]

STRANGE: Final[tuple[Node, ...]] = (None, 5, 1.5, "", [], Members(), True, "x", "\ud800")
EXTRA_KEYS: Final = ("x_note", "__proto__", "Type", "x_type", "isMeta2", "note")


WHOLE: Final = "x_record"
"""The key under which `pools` keeps whole records."""


def objects(node: Node) -> Iterator[Members]:
    """Yield a record and the objects in it, but for arguments."""
    if isinstance(node, Members):
        yield node
        for key, child in node:
            if key not in ARGUMENTS:
                yield from objects(child)
    for item in entries(node):
        yield from objects(item)


def pools(records: Sequence[Node]) -> Pools:
    """Collect what stands under each key anywhere in a log."""
    found: dict[str, list[Node]] = {WHOLE: list(records)}
    for record in records:
        for members in objects(record):
            for key, value in members:
                found.setdefault(key, []).append(value)
    return found


def _some(draw: Random, record: Members) -> Members:
    """Choose the record itself, or an object in it."""
    inside = [members for members in objects(record) if members]
    return draw.choice([record, *inside]) if inside else record


def _other(draw: Random, key: str, values: Pools) -> Node:
    known = values.get(key, ())
    return draw.choice([*draw.sample(known, min(4, len(known))), draw.choice(STRANGE)])


# ---------------------------------------------------------------- what keeps the meaning


def extra(draw: Random, record: Members, values: Pools) -> None:
    """Put in a member that nobody reads."""
    key = draw.choice(EXTRA_KEYS)
    some = draw.choice([STRANGE, draw.choice(list(values.values())), values[WHOLE]])
    members = _some(draw, record)
    members.insert(draw.randint(0, len(members)), (key, draw.choice(some)))


def twice(draw: Random, record: Members, _: Pools) -> None:
    """Repeat a member at the end, with the value it has."""
    members = _some(draw, record)
    key = draw.choice(members)[0]
    members.append((key, dict(members)[key]))


def overridden(draw: Random, record: Members, values: Pools) -> None:
    """Put another value before the one that counts."""
    members = _some(draw, record)
    at = draw.randrange(len(members))
    key = members[at][0]
    members.insert(draw.randint(0, at), (key, _other(draw, key, values)))


def moved(draw: Random, record: Members, _: Pools) -> None:
    """Put one member elsewhere."""
    members = _some(draw, record)
    if len({key for key, _ in members}) == len(members):
        members.insert(draw.randrange(len(members)), members.pop(draw.randrange(len(members))))


HARMLESS: Final[tuple[Change, ...]] = (extra, twice, overridden, moved)


# ---------------------------------------------------------------- what changes the meaning


def overriding(draw: Random, record: Members, values: Pools) -> None:
    """Repeat a member at the end, with a value that something else has."""
    members = _some(draw, record)
    key = draw.choice(members)[0]
    members.append((key, _other(draw, key, values)))


def replaced(draw: Random, record: Members, values: Pools) -> None:
    """Give a member the value that something else has, or one of the wrong type."""
    members = _some(draw, record)
    at = draw.randrange(len(members))
    key = members[at][0]
    members[at] = key, _other(draw, key, values)


def removed(draw: Random, record: Members, _: Pools) -> None:
    """Take a member away."""
    members = _some(draw, record)
    del members[draw.randrange(len(members))]


def retyped(draw: Random, record: Members, values: Pools) -> None:
    """Make it a record of another type, known or unknown."""
    kind = draw.choice([*map(str, values.get("type", ["x"])), "no-such-type", "tool_call "])
    members = _some(draw, record)
    members[:] = [(key, kind if key == "type" else value) for key, value in members]


def borrowed(draw: Random, record: Members, values: Pools) -> None:
    """Add a member that other records have."""
    key = draw.choice(list(values))
    _some(draw, record).append((key, _other(draw, key, values)))


MEANINGFUL: Final[tuple[Change, ...]] = (overriding, replaced, removed, retyped, borrowed)


# ---------------------------------------------------------------- lines


def line_of(draw: Random, record: Members, values: Pools, changes: Sequence[Change]) -> bytes:
    """Write a record in any style, changed or not."""
    copy = copied(record)
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        draw.choice(changes)(draw, copy, values)
        if not copy:
            copy.append(("type", "emptied"))
    return spelled(copy, draw, draw.choice(list(STYLES.values()))).encode()


def usual_line(draw: Random, record: Members) -> bytes:
    """Write a record as its harness does."""
    return spelled(record, draw).encode()


CALLS: Final = frozenset(
    {"tool_call", "tool/call", "function_call", "custom_tool_call", "tool_use"}
)
HEAD: Final = 100
"""Bytes by which a line is known for one that its harness writes."""


def is_call(record: Members) -> bool:
    """Tell the record of a call."""
    return any(("type", kind) in members for members in objects(record) for kind in CALLS)


def is_unfair(line: bytes, usual: bytes, *, call: bool = False) -> bool:
    """Tell a line that begins and ends as its harness writes it, with a fault in the middle.

    Replay takes for granted that such a line is well-formed JSON without a key twice (see
    `formats.model.Skimmer`); only ``--validate`` looks. Calls may still have a key twice.
    """
    if line[:HEAD] != usual[:HEAD] or line[-1:] != usual[-1:]:
        return False
    return _is_malformed(line) or (not call and has_key_twice(line))


def _is_malformed(line: bytes) -> bool:
    try:
        json.loads(line)
    except RecursionError:
        return False
    except ValueError:
        return True
    return False


def has_key_twice(line: bytes) -> bool:
    """Tell whether an object in a line has two members of one name; too deep a line might."""
    found: list[bool] = []

    def note(members: list[tuple[str, object]]) -> None:
        found.append(len(dict(members)) < len(members))

    try:
        json.loads(line, object_pairs_hook=note)
    except RecursionError:
        return True
    return any(found)


def copied(record: Members) -> Members:
    """Copy a tree, so that changes stay in the copy."""
    return Members((key, _copy(value)) for key, value in record)


def _copy(node: Node) -> Node:
    match node:
        case Members():
            return copied(node)
        case list():
            return [_copy(item) for item in entries(node)]
        case _:
            return node
