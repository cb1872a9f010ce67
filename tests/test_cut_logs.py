"""A log cut off at any byte gives what its whole lines give, in every format of lines."""

import io
import random
from pathlib import Path

import pytest

from repeat_reminder import jsontext
from repeat_reminder.engine import replay
from repeat_reminder.errors import FormatError
from repeat_reminder.events import Intervention, Settlement
from repeat_reminder.formats.model import Format, Shape
from repeat_reminder.formats.reading import read_log
from repeat_reminder.formats.recognition import recognise
from repeat_reminder.policies.reminder import Reminder, ReminderConfig
from repeat_reminder.source import open_log

ROOT = Path(__file__).parents[1]
CUTS = 8
"""Places to cut each log at, chosen by its name."""


def form_of(path: Path) -> Format | None:
    try:
        with open_log(str(path)) as log:
            form = recognise(log).format
            return form if form.shape is Shape.LINES and log.kind == "text" else None
    except FormatError:
        return None


def samples() -> list[tuple[Path, Format]]:
    paths = [*(ROOT / "fixtures").glob("*.jsonl"), *(ROOT / "tests" / "data").glob("*/*.jsonl")]
    found = [(path, form_of(path)) for path in sorted(paths) if path.name != "expected.jsonl"]
    lines = [(path, form) for path, form in found if form is not None]
    return [(path, form) for path, form in lines if path.read_bytes().count(b"\n") > 1]


SAMPLES = samples()


def placed(data: bytes, form: Format) -> list[tuple[object, ...]]:
    """List what is counted and said, with every place."""
    guard = Reminder(ReminderConfig(thresholds=(2, 3, 5, 8)))
    try:
        with open_log("-", stdin=io.BytesIO(data)) as log:
            items = list(replay(read_log(log, form), guard))
    except FormatError:  # nothing of the format stands in so little of it
        return []
    return [
        (type(item), item.result and item.result.call.line, item.count, item.inject_after)
        for item in items
        if isinstance(item, Settlement | Intervention)
    ]


def whole_lines(data: bytes) -> bytes:
    """Leave out a last line that is cut; one that lacks nothing but its end is whole."""
    head, newline, last = data.rpartition(b"\n")
    try:
        return data if isinstance(jsontext.loads(last), dict) else head + newline
    except jsontext.NotJson:
        return head + newline


@pytest.mark.parametrize(
    ("path", "form"), SAMPLES, ids=[p.relative_to(ROOT).as_posix() for p, _ in SAMPLES]
)
def test_a_cut_log_gives_what_its_whole_lines_give(path: Path, form: Format) -> None:
    data = path.read_bytes()
    chosen = random.Random(path.name)  # noqa: S311 - a generator for tests
    for cut in [chosen.randrange(1, len(data)) for _ in range(CUTS)]:
        whole = whole_lines(data[:cut])
        if whole.count(b"\n") > 1:  # a single line may as well be one document, without lines
            assert placed(data[:cut], form) == placed(whole, form), cut


def test_the_formats_of_lines_are_there() -> None:
    names = {form.name for _, form in SAMPLES}
    assert names >= {"canonical", "dsh", "claude-code", "codex", "pi", "qwen", "copilot-cli"}
