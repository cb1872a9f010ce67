"""Lines of a declared shape: read for what matters, or not at all."""

import pytest
from msgspec import Raw, Struct

from repeat_reminder.formats.shared.shapes import reader_of


class Call(Struct):
    """What a reader might look at of a line."""

    name: str
    index: int = 0
    arguments: Raw = Raw()


read = reader_of(Call)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param(b'{"name":"a"}\n', "a", id="as it is"),
        pytest.param(b' { "index" : 1 , "name" : "a" }\r\n', "a", id="blanks, in another order"),
        pytest.param(rb'{"n\u0061me":"\u0061"}', "a", id="escapes"),
        pytest.param(b'{"name":"b","name":"a"}', "a", id="a key twice: the last counts"),
        pytest.param(b'{"name":"a","more":[1e999,{"name":"b"}]}', "a", id="other members"),
        pytest.param('{"name":"é","more":"é"}'.encode(), "é", id="beyond ASCII"),
    ],
)
def test_a_line_of_the_shape(line: bytes, name: str) -> None:
    found = read(line)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"index":1}', id="a member is missing"),
        pytest.param(b'{"name":null}', id="null"),
        pytest.param(b'{"name":"a","index":true}', id="a boolean for a number"),
        pytest.param(b'{"name":"a","index":1.5}', id="a fraction"),
        pytest.param(b"[]", id="an array"),
        pytest.param(b'{"name":"a"', id="torn"),
        pytest.param(b'{"name":"a"} {}', id="more behind it"),
        pytest.param(b'{"name":"a","more":"\xff"}', id="not UTF-8 where nobody looks"),
        pytest.param(b'{"name":"a","arguments":{"b":"\xff"}}', id="not UTF-8 in raw arguments"),
        pytest.param(rb'{"name":"a","more":"\ud800"}', id="half a character"),
        pytest.param(b'{"name":"a","more":"\n"}', id="a line feed in a string"),
        pytest.param(b'{"name":"a","more":01}', id="no number"),
        pytest.param(b'{"name":"a","more":%b}' % (b"[" * 5_000 + b"]" * 5_000), id="deep"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_any_other_line(line: bytes) -> None:
    assert read(line) is None


def test_raw_members_are_as_they_stand() -> None:
    found = read(b'{"name":"a","arguments": { "b" : 1.0 } }')
    assert found is not None
    assert bytes(found.arguments) == b'{ "b" : 1.0 }'
