"""However a log is spelled: the fast replay, the thorough one, and the published plugin agree.

Sessions full of repeats are spelled line by line in ways that JSON allows and no writer uses. The
default replay may leave lines unparsed; ``--validate`` parses all; the plugin gets every line
through ``JSON.parse``. More sessions: ``REPEAT_REMINDER_RESPELLINGS=1000``.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from repeat_reminder.batches import Batch
from repeat_reminder.formats import by_name
from repeat_reminder.formats.reading import skim_log
from repeat_reminder.source import open_log
from tests.command import run
from tests.oracle_process import ask
from tests.respelling.canonical import Blind, Canonical
from tests.respelling.changes import (
    HARMLESS,
    MEANINGFUL,
    Change,
    has_key_twice,
    is_call,
    is_unfair,
    line_of,
    pools,
    usual_line,
)
from tests.respelling.claude import Claude
from tests.respelling.codex import Codex
from tests.respelling.dsh import Dsh
from tests.respelling.files import disturbed, file_of, with_noise
from tests.respelling.writer import Writer

SEEDS: Final = int(os.environ.get("REPEAT_REMINDER_RESPELLINGS", "10"))
ROOT: Final = Path(__file__).parents[1]
SHARED: Final = ROOT.parent / "shared"
FOLDERS: Final = [
    *sorted(path for path in (ROOT / "tests" / "data").iterdir() if path.is_dir()),
    ROOT / "fixtures",
    *sorted(path for path in SHARED.glob("sessions/*") if path.is_dir()),
    *SHARED.glob("sessions-dsh"),
]
WRITERS: Final[dict[str, type[Writer]]] = {
    "canonical": Canonical,
    "blind": Blind,
    "claude-code": Claude,
    "codex": Codex,
    "dsh": Dsh,
}
NAMES: Final = {"blind": "canonical"}
"""What a format is called, if not as its writer."""
WAYS: Final = (
    (),
    ("--all-calls",),
    ("--thresholds", "2,4", "--exclude", "b*"),
    ("--policy", "breaker"),
    ("--ignore-args", "path", "--ignore-args", "end"),
    ("--policy", "none"),
    (),
)
"""Ways to ask for a replay: each may need more of a line than the one before."""
KNOWN_ONLY_BY_VALIDATING: Final = frozenset({"skipped_lines", "problems"})


def respelled(form: str, seed: int) -> bytes:
    """Write a session whose meaning is as its harness wrote it, whatever it looks like."""
    draw = Random(f"{form} {seed}")  # noqa: S311 - reproducible, not secret
    lines = spelled_lines(form, draw, seed, HARMLESS, draw.choice([0, 0.01, 0.03, 0.1, 1]))
    return file_of(draw, with_noise(draw, lines))


def distorted(form: str, seed: int) -> bytes:
    """Write a session in which some records say something else, or stand elsewhere."""
    draw = Random(f"{form} {seed} distorted")  # noqa: S311 - reproducible, not secret
    changes = [*MEANINGFUL, *HARMLESS]
    lines = spelled_lines(form, draw, seed, changes, draw.choice([0.01, 0.03, 0.1, 0.3]))
    return file_of(draw, with_noise(draw, disturbed(draw, lines)))


def spelled_lines(
    form: str, draw: Random, seed: int, changes: Sequence[Change], odd: float
) -> list[bytes]:
    """Spell the records of a session: a share of them as nobody writes them."""
    records = WRITERS[form](draw, seed).written()
    irrelevant = by_name(NAMES.get(form, form)).irrelevant or (lambda _: False)
    values, lines = pools(records), list[bytes]()
    for record in records:
        usual = line = usual_line(draw, record)
        if draw.random() < odd:
            line = line_of(draw, record, values, changes)
            left_out = irrelevant(line) and has_key_twice(line)
            if left_out or is_unfair(line, usual, call=is_call(record)):
                line = usual
        lines.append(line)
    return lines


def said(path: Path, *words: str) -> tuple[int, list[dict[str, Any]], str]:
    """Replay a log; return exit code, records, and messages."""
    done = run("replay", path, "-f", "jsonl", *words)
    return done.code, [json.loads(line) for line in done.out.split("\n") if line], done.err


def compared(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what both ways must agree about: all but what is wrong with lines left unparsed."""
    return [
        {key: value for key, value in record.items() if key not in KNOWN_ONLY_BY_VALIDATING}
        for record in found
        if record["kind"] != "problem"
    ]


def problems(found: list[dict[str, Any]]) -> list[str]:
    """Return the problems told."""
    return [json.dumps(record) for record in found if record["kind"] == "problem"]


def assert_alike(path: Path, *words: str) -> list[dict[str, Any]]:
    """Compare the default replay with one that parses every line, and return the records."""
    fast_code, fast, fast_told = said(path, *words)
    code, whole, told = said(path, *words, "--validate")
    assert compared(fast) == compared(whole), path
    assert fast_code == code, (fast_told, told)
    assert set(problems(fast)) <= set(problems(whole))
    return whole


def placements(records: list[dict[str, Any]]) -> list[list[Any]]:
    """Return line, session, agent, summary and text of every reminder."""
    return [
        [
            record["settled"]["line"],
            record["session"],
            record["agent"],
            record["source"]["summary"],
            record["text"],
        ]
        for record in records
        if record["kind"] == "reminder"
    ]


def spoken(records: list[dict[str, Any]]) -> int:
    """Count the reminders, of any guard."""
    return sum(record["kind"] == "reminder" for record in records)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Path]:
    """Write the sessions that the plugin can judge too."""
    folder = tmp_path_factory.mktemp("respelled")
    paths = {
        (form, seed): folder / f"{form}-{seed}.jsonl" for form in WRITERS for seed in range(SEEDS)
    }
    for (form, seed), path in paths.items():
        path.write_bytes(respelled(form, seed))
    return paths


@pytest.mark.parametrize("form", WRITERS)
def test_the_plugin_says_the_same_of_respelled_logs(
    form: str, judged: dict[tuple[str, int], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [path for (each, _), path in judged.items() if each == form]
    theirs = ask("respelled.mjs", [[form, str(path)] for path in paths])
    for path, expected in zip(paths, theirs, strict=True):
        assert sorted(placements(said(path)[1])) == sorted(expected), path
    count = sum(map(len, theirs))
    assert count > SEEDS
    with capsys.disabled():
        print(f" {form}: {SEEDS} logs, {count:,} reminders ", end="")  # noqa: T201 - the figure


@pytest.mark.parametrize("form", WRITERS)
def test_respelled_logs_replay_as_if_every_line_was_parsed(
    form: str, judged: dict[tuple[str, int], Path]
) -> None:
    found = 0
    for seed in range(SEEDS):
        found += spoken(assert_alike(judged[form, seed], *WAYS[seed % len(WAYS)]))
    assert found > SEEDS


@pytest.mark.parametrize("form", ["blind", "claude-code", "codex", "dsh"])
def test_calls_are_taken_from_unparsed_lines_at_all(
    form: str, judged: dict[tuple[str, int], Path]
) -> None:
    taken = 0
    for seed in range(SEEDS):
        with open_log(str(judged[form, seed])) as log:
            batches = [event for event in skim_log(log) if isinstance(event, Batch)]
        taken += sum(len(part.calls) for batch in batches for part in batch.parts)
    assert taken > 10


@pytest.mark.parametrize("form", WRITERS)
def test_distorted_logs_replay_as_if_every_line_was_parsed(form: str, tmp_path: Path) -> None:
    found = 0
    for seed in range(SEEDS):
        path = tmp_path / f"{seed}.jsonl"
        path.write_bytes(distorted(form, seed))
        words = ["--from", NAMES.get(form, form)] if seed % 2 else []
        found += spoken(assert_alike(path, *words, *WAYS[seed % len(WAYS)]))
    assert found > SEEDS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: "/".join(path.parts[-2:]))
def test_recorded_logs_replay_as_if_every_line_was_parsed(folder: Path) -> None:
    records = assert_alike(folder)
    assert records[0]["kind"] == "header"
