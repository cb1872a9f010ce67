"""Log text on a terminal: nothing obeyed, nothing hidden, width known."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.render.safe import cells, escape, first_line, shorten

ANY_TEXT = st.text(st.characters(exclude_categories=()))

ESCAPED: dict[str, tuple[str, str]] = {
    "line ends and tab": ("a\nb\r\tc", r"a\nb\r\tc"),
    "NUL and DEL": ("\x00\x7f", r"\x00\x7f"),
    "ANSI": ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
    "a title with BEL": ("\x1b]0;x\x07", r"\x1b]0;x\x07"),
    "C1 controls": ("\x9b2J\x85", r"\x9b2J\x85"),
    "bidi marks": (
        "\u200e\u200f\u061c\u202a\u202e\u2066\u2069",
        r"\u200e\u200f\u061c\u202a\u202e\u2066\u2069",
    ),
    "zero width": ("a\u200b\u200c\u200d\u2060\ufeffb", r"a\u200b\u200c\u200d\u2060\ufeffb"),
    "soft hyphen": ("a\xadb", r"a\xadb"),
    "separators": ("\u2028\u2029", r"\u2028\u2029"),
    "tag characters": ("\U000e0001\U000e0041", r"\U000e0001\U000e0041"),
    "variation selectors": ("\ufe0f\U000e0100", r"\ufe0f\U000e0100"),
    "letters drawn as nothing": ("\u3164\u115f\u034f", r"\u3164\u115f\u034f"),
    "lone surrogates": ("\ud83d\udc00", r"\ud83d\udc00"),
    "private": ("\ue000\U0010fffd", r"\ue000\U0010fffd"),
    "unassigned": ("\u0378\uffff", r"\u0378\uffff"),
}

KEPT = {
    "JSON": '{"a":"b\\n"}',
    "Windows path": r"C:\Users\me",
    "rich markup": "[bold]x[/]",
    "letters": "é 中文 한글 עברית",
    "emoji": "😀",
    "marks": "e\u0301",
    "wide and no-break spaces": "a\u3000b\xa0c",
    "signs of our own": "● \u00d7 … │",
}


@pytest.mark.parametrize(("text", "expected"), ESCAPED.values(), ids=ESCAPED)
@pytest.mark.parametrize("ascii_only", [False, True], ids=["utf-8", "ascii"])
def test_escaped(text: str, expected: str, *, ascii_only: bool) -> None:
    assert escape(text, ascii_only=ascii_only) == expected


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_kept(text: str) -> None:
    assert escape(text) == text


def test_ascii_only_escapes_all_the_rest() -> None:
    assert escape("é中😀\n", ascii_only=True) == r"\xe9\u4e2d\U0001f600\n"


@given(ANY_TEXT)
def test_nothing_hidden_comes_out(text: str) -> None:
    assert all(unicodedata.category(char)[0] != "C" for char in escape(text))
    assert escape(text).splitlines() in ([], [escape(text)])
    assert escape(text, ascii_only=True).isascii()
    assert escape(escape(text)) == escape(text)


WIDTHS: dict[str, tuple[str, int]] = {
    "nothing": ("", 0),
    "ASCII": ("abc", 3),
    "wide": ("中文", 4),
    "emoji": ("😀", 2),
    "full width": ("\uff21", 2),
    "marks take none": ("e\u0301", 1),
    "a Hangul syllable in pieces": ("\u1112\u1161\u11ab", 2),
    "ambiguous is narrow": ("é…●", 3),
}


@pytest.mark.parametrize(("text", "width"), WIDTHS.values(), ids=WIDTHS)
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


SHORTENED: dict[str, tuple[str, int, str]] = {
    "it fits": ("abc", 3, "abc"),
    "it does not": ("abcd", 3, "ab…"),
    "wide, and it fits": ("中文", 4, "中文"),
    "a wide one is not cut in half": ("中文字", 4, "中…"),
    "marks stay with their letter": ("e\u0301fgh", 3, "e\u0301f…"),
    "one cell": ("abc", 1, "…"),
    "no cell": ("abc", 0, ""),
    "nothing": ("", 0, ""),
}


@pytest.mark.parametrize(("text", "width", "expected"), SHORTENED.values(), ids=SHORTENED)
def test_shorten(text: str, width: int, expected: str) -> None:
    assert shorten(text, width) == expected


def test_shorten_with_an_ellipsis_of_its_own() -> None:
    assert shorten("abcdef", 5, ellipsis="...") == "ab..."
    assert shorten("abcdef", 2, ellipsis="...") == "ab"


@given(ANY_TEXT.map(escape), st.integers(0, 40))
def test_shortened_text_fits_and_is_whole_if_it_did(text: str, width: int) -> None:
    short = shorten(text, width)
    assert cells(short) <= width
    assert (short == text) == (cells(text) <= width)


FIRST_LINES: dict[str, tuple[str, str]] = {
    "one line": ("a", "a"),
    "two": ("a\nb", "a"),
    "blank ones are passed over": ("\n \t\n\r\n  a \nb", "  a "),
    "CRLF": ("a\r\nb", "a"),
    "CR alone ends no line": ("a\rb\n", "a\rb"),
    "nor do the other separators": ("a\x0b\x0c\x85\u2028b", "a\x0b\x0c\x85\u2028b"),
    "blank": (" \n\t", ""),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), FIRST_LINES.values(), ids=FIRST_LINES)
def test_first_line(text: str, expected: str) -> None:
    assert first_line(text) == expected


@given(ANY_TEXT)
def test_first_line_is_the_first_that_is_not_blank(text: str) -> None:
    lines = [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
    assert first_line(text) == (lines[0] if lines else "")
