"""Messages on standard error: told in full, folded, counted, totalled."""

import pytest

from repeat_reminder.errors import ConfigError, RepeatReminderError, SourceError
from repeat_reminder.events import Problem, Severity
from repeat_reminder.render.look import Look
from repeat_reminder.render.problems import ProblemLog, error_lines
from tests.scenes import problem

NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


def told(*problems: Problem, verbose: bool = False, least: Severity = NOTE) -> list[str]:
    log = ProblemLog(verbose=verbose, least=least)
    return [*(line for one in problems for line in log.add(one)), *log.finish()]


@pytest.mark.parametrize(
    ("one", "lines"),
    [
        pytest.param(
            problem("torn", line=412, hint="mend it"),
            ["warning: session.jsonl:412: torn", "hint: mend it"],
            id="place, fault, hint",
        ),
        pytest.param(
            problem("empty", line=None, severity=ERROR),
            ["error: session.jsonl: empty"],
            id="no line",
        ),
        pytest.param(
            problem("dead", path="", line=None, severity=NOTE), ["note: dead"], id="no file"
        ),
        pytest.param(
            problem("a\x1b[31m\nb", path="\u202e.jsonl", hint="\ud800"),
            [r"warning: \u202e.jsonl:4: a\x1b[31m\nb", r"hint: \ud800"],
            id="hostile text is escaped",
        ),
    ],
)
def test_messages(one: Problem, lines: list[str]) -> None:
    assert list(ProblemLog().add(one)) == lines


def test_three_of_a_kind_are_told_and_the_rest_counted() -> None:
    lines = told(*(problem(line=n, skipped=True) for n in range(1, 41)))
    assert lines == [
        "warning: session.jsonl:1: not valid JSON",
        "warning: session.jsonl:2: not valid JSON",
        "warning: session.jsonl:3: not valid JSON",
        "warning: session.jsonl: and 37 more (not json)",
        "40 lines skipped · 40 warnings",
    ]


@pytest.mark.parametrize(
    ("problems", "lines"),
    [
        pytest.param(
            [problem(line=n, path=path) for path in "ab" for n in range(4)],
            8,
            id="each file has three of its own",
        ),
        pytest.param(
            [problem(kind=kind) for kind in ("x", "y") for _ in range(4)],
            8,
            id="each kind has three of its own",
        ),
        pytest.param([problem() for _ in range(3)], 3, id="three fold nothing"),
        pytest.param(
            [problem(path=path, severity=NOTE) for path in "abcdef"],
            4,
            id="notes fold over all files",
        ),
        pytest.param(
            [problem(severity=s) for s in (ERROR, WARNING) for _ in range(4)],
            8,
            id="errors and warnings fold apart",
        ),
    ],
)
def test_what_is_folded(problems: list[Problem], lines: int) -> None:
    body = [line for line in told(*problems) if "skipped ·" not in line]
    assert len(body) == lines


def test_the_rest_of_a_file_is_counted_before_the_next_file() -> None:
    lines = told(*(problem(path="a") for _ in range(5)), problem(path="b"))
    assert lines[3:5] == ["warning: a: and 2 more (not json)", "warning: b:4: not valid JSON"]


def test_the_rest_of_the_notes_tells_in_how_many_files() -> None:
    notes = [problem(path=path, severity=NOTE, kind="unfinished") for path in "aabbcc"]
    assert told(*notes)[-1] == "note: and 3 more in 2 files (unfinished)"


def test_a_hint_is_not_said_twice_in_a_row() -> None:
    lines = told(problem(hint="x"), problem(hint="x"), problem(hint="y"), problem(hint="x"))
    assert [line for line in lines if line.startswith("hint")] == ["hint: x", "hint: y"]


def test_verbose_tells_everything() -> None:
    lines = told(*(problem(line=n) for n in range(40)), verbose=True)
    assert len(lines) == 41


def test_quiet_tells_errors_and_counts_all() -> None:
    found = [problem(severity=NOTE), problem(skipped=True), problem(severity=ERROR)]
    assert told(*found, least=ERROR) == [
        "error: session.jsonl:4: not valid JSON",
        "1 line skipped · 1 error, 1 warning, 1 note",
    ]


def test_nothing_skipped_and_no_warning_is_silent() -> None:
    assert told() == []
    assert told(problem("fine", severity=NOTE)) == ["note: session.jsonl:4: fine"]


def test_the_last_line_totals_lines_and_files() -> None:
    log = ProblemLog()
    log.add(problem(severity=NOTE, skipped=True))
    lines = [*log.error(SourceError("permission denied", path="b.jsonl")), *log.finish()]
    assert lines == [
        "error: b.jsonl: permission denied",
        "1 line and 1 file skipped · 1 error, 1 note",
    ]
    assert (log.counts[ERROR], log.counts[WARNING], log.counts[NOTE]) == (1, 0, 1)


def test_counting_does_not_wait_for_the_lines_to_be_read() -> None:
    log = ProblemLog()
    log.add(problem())
    log.error(SourceError("gone", path="x"))
    assert (log.counts.total(), log.skipped_files) == (2, 1)


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        pytest.param(
            ConfigError("thresholds: must not be empty", path="c.yml", line=3, hint="give some"),
            ["error: c.yml:3: thresholds: must not be empty", "hint: give some"],
            id="with a hint",
        ),
        pytest.param(RepeatReminderError("no\x07pe"), [r"error: no\x07pe"], id="alone"),
    ],
)
def test_errors(error: RepeatReminderError, lines: list[str]) -> None:
    assert list(error_lines(error, Look())) == lines


def test_colour_and_ascii() -> None:
    log = ProblemLog(Look(color=True, ascii_only=True))
    assert list(log.add(problem("字", hint="é"))) == [
        "\x1b[33mwarning:\x1b[0m session.jsonl:4: \\u5b57",
        "\x1b[2mhint:\x1b[0m \\xe9",
    ]
    assert list(log.finish()) == ["0 lines skipped - 1 warning"]
