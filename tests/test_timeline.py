"""The report for people: what stands where, what is left out, what it never does to a terminal."""

from collections.abc import Iterable, Sequence

import pytest

from repeat_reminder.events import Action, Event, Json, SessionEnd, SessionId, Status
from repeat_reminder.policies import Guard
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.render.header import DEFAULT, Header
from repeat_reminder.render.look import Look
from repeat_reminder.render.replay.excerpts import Texts
from repeat_reminder.render.replay.timeline import full
from repeat_reminder.render.tally import Tally
from tests.scenes import NPM, Scene, Scripted, example, header, items, reminder

EXAMPLE = """\
session.jsonl  7f3a91 · canonical
policy reminder  thresholds 3, 5, 8 · include all · exclude todo_write · preview 500

  line  agent   call  tool   run        reminder      injected after
     9  main    c4    bash   3 ●●●      gentle    !   line 10  result of c4
    17  main    c8    bash   5 ●●●●●    detailed  !!  line 18  result of c8
    21  sub-1   c10   grep   3 ●●●      gentle    !   line 22  result of c10
    29  main    c14   bash   8 ●●●●●●●● detailed  !!  line 30  result of c14

  :9   main   bash × 3  {"command":"npm test"}
       │ You are repeating the exact same tool call with identical arguments. …
  :17  main   bash × 5  {"command":"npm test"}
       │ Repeated tool call detected: …
  :21  sub-1  grep × 3  {"q":"X"}
       │ You are repeating the exact same tool call with identical arguments. …
  :29  main   bash × 8  {"command":"npm test"}
       │ Repeated tool call detected: …

4 reminders (2 gentle, 2 detailed) in 2 runs · 1,142 characters injected
1 session · 2 agents · 18 calls (16 tracked) · 39 lines, 0 skipped
longest run 8 · silent tail after the last threshold: none
"""  # noqa: RUF001 - the signs a user sees

BREAKER = """\
session.jsonl  7f3a91 · canonical
policy breaker  warnAt off · limits exact 5

  line  agent   call  tool   count      action                injected after           fingerprint
     2  main    c1    bash   3/12       warn              !   line 3   result of c1    cmd:bash +1
     4  main    c2    bash   3/12       summarize         !!  line 5   result of c2    cmd:bash +1
     6  main    c3    bash   fails 3    fail_warn         !!  line 7   result of c3    cmd:bash +1
     8  main    c4    bash   3/12       ask: unavailable  ?   line 8   before c4       cmd:bash +1
    10  main    c5    bash   3/12       deny              ×   line 10  in place of c5  cmd:bash +1

  :2   main  bash  cmd:bash 3/12, host:a.example 2/16
       │ Stop …
  :4   main  bash  cmd:bash 3/12, host:a.example 2/16
       │ Stop …
  :6   main  bash  cmd:bash fails 3, host:a.example 2/16
       │ Stop …
  :8   main  bash  cmd:bash 3/12, host:a.example 2/16
       │ Stop …
       │ Blocked
  :10  main  bash  cmd:bash 3/12, host:a.example 2/16
       │ Stop …
       │ Blocked

5 interventions (1 warn, 1 summarize, 1 fail_warn, 1 ask, 1 deny) · 2 refused calls ran in the recording · 42 characters injected
1 session · 1 agent · 5 calls (5 tracked) · 12 lines, 0 skipped
"""  # noqa: RUF001, E501 - the signs a user sees, and a long line


def report(
    guards: Guard | Sequence[Guard],
    head: Header,
    *logs: Iterable[Event],
    look: Look = Look(),  # noqa: B008 - frozen
    texts: Texts = Texts.FIRST_LINE,
    origins: bool = False,
) -> str:
    lines = full(items(guards, *logs), head, look=look, texts=texts, origins=origins)
    return "".join(f"{line}\n" for line in lines)


def of_table(text: str) -> list[str]:
    """Return the first table of a report."""
    lines = text.split("\n")
    start = next(at for at, line in enumerate(lines) if "injected after" in line)
    return lines[start : lines.index("", start)]


# ---------------------------------------------------------------- the reminder


def test_the_example_of_the_specification_comes_out() -> None:
    guard, head = reminder(exclude=["todo_write"])
    assert report(guard, head, example()) == EXAMPLE


def test_without_utf8_everything_is_ascii_and_stands_in_the_same_place() -> None:
    guard, head = reminder(exclude=["todo_write"])
    text = report(guard, head, example(), look=Look(ascii_only=True))
    assert text.isascii()
    unicode_signs = str.maketrans({"●": "*", "×": "x", "│": "|", "·": "-"})  # noqa: RUF001
    assert of_table(text) == [line.translate(unicode_signs) for line in of_table(EXAMPLE)]


def test_colour_is_all_that_color_adds() -> None:
    guard, head = reminder(exclude=["todo_write"])
    text = report(guard, head, example(), look=Look(color=True))
    for code in ("1", "2", "33", "1;31", "0"):
        text = text.replace(f"\x1b[{code}m", "")
    assert text == EXAMPLE


def test_no_text_leaves_the_table_and_the_totals() -> None:
    guard, head = reminder(exclude=["todo_write"])
    text = report(guard, head, example(), texts=Texts.NONE)
    assert "│" not in text
    assert (
        text
        == "".join(EXAMPLE.partition("\n\n  :9")[:1]) + "\n\n" + EXAMPLE[EXAMPLE.index("4 rem") :]
    )


def test_full_text_is_never_cut_and_keeps_its_lines() -> None:
    long: Json = {"command": "x" * 300}
    guard, head = reminder(2, 3)
    log = Scene().calls(arguments=long, times=3).assistant().end()
    text = report(guard, head, log, texts=Texts.FULL)
    assert "instead of repeating the call.\n" in text
    assert "      │ - tool: bash\n      │ - consecutive_calls: 3\n" in text
    assert text.count("x" * 300) == 3


def test_first_lines_end_before_the_last_column() -> None:
    guard, head = reminder(2)
    log = Scene().calls(arguments={"command": "字" * 200}, times=2).assistant().end()
    for width in (60, 80, 132):
        excerpt = [
            line
            for line in report(guard, head, log, look=Look(width=width)).split("\n")
            if "字" in line or "│" in line
        ]
        assert len(excerpt) == 2
        assert all(len(line) + line.count("字") <= width - 1 for line in excerpt)


@pytest.mark.parametrize(
    ("scene", "row"),
    [
        pytest.param(
            Scene().calls(arguments=NPM, times=2),
            "     4  main    c2    bash   2 ●●       gentle    !   "
            "line 5  result of c2 (pending, never delivered)",
            id="nothing follows: never delivered",
        ),
        pytest.param(
            Scene(results=False).calls(arguments=NPM, times=2, ids=["a", "b"]).assistant(),
            "     3  main    b     bash   2 ●●       gentle    !   line 3  call b",
            id="no results recorded: behind the call",
        ),
        pytest.param(
            Scene(lines=False).calls(arguments=NPM, times=2, ids=["a", "b"]).assistant(),
            "     2  main    b     bash   2 ●●       gentle    !   result of b",
            id="no lines: ordinals and ids",
        ),
        pytest.param(
            Scene().calls("运行", NPM, times=2).assistant(),
            "     4  main    c2    运行   2 ●●       gentle    !   line 5  result of c2",
            id="wide characters take two cells",
        ),
        pytest.param(
            Scene()
            .calls("bash", NPM, times=2, ids=["call_1", "toolu_" + "0" * 20 + "12345678"])
            .assistant(),
            "     4  main    …000000012345678  bash   2 ●●       gentle    !   "
            "line 5  result of …000000012345678",
            id="long ids end where they differ",
        ),
    ],
)
def test_rows(scene: Scene, row: str) -> None:
    guard, head = reminder(2)
    assert of_table(report(guard, head, scene.end()))[1] == row


def test_document_formats_number_the_calls() -> None:
    guard, head = reminder(2)
    log = Scene(lines=False).calls(arguments=NPM, times=2, ids=["a", "b"]).assistant().end()
    text = report(guard, head, log)
    assert of_table(text)[0].startswith("     #  agent")
    assert '\n  #2  main  bash × 2  {"command":"npm test"}\n' in text  # noqa: RUF001
    assert "1 session · 1 agent · 2 calls (2 tracked)\n" in text


def test_a_step_that_never_ended_has_no_landing() -> None:
    guard, head = reminder(2)
    log = Scene().calls(arguments=NPM, times=2, ids=["a", "b"], step=1).events
    log.append(SessionEnd(session=SessionId("7f3a91"), line=None))
    text = report(guard, head, log)
    assert of_table(text)[1] == "     4  main    b     bash   2 ●●       gentle    !   -"
    assert "1 reminder (1 gentle) in 1 run · 1 pending, never delivered · 0 char" in text


def test_long_runs_show_a_few_dots() -> None:
    guard, head = reminder(2, 40)
    log = Scene().calls(arguments=NPM, times=45).assistant().end()
    text = report(guard, head, log)
    assert "   2 ●● " in text
    assert "  40 ●●●●●●●●●●●●… " in text
    assert "longest run 45 · silent tail after the last threshold: 5 calls in 1 run\n" in text


def test_rows_are_in_the_order_of_counting() -> None:
    guard, head = reminder(2)
    scene = Scene().calls(arguments=NPM, times=2, ids=["a1", "a2"])
    scene.calls(arguments=NPM, times=2, agent="b", ids=["b1", "b2"]).assistant(agent="b")
    rows = of_table(report(guard, head, scene.assistant().end()))
    assert [row.split()[2] for row in rows[1:]] == ["a2", "b2"]


def test_lines_before_the_table_can_tell_where_settings_come_from() -> None:
    guard, head = reminder(origin="pyproject.toml")
    text = report(guard, head, example(), origins=True)
    assert text.startswith(
        "session.jsonl  7f3a91 · canonical\n"
        "policy reminder\n"
        "  thresholds 3, 5, 8  pyproject.toml\n"
        "  include all         pyproject.toml\n"
        "  exclude none        pyproject.toml\n"
        "  preview 500         pyproject.toml\n"
    )


# ---------------------------------------------------------------- many sessions, or nothing to tell


def noisy(name: str) -> list[Event]:
    scene = Scene(f"{name}.jsonl", name, compression="zstd").calls(arguments=NPM, times=3)
    return scene.assistant().end()


def quiet(name: str) -> list[Event]:
    return Scene(f"{name}.jsonl", name).calls(times=2).assistant().end(skipped=1)


def test_many_sessions_are_a_block_for_each_with_reminders_and_a_line_for_the_rest() -> None:
    guard, head = reminder()
    text = report(guard, head, quiet("a"), noisy("b"), quiet("c"), noisy("d"), texts=Texts.NONE)
    assert text.split("\n") == [
        "b.jsonl  b · canonical · zstd",
        "policy reminder  thresholds 3, 5, 8 · include all · exclude none · preview 500",
        "",
        "  line  agent   call  tool   run        reminder      injected after",
        "     6  main    c3    bash   3 ●●●      gentle    !   line 7  result of c3",
        "",
        "d.jsonl  d · canonical · zstd",
        "",
        "  line  agent   call  tool   run        reminder      injected after",
        "     6  main    c3    bash   3 ●●●      gentle    !   line 7  result of c3",
        "",
        "2 sessions without a reminder · 4 calls",
        "",
        "2 reminders (2 gentle) in 2 runs · 472 characters injected",
        "4 sessions · 4 agents · 10 calls (10 tracked) · 28 lines, 2 skipped",
        "longest run 3 · silent tail after the last threshold: none",
        "",
    ]


def test_one_session_without_a_reminder_is_still_named() -> None:
    guard, head = reminder()
    assert report(guard, head, quiet("a")).split("\n") == [
        "a.jsonl  a · canonical",
        "policy reminder  thresholds 3, 5, 8 · include all · exclude none · preview 500",
        "",
        "no reminders",
        "1 session · 1 agent · 2 calls (2 tracked) · 6 lines, 1 skipped",
        "longest run 2 · silent tail after the last threshold: none",
        "",
    ]


def test_without_a_policy_the_log_is_summed_up() -> None:
    assert report([], header(), quiet("a"), quiet("b")).split("\n") == [
        "policy none",
        "",
        "2 sessions without a reminder · 4 calls",
        "",
        "2 sessions · 2 agents · 4 calls (0 tracked) · 12 lines, 2 skipped",
        "",
    ]


def test_a_block_comes_when_its_session_ends() -> None:
    guard, head = reminder()
    fed = 0

    def events() -> Iterable[Event]:
        nonlocal fed
        for event in [*noisy("a"), *noisy("b")]:
            fed += 1
            yield event

    assert next(iter(full(items(guard, events()), head))).startswith("a.jsonl")
    assert fed == len(noisy("a"))


def test_what_did_not_count_is_told() -> None:
    guard, head = reminder()
    scene = Scene().calls(times=2, ids=["c1", "c1"], answer=None).calls(ids=["c2"])
    text = report(guard, head, scene.calls(ids=["c3"], answer=Status.SKIPPED).assistant().end())
    assert "1 call (1 tracked) · 1 unfinished · 1 copy dropped · " in text


def test_the_tally_is_left_to_the_caller() -> None:
    guard, head = reminder()
    tally = Tally()
    list(full(items(guard, example()), head, tally=tally))
    assert (tally.sessions, tally.calls, tally.reminders) == (1, 18, 3)


# ---------------------------------------------------------------- the breaker


def test_breaker_rows_have_counts_caps_outcomes_and_fingerprints() -> None:
    script = {
        "c1": Action.WARN,
        "c2": Action.SUMMARIZE,
        "c3": Action.FAIL_WARN,
        "c4": Action.ASK,
        "c5": Action.DENY,
    }
    guard = Scripted(script)
    log = Scene().calls(times=5).assistant().end()
    assert report(guard, header(guard), log) == BREAKER


def test_the_real_breaker_can_be_shown() -> None:
    config: Json = {"warnAt": 2, "summarizeAt": 3, "limits": {"exact": 4}}
    guard = Breaker(BreakerConfig.from_mapping(config))
    rows = of_table(report(guard, header(guard), Scene().calls(times=5).assistant().end()))
    assert [" ".join(row.split()[4:7]) for row in rows[1:]] == [
        "2/4 warn !",
        "3/4 summarize !!",
        "4/4 ask: unavailable",
        "5/4 deny ×",  # noqa: RUF001
    ]


def test_of_several_policies_each_row_names_its_own() -> None:
    breaker = Scripted({"c2": Action.WARN})
    chain, _ = reminder(2)
    rows = of_table(report([chain, breaker], header(chain, breaker), Scene().calls(times=2).end()))
    policy = rows[0].index("policy")
    assert [row[policy:].split()[:2] for row in rows[1:]] == [
        ["reminder", "gentle"],
        ["breaker", "warn"],
    ]


def test_of_the_breaker_only_what_is_not_its_default_is_told() -> None:
    log = Scene().calls().end()
    for origin in (DEFAULT, "breaker.toml"):
        guard = Breaker(BreakerConfig())
        assert "policy breaker  defaults\n" in report(guard, header(guard, origin=origin), log)
    guard = Breaker(BreakerConfig.from_mapping({"window": 20, "hostAliases": {"a": "b"}}))
    told = report(guard, header(guard, origin="breaker.toml"), log)
    assert "policy breaker  window 20 · hostAliases " in told
    assert "open.canada.ca" not in told
    everything = report(guard, header(guard, origin="breaker.toml"), log, origins=True)
    assert "open.canada.ca" in everything
