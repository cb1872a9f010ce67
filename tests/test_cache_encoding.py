"""Tables as bytes: all of a table comes back, and bytes that are no table are found out."""

import re
from array import array
from collections.abc import Callable
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec
import pytest

from repeat_reminder.errors import FormatError, SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.tune.breaker_table import BreakerTable
from repeat_reminder.tune.encoding import PART, VERSION, Damaged, decode, encode
from repeat_reminder.tune.reading import FileRead, FileReader
from repeat_reminder.tune.sound import is_sound
from repeat_reminder.tune.table import FileTable, Recorded, SessionTable

DATA = Path(__file__).parent / "data"
LOGS = [
    path
    for folder in ("claude-code", "codex", "dsh")
    for path in sorted((DATA / folder).glob("*.jsonl"))
    if path.name != "expected.jsonl"
]
LOG = DATA / "dsh" / "abort-in-step.jsonl"
"""It holds recorded reminders, several agents' worth of lanes, and a call without an end."""

EMPTY = SessionTable(session="", path="", format="")
SHAPES: dict[int, str] = {1: "e3c82a62d5c83649"}
"""By version, a digest of what is stored. Add a line with every change: see `encoding.VERSION`."""


def shape() -> str:
    """Name all that is stored, and of which type."""
    classes = (FileTable, SessionTable, BreakerTable, Recorded, Problem)
    said = [
        f"{one.__name__}.{name}: {re.sub(r'[A-Za-z_.]+[.]', '', str(kind))}"
        for one in classes
        for name, kind in get_type_hints(one).items()
    ]
    codes = [
        f"{type(one).__name__}.{name}: {code}"
        for one in (EMPTY, BreakerTable())
        for name, code in columns(one).items()
    ]
    return blake2b("\n".join(said + codes).encode(), digest_size=8).hexdigest()


def test_another_shape_has_another_version() -> None:
    assert shape() == SHAPES.get(VERSION), "raise encoding.VERSION, and note the new shape here"
    assert len(set(SHAPES.values())) == len(SHAPES)


# ---------------------------------------------------------------- there and back


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("breaker", [None, BreakerConfig()], ids=["reminder", "breaker"])
def test_all_of_a_log_comes_back(path: Path, breaker: BreakerConfig | None) -> None:
    read = FileReader(breaker=breaker)(str(path))
    assert read.table is not None
    data = encode(read)
    assert data is not None
    assert decode(data) == read


def test_a_refusal_comes_back() -> None:
    error = FormatError("no", path="a", line=3, hint="b")
    problem = Problem(
        path="a", line=None, severity=Severity.NOTE, kind="k", message="m", skipped=True
    )
    data = encode(FileRead(None, (problem,), error))
    assert data is not None
    back = decode(data)
    assert (back.table, back.problems) == (None, (problem,))
    assert isinstance(back.error, FormatError)
    assert vars(back.error) == vars(error)


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(FileRead(None, (), SourceError("no", path="a")), id="an-error-of-the-disk"),
        pytest.param(FileRead(None, (), None), id="a-crash"),
        pytest.param(FileRead(FileTable(path="\ud800")), id="half-a-character"),
        pytest.param(
            FileRead(FileTable(path="a", sessions=(replace(EMPTY, lines=1 << 64),))),
            id="a-number-without-end",
        ),
        pytest.param(
            FileRead(
                FileTable(path="a"),
                (Problem(path="a", line=1, severity=Severity.ERROR, kind=PART, message="m"),),
            ),
            id="a-part-that-cannot-be-read",
        ),
    ],
)
def test_what_may_be_otherwise_tomorrow_has_no_bytes(read: FileRead) -> None:
    assert encode(read) is None


# ---------------------------------------------------------------- bytes that are no table


def good() -> bytes:
    data = encode(FileReader(breaker=BreakerConfig())(str(LOG)))
    assert data is not None
    return data


def remade(change: Callable[[list[Any]], None]) -> bytes:
    plain: list[Any] = msgspec.msgpack.decode(good())
    change(plain)
    return msgspec.msgpack.encode(plain)


def column(name: str, value: object) -> Callable[[list[Any]], None]:
    def change(plain: list[Any]) -> None:
        plain[0]["sessions"][0][name] = value

    return change


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xc1", id="no-messagepack"),
        pytest.param(good()[:-1], id="cut"),
        pytest.param(good() + b"\0", id="more"),
        pytest.param(msgspec.msgpack.encode([None, [], None]), id="neither"),
        pytest.param(remade(lambda plain: plain.pop()), id="a-part-is-missing"),
        pytest.param(remade(column("session", 1)), id="another-type"),
        pytest.param(remade(column("lane", [0])), id="a-list-for-a-column"),
        pytest.param(remade(column("lane", b"")), id="an-empty-column"),
        pytest.param(remade(column("lane", b"u\0\0\0\0")), id="a-column-of-another-kind"),
        pytest.param(remade(column("lane", b"I\0")), id="half-a-number"),
        pytest.param(remade(column("lane", b"I\0\0\0\0")), id="too-short-a-column"),
        pytest.param(remade(column("tools", [])), id="an-index-that-leads-nowhere"),
    ],
)
def test_what_is_no_table_is_found_out(data: bytes) -> None:
    with pytest.raises(Damaged):
        decode(data)


Table = TypeVar("Table", SessionTable, BreakerTable)


def with_(table: Table, name: str, value: object) -> Table:
    changes: dict[str, Any] = {name: value}
    return replace(table, **changes)


def columns(table: SessionTable | BreakerTable) -> dict[str, str]:
    """Typecodes by name."""
    found = {field.name: getattr(table, field.name) for field in fields(table)}
    return {name: one.typecode for name, one in found.items() if isinstance(one, array)}


def session_table() -> SessionTable:
    table = FileReader(breaker=BreakerConfig())(str(LOG)).table
    assert table is not None
    (one,) = table.sessions
    assert is_sound(one)
    return one


@pytest.mark.parametrize(("name", "code"), columns(EMPTY).items())
def test_every_column_has_to_go_with_the_others(name: str, code: str) -> None:
    table = session_table()
    assert not is_sound(with_(table, name, array(code, [*getattr(table, name), 0])))
    assert not is_sound(with_(table, name, array("Q" if code != "Q" else "d", [0] * table.calls)))


@pytest.mark.parametrize(("name", "code"), columns(BreakerTable()).items())
def test_so_has_every_column_for_a_breaker(name: str, code: str) -> None:
    table = session_table()
    breaker = table.breaker
    assert breaker is not None
    longer = with_(breaker, name, array(code, [*getattr(breaker, name), 0]))
    other = with_(breaker, name, array("Q", getattr(breaker, name)))
    for wrong in (longer, other):
        assert not is_sound(replace(table, breaker=wrong))


@pytest.mark.parametrize("name", ["fps", "carried"])
def test_what_a_breaker_has_numbered_has_to_be_there(name: str) -> None:
    table = session_table()
    assert table.breaker is not None
    assert not is_sound(replace(table, breaker=with_(table.breaker, name, ())))
