"""Every bad input of the command line's error table gets its answer, and nothing else does."""

import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import run, spawn

CALL = b'{"type":"tool_call","name":"x","arguments":{}}\n'
DEEP = b'{"type":"tool_call","name":"x","arguments":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"


def _zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    return data.getvalue()


# Name, content, exit code, exit code under --strict (None: not asked), words on stderr.
ROWS: list[Any] = [
    ("empty", b"", 2, 2, ["the file is empty"]),
    ("blank-lines-only", b"\n\n", 2, 2, ["the file is empty"]),
    ("no-tool-calls", b'{"type":"user_message"}\n', 0, 0, ["no tool calls", "user_message (1)"]),
    ("cut-last-line", CALL * 2 + b'{"type":"tool_c', 0, 2, ["s.jsonl:3", "column 16", "2 whole"]),
    ("bad-line-in-the-middle", CALL + b"{oops}\n" + CALL, 0, 2, ["s.jsonl:2", "column 2", "skip"]),
    ("array-line", CALL + b"[1]\n" + CALL, 0, 2, ["s.jsonl:2", "an array"]),
    ("text", b"hello\nworld\n", 2, 2, ["not JSON Lines"]),
    ("html", b"<!DOCTYPE html>\n<html>\n", 2, 2, ["an HTML page"]),
    ("python-repr", b"{'a': 1}\n", 2, 2, ["a Python repr", "json.dumps"]),
    ("utf-16", '{"type":"x"}\n'.encode("utf-16"), 2, 2, ["UTF-16", "iconv"]),
    ("parquet", b"PAR1" + bytes(64) + b"PAR1", 2, 2, ["Parquet"]),
    ("zip", _zip(), 2, 2, ["a zip archive"]),
    ("array-document", b'[{"a":1},{"a":2}]', 2, 2, ["JSON array", "jq -c '.[]'"]),
    ("object-document", b'{\n "a": [1],\n "b": 2\n}\n', 2, 2, ["a, b", "jq -c '.a[]'"]),
    ("byte-order-mark", b"\xef\xbb\xbf" + CALL, 0, 0, []),
    ("crlf", CALL.replace(b"\n", b"\r\n") * 2, 0, 0, []),
    ("no-final-newline", CALL + CALL.rstrip(), 0, 0, []),
    ("blank-lines-between", CALL + b"\n\n" + CALL, 0, 0, []),
    ("gzip-without-suffix", gzip.compress(CALL * 3), 0, 0, []),
    ("invalid-utf-8", CALL + CALL.replace(b"x", b"\xff"), 0, 2, ["s.jsonl:2", "UTF-8", "column"]),
    ("lone-surrogate", CALL.replace(b'"x"', b'"\\ud800"') * 3, 0, 0, []),
    ("not-a-number", CALL.replace(b"{}", b"NaN") + CALL, 0, 2, ["s.jsonl:1", "not valid JSON"]),
    ("overflow", CALL.replace(b"{}", b"1e400") * 3, 0, 0, []),
    ("deep", DEEP + CALL, 0, 2, ["s.jsonl:1", "nested deeper"]),
    ("unknown-format", b'{"a":1}\n{"b":2}\n', 2, 2, ["unknown log format", "keys: a", "--from"]),
    (
        "newer-version",
        b'{"type":"session","schema":"repeat-reminder/session@2"}\n',
        *(2, 2, ["session@2", "session@1"]),
    ),
    (
        "newer-dsh",
        b'{"type":"session","version":9,"id":"x","createdAt":1,"delegationDepth":0}\n',
        *(2, 2, ["9"]),
    ),
    (
        "same-call-twice",
        CALL.replace(b'"name"', b'"id":"a","name"') * 2,
        *(0, 0, ["s.jsonl:2", "stands here again"]),
    ),
    (
        "result-without-call",
        CALL + b'{"type":"tool_result","call_id":"zz"}\n',
        *(0, 0, ["a result for no call: zz"]),
    ),
    (
        "call-without-result",
        CALL.replace(b'"name"', b'"id":"a","name"') + b'{"type":"tool_result","call_id":"zz"}\n',
        *(0, 0, ["call a of x has no result"]),
    ),
]


@pytest.mark.parametrize(
    ("content", "code", "strict", "words"),
    [pytest.param(*row[1:], id=row[0]) for row in ROWS],
)
def test_answer(tmp_path: Path, content: bytes, code: int, strict: int, words: list[str]) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(content)
    done = run("replay", log)
    assert (done.code, run("replay", log, "--strict").code) == (code, strict), done.err
    assert all(word in done.err for word in words), done.err
    assert bool(words) == bool(done.err.replace("note: the recorded agent", "")) or not words
    assert "Traceback" not in done.err + done.out


def test_a_database_that_no_reader_knows(tmp_path: Path) -> None:
    log = tmp_path / "s.db"
    with sqlite3.connect(log) as database:
        database.execute("create table cats (name)")
    database.close()
    done = run("replay", log)
    assert done.code == 2
    assert "an SQLite database" in done.err


PATHS: list[Any] = [
    pytest.param("nope.jsonl", ["no such file", "did you mean note.jsonl"], id="no-such-path"),
    pytest.param("*.zzz", ["no file matches"], id="glob-without-match"),
    pytest.param("sub", ["no log", "sub"], id="directory-without-logs"),
]


@pytest.mark.parametrize(("path", "words"), PATHS)
def test_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, words: list[str]
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "note.jsonl").write_bytes(CALL)
    monkeypatch.chdir(tmp_path)
    done = run("replay", path)
    assert done.code == 2
    assert all(word in done.err for word in words), done.err


def test_one_bad_file_of_a_corpus_stops_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(CALL * 3)
    done = run("replay", tmp_path, "-f", "concise")
    assert done.code == 0
    assert "b.jsonl:3: gentle" in done.out
    assert "a.jsonl: the file is empty" in done.err
    assert "1 file skipped" in done.err
    assert run("replay", tmp_path, "--strict").code == 2


def test_nothing_readable_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(b"text\n")
    assert run("replay", tmp_path).code == 2


OPTIONS: list[Any] = [
    (["--thresholds", ""], ["thresholds"]),
    (["--thresholds", "1"], ["thresholds", "1", "integer >= 2"]),
    (["--thresholds", "2.5"], ["2.5", "integer >= 2"]),
    (["--thresholds", "true"], ["true"]),
    (["--thresholds", "3,3"], ["duplicates", "3"]),
    (["--arguments-preview-chars", "0"], ["argumentsPreviewChars", "0", ">= 1"]),
    (["--policy", "remindr"], ["remindr", "did you mean reminder"]),
    (["--from", "canonicl"], ["canonicl", "canonical"]),
    (["--config", "none.yml"], ["none.yml", "no such file"]),
    (["--max-line-bytes", "0"], ["max-line-bytes"]),
]


@pytest.mark.parametrize(("words", "said"), OPTIONS, ids=lambda value: " ".join(value)[:40])
def test_options_are_checked(tmp_path: Path, words: list[str], said: list[str]) -> None:
    (tmp_path / "s.jsonl").write_bytes(CALL)
    done = run("replay", tmp_path / "s.jsonl", *words)
    assert done.code == 2
    assert all(word in done.err for word in said), done.err


def test_long_lines_are_left_out_with_a_message(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(CALL + b'{"type":"user_message","content":"' + b"x" * 5000 + b'"}\n' + CALL * 2)
    done = run("replay", log, "--max-line-bytes", "4000", "-f", "concise")
    assert done.code == 0
    assert "s.jsonl:2" in done.err
    assert "s.jsonl:4: gentle" in done.out


def test_a_decompression_bomb_stops(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl.gz"
    log.write_bytes(gzip.compress(CALL * 100_000))
    done = run("replay", log, "--max-bytes", "3000000", "-f", "jsonl")
    assert done.code == 2
    assert "more than" in done.err
    kinds = [json.loads(line)["kind"] for line in done.out.splitlines()]
    assert kinds[-2:] == ["session", "totals"]


def test_a_dead_threshold_and_an_idle_pattern_are_notes(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(CALL * 3)
    done = run("replay", log, "--thresholds", "3,40", "--exclude", "todo_write")
    assert done.code == 0
    assert "40" in done.err
    assert "todo_write" in done.err


FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PIECES = st.sampled_from(
    [
        CALL,
        CALL.rstrip(),
        b'{"type":"tool_call","id":"a","name":"x","arguments_text":"{"}\n',
        b'{"type":"tool_result","call_id":"a","content":[{"type":"text"}]}\n',
        b'{"type":"user_message","content":5,"source":{"kind":7}}\n',
        b'{"type":"session","id":null,"results":"no"}\n',
        b'{"type":"turn/start","data":{}}\n',
        b'{"type":"session","version":0,"id":"d","createdAt":1}\n',
        b'{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c","name":"x","arguments":"-0"}}\n',
        b'{"type":"agent/inbox/spliced","data":{"start":9,"removedCount":-1,"inserted":[{}]}}\n',
        b"\xff\xfe",
        b"[",
        b"null\n",
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"PK\x03\x04",
        b"SQLite format 3\x00",
    ]
)


@FUZZ
@given(st.lists(st.one_of(PIECES, PIECES, st.binary(max_size=30)), max_size=12))
@pytest.mark.parametrize("form", ["full", "jsonl", "acp"])
def test_no_input_gives_a_traceback(tmp_path: Path, form: str, pieces: list[bytes]) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"".join(pieces))
    done = run("replay", log, "-f", form)
    assert done.code in {0, 2}, done.err
    assert "internal error" not in done.err, done.err


def test_a_bug_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("\x1b[31mboom")

    monkeypatch.setattr("repeat_reminder.cli.shared.load_policies", broken)
    (tmp_path / "s.jsonl").write_bytes(CALL)
    done = run("replay", tmp_path / "s.jsonl")
    assert done.code == 3
    assert "internal error: RuntimeError" in done.err
    assert "\x1b" not in done.err
    assert "Traceback" not in done.err


def test_log_text_never_reaches_the_terminal_unescaped(tmp_path: Path) -> None:
    hostile = rb'"\u001b[31m\u202e[bold]\u0007\u2028\ud800"'
    log = tmp_path / "s.jsonl"
    log.write_bytes(CALL.replace(b'"x"', hostile).replace(b"{}", b'{"a":' + hostile + b"}") * 5)
    for form in ("full", "concise"):
        done = spawn("replay", log, "-f", form, "--color", "never")
        text = (done.stdout + done.stderr).decode()
        assert done.returncode == 0
        assert not set(text) & set("\x1b\u202e\x07\u2028")
        assert "\\x1b[31m\\u202e[bold]" in text


def test_an_output_that_is_not_utf_8_gets_escapes(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(CALL.replace(b"x", "工具".encode()) * 3)
    done = spawn("replay", log, env={"PYTHONIOENCODING": "ascii", "PATH": ""})
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"\\u5de5\\u5177" in done.stdout
