"""From files to one corpus: copies dropped, any order of files, any number of processes."""

import itertools
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.api import read
from repeat_reminder.policies.identity import IgnoredArguments
from repeat_reminder.tune.chained import Cut, Run
from repeat_reminder.tune.corpus import Corpus, corpus_of, selected
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.table import FileTable, SessionTable
from tests.command import run
from tests.notation import call, result, session, user
from tests.random_sessions import write


def table_of(path: Path) -> FileTable:
    table = FileReader()(str(path)).table
    assert table is not None
    return table


def corpus(*paths: Path) -> Corpus:
    return corpus_of([table_of(path) for path in paths])


def log(path: Path, records: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def lengths(table: SessionTable, choice: Choice = Choice()) -> list[int]:  # noqa: B008 - frozen
    return [run.length for run in chain(table, choice).runs]


# ---------------------------------------------------------------- copies


def claude(name: str, ids: list[str], *, new: str = "") -> list[Any]:
    """A session that calls Read once for each id; ids may stand in another file too."""
    base: Any = {"sessionId": name, "parentUuid": None, "cwd": "/x", "isSidechain": False}
    lines: list[Any] = []

    def add(kind: str, uuid: str, message: Any) -> None:  # noqa: ANN401 - any JSON
        lines.append(base | {"type": kind, "uuid": uuid, "message": message})

    add("user", f"u-{name}", {"role": "user", "content": f"go {new}"})
    for one in ids:
        use = {"type": "tool_use", "id": one, "name": "Read", "input": {"file_path": "a.py"}}
        add("assistant", f"a-{one}", {"id": f"m-{one}", "role": "assistant", "content": [use]})
        told = {"type": "tool_result", "tool_use_id": one, "content": "text"}
        add("user", f"r-{one}", {"role": "user", "content": [told]})
    return lines


OLD = ["toolu_1", "toolu_2"]


@pytest.fixture
def resumed(tmp_path: Path) -> list[Path]:
    """A session, and one that resumed it: its file begins with the old calls."""
    return [
        log(tmp_path / "b.jsonl", claude("one", OLD)),
        log(tmp_path / "a.jsonl", claude("two", [*OLD, "toolu_3"])),
    ]


def test_a_call_that_stands_in_two_files_is_counted_once(resumed: list[Path]) -> None:
    whole = corpus(*resumed)
    assert (whole.calls, whole.copies, whole.copied_sessions) == (3, 2, 0)
    assert {table.session: lengths(table) for table in whole.sessions} == {"one": [2], "two": []}


def test_which_copy_stays_does_not_depend_on_the_order_of_files(resumed: list[Path]) -> None:
    third = log(resumed[0].parent / "c.jsonl", claude("three", ["toolu_2", "toolu_9"]))
    orders = itertools.permutations([*resumed, third])
    assert len({corpus(*order).digest() for order in orders}) == 1


def test_a_file_of_nothing_but_copies_is_no_session(resumed: list[Path]) -> None:
    twin = log(resumed[0].parent / "z.jsonl", claude("one", OLD))
    whole = corpus(*resumed, twin)
    assert (len(whole.sessions), whole.copies, whole.copied_sessions) == (2, 4, 1)


def test_other_arguments_or_a_filled_id_are_no_copy(tmp_path: Path) -> None:
    one, other = claude("one", ["toolu_1"]), claude("two", ["toolu_1"])
    other[1]["message"]["content"][0]["input"]["file_path"] = "b.py"
    paths = [log(tmp_path / "a.jsonl", one), log(tmp_path / "b.jsonl", other)]
    assert corpus(*paths).copies == 0
    same = [log(tmp_path / f"{name}.jsonl", session("X*3")) for name in "cd"]
    assert corpus(*same).copies == 0


def test_what_is_left_behind_a_copy_goes_on_as_after_a_resume(tmp_path: Path) -> None:
    ids = ["toolu_5", "toolu_1", "toolu_6", "toolu_7"]
    paths = [
        log(tmp_path / "a.jsonl", claude("one", ["toolu_1"])),
        log(tmp_path / "b.jsonl", claude("two", ids)),
    ]
    two = corpus(*paths).sessions[1]
    assert (two.session, two.calls, lengths(two)) == ("two", 3, [2])


def test_the_commands_say_how_many_copies_they_drop(resumed: list[Path]) -> None:
    assert "2 copied calls dropped" in run("stats", *resumed).out
    assert json.loads(run("tune", *resumed, "-f", "json").out)["corpus"]["copies_dropped"] == 2


# ---------------------------------------------------------------- order and processes


@pytest.mark.parametrize("command", ["stats", "tune"])
@pytest.mark.parametrize("form", ["full", "json", "csv"])
def test_any_number_of_processes_gives_the_same_bytes(
    tmp_path: Path, command: str, form: str
) -> None:
    write(tmp_path, 4, 9, recorded=True)
    (tmp_path / "bad.jsonl").write_text("no json at all\n")
    words = (command, tmp_path, "-f", form)
    one, two = run(*words, "-j", "1"), run(*words, "-j", "2")
    if form == "json":
        first, second = json.loads(one.out), json.loads(two.out)
        assert first.pop("command") == second.pop("command")  # both are this test's own
        assert first == second
    else:
        assert one.out == two.out
    assert (one.code, one.err) == (two.code, two.err)
    assert "bad.jsonl" in one.err


def test_the_order_of_the_files_makes_no_difference(tmp_path: Path) -> None:
    paths = write(tmp_path, 8, 7, recorded=True)
    outputs = set()
    for seed in range(3):
        random.Random(seed).shuffle(paths)  # noqa: S311 - not for secrets
        for command in ("tune", "stats"):
            outputs.add((command, run(command, *paths, "-f", "csv").out))
    assert len(outputs) == 2


def test_tables_survive_being_sent(tmp_path: Path) -> None:
    (path,) = write(tmp_path, 2, 1, recorded=True)
    table = table_of(path)
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301 - our own bytes
    assert len(pickle.dumps(table)) < 200 * table.sessions[0].calls + 4_000


# ---------------------------------------------------------------- selection


def test_a_selection_never_changes_what_is_counted(tmp_path: Path) -> None:
    path = log(tmp_path / "s.jsonl", session("X sub:X X sub:X X sub:Y"))
    whole = corpus(path)
    assert lengths(whole.sessions[0]) == [3, 2] or lengths(whole.sessions[0]) == [2, 3]
    assert lengths(selected(whole, [], ["su"])[0].sessions[0]) == [2]
    assert lengths(selected(whole, ["s"], ["main"])[0].sessions[0]) == [3]
    assert selected(whole, ["other"], [])[0].sessions == ()


def test_labels_are_for_all_sessions_a_selection_for_some(tmp_path: Path) -> None:
    for name in ("one", "two"):
        log(tmp_path / f"{name}.jsonl", session("X*4"))
    labels = tmp_path / "labels.csv"
    labels.write_text("one,stuck\ntwo,ok\n")
    logs = sorted(tmp_path.glob("*.jsonl"))
    done = run("tune", *logs, "--labels", labels, "--session", "on", "-f", "json")
    assert json.loads(done.out)["corpus"]["labels"] == {"stuck": 1, "ok": 0, "unknown": 0}


def test_a_session_of_nothing_but_copies_may_be_labelled(resumed: list[Path]) -> None:
    twin = log(resumed[0].parent / "z.jsonl", claude("three", OLD))
    labels = resumed[0].parent / "labels.csv"
    labels.write_text("one,stuck\ntwo,ok\nthree,ok\n")
    done = run("tune", *resumed, twin, "--labels", labels, "-f", "json")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_crash_names_its_file_and_loses_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    for name in "abc":
        log(tmp_path / f"{name}.jsonl", session("X*4"))
    read = FileReader.__call__

    def broken(self: FileReader, path: str) -> Any:  # noqa: ANN401 - passed on
        if path.endswith("b.jsonl"):
            raise MemoryError
        return read(self, path)

    monkeypatch.setattr(FileReader, "__call__", broken)
    done = run("stats", tmp_path, "-j", jobs)
    assert done.code == 2
    assert f"error: {tmp_path}/b.jsonl: internal error: MemoryError" in done.err
    assert "2 sessions · 8 calls" in done.out


# ---------------------------------------------------------------- runs


def first(path: Path) -> SessionTable:
    return corpus(path).sessions[0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("X X X", [3]),
        ("X X Y X", [2]),
        ("X X u X X X", [2, 3]),
        ("X X p X", [3]),
        ("X X r X X", [2, 2]),
        ("X! X! X!", [3]),
        ("X child:X X", [2]),
        ("X c X", [2]),
    ],
)
def test_runs_end_where_a_replays_do(tmp_path: Path, words: str, expected: list[int]) -> None:
    assert sorted(lengths(first(log(tmp_path / "s.jsonl", session(words))))) == sorted(expected)


def test_arguments_that_are_ignored_are_no_difference(tmp_path: Path) -> None:
    records: list[Any] = []
    for number in range(3):
        name = f"k{number}"
        records += [
            call("X", name, arguments={"a": 1, "n": number, "b": [number % 2]}),
            result(name),
        ]
    table = first(log(tmp_path / "s.jsonl", records))
    assert lengths(table) == []
    assert lengths(table, Choice(ignore_args=("n",))) == []
    assert lengths(table, Choice(ignore_args=("n", "X:b"))) == [3]
    assert lengths(table, Choice(ignore_args=("n", "Y:b"))) == []
    assert IgnoredArguments(("X:b",)).of("X") == {"b"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1.0}, {"a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": "5"}, {"a": 5}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"__proto__": 1, "a": 1}, {"a": 1}, True),
        ([1, 2], [2, 1], False),
        ("x", '"x"', False),
        ({"\ud800": 1}, {"\ud800": 1}, True),
    ],
)
def test_keys_are_equal_as_canonical_arguments_are(
    tmp_path: Path,
    one: Any,  # noqa: ANN401 - any JSON
    other: Any,  # noqa: ANN401 - any JSON
    same: bool,  # noqa: FBT001 - a table
) -> None:
    records = [call("X", "a", arguments=one), result("a"), call("X", "b", arguments=other)]
    table = first(log(tmp_path / "s.jsonl", [*records, result("b")]))
    assert (lengths(table) == [2]) is same


def test_arguments_that_are_too_deep_are_transparent(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    text = "[" * 5_000 + "1" + "]" * 5_000
    records = [call("X", "a"), result("a")]
    records += [call("X", "d", arguments_text='{"a":' + text + "}"), result("d")]
    records += [call("X", "b"), result("b")]
    table = first(log(tmp_path / "s.jsonl", records))
    assert (table.calls, lengths(table)) == (3, [2])
    assert chain(table, Choice()).tracked == 2


def reminded(words: str, place: int) -> list[Any]:
    records = session(words)
    source: Any = {"kind": "plugin", "plugin": "repeat-tool-reminder"}
    source["summary"] = "X \N{MULTIPLICATION SIGN} 3"
    records.insert(place, {"type": "injected_message", "content": "stop", "source": source})
    return records


@pytest.mark.parametrize(
    ("records", "cut", "seen"),
    [
        (session("X*5 Y"), Cut.NONE, 5),
        (session("X*5"), Cut.LOG, 5),
        (session("X*5 u"), Cut.NONE, 5),
        (reminded("X*5 Y", 6), Cut.REMINDER, 3),
        (reminded("X*5 Y", 10), Cut.REMINDER, 5),
        (reminded("X*5 Y Y", 12), Cut.REMINDER, 5),
        (reminded("X X u Y*5", 0), Cut.NONE, 2),
    ],
    ids=["whole", "log ends", "human", "in the middle", "at its end", "later", "before"],
)
def test_what_cuts_a_run(tmp_path: Path, records: list[Any], cut: Cut, seen: int) -> None:
    found: Run = chain(first(log(tmp_path / "s.jsonl", records)), Choice()).runs[0]
    assert (found.cut, found.seen) == (cut, seen)


def test_off_policy_sessions_are_counted(tmp_path: Path) -> None:
    log(tmp_path / "a.jsonl", reminded("X*5 Y", 6))
    log(tmp_path / "b.jsonl", session("X*5"))
    words = ("tune", tmp_path, "--alpha", "50%")
    record = json.loads(run(*words, "-f", "json").out)
    assert record["corpus"]["off_policy_sessions"] == 1
    assert record["conformal"]["sessions_without_end"] == 1
    page = run(*words).out
    assert "1 session holds recorded reminders, 1 run cut there" in page
    assert "counts as endless" in " ".join(page.split())


def test_seconds_and_tokens_are_left_out_where_nothing_records_them(tmp_path: Path) -> None:
    path = log(tmp_path / "s.jsonl", session("X*5"))
    record = json.loads(run("stats", path, "-f", "json").out)
    assert record["spend_after_third_call"] == {"calls": 2, "seconds": None, "tokens": None}
    assert "2 calls\n" in run("stats", path).out


def test_a_log_without_lines_is_told_by_id(tmp_path: Path) -> None:
    use = [
        {"id": f"t{n}", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
        for n in range(3)
    ]
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for one in use:
        messages.append({"role": "assistant", "content": None, "tool_calls": [one]})
        messages.append({"role": "tool", "tool_call_id": one["id"], "content": "a"})
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": messages}))
    assert next(iter(read(path)), None) is not None
    record = json.loads(run("stats", path, "-f", "json").out)
    assert record["longest_runs"][0]["place"] in (f"{path}#t0", f"{path}:1")


def test_a_human_in_a_step_resets_behind_it(tmp_path: Path) -> None:
    records = [call("X", "a"), result("a"), call("X", "b"), user(), result("b"), call("X", "c")]
    assert lengths(first(log(tmp_path / "s.jsonl", [*records, result("c")]))) == [2]
