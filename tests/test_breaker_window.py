"""The window of one agent: counting as it goes, and taking records back."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.policies.breaker.hits import Cause, Reason
from repeat_reminder.policies.breaker.window import AgentState, Record, Streak, key_of

KEYS = "abc"


@dataclass
class Model:
    """The window as the definition has it: what was never taken back, and the last few of that."""

    size: int
    records: list[Record] = field(default_factory=list)

    def count(self, key: str) -> int:
        """Count anew, every time."""
        return sum(record.count(key) for record in self.records[-self.size :])


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["start", "start", "start", "settle", "take back"]),
        st.lists(st.sampled_from(KEYS), max_size=3),
        st.integers(0, 99),
    ),
    max_size=60,
)


@given(st.integers(1, 4), ACTS)
def test_window_is_that_of_the_calls_not_taken_back(
    size: int, acts: list[tuple[str, list[str], int]]
) -> None:
    state, model = AgentState(size), Model(size)
    unsettled: list[tuple[Record | None, Record]] = []
    for act, keys, pick in acts:
        if act == "start":
            state.open()
            record = list(keys)
            unsettled.append((state.commit(keys), record))
            model.records += [record] if record else []
        elif unsettled:
            held, record = unsettled.pop(pick % len(unsettled))
            if act == "take back":
                if held is not None:
                    state.withdraw(held)
                model.records = [other for other in model.records if other is not record]
            state.close()
        assert state.counts == {key: n for key in KEYS if (n := model.count(key))}


def test_only_the_last_records_count() -> None:
    state = AgentState(2)
    for key in "aab":
        state.commit([key])
    assert state.counts == {"a": 1, "b": 1}


def test_a_key_twice_in_one_record_counts_twice() -> None:
    state = AgentState(4)
    state.commit(["a", "a"])
    assert state.counts["a"] == 2


def test_exempt_keys_are_not_recorded_and_a_record_of_nothing_moves_nothing() -> None:
    state = AgentState(2)
    state.exempt.add("a")
    state.commit(["b"])
    assert state.commit(["a"]) is None
    assert state.commit(["a", "b"]) == ["b"]
    assert state.counts == {"b": 2}


def test_streaks_are_per_key_and_a_success_ends_its_own() -> None:
    state = AgentState(4)
    failed = Cause(Reason.EXIT, "1")
    last = Cause(Reason.CURL, "6")
    assert [state.note("a", failed), state.note("b", failed), state.note("a", last)] == [1, 1, 2]
    assert state.note("b", None) == 0
    assert state.streaks == {"a": Streak(2, last)}


def test_exempt_keys_have_no_streak_but_keep_the_one_they_had() -> None:
    state = AgentState(4)
    state.note("a", Cause(Reason.CURL))
    state.exempt.add("a")
    assert [state.note("a", Cause(Reason.CURL)), state.note("a", None)] == [0, 0]
    assert state.streaks == {"a": Streak(1, Cause(Reason.CURL))}


@pytest.mark.parametrize(
    ("fp", "is_kept"),
    [("exact:x:{}", True), ("x" * 1_024, True), ("x" * 1_025, False), ("\ud800" * 2_000, False)],
    ids=["short", "at-the-bound", "long", "long-without-an-encoding"],
)
def test_long_fingerprints_are_known_by_a_digest(fp: str, *, is_kept: bool) -> None:
    assert (key_of(fp) == fp) is is_kept
    assert len(key_of(fp)) <= 1_024
    assert key_of(fp) != key_of(fp[:-1] + "y")
    assert key_of(fp) == key_of("".join(fp))


def test_long_fingerprints_are_not_confused() -> None:
    assert len({key_of("x" * 2_000 + str(number)) for number in range(5_000)}) == 5_000
