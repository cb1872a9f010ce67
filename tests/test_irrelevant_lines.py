"""The fast path leaves out lines unparsed: what it says is what a reading of every line says."""

import random
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import orjson
import pytest

from repeat_reminder.events import Event, Json, Problem
from repeat_reminder.formats import by_name, claude_code, codex, dsh, formats
from repeat_reminder.formats.dsh.story import TOLD, Story
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.session import Session
from repeat_reminder.source import open_log
from tests.benchmarks.corpora import CORPORA
from tests.benchmarks.drawing import Generator, Lines
from tests.command import run
from tests.respellings import SPELLINGS, Spell, mixed
from tests.test_late_results import START

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[2] / "shared" / "sessions"
FILES = sorted(path for path in [*DATA.rglob("*"), *SHARED.rglob("*")] if path.is_file())


def events(path: Path, *, every_line: bool, form: str | None = None) -> list[Event] | str:
    chosen = None if form is None else by_name(form)
    try:
        with open_log(str(path)) as log:
            return list(read_log(log, chosen, every_line=every_line))
    except Exception as error:  # noqa: BLE001 - both ways must fail alike
        return repr(error)


def corpus(name: str, seed: int, size: int = 120_000) -> list[bytes]:
    """Write a small log of the benchmark, with the lines of real logs that say nothing."""
    text = BytesIO()
    CORPORA[name](Generator(seed), Lines(text.write), size)
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    lines = text.getvalue().splitlines()
    noise = [orjson.dumps(record) for record in NOISE[name]]
    return [each for line in lines for each in _with_noise(draw, line, noise)]


def _with_noise(draw: random.Random, line: bytes, noise: list[bytes]) -> Iterator[bytes]:
    yield line
    if noise and draw.random() < 0.6:
        yield draw.choice(noise)


TIME = "2026-01-02T03:04:05.678Z"
LINKED: dict[str, Json] = {"parentUuid": "u-1", "isSidechain": False, "sessionId": "other"}


def _codex(kind: str, **payload: Json) -> dict[str, Json]:
    return {"timestamp": TIME, "type": kind, "payload": payload}


NOISE: dict[str, list[dict[str, Json]]] = {
    "claude": [
        {**LINKED, "type": "progress", "data": {"type": "bash_progress"}, "uuid": "u-2"},
        {**LINKED, "isSidechain": True, "type": "progress", "data": {}, "uuid": "u-3"},
        {**LINKED, "isSidechain": True, "agentId": "a1", "type": "progress", "uuid": "u-4"},
        {"type": "progress", "uuid": "u-5", "isSidechain": False, "data": {}},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"a": [1]}},
        {"type": "summary", "summary": "said", "leafUuid": "u-1"},
        {**LINKED, "type": "system", "subtype": "compact_boundary", "uuid": "u-6"},
    ],
    "codex": [
        _codex("response_item", type="reasoning", summary=[], encrypted_content="x"),
        _codex("response_item", type="message", role="developer", content=[]),
        _codex("event_msg", type="agent_message", message="done"),
        _codex("event_msg", type="turn_aborted", reason="interrupted"),
        _codex("event_msg", type="user_message", message="go on"),
        _codex("response_item", type="message", role="user",
               content=[{"type": "input_text", "text": "go on"}]),
        _codex("turn_context", cwd="/repo"),
        _codex("session_meta", id="t-other", forked_from_id="t-first"),
    ],
    "dsh": [
        {"type": "assistant/chunk", "data": {"chunk": {"type": "text-delta", "text": "x"}}},
        {"type": "text-chunks", "data": {"texts": ["a", "b", "c"]}},
        {"type": "request/header", "data": {}},
        {"type": "no/such-type", "data": {}},
        {"type": "session/end-seed", "data": {"inherited": True}},
        {"type": "session", "version": 0, "id": "fork", "createdAt": 0, "seedLength": 7},
    ],
    "canonical": [{"type": "assistant_message", "content": "hm"}],
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_recorded_logs_read_alike(path: Path) -> None:
    assert events(path, every_line=False) == events(path, every_line=True)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("spell", [*SPELLINGS.values(), mixed], ids=[*SPELLINGS, "mixed"])
@pytest.mark.parametrize("name", CORPORA)
def test_respelled_logs_read_alike(name: str, spell: Spell, end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for seed in range(3):
        draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
        lines = [spell(draw, line) for line in corpus(name, seed, 60_000)]
        path.write_bytes(end.join(lines) + (end if seed else b""))
        form = claude_code.FORMAT.name if name == "claude" else name
        whole = events(path, every_line=True, form=form)
        assert events(path, every_line=False, form=form) == whole
        assert len(whole) > 25


PROVED = {"claude": claude_code.FORMAT, "codex": codex.FORMAT, "dsh": dsh.FORMAT}


@pytest.mark.parametrize("name", PROVED)
def test_lines_are_left_out_at_all(name: str) -> None:
    irrelevant = PROVED[name].irrelevant
    assert irrelevant is not None
    left_out = [line for line in corpus(name, 1) if irrelevant(line)]
    assert len(left_out) > 5


@pytest.mark.parametrize("cut", [True, False], ids=["torn", "whole"])
@pytest.mark.parametrize("name", PROVED)
def test_a_last_line_is_parsed_whatever_it_is(name: str, *, cut: bool, tmp_path: Path) -> None:
    irrelevant = PROVED[name].irrelevant
    assert irrelevant is not None
    lines = corpus(name, 1)
    last = next(line for line in lines if irrelevant(line))
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join([*lines, last[:-1] if cut else last]))
    found = events(path, every_line=False)
    assert found == events(path, every_line=True)
    assert cut == any(isinstance(event, Problem) and event.kind == "torn-line" for event in found)


INNER = b'Z","type":"response_item","payload":{"type":"reasoning"}'
OUTER = b',"type":"response_item","payload":{"type":"function_call"}}'


@pytest.mark.parametrize(
    ("name", "line", "proved"),
    [
        pytest.param("dsh", b'{"type":"assistant/chunk","data":{}}', True, id="dsh: a chunk"),
        pytest.param("dsh", b'{"type":"tool/call","data":{}}', False, id="dsh: a call"),
        pytest.param("dsh", b'{"type":"assistant/chunk\\u0021"}', False, id="dsh: an escape"),
        pytest.param("dsh", b'{"data":{"type":"assistant/chunk"}}', False, id="dsh: inside"),
        pytest.param("codex", b'{"timestamp":"%s%s}' % (b"0" * 23, INNER), True, id="codex"),
        pytest.param(
            "codex",
            b'{"timestamp":"","x":{"y":"%s%s}%s' % (b"0" * 11, INNER, OUTER),
            False,
            id="codex: another object's type and payload",
        ),
        pytest.param(
            "claude",
            b'{"parentUuid":null,"isSidechain":false,"type":"progress","data":{}}',
            True,
            id="claude: progress",
        ),
        pytest.param(
            "claude",
            b'{"parentUuid":null,"isSidechain":true,"agentId":"a","type":"progress","data":{}}',
            True,
            id="claude: progress of a subagent",
        ),
        pytest.param(
            "claude",
            b'{"parentUuid":null,"isSidechain":true,"type":"progress","data":{}}',
            False,
            id="claude: progress of an inline sidechain",
        ),
        pytest.param(
            "claude",
            b'{"type":"progress","data":{"isSidechain":false,"x":1},"isSidechain":true}',
            False,
            id="claude: another object's sidechain",
        ),
        pytest.param(
            "claude",
            b'{"parentUuid":null,"isSidechain":false,"x":[0,"type","progress",{"a":0,"type":'
            b'"progress","b":0}],"type":"user"}',
            False,
            id="claude: another object's type",
        ),
        pytest.param(
            "claude",
            b'{"parentUuid":"\\",","isSidechain":false,"type":"progress","x":1}',
            False,
            id="claude: behind a backslash",
        ),
    ],
)
def test_what_a_line_proves(name: str, line: bytes, *, proved: bool) -> None:
    irrelevant = PROVED[name].irrelevant
    assert irrelevant is not None
    assert irrelevant(line) is proved


BAD = {"not JSON": b'"x":', "invalid UTF-8": b'"x":"\xff"}'}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("name", PROVED)
def test_only_validation_tells_what_is_wrong_with_an_irrelevant_line(
    name: str, bad: bytes, tmp_path: Path
) -> None:
    irrelevant = PROVED[name].irrelevant
    assert irrelevant is not None
    lines = corpus(name, 1)
    path = tmp_path / "log.jsonl"
    damaged = [line[:-1] + b"," + bad if irrelevant(line) else line for line in lines]
    path.write_bytes(b"\n".join([*damaged, lines[1], b""]))
    fast, whole = (events(path, every_line=every_line) for every_line in (False, True))
    assert [e for e in whole if not isinstance(e, Problem) and not _is_end(e)] == [
        e for e in fast if not isinstance(e, Problem) and not _is_end(e)
    ]
    assert sum(isinstance(event, Problem) for event in whole) > sum(
        isinstance(event, Problem) for event in fast
    )


def _is_end(event: Event | str) -> bool:
    return type(event).__name__ == "SessionEnd"


@pytest.mark.parametrize("name", PROVED)
def test_a_log_without_calls_tells_every_record_it_has(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = [line for line in corpus(name, 1) if b"call" not in line and b"tool_use" not in line]
    path.write_bytes(b"\n".join(lines))
    found = events(path, every_line=False)
    assert found == events(path, every_line=True)
    assert any(isinstance(event, Problem) and event.kind == "no-calls" for event in found)


@pytest.mark.parametrize("last", [True, False], ids=["last", "inside"])
@pytest.mark.parametrize("name", PROVED)
def test_a_giant_that_is_left_out_counts_as_a_line(
    name: str, *, last: bool, tmp_path: Path
) -> None:
    irrelevant = PROVED[name].irrelevant
    assert irrelevant is not None
    lines = corpus(name, 1)
    giant = next(line for line in lines if irrelevant(line))[:-1] + b',"x":"%s"}' % (b"y" * 300_000)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join([*lines, giant, *([] if last else lines[-1:]), b""]))
    assert events(path, every_line=False) == events(path, every_line=True)


def test_only_formats_of_lines_prove_anything() -> None:
    assert {form.name for form in formats() if form.irrelevant} == {"claude-code", "codex", "dsh"}


def test_the_dsh_types_that_are_told_are_those_with_a_handler() -> None:
    assert Story(Session(START))._handlers.keys() == TOLD  # noqa: SLF001 - the table itself


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        pytest.param([], 0, False, id="left out by default"),
        pytest.param(["--validate"], 0, True, id="--validate tells"),
        pytest.param(["--strict"], 2, True, id="--strict parses every line"),
    ],
)
def test_what_the_command_line_tells_of_a_damaged_chunk(
    words: list[str], code: int, *, told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    lines = corpus("dsh", 1, 20_000)
    path.write_bytes(b"\n".join([*lines, b'{"type":"assistant/chunk","data":', lines[-1], b""]))
    done = run("replay", path, *words)
    assert done.code == code
    assert ("not valid JSON" in done.err) is told
