"""Super-chains give the runs that chaining call by call gives, under every scope."""

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.tune import runs, superchains
from repeat_reminder.tune.chained import Chained, Cut, walked
from repeat_reminder.tune.likeness import Likeness
from repeat_reminder.tune.runs import Choice, chain
from repeat_reminder.tune.superchains import SuperChains
from repeat_reminder.tune.table import NO_KEY, NO_ROW, Recorded, SessionTable

TOOLS = ("bash", "read", "grep", "todo_write", "mcp__x__y")
KEYS = 2
"""Of each tool: few, so that much repeats."""
Row = tuple[int, int, int]
"""Lane, tool, and which of the tool's keys; one more is a call that never counts."""


def table_of(
    rows: Sequence[Row],
    lanes: Sequence[tuple[int, bool]] = ((0, False),),
    likeness: Sequence[int] = (),
    recorded: Sequence[Recorded] = (),
) -> SessionTable:
    """Make a table by hand. Every key has the arguments ``path`` and ``id``; ``id`` differs."""
    return SessionTable(
        session="s",
        path="s.jsonl",
        format="canonical",
        agents=("main", "sub"),
        tools=TOOLS,
        lane_agent=array("I", [agent for agent, _ in lanes]),
        lane_open=array("B", [is_open for _, is_open in lanes]),
        keys=tuple((("id", key), ("path", 1)) for key in range(len(TOOLS) * KEYS)),
        lane=array("I", [lane for lane, _, _ in rows]),
        tool=array("I", [tool for _, tool, _ in rows]),
        key=array("I", [NO_KEY if key == KEYS else tool * KEYS + key for _, tool, key in rows]),
        line=array("I", range(1, len(rows) + 1)),
        index=array("I", range(1, len(rows) + 1)),
        likeness=array("B", likeness or [Likeness.IDENTICAL] * len(rows)),
        failed=array("B", [0] * len(rows)),
        recorded=tuple(recorded),
    )


@st.composite
def tables(draw: st.DrawFn) -> SessionTable:
    """Draw a session of some lanes, whose calls stand in any order."""
    lanes = draw(st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=1, max_size=3))
    row = st.tuples(
        st.integers(0, len(lanes) - 1), st.integers(0, len(TOOLS) - 1), st.integers(0, KEYS)
    )
    rows = draw(st.lists(row, max_size=40))
    likeness = draw(st.lists(st.sampled_from(Likeness), min_size=len(rows), max_size=len(rows)))
    told = st.builds(
        Recorded,
        row=st.integers(NO_ROW, len(rows) - 1),
        after=st.integers(0, len(rows)),
        agent=st.integers(0, 1),
        read=st.booleans(),
    )
    return table_of(rows, lanes, likeness, draw(st.lists(told, max_size=2)))


SCOPE = st.tuples(*[st.booleans()] * len(TOOLS))


@given(tables(), st.lists(SCOPE, min_size=1, max_size=6))
def test_under_any_scope_as_call_by_call(
    table: SessionTable, scopes: list[tuple[bool, ...]]
) -> None:
    every = SuperChains(table, table.key)
    for tracked in scopes:
        assert every.chained(tracked) == walked(table, table.key, tracked)


PATTERNS = st.lists(st.sampled_from([*TOOLS, "mcp__*", "*", "TodoWrite"]), max_size=2, unique=True)
CHOICES = st.builds(
    Choice,
    include=PATTERNS.map(tuple),
    exclude=PATTERNS.map(tuple),
    ignore_args=st.sampled_from([(), ("id",), ("bash:id",), ("nothing",)]),
)


@given(tables(), st.lists(CHOICES, min_size=1, max_size=6))
def test_what_a_table_remembers_makes_no_difference(
    table: SessionTable, choices: list[Choice]
) -> None:
    for choice in choices:
        tracked = [choice.scope.tracks(tool) for tool in TOOLS]
        assert chain(table, choice) == walked(table, table.keys_without(choice.ignored), tracked)


@given(tables(), st.lists(SCOPE, min_size=1, max_size=6))
def test_the_limits_cost_time_alone(table: SessionTable, scopes: list[tuple[bool, ...]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(superchains, "MOST_SPLITS", 1)
        patch.setattr(superchains, "MOST_BETWEEN", 1)
        every = SuperChains(table, table.key)
        for tracked in scopes:
            assert every.chained(tracked) == walked(table, table.key, tracked)


def lengths(chained: Chained) -> list[int]:
    return [run.length for run in chained.runs]


BASH, READ, GREP = ((0, tool, 0) for tool in range(3))
BETWEEN = [BASH, BASH, READ, BASH, GREP, BASH, BASH]


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        pytest.param((), [2, 2], id="split wherever another tool was called"),
        pytest.param(("read",), [3, 2], id="a tool that is left out splits nothing"),
        pytest.param(("read", "grep"), [5], id="whole when nothing between counts"),
        pytest.param(("bash",), [], id="no part of a tool that is left out"),
    ],
)
def test_what_splits_a_super_chain(exclude: tuple[str, ...], expected: list[int]) -> None:
    table = table_of(BETWEEN)
    chain(table, Choice(include=("nothing",)))  # the first is chained call by call
    assert lengths(chain(table, Choice(exclude=exclude))) == expected


def test_a_run_is_open_if_nothing_that_counts_follows() -> None:
    table = table_of([BASH, BASH, READ], [(0, True)])
    every = SuperChains(table, table.key)
    assert every.chained([True] * 5).runs[0].cut is Cut.NONE
    assert every.chained([True, False, True, True, True]).runs[0].cut is Cut.LOG


def test_scopes_that_track_the_same_tools_are_chained_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = table_of(BETWEEN)
    one = chain(table, Choice(exclude=("read",)))
    monkeypatch.delattr(runs, "SuperChains")
    monkeypatch.delattr(runs, "walked")
    assert chain(table, Choice(exclude=("r*d", "TodoWrite"))) is one


def test_what_is_remembered_is_bounded() -> None:
    table = table_of([(0, row % len(TOOLS), 0) for row in range(50)])
    for number in range(1 << len(TOOLS)):
        patterns = (tool for bit, tool in enumerate(TOOLS) if number >> bit & 1)
        chain(table, Choice(include=("nothing", *patterns)))
    chains = table.chains
    assert chains is not None
    assert len(chains._known) == runs.MOST_SCOPES  # noqa: SLF001 - nobody else can see it
    every = chains._super_chains  # noqa: SLF001 - as above
    assert every is not None
    kept = [len(one.parts) for many in every._broken.values() for one in many]  # noqa: SLF001
    assert max(kept) == superchains.MOST_SPLITS


def test_a_table_is_compared_without_what_it_remembers() -> None:
    table, other = table_of(BETWEEN), table_of(BETWEEN)
    chain(table, Choice())
    assert table.chains is not None
    assert table == other
    assert other.chains is None
