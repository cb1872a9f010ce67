"""What may be done to the lines of a log, and to the file that they make."""

from collections.abc import Sequence
from random import Random
from typing import Final

from tests.respelling.changes import is_unfair


def disturbed(draw: Random, lines: list[bytes]) -> list[bytes]:
    """Leave out, repeat, move and cut some lines."""
    lines = list(lines)
    for _ in range(draw.choice([0, 1, 2, 5])):
        at, to = draw.randrange(len(lines)), draw.randrange(len(lines) + 1)
        match draw.randrange(6):
            case 0:
                lines[at : at + draw.choice([1, 1, 2, 4])] = []
            case 1:
                lines.insert(to, lines[at])
            case 2:
                lines.insert(min(to, len(lines) - 1), lines.pop(at))
            case 3:
                lines[at : at + 2] = reversed(lines[at : at + 2])
            case 4:
                damaged = _damaged(draw, lines[at])
                lines[at] = lines[at] if is_unfair(damaged, lines[at]) else damaged
            case _:
                lines[at:at] = lines[at : at + draw.choice([1, 3, 8])]
        lines = lines or [b"{}"]
    return lines


def _damaged(draw: Random, line: bytes) -> bytes:
    """Make a line invalid, or at least odd."""
    at = draw.randrange(len(line) + 1)
    put = draw.choice([b"\xff", b"\xed\xa0\x80", b",", b"}", b'"', b"\x00", b"\t", b"\\", b" 1"])
    return draw.choice([line[:at], line[:at] + put + line[at:], line[at:], line + put, put + line])


NOISE: Final = (b"", b"  ", b"\t", b"{", b'{"type":"', b"[]", b"5", b"null", b'"\xff"', b"{}}")
"""Lines that are no records."""


def with_noise(draw: Random, lines: Sequence[bytes]) -> list[bytes]:
    """Put lines between that are no records."""
    share = draw.choice([0, 0, 0.02, 0.1])
    return [
        each
        for line in lines
        for each in ([line, draw.choice(NOISE)] if draw.random() < share else [line])
    ]


def file_of(draw: Random, lines: Sequence[bytes]) -> bytes:
    """Put lines together: any line end, perhaps none at the end, a torn line, a byte order mark."""
    end = draw.choice([b"\n"] * 6 + [b"\r\n", None])
    ended = [line + (end or draw.choice([b"\n", b"\r\n"])) for line in lines]
    last = ended[-1].rstrip(b"\r\n")
    tail = draw.choice([b"", b"", b"", last[: draw.randrange(len(last) + 1)]])
    if not tail and draw.random() < 0.4:
        ended[-1] = last
    mark = b"\xef\xbb\xbf" if draw.random() < 0.1 else b""
    return mark + b"".join(ended) + tail
