"""Charts out of characters, and sentences that fit."""

import pytest

from repeat_reminder.render.look import Look
from repeat_reminder.render.paragraphs import paragraph, places
from repeat_reminder.render.tune.amounts import duration, percent, spent, tokens
from repeat_reminder.render.tune.charts import Mark, bar, bars, beside, columns
from repeat_reminder.render.tune.figures import Spend

PLAIN = Look()
ASCII = Look(ascii_only=True)


@pytest.mark.parametrize(
    ("share", "drawn", "in_ascii"),
    [
        (0.0, "", ""),
        (0.001, "▏", "."),
        (0.5, "██", "##"),
        (0.53, "██▏", "##"),
        (0.66, "██▋", "###"),
        (1.0, "████", "####"),
        (7.0, "████", "####"),
    ],
)
def test_bars_are_as_long_as_their_share(share: float, drawn: str, in_ascii: str) -> None:
    assert bar(share, 4, PLAIN) == drawn
    assert bar(share, 4, ASCII) == in_ascii


def test_bars_with_labels_and_numbers() -> None:
    assert bars([("2", 1_532), ("8+", 0)], 20, PLAIN) == [" 2 ███████████ 1,532", "8+  0"]
    assert bars([], 20, PLAIN) == []
    assert bars([("2", 0)], 20, PLAIN) == ["2  0"]


def test_columns_stand_on_their_scale() -> None:
    points = [("2", 0.5), ("3", 0.25), ("10", 0.0)]
    assert columns(points, PLAIN) == [
        "  60% ┤",
        "  50% ┤██",
        "  40% ┤██",
        "  30% ┤██ ▄▄",
        "  20% ┤██ ██",
        "  10% ┤██ ██",
        "   0% ┼─────────",
        "       2  3 10",
    ]
    assert columns(points, ASCII)[3:] == [
        "  30% |## ..",
        "  20% |## ##",
        "  10% |## ##",
        "   0% +---------",
        "       2  3 10",
    ]


@pytest.mark.parametrize(
    ("share", "top"), [(0.0, "6%"), (0.06, "6%"), (0.07, "12%"), (0.61, "100%"), (1.0, "100%")]
)
def test_the_scale_fits_what_there_is(share: float, top: str) -> None:
    assert columns([("2", share)], PLAIN)[0].split()[0] == top


def test_a_mark_is_drawn_behind_the_columns() -> None:
    drawn = columns([("2", 0.4), ("3", 0.1)], PLAIN, mark=Mark(share=0.2, text="≤20%"))
    assert [line for line in drawn if "┈" in line] == ["  20% ┤██┈┈┈┈ ≤20%"]


def test_two_blocks_stand_side_by_side() -> None:
    assert beside(["a", "bb"], ["1", "2", "3"], 4) == ["a   1", "bb  2", "    3"]


def test_paragraphs_fit_and_keep_long_words() -> None:
    text = "one two three " * 5 + "x" * 60 + " end"
    lines = list(paragraph(text, Look(width=44), indent="  "))
    assert " ".join(line.strip() for line in lines) == text
    assert all(len(line) <= 44 or "xxx" in line for line in lines)
    assert lines[1].startswith("    ")
    assert list(paragraph("", PLAIN)) == [""]


def test_places_are_listed_and_long_ones_end_in_their_line() -> None:
    found = ["a.jsonl:1", "b.jsonl:2", "/very" * 20 + "/c.jsonl:33"]
    lines = list(places(found, Look(width=60), indent="  at "))
    assert lines[0] == "  at a.jsonl:1, b.jsonl:2,"
    assert lines[1].startswith("     …")
    assert lines[1].endswith("/c.jsonl:33")
    assert all(len(line) <= 60 for line in lines)
    assert list(places([], PLAIN, indent="  at ")) == []


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.004, "<1%"), (0.005, "<1%"), (0.38, "38%"), (0.996, ">99%"), (1, "100%")],
)
def test_a_share_is_never_called_all_or_nothing_if_it_is_not(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (90, "2 min"), (5_400, "1 h 30 min"), (200_000, "2.3 days")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (9_512, "9,512"), (41_200, "41.2k"), (1_234_567, "1.23M"), (5 * 10**10, "50G")],
)
def test_tokens(number: int, text: str) -> None:
    assert tokens(number) == text


def test_what_is_not_known_is_not_told() -> None:
    assert spent(Spend(1)) == "1 call"
    assert spent(Spend(1_482, 60.0, 12)) == "1,482 calls, 1 min, 12 tokens"
