"""``repeat-reminder validate``: everything that is wrong with a log, and whether it is usable."""

import json
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

from repeat_reminder.events import Json, Problem, Severity
from repeat_reminder.formats.model import Record
from repeat_reminder.render.look import Look
from repeat_reminder.render.validation import Totals, concise, full, github, json_document, jsonl
from repeat_reminder.source import open_log
from repeat_reminder.validate import LogReport, Usability, validate
from tests.command import run
from tests.conversions import DATA, LOGS, ROOT, name_of
from tests.notation import assistant, call, result, session, user

Found = tuple[str, int | None, str]
"""Severity, line, message of a problem."""


def written(path: Path, *records: Record | str) -> Path:
    """Write records, and lines as they are, as one log."""
    lines = (each if isinstance(each, str) else json.dumps(each) for each in records)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def validated(path: Path, *, strict: bool = False) -> tuple[list[Problem], LogReport]:
    with open_log(str(path)) as log:
        *problems, report = validate(log, strict=strict)
    assert isinstance(report, LogReport)
    return [each for each in problems if isinstance(each, Problem)], report


def found_in(path: Path, *, strict: bool = False) -> list[Found]:
    problems, _ = validated(path, strict=strict)
    return [(each.severity.value, each.line, each.message) for each in problems]


def hints_in(path: Path) -> list[str | None]:
    return [each.hint for each in validated(path)[0]]


# ---------------------------------------------------------------- keys and types of our own log


@pytest.mark.parametrize(
    ("record", "key", "hint"),
    [
        (call("X") | {"argument": 1}, "argument", "did you mean arguments?"),
        (call("X") | {"Arguments_Text": ""}, "Arguments_Text", "did you mean arguments_text?"),
        (call("X") | {"agnt": "a"}, "agnt", "did you mean agent?"),
        (result("a") | {"callid": "a"}, "callid", "did you mean call_id?"),
        (result("a") | {"exitcode": 1}, "exitcode", "did you mean exit_code?"),
        (user() | {"contents": ""}, "contents", "did you mean content?"),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest_known_one(
    record: Record, key: str, hint: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a"), record)
    (problem,) = [each for each in validated(path)[0] if each.kind == "unknown-key"]
    assert (problem.severity, problem.line) == (Severity.WARNING, 2)
    assert problem.message == f"{record['type']}: unknown key {key!r}"
    assert problem.hint == hint


def test_a_key_that_is_like_none_is_told_with_all(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"type": "step_end", "qqq": 1})
    assert hints_in(path)[0] == (
        "a key of your own begins with x_, or stands inside meta; "
        "step_end has agent, meta, step, ts, turn, type"
    )


@pytest.mark.parametrize("key", ["ts", "meta", "x_mine", "x_"])
def test_reserved_keys_are_known_everywhere(key: str, tmp_path: Path) -> None:
    values: dict[str, Json] = {"meta": {}, "ts": 5}
    value = values.get(key, "anything")
    records = [record | {key: value} for record in session("u X sub:X . c r")]
    assert found_in(written(tmp_path / "s.jsonl", *records)) == []


def test_a_misspelt_type_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a"), {"type": "tool_reslt"}, result("a"))
    assert found_in(path) == [("note", 2, "unknown record type 'tool_reslt'; skipped")]
    assert hints_in(path) == ["did you mean tool_result?"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ts": "soon"}, "tool_call: ts is no time"),
        ({"meta": []}, "tool_call: meta is not an object"),
        ({"step": 0}, "tool_call: step is 0"),
        ({"turn": -1, "step": 1}, "tool_call: turn is -1"),
    ],
)
def test_values_that_nobody_reads_are_told(values: Record, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a") | values, result("a"))
    assert found_in(path) == [("warning", 1, message)]


def test_keys_of_other_formats_are_their_own(tmp_path: Path) -> None:
    lines = (DATA / "claude-code" / "denied.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) | {"anything": 1} for line in lines]
    kinds = [each.kind for each in validated(written(tmp_path / "s.jsonl", *records))[0]]
    assert "unknown-key" not in kinds


# ---------------------------------------------------------------- what an importer gets wrong


def test_an_id_that_stands_there_twice(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a"), result("a"), call("X", "a"), result("a"))
    assert found_in(path) == [
        ("warning", 3, "call a stands here again"),
        ("note", 4, "a second result for call a; ignored"),
    ]
    assert validated(path)[1].duplicates_dropped == 1


def test_a_result_without_a_call(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a"), result("a"), result("b"))
    assert found_in(path) == [("note", 3, "a result for no call: b; ignored")]


def test_calls_without_results(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a"), call("X"), call("X", "c"), result("c"))
    assert sorted(found_in(path)) == [
        ("note", 1, "call a of X has no result: it does not count"),
        ("note", 2, "a call of X has no id, so no result can be its own: unfinished"),
    ]
    report = validated(path)[1]
    assert (report.calls, report.settled, report.unfinished) == (3, 1, 2)


def test_results_out_of_order(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl", call("X", "a"), call("Y", "b"), result("b"), result("a"), user()
    )
    what = "the result of call b of Y stands before that of an earlier call: it counts at line 4"
    assert found_in(path) == [("note", 3, what)]


def test_a_late_result(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a"), assistant(), result("a"))
    what = "the result of call a of X came after its step had ended: it counts where it stands"
    assert found_in(path) == [("note", 3, what)]


def test_results_in_order_are_nothing_to_tell(tmp_path: Path) -> None:
    records = [call("X", "a"), call("Y", "b"), result("a"), result("b"), *session("u X sub:X X")]
    assert found_in(written(tmp_path / "s.jsonl", *records)) == []


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("claude-code/denied.jsonl", "codex/steps.jsonl"),
        ("dsh/empty-args.jsonl", "codex/steps.jsonl"),
    ],
)
def test_records_of_another_format_in_between(own: str, other: str, tmp_path: Path) -> None:
    lines = [(DATA / name).read_text("utf-8") for name in (own, other)]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(lines), "utf-8")
    (problem,) = [each for each in validated(path)[0] if each.kind == "mixed-formats"]
    assert (problem.severity, problem.line) == (Severity.ERROR, lines[0].count("\n") + 1)
    names = [name.partition("/")[0] for name in (other, own)]
    assert problem.message.endswith(f"look like {names[0]} in a log of {names[1]}: not read")
    assert run("validate", path).code == 1


def test_the_reader_is_the_first_that_knows_a_record(tmp_path: Path) -> None:
    lines = (DATA / "claude-code" / "denied.jsonl").read_text("utf-8").splitlines()
    path = written(tmp_path / "s.jsonl", *lines, call("X", "a"), result("a"))
    (problem,) = [each for each in validated(path)[0] if each.kind == "mixed-formats"]
    assert problem.line == 1
    assert problem.message == (
        f"{len(lines)} records look like claude-code in a log of canonical: not read"
    )


# ---------------------------------------------------------------- what other commands tell too


@pytest.mark.parametrize(
    ("line", "severity", "message"),
    [
        ("{oops", "warning", "not valid JSON"),
        ("[1]", "warning", "not a JSON object but an array"),
        ('{"type":"tool_call","arguments":{}}', "error", "tool_call: needs name, a string"),
        (
            '{"type":"tool_call","name":"X","arguments":{},"arguments_text":"[]"}',
            "error",
            "tool_call: arguments and arguments_text differ",
        ),
    ],
)
def test_a_bad_line_in_the_middle(line: str, severity: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *session("X"), line, *session("X"))
    bad = [each for each in found_in(path) if each[1] == 3]
    assert len(bad) == 1
    assert bad[0][0] == severity
    assert bad[0][2].startswith(message)


def test_a_cut_last_line_is_no_error(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *session("X X"))
    path.write_bytes(path.read_bytes()[:-9])
    problems, report = validated(path)
    assert [(each.severity, each.kind) for each in problems] == [
        (Severity.WARNING, "torn-line"), (Severity.NOTE, "unfinished"),
    ]  # fmt: skip
    assert report.usability is Usability.PARTLY
    assert run("validate", path).code == 0


def test_a_strict_run_makes_errors_of_what_was_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *session("X"), "{oops", *session("X"))
    assert [each[0] for each in found_in(path, strict=True)][:1] == ["error"]
    assert (run("validate", path).code, run("validate", path, "--strict").code) == (0, 1)


# ---------------------------------------------------------------- the verdict


@pytest.mark.parametrize(
    ("records", "usability"),
    [
        (session("u X"), Usability.USABLE),
        ([*session("X"), "{oops", *session("X")], Usability.PARTLY),
        (session("u ."), Usability.EMPTY),
        ([*session("X"), {"type": "tool_call"}], Usability.UNUSABLE),
    ],
    ids=["all well", "a line left out", "no calls", "an error"],
)
def test_a_log_is_judged(records: list[Record | str], usability: Usability, tmp_path: Path) -> None:
    assert validated(written(tmp_path / "s.jsonl", *records))[1].usability is usability


def test_what_is_in_a_log_is_counted(tmp_path: Path) -> None:
    log = session("u X sub:X X sub:X!")
    path = written(
        tmp_path / "s.jsonl", {"type": "session", "id": "a"}, *log, {"type": "session"}, *log
    )
    report = validated(path)[1]
    assert (report.format, report.evidence) == (
        "canonical",
        "a record of type tool_call with name and arguments",
    )
    assert (report.sessions, report.agents, report.calls, report.settled) == (2, 4, 8, 8)
    assert (report.lines, report.skipped_lines, report.records_results) == (20, 0, True)


def test_a_log_without_results_says_so(tmp_path: Path) -> None:
    report = validated(written(tmp_path / "s.jsonl", call("X"), call("X")))[1]
    assert not report.records_results
    assert (report.settled, report.unfinished) == (2, 0)


@pytest.mark.parametrize("path", [pytest.param(log, id=name_of(log)) for log in LOGS])
def test_sound_logs_have_no_errors(path: Path) -> None:
    problems, report = validated(path)
    assert [each.message for each in problems if each.severity is Severity.ERROR] == []
    assert report.usability is not Usability.UNUSABLE


def test_all_problems_are_told(tmp_path: Path) -> None:
    records = [call("X", "a") | {"oops": 1} for _ in range(20)]
    done = run("validate", written(tmp_path / "s.jsonl", *records), "-f", "concise")
    assert done.out.count("unknown key 'oops'") == 20
    assert done.out.count("stands here again") == 19


# ---------------------------------------------------------------- the command


def test_each_log_has_a_line_that_says_what_it_is(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *session("u X X"), call("X", "z"))
    done = run("validate", path, "--color", "never")
    assert done.err == ""
    assert done.out.splitlines() == [
        f"note: {path}:6: call z of X has no result: it does not count",
        (
            f"{path}: usable · canonical: a record of type tool_call with name and arguments · "
            "1 session, 3 calls, 1 unfinished · 6 lines, 0 skipped · 1 note"
        ),
    ]


def test_of_many_logs_the_last_line_says_how_many(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", *session("X"))
    written(tmp_path / "b.jsonl", "<html>")
    written(tmp_path / "c.jsonl", *session("."))
    done = run("validate", tmp_path)
    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "3 logs: 1 usable, 1 nothing to count, 1 not usable · 1 error, 1 note"
    )


@pytest.mark.parametrize("form", ["full", "concise", "json", "jsonl", "github"])
def test_hostile_text_is_escaped(form: str, tmp_path: Path) -> None:
    bad = "\x1b[2J\u202e[bold]\n::error::gone"
    path = written(tmp_path / "s.jsonl", call(bad, bad) | {bad: 1}, {"type": bad})
    done = run("validate", path, "-f", form)
    assert done.code == 0
    assert "\x1b" not in done.out
    assert not any(line.startswith("::error::gone") for line in done.out.splitlines())
    if form not in {"json", "jsonl"}:
        assert "\u202e" not in done.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"<html></html>", "it looks like an HTML page"),
        (b'{"a":1}\n{"b":2}\n', "unknown log format; its first record has the keys: a"),
        (b'{"type":"session","schema":"repeat-reminder/session@2"}\n', "is not one that this"),
        (b'{"type":"session","version":9,"createdAt":1}\n', "newer than any that is read"),
        (b"\xff\xfeu\x00", "it looks like UTF-16 text"),
    ],
    ids=["empty", "html", "unknown", "newer canonical", "newer dsh", "utf-16"],
)
def test_what_is_no_log_is_an_error(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    done = run("validate", path)
    assert done.code == 1
    assert message in done.out
    assert done.out.splitlines()[-1].startswith(f"{path}: not usable")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere.jsonl",), "no such file or folder"),
        (("*.nothing",), "no file matches this pattern"),
        (("--from", "what", "-"), "no format is called 'what'"),
    ],
)
def test_no_log_at_all_is_a_usage_error(words: tuple[str, ...], message: str) -> None:
    done = run("validate", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_damaged_archive_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.jsonl", "{}")
    path.write_bytes(path.read_bytes()[:-20])
    assert run("validate", path).code == 2


def test_standard_input_is_a_log_too(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *session("X"))
    done = run("validate", "-", stdin=path.read_bytes())
    assert (done.code, done.out[:11]) == (0, "-: usable ·")


def test_quiet_tells_errors_only(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", call("X", "a") | {"nme": 1}, {"type": "tool_call"})
    done = run("validate", path, "-q", "-f", "concise")
    assert done.code == 1
    assert [line.split(": ")[1] for line in done.out.splitlines()] == ["error", "not usable"]


# ---------------------------------------------------------------- outputs

PROBLEMS: Final = (
    Problem(
        path="s.jsonl",
        line=3,
        severity=Severity.WARNING,
        kind="odd",
        message="odd, 5%",
        hint="why?",
    ),
    Problem(path="s.jsonl", line=None, severity=Severity.ERROR, kind="bad", message="bad"),
)
REPORT: Final = LogReport(
    path="s.jsonl",
    format="dsh",
    evidence="a header",
    compression="zstd",
    records_results=False,
    sessions=1,
    agents=2,
    calls=1200,
    settled=1199,
    unfinished=1,
    lines=4000,
    skipped_lines=1,
    duplicates_dropped=2,
    problems={Severity.WARNING: 1, Severity.ERROR: 1},
)


def watched() -> tuple[Any, Totals]:
    totals = Totals()
    return totals.watch([*PROBLEMS, REPORT]), totals


def test_for_people() -> None:
    assert list(full(*watched(), Look())) == [
        "warning: s.jsonl:3: odd, 5%",
        "hint: why?",
        "error: s.jsonl: bad",
        (
            "s.jsonl: not usable · dsh: a header · zstd · 1 session, 2 agents, 1,200 calls, "
            "1 unfinished, 2 copies dropped, no results: calls count where they stand · "
            "4,000 lines, 1 skipped · 1 error, 1 warning"
        ),
    ]


def test_for_grep() -> None:
    assert list(concise(watched()[0], Look())) == [
        "s.jsonl:3: warning: odd, 5%",
        "s.jsonl: error: bad",
        (
            "s.jsonl: not usable: dsh 1 session, 2 agents, 1,200 calls, 1 unfinished, "
            "2 copies dropped, no results: calls count where they stand"
        ),
    ]


def test_for_github() -> None:
    assert list(github(watched()[0], Look())) == [
        "::warning file=s.jsonl,line=3,title=odd::odd, 5%25%0Awhy?",
        "::error file=s.jsonl,title=bad::bad",
    ]


RECORDS: Final[list[Record]] = [
    {
        "kind": "problem", "path": "s.jsonl", "line": 3, "severity": "warning",
        "message": "odd, 5%", "hint": "why?",
    },
    {
        "kind": "problem", "path": "s.jsonl", "line": None, "severity": "error",
        "message": "bad", "hint": None,
    },
]  # fmt: skip
LOG: Final[Record] = {
    "kind": "log", "path": "s.jsonl", "usable": False, "usability": "unusable", "format": "dsh",
    "evidence": "a header", "compression": "zstd", "records_results": False, "sessions": 1,
    "agents": 2, "calls": 1200, "settled": 1199, "unfinished": 1, "lines": 4000,
    "skipped_lines": 1, "duplicates_dropped": 2, "counts": {"error": 1, "warning": 1, "note": 0},
}  # fmt: skip
HEAD: Final[Record] = {
    "schema": "repeat-reminder/validate@1",
    "tool": {"name": "repeat-reminder", "version": "7"},
}
TOTALS: Final[Record] = {
    "logs": 1,
    "by_usability": {"usable": 0, "partly": 0, "empty": 0, "unusable": 1},
    "problems": {"error": 1, "warning": 1, "note": 0},
}


def test_for_programs_line_by_line() -> None:
    lines = list(jsonl(*watched(), "7"))
    assert all(line.endswith(b"\n") for line in lines)
    assert [list(json.loads(line).items()) for line in lines] == [
        list(record.items())
        for record in ({"kind": "header", **HEAD}, *RECORDS, LOG, {"kind": "totals", **TOTALS})
    ]


def test_for_programs_as_a_document() -> None:
    document = json.loads(json_document(*watched(), "7"))
    assert document == {
        **HEAD,
        "logs": [{**LOG, "problems": RECORDS}],
        "problems": [],
        "totals": TOTALS,
    }


@pytest.mark.parametrize(
    ("name", "start"),
    [("v.json", b'{"schema"'), ("v.jsonl", b'{"kind":"header"'), ("v.txt", b"fixtures/")],
)
def test_the_name_of_the_output_picks_the_format(
    name: str, start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert run("validate", "fixtures/two-tiers.jsonl", "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_bytes().startswith(start)
