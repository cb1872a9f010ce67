"""Wildcards and scope: which tools are tracked, and what decides it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.policies.patterns import Scope, matches

CASES = json.loads((Path(__file__).parent / "data" / "canonical.json").read_text(encoding="utf-8"))


def told(row: dict[str, Any]) -> str:
    return f"{row['pattern']!a} {'matches' if row['matches'] else 'misses'} {row['name']!a}"


@pytest.mark.parametrize("row", CASES["wildcard"], ids=told)
def test_recorded_answers_of_the_plugin(row: dict[str, Any]) -> None:
    assert matches(row["pattern"], row["name"]) is row["matches"]


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        pytest.param("a*b*c", "a-b-b-c", True, id="inner literals may take any place"),
        pytest.param("a*b*c", "acb", False, id="literals keep their order"),
        pytest.param("ab*ba", "aba", False, id="head and tail do not overlap"),
        pytest.param("*ab", "aab", True, id="a tail that starts like the text before it"),
        pytest.param("*aab", "aaab", True, id="a tail that overlaps itself"),
        pytest.param("*a*a*", "a", False, id="each literal needs its own place"),
        pytest.param("write", "write_todos", False, id="no partial match at the start"),
        pytest.param("todo_write", "x_todo_write", False, id="no partial match at the end"),
        pytest.param("", "a", False, id="the empty pattern matches only the empty name"),
        pytest.param("a\n*", "a\nb", True, id="a literal line end matches itself"),
        pytest.param("*\n*", "a\nb", True, id="between two stars too"),
        pytest.param("*\n*", "a\nb\n", False, id="but a star takes no second one"),
        pytest.param("*x*", "\nx", False, id="no line end before an inner literal"),
        pytest.param("*", "a\u2029b", False, id="U+2029 is a line end"),
        pytest.param("*", "a\vb\fc", True, id="VT and FF are not"),
        pytest.param("*b", "a\n\nb", False, id="no line end before the tail"),
        pytest.param("\ud83d*", "\U0001f600", True, id="half a pair matches half an emoji"),
        pytest.param("\U0001f600*", "\U0001f600x", True, id="a whole one matches itself"),
        pytest.param("é", "e\u0301", False, id="no Unicode normalisation"),
    ],
)
def test_what_a_star_stands_for(pattern: str, name: str, *, expected: bool) -> None:
    assert matches(pattern, name) is expected


@pytest.mark.parametrize("pattern", ["*a" * 200 + "*b", "*a*a*a*a*a*a*a*a*a*a*"])
def test_many_stars_do_not_explode(pattern: str) -> None:
    before = time.process_time()
    assert matches(pattern, "a" * 50_000 + "c") is (not pattern.endswith("b"))
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("scope", "name", "expected"),
    [
        pytest.param(Scope(), "bash", (True, None, None), id="nothing restricts: tracked"),
        pytest.param(
            Scope(("mcp_*",)), "mcp_x", (True, "include", "mcp_*"), id="included: tracked"
        ),
        pytest.param(
            Scope(("mcp_*",)),
            "bash",
            (False, "include", None),
            id="not included: untracked",
        ),
        pytest.param(
            Scope((), ("todo_write",)),
            "todo_write",
            (False, "exclude", "todo_write"),
            id="excluded: untracked",
        ),
        pytest.param(
            Scope((), ("todo_write",)),
            "write_todos",
            (True, None, None),
            id="another name: tracked",
        ),
        pytest.param(
            Scope(("mcp_*",), ("x", "mcp_x")),
            "mcp_x",
            (False, "exclude", "mcp_x"),
            id="exclude wins over include, the matching pattern is named",
        ),
        pytest.param(
            Scope(("a", "*h", "bash")),
            "bash",
            (True, "include", "*h"),
            id="the first of several matches is named",
        ),
    ],
)
def test_what_decides(
    scope: Scope, name: str, expected: tuple[bool, str | None, str | None]
) -> None:
    assert scope.decide(name) == expected
    assert scope.decide(name) == expected  # and remembered
    assert scope.tracks(name) is expected[0]


def test_a_log_full_of_made_up_names_does_not_fill_the_memory() -> None:
    scope = Scope((), ("tool1",))
    assert [scope.tracks(f"tool{n}") for n in range(10_000)].count(False) == 1
    assert len(scope._memo) <= 4_096  # noqa: SLF001 - nothing public shows what is remembered


def test_scopes_of_equal_lists_are_equal() -> None:
    used, fresh = Scope(("a",), ("b",)), Scope(("a",), ("b",))
    used.tracks("x")
    assert used == fresh
    assert hash(used) == hash(fresh)
