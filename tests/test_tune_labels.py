"""Labels: from a file, from paths, from the log; and what is wrong with them."""

import json
from pathlib import Path

import pytest

from repeat_reminder.errors import UsageError
from repeat_reminder.tune.globs import path_pattern
from repeat_reminder.tune.labels import (
    Label,
    assigned,
    from_template,
    of_logs,
    read_labels,
)
from repeat_reminder.tune.table import SessionTable
from tests.command import run

STUCK, OK, UNKNOWN = Label.STUCK, Label.OK, Label.UNKNOWN


def table(
    session: str, path: str, *, label: str | None = None, unique: bool = False
) -> SessionTable:
    return SessionTable(
        session=session, path=path, format="canonical", label=label, unique_id=unique
    )


TABLES = [
    table("7f3a91", "runs/stuck/a.jsonl", unique=True),
    table("7f3b00", "runs/good/b.jsonl", unique=True),
    table("run", "runs/good/x/run.jsonl"),
    table("run", "runs/stuck/x/run.jsonl"),
    table("twice", "one.jsonl", unique=True),
    table("twice", "two.jsonl", unique=True),
]


def labels(text: str) -> dict[int, Label]:
    return assigned(TABLES, read_labels("labels.csv", text.encode()), "labels.csv")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("session,label\n7f3a91,stuck\n7f3b00,ok\n", {0: STUCK, 1: OK}),
        ("7f3a91,stuck,it went round and round\n", {0: STUCK}),
        ("7f3a, STUCK\n\n# a remark\n", {0: STUCK}),
        ("7f3a91,bad\n7f3b00,good\n", {0: STUCK, 1: OK}),
        ("7f3a91,timeout\n7f3b00,pass\n", {0: STUCK, 1: OK}),
        ("7f3a91,fail\n7f3b00,unknown\n", {0: STUCK, 1: UNKNOWN}),
        ("runs/stuck/**,stuck\n", {0: STUCK, 3: STUCK}),
        ("**/run.jsonl,ok\n", {2: OK, 3: OK}),
        ("runs/good/x/run.jsonl,ok\n", {2: OK}),
        ("one.jsonl,stuck\n", {4: STUCK}),
        ("twice,stuck\n", {4: STUCK, 5: STUCK}),
        ('"7f3a91","stuck","a ""note"""\n', {0: STUCK}),
        ('{"session": "7f3a91", "label": "stuck", "note": "x"}\n', {0: STUCK}),
        ('\n{"session":"7f3a91","label":"bad"}\n', {0: STUCK}),
        ("\N{BOM}7f3a91,stuck\r\n7f3b00,ok\r\n", {0: STUCK, 1: OK}),
        ("7f3a91,stuck\n7f3a,stuck\n", {0: STUCK}),
    ],
)  # fmt: skip
def test_a_session_is_named_by_id_beginning_or_path(text: str, expected: dict[int, Label]) -> None:
    assert labels(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7f3a91,broken\n", "labels.csv:1: unknown label 'broken'"),
        ("nobody,ok\n", "labels.csv:1: no session is called 'nobody'"),
        ("\n\n7f3,ok\n", "labels.csv:3: 2 sessions begin with '7f3': 7f3a91, 7f3b00"),
        ("run,ok\n", "labels.csv:1: 2 sessions are called 'run': runs/good/x/run.jsonl, "),
        ("none/*,ok\n", "labels.csv:1: no path matches 'none/*'"),
        ("7f3a91,ok\n7f3a,stuck\n", "labels.csv:2: session 7f3a91 is stuck here and ok in line 1"),
        ("7f3a91\n", "labels.csv:1: no label in this line"),
        ("session,label\n", "labels.csv: no labels in this file"),
        ('{"session": 5, "label": "ok"}\n', "labels.csv:1: session and label must be texts"),
        ('{"session": "a"}\n{', "labels.csv:1: session and label must be texts"),
        ('{"session": "7f3a91", "label": "ok"}\n{\n', "labels.csv:2: not valid JSON"),
    ],
)
def test_what_is_wrong_with_a_label_file(text: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        labels(text)
    assert str(raised.value).startswith(said)


def test_a_close_name_is_suggested() -> None:
    with pytest.raises(UsageError) as raised:
        labels("7f3a9l,ok\n")
    assert raised.value.hint == "did you mean 7f3a91?"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("runs/{label}/**", {0: STUCK, 1: OK, 2: OK, 3: STUCK}),
        ("runs/{label}/*.jsonl", {0: STUCK, 1: OK}),
        ("{label}/x/*", {2: OK, 3: STUCK}),
    ],
)
def test_paths_spell_labels(template: str, expected: dict[int, Label]) -> None:
    assert from_template(TABLES, template) == expected


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("runs/*", "must hold {label} once"),
        ("{label}/{label}", "must hold {label} once"),
        ("nowhere/{label}/**", "no path matches"),
        ("{label}/good/**", "unknown label 'runs'"),
    ],
)
def test_what_is_wrong_with_a_template(template: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        from_template(TABLES, template)


def test_the_log_may_say_it_itself() -> None:
    tables = [table("a", "a", label="stuck"), table("b", "b", label="maybe"), table("c", "c")]
    assert of_logs(tables) == {0: STUCK, 1: UNKNOWN}


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.jsonl", "a/b.jsonl", True),
        ("a/*.jsonl", "a/b/c.jsonl", False),
        ("a/**/c.jsonl", "a/c.jsonl", True),
        ("a/**", "x/a/b/c", True),
        ("/a/*", "x/a/b", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[!a]b", "cb", True),
        ("[!a]b", "ab", False),
        ("[z-a]b", "[z-a]b", True),
        ("a.b", "aXb", False),
    ],
)
def test_globs(glob: str, path: str, matches: bool) -> None:  # noqa: FBT001 - a table
    assert (path_pattern(glob).fullmatch(path) is not None) is matches


def test_a_file_goes_before_a_path_and_a_path_before_the_log(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        folder = tmp_path / "ok"
        folder.mkdir(exist_ok=True)
        head = {"type": "session", "id": name, "labels": {"outcome": "stuck"}}
        call = {"type": "tool_call", "name": "x", "arguments": {}}
        place = folder if name != "c" else tmp_path
        (place / f"{name}.jsonl").write_text(f"{json.dumps(head)}\n{json.dumps(call)}\n")
    (tmp_path / "labels.csv").write_text("b,unknown\n")
    logs = [tmp_path / "ok", tmp_path / "c.jsonl"]
    words = ("--labels", tmp_path / "labels.csv", "--label-from", f"{tmp_path.name}/{{label}}/*")
    done = run("stats", *logs, *words, "-f", "csv", "--by", "label")
    names = [line.split(",")[0] for line in done.out.splitlines()[1:]]
    assert sorted(names) == ["ok", "stuck", "unknown"]


def test_a_missing_label_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"type":"tool_call","name":"x","arguments":{}}\n')
    done = run("tune", tmp_path, "--labels", tmp_path / "none.csv")
    assert (done.code, done.out) == (2, "")
    assert "none.csv: cannot be read" in done.err
