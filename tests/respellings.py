"""The same JSON, spelled as no writer would: what a fast path must not be taken in by."""

import json
import random
from collections.abc import Callable
from typing import Final

from repeat_reminder.events import Json

Spell = Callable[[random.Random, bytes], bytes]

DECOY: Final = (
    '{"type":"assistant/chunk","data":{}}',
    '","type":"progress","isSidechain":false,',
    'Z","type":"response_item","payload":{"type":"reasoning"',
    '{"type":"tool/call","type":"progress",\\"',
)
"""Texts that look like lines which say nothing."""


def _text(value: Json, draw: random.Random, escape: float, *, blanks: bool) -> str:
    """Print a value with some characters escaped, and blanks where JSON has room."""

    def gap() -> str:
        return draw.choice(["", "", " ", "\t", "  "]) if blanks else ""

    match value:
        case str():
            return _string(value, draw, escape)
        case dict():
            parts = (
                f"{gap()}{_string(key, draw, escape)}{gap()}:{gap()}"
                f"{_text(item, draw, escape, blanks=blanks)}{gap()}"
                for key, item in value.items()
            )
            return "{" + ",".join(parts) + "}"
        case list():
            parts = (f"{gap()}{_text(item, draw, escape, blanks=blanks)}{gap()}" for item in value)
            return "[" + ",".join(parts) + "]"
        case _:
            return json.dumps(value)


def _string(text: str, draw: random.Random, escape: float) -> str:
    plain = json.dumps(text, ensure_ascii=False)
    if not escape:
        return plain
    units = (
        f"\\u{ord(char):04x}" if ord(char) < 0x10000 and draw.random() < escape else None
        for char in text
    )
    return (
        '"'
        + "".join(
            unit or json.dumps(char, ensure_ascii=False)[1:-1]
            for unit, char in zip(units, text, strict=True)
        )
        + '"'
    )


def _shuffled(value: Json, draw: random.Random) -> Json:
    if isinstance(value, dict):
        keys = list(value)
        draw.shuffle(keys)
        return {key: _shuffled(value[key], draw) for key in keys}
    return [_shuffled(item, draw) for item in value] if isinstance(value, list) else value


def escaped(draw: random.Random, line: bytes) -> bytes:
    """Escape some letters, in keys and values."""
    return _text(json.loads(line), draw, 0.2, blanks=False).encode()


def spaced(draw: random.Random, line: bytes) -> bytes:
    """Put blanks and tabs between the tokens."""
    return _text(json.loads(line), draw, 0, blanks=True).encode()


def shuffled(draw: random.Random, line: bytes) -> bytes:
    """Put the members of every object in another order."""
    return _text(_shuffled(json.loads(line), draw), draw, 0, blanks=False).encode()


def renumbered(draw: random.Random, line: bytes) -> bytes:
    """Spell whole numbers as fractions or with exponents."""

    def spell(value: Json) -> Json:
        if isinstance(value, dict):
            return {key: spell(item) for key, item in value.items()}
        if isinstance(value, list):
            return [spell(item) for item in value]
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 40
        return f"\0{value}{draw.choice(['', '.0', 'e0', '.00E+0'])}\0" if whole else value

    text = json.dumps(spell(json.loads(line)), ensure_ascii=False, separators=(",", ":"))
    return text.replace('"\\u0000', "").replace('\\u0000"', "").encode()


def doubled(draw: random.Random, line: bytes) -> bytes:
    """Repeat a member with the value it has: the last one counts, and it is the same."""
    record = json.loads(line)
    key = draw.choice(list(record))
    again = _text({key: record[key]}, draw, 0, blanks=False)
    return _text(record, draw, 0, blanks=False)[:-1].encode() + b"," + again[1:].encode()


def decoyed(draw: random.Random, line: bytes) -> bytes:
    """Put texts that look like other lines into the line, before or behind its members."""
    record = json.loads(line)
    extra = {"note": draw.choice(DECOY), "nested": {"type": "progress", "text": DECOY[0]}}
    mixed = {**record, **extra} if draw.random() < 0.5 else {**extra, **record}
    return _text(mixed, draw, 0, blanks=False).encode()


def plain(_draw: random.Random, line: bytes) -> bytes:
    """Leave the line as it is."""
    return line


SPELLINGS: Final[dict[str, Spell]] = {
    "plain": plain,
    "escaped keys and values": escaped,
    "odd spacing": spaced,
    "shuffled keys": shuffled,
    "1, 1.0, 1e0": renumbered,
    "a key twice": doubled,
    "decoys in strings": decoyed,
}


def mixed(draw: random.Random, line: bytes) -> bytes:
    """Spell each line in one of the ways."""
    return draw.choice(list(SPELLINGS.values()))(draw, line)
