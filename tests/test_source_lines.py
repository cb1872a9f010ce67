"""Bytes to numbered lines, however they are cut."""

import os
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import chain
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from repeat_reminder.events import Problem, Severity
from repeat_reminder.source import Drop, Limits, lines, open_log

Numbered: TypeAlias = list[tuple[int, bytes]]
BOM = b"\xef\xbb\xbf"


def never(problem: Problem) -> None:
    pytest.fail(f"unexpected: {problem.message}")


def reference(content: bytes) -> Numbered:
    """Split in the slow and obvious way."""
    *whole, last = content.removeprefix(BOM).split(b"\n")
    texts = [line.removesuffix(b"\r") for line in whole] + [last]
    return [(n, text) for n, text in enumerate(texts, 1) if text.strip(b" \t\r")]


NO_FILE = os.open(os.devnull, os.O_RDONLY)


class Pieces(BytesIO):
    """A pipe that gives its content in pieces of its own choice."""

    def __init__(self, pieces: list[bytes]) -> None:
        """Take what to give."""
        super().__init__()
        self._pieces: Iterator[bytes] = filter(None, pieces)

    def fileno(self) -> int:
        """Look like something that is not all there."""
        return NO_FILE

    def read1(self, size: int | None = -1, /) -> bytes:
        """Give the next piece, whatever size is asked for."""
        del size
        return next(self._pieces, b"")


def cut(content: bytes, places: list[int]) -> list[bytes]:
    """Cut bytes at the given places."""
    ends = sorted(place % (len(content) + 1) for place in places)
    return [content[a:b] for a, b in zip([0, *ends], [*ends, len(content)], strict=True)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", []),
        (b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (b"a\nb", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r\n", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\nc", [(1, b"a"), (2, b"b"), (3, b"c")]),
        (b"a\rb\n", [(1, b"a\rb")]),
        (b"a\r\r\n", [(1, b"a\r")]),
        (b"a\r", [(1, b"a\r")]),
        (b"\n\na\n\nb\n\n", [(3, b"a"), (5, b"b")]),
        (b"\r\n \t\r\na\n", [(3, b"a")]),
        (b"a\n  ", [(1, b"a")]),
        (b"  a  \n", [(1, b"  a  ")]),
        (b"\xef\xbb\xbfa\nb\n", [(1, b"a"), (2, b"b")]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n\xef\xbb\xbfa\n", [(2, b"\xef\xbb\xbfa")]),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", [(1, b"\xef\xbb\xbfa")]),
        ("a\u2028b\u2029c\x85d\n".encode(), [(1, "a\u2028b\u2029c\x85d".encode())]),
        (b"a\x0bb\x0cc\x1cd\x1ee\n", [(1, b"a\x0bb\x0cc\x1cd\x1ee")]),
        (b"a\x00\n\x00\n", [(1, b"a\x00"), (2, b"\x00")]),
        (b"\xff\xfe\xfd\n", [(1, b"\xff\xfe\xfd")]),
    ],
    ids=[
        "empty",
        "only a line end",
        "lf",
        "no final newline",
        "crlf",
        "mixed",
        "a lone cr is no line end",
        "only one cr is taken off",
        "a cr at the very end stays",
        "blank lines count but are not given",
        "blank with spaces, tabs, cr",
        "a last line of spaces is blank",
        "spaces around text stay",
        "a byte order mark goes",
        "nothing but a byte order mark",
        "only the first line's mark goes",
        "only one mark goes",
        "unicode line separators are text",
        "ascii separators are text",
        "zero bytes are text",
        "bytes that are no utf-8 are text",
    ],
)
def test_lines(content: bytes, expected: Numbered) -> None:
    with open_log("-", stdin=BytesIO(content)) as log:
        assert list(log.lines(never)) == expected == reference(content)


@pytest.mark.parametrize(
    ("content", "count", "ended"),
    [
        (b"", 0, True),
        (b"a\n", 1, True),
        (b"a", 1, False),
        (b"a\n\n\n", 3, True),
        (b"a\n ", 2, False),
        (b"a\nb\r\n", 2, True),
        (b"a\nb\r", 2, False),
    ],
)
def test_the_end_is_known(content: bytes, count: int, *, ended: bool) -> None:
    with open_log("-", stdin=BytesIO(content)) as log:
        list(log.lines(never))
        assert (log.line_count, log.ended_with_newline) == (count, ended)


texts = st.lists(
    st.sampled_from([b"a", b"{}", b" ", b"\t", b"\r", b"\n", b"\r\n", BOM, b"\xe2\x80\xa8", b"\0"])
).map(b"".join)
places = st.lists(st.integers(min_value=0, max_value=1 << 16), max_size=8)


@given(content=texts, places=places)
@example(content=b"a\r\nb", places=[2])
@example(content=BOM + b"a\n", places=[1, 2])
@example(content=b"SQLite for\n", places=[1, 3])
def test_lines_do_not_depend_on_how_they_come(content: bytes, places: list[int]) -> None:
    with open_log("-", stdin=Pieces(cut(content, places))) as log:
        assert list(log.lines(never)) == reference(content)
        assert log.line_count == len(content.removeprefix(BOM).split(b"\n")) - (
            content.removeprefix(BOM)[-1:] in (b"\n", b"")
        )


@given(content=texts, places=places, look=st.integers(1, 20), lines=st.integers(0, 4))
def test_looking_changes_nothing(content: bytes, places: list[int], look: int, lines: int) -> None:
    with open_log("-", stdin=Pieces(cut(content, places))) as log:
        head = log.head(look)
        assert content.removeprefix(BOM)[:look].startswith(head)
        assert len(head) == look or b"\n" in head or head == content.removeprefix(BOM)
        assert log.peek(lines) == [text for _, text in reference(content)][:lines]
        assert log.text() == content.removeprefix(BOM)
        assert list(log.lines(never)) == reference(content)


@given(content=texts, places=places, limit=st.integers(1, 6))
@example(content=b"aaaa\naa\n", places=[], limit=3)
@example(content=b"aaa\r\n", places=[3, 4], limit=3)
@example(content=b"aaaa\r\n", places=[3, 4], limit=3)
def test_long_lines_are_left_out_and_told(content: bytes, places: list[int], limit: int) -> None:
    problems: list[Problem] = []
    stream = Pieces(cut(content, places))
    with open_log("-", stdin=stream, limits=Limits(max_line_bytes=limit)) as log:
        given = list(log.lines(problems.append))
    *whole, last = content.removeprefix(BOM).split(b"\n")
    sizes = [len(line.removesuffix(b"\r")) for line in whole] + [len(last)]
    assert given == [(n, text) for n, text in reference(content) if len(text) <= limit]
    assert [p.line for p in problems] == [n for n, size in enumerate(sizes, 1) if size > limit]


def judged_by(judge: Drop, giant: int, head: int) -> Callable[[bytes, list[int]], Numbered]:
    """Return a reader for which lines longer than ``giant`` are giants."""

    def read(content: bytes, places: list[int]) -> Numbered:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lines, "GIANT", giant)
            patch.setattr(lines, "GIANT_HEAD", head)
            with open_log("-", stdin=Pieces(cut(content, places))) as log:
                return list(log.lines(never, judge))

    return read


@given(content=texts, places=places)
@example(content=b"aaaa\r\naaaaa\r\n", places=[4, 5])
def test_giant_lines_are_judged_once_by_their_beginning(content: bytes, places: list[int]) -> None:
    asked: list[bytes] = []

    def starts_with_a(_: int, head: bytes) -> bool:
        asked.append(head)
        return head.startswith(b"a")

    given = judged_by(starts_with_a, giant=4, head=3)(content, places)
    giants = [text for _, text in reference(content) if len(text) > 4]
    kept = [(n, t) for n, t in reference(content) if len(t) <= 4 or not t.startswith(b"a")]
    assert given == kept
    assert [head for head in asked if head.strip(b" \t\r")] == [
        giant[:3] for giant in giants if giant[:3].strip(b" \t\r")
    ]


@given(content=texts, places=places, limit=st.integers(1, 4))
def test_a_line_over_a_small_limit_is_told_not_judged(
    content: bytes, places: list[int], limit: int
) -> None:
    problems: list[Problem] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "GIANT", 4)
        stream = Pieces(cut(content, places))
        with open_log("-", stdin=stream, limits=Limits(max_line_bytes=limit)) as log:
            given = list(log.lines(problems.append, lambda _, __: True))
    assert given == [(n, text) for n, text in reference(content) if len(text) <= limit]
    long = [n for n, text in reference(content) if len(text) > limit]
    assert set(long) <= {p.line for p in problems}


def test_a_giant_line_may_be_dropped_in_silence() -> None:
    giant = b'{"noise":"' + b"x" * (3 << 20) + b'"}'
    content = b"\n".join([b'{"a":1}', giant, b'{"b":2}', giant.replace(b"noise", b"music"), b""])
    asked: list[tuple[int, int]] = []

    def noise(number: int, head: bytes) -> bool:
        asked.append((number, len(head)))
        return b"noise" in head

    with open_log("-", stdin=BytesIO(content)) as log:
        given = list(log.lines(never, noise))
    assert [(n, len(text)) for n, text in given] == [(1, 7), (3, 7), (4, len(giant))]
    assert asked == [(2, 1024), (4, 1024)]


@given(content=texts, places=places)
def test_raw_lines_are_the_same_with_their_ends(content: bytes, places: list[int]) -> None:
    with open_log("-", stdin=Pieces(cut(content, places))) as log:
        found = [line for block in log.blocks(never) for line in block]
    assert found == list(enumerate(BytesIO(content.removeprefix(BOM)).readlines(), 1))


def test_a_giant_last_line_without_line_end_may_be_dropped() -> None:
    content = b"a\n" + b"x" * (1 << 20)
    with open_log("-", stdin=BytesIO(content)) as log:
        assert list(log.lines(never, lambda _, __: True)) == [(1, b"a")]
        assert (log.line_count, log.ended_with_newline) == (2, False)


def test_what_is_said_of_a_long_line() -> None:
    problems: list[Problem] = []
    limits = Limits(max_line_bytes=1 << 20)
    with open_log("-", stdin=BytesIO(b"a\n" + b"x" * (2 << 20) + b"\nb\n"), limits=limits) as log:
        assert list(log.lines(problems.append)) == [(1, b"a"), (3, b"b")]
    assert problems == [
        Problem(
            path="-",
            line=2,
            severity=Severity.WARNING,
            kind="long-line",
            message="the line is longer than 1 MiB; skipped",
            hint="--max-line-bytes raises the limit",
            skipped=True,
        )
    ]


def test_lines_come_without_waiting_for_the_next_piece() -> None:
    def pieces() -> Iterator[bytes]:
        for number in range(1, 4):
            written.append(number)
            yield b"line\nhalf" if number == 1 else b" line\nhalf"

    written: list[int] = []
    splitter = lines.Splitter(pieces(), path="x", max_line_bytes=99, report=never)
    numbered = chain.from_iterable(splitter.blocks())
    assert next(numbered) == (1, b"line")
    assert written == [1]
    assert next(numbered) == (2, b"half line")
    assert written == [1, 2]
