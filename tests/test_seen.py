"""A packed set of ids answers as a set does."""

from random import Random

import pytest

from repeat_reminder.formats.shared import seen
from repeat_reminder.formats.shared.seen import Seen


@pytest.mark.parametrize("recent", [1, 7, 1_000])
def test_it_answers_as_a_set_does(monkeypatch: pytest.MonkeyPatch, recent: int) -> None:
    monkeypatch.setattr(seen, "RECENT", recent)
    draw, packed, plain = Random(7), Seen(), set[object]()  # noqa: S311 - reproducible
    for _ in range(2_000):
        key = draw.choice([f"call-{draw.randrange(900)}", ("a", draw.randrange(900), None)])
        assert (key in packed) == (key in plain)
        if draw.random() < 0.6:
            packed.add(key)
            plain.add(key)
    assert all(key in packed for key in plain)
    assert packed


def test_it_is_empty_before_anything_is_added() -> None:
    assert not Seen()
    assert "x" not in Seen()


def test_old_keys_take_eight_bytes() -> None:
    packed = Seen()
    for number in range(5 * seen.RECENT):
        packed.add(number)
    assert packed._packed.itemsize == 8  # noqa: SLF001 - what the class is for
    assert len(packed._packed) + len(packed._recent) == 5 * seen.RECENT  # noqa: SLF001


@pytest.mark.parametrize("recent", [1, 1_000])
def test_several_are_added_together_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, recent: int
) -> None:
    monkeypatch.setattr(seen, "RECENT", recent)
    packed = Seen()
    assert packed.add("a")
    assert not packed.add("a")
    assert packed.add_all("b", "c")
    assert not packed.add_all("c", "d")
    assert "d" not in packed
    assert not packed.add_all("e", b"e")
    assert "e" not in packed


def test_an_ascii_text_is_known_as_bytes() -> None:
    packed = Seen()
    packed.add("1c91fe43-0000-4000-8000-000000000000")
    assert b"1c91fe43-0000-4000-8000-000000000000" in packed
