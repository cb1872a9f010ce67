"""Evidence: do results differ, does a tool glue, which argument hides a loop."""

import json
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.tune.corpus import corpus_of
from repeat_reminder.tune.glue import in_the_middle, traps
from repeat_reminder.tune.likeness import LONGEST, Likeness, Results
from repeat_reminder.tune.misses import volatile_arguments
from repeat_reminder.tune.reading import FileReader
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.scoring import Chosen
from tests.notation import call, result, session

PARTS = (("a", 1), ("b", 2))
OTHER = (("a", 7), ("b", 8), ("c", 9))


def alike(one: str, other: str, parts: Any = PARTS) -> Likeness:  # noqa: ANN401 - parts or None
    results = Results()
    assert results.compare(0, "x", PARTS, (one,)) is Likeness.UNKNOWN
    return results.compare(0, "x", parts, (other,))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("same", "same", Likeness.IDENTICAL),
        ("", "", Likeness.IDENTICAL),
        ("queued", "running", Likeness.CHANGED),
        ("a", "b", Likeness.CHANGED),
        ("3 left", "12 left", Likeness.VOLATILE),
        ("took 1.25 s", "took 30 s", Likeness.VOLATILE),
        ("at 2026-01-02T03:04:05Z", "at 2026-11-12T13:14:15.678Z", Likeness.VOLATILE),
        ("at 03:04", "at 13:14:15", Likeness.VOLATILE),
        ("commit 4f3a9c2", "commit b00c1d9", Likeness.VOLATILE),
        ("commit 4f3a9c2", "commit latest", Likeness.CHANGED),
        ("0xdeadbeef", "0xcafe", Likeness.VOLATILE),
        (
            "id 123e4567-e89b-12d3-a456-426614174000",
            "id 00000000-0000-4000-8000-00000000000a",
            Likeness.VOLATILE,
        ),
        ("3 left", "3 right", Likeness.CHANGED),
        ("1\n2", "1\n2\n3", Likeness.CHANGED),
        ("x\n1 of 9\ny", "x\n2 of 9\ny", Likeness.VOLATILE),
        ("n" * 900 + " 1", "n" * 900 + " 2", Likeness.VOLATILE),
        ("n" * 900 + " 1", "m" * 900 + " 2", Likeness.CHANGED),
        ("1" * (LONGEST + 1), "1" * (LONGEST + 1), Likeness.IDENTICAL),
        ("1" * (LONGEST + 1), "2" * (LONGEST + 1), Likeness.CHANGED),
        ("1", "2" * (LONGEST + 1), Likeness.CHANGED),
    ],
)
def test_results_are_compared(one: str, other: str, expected: Likeness) -> None:
    assert alike(one, other) is expected
    assert alike(other, one) is expected


def test_only_calls_that_could_be_one_run_are_looked_at_closely() -> None:
    assert alike("1 left", "2 left", OTHER) is Likeness.CHANGED
    assert alike("1 left", "2 left", None) is Likeness.CHANGED
    assert alike("1 left", "1 left", OTHER) is Likeness.IDENTICAL


def test_results_that_are_not_held_any_more_are_known_by_digest() -> None:
    results = Results()
    texts = {tool: (f"{tool} " * 10_000,) for tool in map(str, range(600))}
    for tool, text in texts.items():
        results.compare(0, tool, PARTS, text)
    assert results.compare(0, "0", PARTS, texts["0"]) is Likeness.IDENTICAL
    assert results.compare(0, "1", PARTS, ("other",)) is Likeness.CHANGED
    results.forget(0)
    assert results.compare(0, "5", PARTS, texts["5"]) is Likeness.UNKNOWN


# ---------------------------------------------------------------- transparency


def chosen(path: Path, records: list[Any], choice: Choice) -> list[Chosen]:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    table = FileReader()(str(path)).table
    assert table is not None
    return [Chosen(one, chain(one, choice), is_stuck=False) for one in corpus_of([table]).sessions]


@pytest.mark.parametrize(
    ("words", "first", "expected"),
    [
        ("X T X T X", 3, {"T": 1}),
        ("X T X T X", 4, {}),
        ("X X T X X", 3, {"T": 1}),
        ("X X X T X", 3, {}),
        ("X T X Y X", 3, {}),
        ("X T T X T X u X T X T X", 3, {"T": 2, "X": 1}),
        ("X T X u X T X", 3, {}),
        ("A:X B:T A:X A:X", 3, {}),
        ("X T Y T X", 2, {"Y": 1}),
    ],
)
def test_tools_whose_absence_glues(
    tmp_path: Path, words: str, first: int, expected: dict[str, int]
) -> None:
    sessions = chosen(tmp_path / "s.jsonl", session(words), Choice())
    between = in_the_middle(sessions, Choice())
    found = {trap.tool: trap.new_runs for trap in traps(sessions, between, Choice(), first)}
    assert found == expected


def test_a_tool_that_is_excluded_has_glued_already(tmp_path: Path) -> None:
    choice = Choice(exclude=("T",))
    sessions = chosen(tmp_path / "s.jsonl", session("X T X T X u Y Y Y"), choice)
    (trap,) = traps(sessions, in_the_middle(sessions, choice), choice, 3)
    assert (trap.tool, trap.new_runs, trap.is_excluded) == ("T", 1, True)
    assert trap.examples == (f"{tmp_path}/s.jsonl:1",)


# ---------------------------------------------------------------- near misses


def calls(arguments: list[Any], contents: list[str]) -> list[Any]:
    records: list[Any] = []
    for number, (own, content) in enumerate(zip(arguments, contents, strict=True)):
        records += [call("x", f"k{number}", arguments=own), result(f"k{number}", content)]
    return records


SAME, NEW = ["ok"] * 4, ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("arguments", "contents", "expected"),
    [
        ([{"q": 1, "id": n} for n in range(4)], SAME, [("id", 3, 1, "for")]),
        ([{"q": 1, "page": n} for n in range(4)], NEW, [("page", 3, 1, "against")]),
        ([{"q": 1} | ({"n": 1} if n % 2 else {}) for n in range(4)], SAME, [("n", 3, 1, "for")]),
        ([{"n": n} for n in range(4)], SAME, []),
        ([{"q": n, "n": n} for n in range(4)], SAME, []),
        ([{"q": 1, "n": 1}] * 4, SAME, []),
        ([{"q": 1, "n": n // 3} for n in range(4)], SAME, []),
        (list(range(4)), SAME, []),
    ],
    ids=["hides", "asks", "comes and goes", "alone", "two", "none", "short", "no object"],
)
def test_arguments_that_make_all_the_difference(
    tmp_path: Path,
    arguments: list[Any],
    contents: list[str],
    expected: list[tuple[str, int, int, str]],
) -> None:
    sessions = chosen(tmp_path / "s.jsonl", calls(arguments, contents), Choice())
    found = volatile_arguments(sessions, Choice(), 3)
    assert [(one.argument, one.pairs, one.results.runs, one.verdict) for one in found] == expected


def test_without_results_there_is_no_verdict(tmp_path: Path) -> None:
    records = [call("x", arguments={"q": 1, "n": n}) for n in range(4)]
    sessions = chosen(tmp_path / "s.jsonl", records, Choice())
    (found,) = volatile_arguments(sessions, Choice(), 3)
    assert (found.results.unknown, found.verdict) == (1, "mixed")


def test_what_is_ignored_already_is_no_news(tmp_path: Path) -> None:
    arguments = [{"q": 1, "id": n, "n": n} for n in range(4)]
    choice = Choice(ignore_args=("x:n",))
    sessions = chosen(tmp_path / "s.jsonl", calls(arguments, SAME), choice)
    assert [one.argument for one in volatile_arguments(sessions, choice, 3)] == ["id"]
    assert volatile_arguments(sessions, Choice(ignore_args=("n", "id")), 3) == []
