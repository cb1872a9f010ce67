"""Why a check failed: the headline and its cause come from comparing two lists of events."""

# ruff: noqa: RUF001 - the sign that reports count with

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.check.align import MOST_EDITS, pairs
from repeat_reminder.check.diff import DiffMode, DiffStyle
from repeat_reminder.check.explain import explain
from repeat_reminder.check.lines import DamagedError
from repeat_reminder.check.replaying import Overrides, places_of, transcript_of
from repeat_reminder.check.scenarios import Scenario
from repeat_reminder.events import Json
from repeat_reminder.pytest_plugin.sessions import SessionBuilder
from repeat_reminder.render.check.outcomes import Cause, Explanation
from repeat_reminder.render.check.words import change_lines
from repeat_reminder.render.look import Look
from tests.checking import STUCK

Pin = Callable[..., bytes]


@pytest.fixture
def pin(tmp_path: Path) -> Pin:
    """Make the transcript of a session under some settings."""

    def made(session: SessionBuilder, *policies: str, config: str = "", **values: Json) -> bytes:
        scenario = at(tmp_path, session)
        if config:
            (tmp_path / "own.yml").write_text(config)
            scenario = Scenario(
                name="s", path=scenario.path, snapshot="", config=f"{tmp_path}/own.yml"
            )
        return transcript_of(scenario, Overrides(policies=policies, values=values))

    return made


def at(folder: Path, session: SessionBuilder) -> Scenario:
    return Scenario(name="s", path=str(session.write(folder / "s.jsonl")), snapshot="")


def told(explanation: Explanation) -> tuple[Cause, list[str]]:
    lines = change_lines(explanation.changes, Look())
    return explanation.cause, [" ".join(line.split()) for line in lines]


CHANGED = "session lines of the session: {} changed (call_1 {} → call_1 {})"
GREP = SessionBuilder().user("go").call("grep", q="x", times=3)
TWO = GREP.call("ls").call("grep", q="x", times=3)


@pytest.mark.parametrize(
    ("old", "new", "cause", "lines"),
    [
        (
            (STUCK, {}),
            (STUCK, {"thresholds": [3, 4]}),
            Cause.POLICY,
            [
                "added bash × 4 detailed after call_4",
                "removed bash × 5 detailed was after call_5",
                "policy thresholds 3,5,8 → 3,4",
            ],
        ),
        (
            (STUCK, {"thresholds": [3]}),
            (STUCK, {"thresholds": [2, 3]}),
            Cause.POLICY,
            [
                "added bash × 2 gentle after call_2",
                "text bash × 3 gentle gentle 3 → detailed 3",
                "policy thresholds 3 → 2,3",
            ],
        ),
        (
            (STUCK, {}),
            (STUCK, {"thresholds": [3, 5, 9]}),
            Cause.POLICY,
            ["policy thresholds 3,5,8 → 3,5,9"],
        ),
        (
            (STUCK, {}),
            (STUCK, {"include": ["ba*", "x"], "exclude": ["x"]}),
            Cause.POLICY,
            ["policy include all → ba*,x", "policy exclude none → x"],
        ),
        (
            (TWO, {"exclude": ["ls"]}),
            (TWO, {"exclude": [], "thresholds": [3]}),
            Cause.POLICY,
            [
                "added grep × 3 gentle after call_7",
                "removed grep × 5 detailed was after call_6",
                "policy thresholds 3,5,8 → 3",
                "policy exclude ls → none",
            ],
        ),
        (
            (GREP, {}),
            (SessionBuilder().user("go").call("ls").call("grep", q="x", times=3), {}),
            Cause.SESSION,
            ["session lines of the session: 2 new (call_1 ls {})"],
        ),
        (
            (GREP, {}),
            (SessionBuilder().user("go").call("grep", q="y", times=3), {}),
            Cause.SESSION,
            [CHANGED.format(3, 'grep {"q":"x"}', 'grep {"q":"y"}')],
        ),
        (
            (STUCK, {}),
            (STUCK.call("bash", command="npm test"), {}),
            Cause.SESSION,
            ['session lines of the session: 2 new (call_6 bash {"command":"npm test"})'],
        ),
        (
            (STUCK, {"thresholds": [5]}),
            (SessionBuilder().user("Fix the build").call("bash", command="npm t", times=5)
             .say("Done"), {"thresholds": [5]}),
            Cause.SESSION,
            [CHANGED.format(5, 'bash {"command":"npm test"}', 'bash {"command":"npm t"}')],
        ),
        (
            (STUCK.user("more"), {}),
            (STUCK, {}),
            Cause.SESSION,
            ["session lines of the session: 1 gone (user: more)"],
        ),
        (
            (SessionBuilder().call("grep", times=4), {}),
            (SessionBuilder().call("grep", times=2).user("stop").call("grep", times=4), {}),
            Cause.SESSION,
            ["session lines of the session: 5 new (user: stop)"],
        ),
        (
            (SessionBuilder().call("grep", times=3).say("x"), {}),
            (SessionBuilder().call("grep", times=3), {}),
            Cause.SESSION,
            [
                'text grep × 3 gentle {"delivered":true} → {"delivered":false}',
                "session lines of the session: 1 gone (agent: x)",
            ],
        ),
    ],
    ids=[
        "added-and-removed", "other-tier-at-the-same-call", "policy-alone", "lists", "count-moves",
        "a-call-before-moves-nothing", "edited-calls", "calls-at-the-end", "edited-and-quoted",
        "message-gone", "a-longer-run-elsewhere", "never-read",
    ],
)  # fmt: skip
def test_the_headline(
    pin: Pin,
    old: tuple[SessionBuilder, dict[str, Json]],
    new: tuple[SessionBuilder, dict[str, Json]],
    cause: Cause,
    lines: list[str],
) -> None:
    before, after = pin(old[0], **old[1]), pin(new[0], **new[1])
    assert told(explain(before, after, "x")) == (cause, lines)


def test_a_guard_that_counts_differently_moves(pin: Pin) -> None:
    session = SessionBuilder().call("bash", n=1).call("bash", n=2, times=3)
    before, after = pin(session), pin(session, ignoreArgs=["n"])
    assert told(explain(before, after, "x")) == (
        Cause.POLICY,
        [
            "moved bash × 3 gentle call_4 → call_3",
            "policy ignoreArgs none → n",
        ],
    )


def test_what_moved_is_shown_in_the_log_of_this_run(tmp_path: Path, pin: Pin) -> None:
    session = SessionBuilder().call("bash", n=1).call("bash", n=2, times=3)
    before, after = pin(session), pin(session, ignoreArgs=["n"])
    places = places_of(at(tmp_path, session), Overrides(values={"ignoreArgs": ["n"]}))
    moved, _ = explain(before, after, "x", places=lambda: places).changes
    assert (moved.log, moved.line) == ("s.jsonl:6", 10)


def lines_of(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def swapped(lines: list[bytes], i: int, j: int) -> list[bytes]:
    lines[i], lines[j] = lines[j], lines[i]
    return lines


INJECTED = 8
"""Where the reminder at the third call stands in the transcript of five (from 0)."""


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (
            lambda lines: swapped(lines, INJECTED, INJECTED + 1),
            ["moved bash × 3 gentle after call_4 → after call_3"],
        ),
        (
            lambda lines: [*lines[:INJECTED], *lines[INJECTED + 1 :]],
            ["added bash × 3 gentle after call_3"],
        ),
        (
            lambda lines: [*lines[:INJECTED], lines[INJECTED], *lines[INJECTED:]],
            ["removed bash × 3 gentle was after call_3"],
        ),
        (
            lambda lines: [line.replace(b"Carefully", b"Now") for line in lines],
            [
                "text bash × 3 gentle …ical arguments. Now analyze the previous result … → …ical a"
            ],
        ),
        (
            lambda lines: [line.replace(b'"form":"notice"', b'"form":"alert"') for line in lines],
            ["text bash × 3 gentle …", "text bash × 5 detailed …"],
        ),
    ],
    ids=["moved", "added", "removed", "text", "note"],
)  # fmt: skip
def test_under_the_same_policy_the_guard_itself_changed(
    pin: Pin, edit: Callable[[list[bytes]], list[bytes]], lines: list[str]
) -> None:
    now = pin(STUCK)
    then = b"".join(edit(lines_of(now)))
    cause, found = told(explain(then, now, "x"))
    assert cause is (Cause.GUARD if then != now else None)
    assert [line[: len(want)] for line, want in zip(found, lines, strict=True)] == lines


@pytest.mark.parametrize(
    ("old", "new", "cause", "line"),
    [
        (b'"format":"canonical"', b'"format":"dsh"', Cause.READER, "reader format dsh → canonical"),
        (
            b'"kind":"execute"',
            b'"kind":"other"',
            Cause.READER,
            'reader kind of call_1 bash {"command":"npm test"} other → execute',
        ),
        (
            b'"status":"completed"',
            b'"status":"failed"',
            Cause.SESSION,
            "session lines of the session: 5 changed (call_1 failed ok → call_1 completed ok)",
        ),
        (b'"messageId":"msg_1"', b'"messageId":"msg_9"', Cause.READER, "reader the same events"),
    ],
    ids=["format", "kind-of-calls", "status", "spelling"],
)
def test_the_session_or_its_reader_changed(
    pin: Pin, old: bytes, new: bytes, cause: Cause, line: str
) -> None:
    now = pin(STUCK)
    found, lines = told(explain(now.replace(old, new), now, "x"))
    assert (found, [one[: len(line)] for one in lines]) == (cause, [line])


def test_results_of_other_calls_are_a_changed_session(pin: Pin) -> None:
    """Line for line they tell the same; only the numbers show that they were crossed."""
    now = pin(SessionBuilder().call("grep", times=2))
    then = now.replace(b'update","toolCallId":"call_1"', b'update","toolCallId":"call_2"', 1)
    cause, lines = told(explain(then, now, "x"))
    assert cause is Cause.SESSION
    assert lines == [
        "session lines of the session: 1 changed (call_2 completed ok → call_1 completed ok)"
    ]


def test_a_reminder_stays_though_the_line_before_it_is_another(pin: Pin) -> None:
    start = SessionBuilder().call("grep", times=2).record(
        type="tool_call", id="x", name="grep", arguments={}
    )  # fmt: skip
    old = start.record(type="tool_result", call_id="x", content="1 match").say("done")
    new = start.record(type="tool_result", call_id="x", content="none").say("hm").say("done")
    what = "lines of the session: 1 changed, 1 new"
    how = "(call_3 completed 1 match → call_3 completed none)"
    found = told(explain(pin(old), pin(new), "x"))
    assert found == (Cause.SESSION, [f"session {what} {how}"])


def test_two_messages_at_one_place_that_change_their_order(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes((FIXTURES / "parallel-step.jsonl").read_bytes())
    scenario = Scenario(name="s", path=str(log), snapshot="")
    now = transcript_of(scenario, Overrides(values={"thresholds": [2, 3]}))
    lines = lines_of(now)
    first = next(i for i, line in enumerate(lines) if b"/injected" in line)
    assert b"/injected" in lines[first + 1]
    then = b"".join(swapped(lines, first, first + 1))
    cause, (line,) = told(explain(then, now, "x"))
    assert cause is Cause.GUARD
    assert line.startswith("moved ")
    assert line.endswith("after call_5 → after call_5, in another order")


def test_a_log_that_tells_nothing_any_more(pin: Pin) -> None:
    assert told(explain(pin(STUCK), b"", "x")) == (
        Cause.SESSION,
        ["session the log tells of no session any more"],
    )


# ---------------------------------------------------------------- several policies, gates


BREAKER = "policy: breaker\nanswer: {}\nbreaker: {{limits: {{exact: {}}}, warnAt: 2}}"


def test_policies_that_come_and_go(pin: Pin) -> None:
    before, after = pin(STUCK, "reminder"), pin(STUCK, "reminder", "breaker")
    cause, lines = told(explain(before, after, "x"))
    assert cause is Cause.POLICY
    assert lines[-1] == "policy breaker none → mounted"
    cause, lines = told(explain(after, pin(STUCK, "breaker", "reminder"), "x"))
    assert (cause, lines[-1]) == (
        Cause.POLICY, "policy order reminder,breaker → breaker,reminder"
    )  # fmt: skip


def test_without_a_policy_nothing_but_the_policy_changed(pin: Pin) -> None:
    cause, lines = told(explain(pin(STUCK), pin(STUCK, "none"), "x"))
    assert cause is Cause.POLICY
    assert lines == [
        "removed bash × 3 gentle was after call_3",
        "removed bash × 5 detailed was after call_5",
        "policy reminder mounted → none",
    ]


def test_a_recorded_reminder_that_a_replay_says_anew_is_no_change_of_the_session(
    pin: Pin,
) -> None:
    said: Json = {"kind": "plugin", "plugin": "repeat-tool-reminder"}
    session = STUCK.record(type="injected_message", content="again", source=said)
    cause, _ = told(explain(pin(session), pin(session, "none"), "x"))
    assert cause is Cause.POLICY


@pytest.mark.parametrize("answer", ["unattended", "approve"])
def test_a_gate_changes_no_line_of_the_session(pin: Pin, answer: str) -> None:
    before = pin(STUCK, config=BREAKER.format(answer, 50))
    after = pin(STUCK, config=BREAKER.format(answer, 4))
    cause, lines = told(explain(before, after, "x"))
    assert cause is Cause.POLICY
    assert not [line for line in lines if line.startswith(("session", "reader"))]
    assert lines[0] == "added bash × 4 ask at call_4"
    assert lines[-1] == "policy limits.exact 50 → 4"


# ---------------------------------------------------------------- diffs


def diffed(old: bytes, new: bytes, style: DiffStyle) -> Explanation:
    return explain(old, new, "x", style=style)


def test_a_diff_is_bounded_and_says_by_how_much(pin: Pin) -> None:
    old, new = pin(STUCK), pin(STUCK, thresholds=[2, 4])
    whole = diffed(old, new, DiffStyle(most=0))
    short = diffed(old, new, DiffStyle(most=5))
    assert whole.diff_omitted == 0
    assert short.diff == whole.diff[:5]
    assert short.diff_omitted == len(whole.diff) - 5
    assert diffed(old, new, DiffStyle(mode=DiffMode.NONE)).diff == ()


def test_a_diff_of_raw_lines_has_the_numbers_of_both_files(pin: Pin) -> None:
    session = SessionBuilder().call("ls").call("bash", times=3)
    old, new = pin(session), pin(session, thresholds=[3, 5, 9])
    assert [line[:60] for line in diffed(old, new, DiffStyle(most=0)).diff] == [
        "@@ -1,3 +1,3 @@",
        *(
            f'{sign}{{"jsonrpc":"2.0","method":"session/update","params":{{"sessi'
            for sign in "-+  "
        ),
    ]


def test_few_words_hide_what_only_shifts(pin: Pin) -> None:
    old, new = pin(STUCK), pin(STUCK, thresholds=[3])
    raw = diffed(old, new, DiffStyle(most=0)).diff
    words = diffed(old, new, DiffStyle(mode=DiffMode.SEMANTIC, most=0)).diff
    assert sum(line.startswith("-") for line in raw) == 3, "policy, reminder, renumbered message"
    assert [line for line in words if line.startswith(("-", "+"))][2:] == [
        "->> bash × 5 detailed for call_5: Repeated tool call detected:"
    ]


def test_a_long_line_is_cut_around_its_difference(pin: Pin) -> None:
    texts = ["x" * 5_000 + end + "y" * 5_000 for end in ("OLD", "NEW")]
    old, new = (pin(SessionBuilder().user(text).call("ls")) for text in texts)
    gone, came = (
        line for line in diffed(old, new, DiffStyle()).diff if line.startswith(("-", "+"))
    )
    assert "OLD" in gone
    assert "NEW" in came
    assert len(gone) == len(came) < 500


@pytest.mark.parametrize("mode", [DiffMode.UNIFIED, DiffMode.SEMANTIC])
@pytest.mark.parametrize("width", [40, 76, 400])
@pytest.mark.parametrize("before", [0, 30, 3_000], ids=lambda n: f"after-{n}-characters")
def test_a_difference_is_on_the_part_that_is_shown(
    pin: Pin, mode: DiffMode, width: int, before: int
) -> None:
    texts = [f"First line\n{'x' * before}{end}{'y' * 300}" for end in ("OLD", "NEW")]
    old, new = (pin(SessionBuilder().user(text).call("ls")) for text in texts)
    shown = diffed(old, new, DiffStyle(mode=mode, width=width)).diff
    gone, came = (line for line in shown if line.startswith(("-", "+")))
    assert max(len(line) for line in shown if not line.startswith("@")) <= width + 1
    assert ["OLD" in gone, "NEW" in came] == [True, True]


def test_a_line_without_counterpart_is_shown_from_where_lines_differ(pin: Pin) -> None:
    old, new = pin(STUCK), pin(STUCK, thresholds=[3])
    shown = diffed(old, new, DiffStyle(width=76)).diff
    assert any(line.startswith('-…"user_message_chunk","content":') for line in shown)
    assert not any("jsonrpc" in line for line in shown)


# ---------------------------------------------------------------- whatever a snapshot holds


CHUNK = st.sampled_from(
    [b"", b"\n", b"{", b'"', b"call_1", b"null", b"\xff", b'{"_meta":{}}', b"[]", b"<<<<<<< a\n"]
)


@given(cut=st.integers(0, 3_000), width=st.integers(0, 300), chunk=CHUNK)
def test_every_difference_is_explained(cut: int, width: int, chunk: bytes) -> None:
    new = TWO_TIERS
    old = new[:cut] + chunk + new[cut + width :]
    if old == new:
        return
    explanation = explain(old, new, "x")
    assert explanation.changes
    assert 1 <= explanation.line <= old.count(b"\n") + 1
    assert list(change_lines(explanation.changes, Look()))


FIXTURES = Path(__file__).parents[1] / "fixtures"
TWO_TIERS = (Path(__file__).parents[1] / "snapshots" / "two-tiers.acp.jsonl").read_bytes()


def with_value(node: Json, key: str, value: Json) -> Json:
    """Put a value under a key wherever it is."""
    match node:
        case dict():
            return {k: value if k == key else with_value(v, key, value) for k, v in node.items()}
        case list():
            return [with_value(item, key, value) for item in node]
        case _:
            return node


@pytest.mark.parametrize("value", [[], None, 1, "x", {"a": [None]}, [{}]], ids=repr)
@pytest.mark.parametrize(
    "key",
    [
        "_meta", "content", "source", "config", "toolCallId", "sessionId", "update", "params",
        "repeat-reminder/policy", "repeat-reminder/injected", "count", "tier", "sessionUpdate",
    ],
)  # fmt: skip
def test_values_of_other_types_are_no_crash(key: str, value: Json) -> None:
    """Somebody may have written a snapshot by hand."""
    lines = (with_value(json.loads(line), key, value) for line in TWO_TIERS.splitlines())
    old = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    for pair in ((old, TWO_TIERS), (TWO_TIERS, old)):
        try:
            explanation = explain(*pair, "x")
        except DamagedError:
            assert key in {"update", "params"}, "a transcript of this run is never damaged"
        else:
            assert list(change_lines(explanation.changes, Look()))


# ---------------------------------------------------------------- alignment


def longest(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Return the length of a longest common subsequence, the slow way."""
    row = [0] * (len(new) + 1)
    for a in old:
        above, row = row, [0] * (len(new) + 1)
        for j, b in enumerate(new):
            row[j + 1] = above[j] + 1 if a == b else max(above[j + 1], row[j])
    return row[-1]


ENTRIES = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=12)


@given(ENTRIES, ENTRIES)
def test_as_much_as_possible_is_paired(old: list[bytes], new: list[bytes]) -> None:
    found = pairs(old, new)
    assert all(old[i] == new[j] for i, j in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))
    assert len(found) == longest(old, new)


def test_lists_that_differ_all_over_are_paired_at_their_ends_only() -> None:
    ends = [b"head"], [b"tail"]
    old, new = (
        [*ends[0], *(b"%d%d" % (n, i) for i in range(MOST_EDITS)), *ends[1]] for n in (1, 2)
    )
    assert pairs(old, new) == [(0, 0), (MOST_EDITS + 1, MOST_EDITS + 1)]
