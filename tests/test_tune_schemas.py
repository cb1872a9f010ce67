"""What ``tune`` and ``stats`` print, and label files, against the schemas."""

import json
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.errors import UsageError
from repeat_reminder.tune.labels import read_labels
from tests.closed_schemas import faults
from tests.command import run
from tests.corpus import POLLING, Truth
from tests.corpus import write as write_corpus
from tests.random_sessions import write


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_corpus(tmp_path_factory.mktemp("corpus"), Truth(sessions=30))
    write(folder / "runs" / "ok", 1, 6, recorded=True)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--max-warned", "30%", "--try", "4,7"],
        ["--labels", "labels.csv", "--require-caught", "50%", "--alpha", "10%"],
        ["--labels", "labels.csv", "--max-warned", "20%", "--try-exclude", POLLING],
        ["--hold-out", "30%", "--max-warned", "50%", "--bootstrap", "20"],
        ["--exclude", "TodoWrite", "--thresholds", "3,90", "--bootstrap", "0"],
        ["--policy", "breaker"],
        ["--policy", "breaker", "--labels", "labels.csv", "--max-warned", "90%"],
    ],
    ids=" ".join,
)
def test_tuning_reports(corpus: Path, words: list[str]) -> None:
    words = [str(corpus / word) if word == "labels.csv" else word for word in words]
    done = run("tune", corpus / "runs", *words, "-f", "json")
    document = json.loads(done.out)
    assert faults("tune", document) == []
    assert document["candidates"]


@pytest.mark.parametrize("by", ["tool", "agent", "session", "label", "format"])
def test_overviews(corpus: Path, by: str) -> None:
    document = json.loads(run("stats", corpus / "runs", "--by", by, "-f", "json").out)
    assert faults("stats", document) == []
    assert document["by"] == by


LINES: list[tuple[Any, bool]] = [
    ({"session": "7f3a", "label": "stuck"}, True),
    ({"session": "runs/**", "label": " OK ", "note": "x"}, True),
    ({"session": "a", "label": "Timeout"}, True),
    ({"session": "a", "label": "maybe"}, False),
    ({"session": "", "label": "ok"}, False),
    ({"session": 5, "label": "ok"}, False),
    ({"label": "ok"}, False),
]


@pytest.mark.parametrize(("line", "fits"), LINES, ids=str)
def test_label_files(line: Any, fits: bool) -> None:  # noqa: ANN401, FBT001 - any JSON, a table
    assert (faults("labels", line) == []) is fits
    try:
        read_labels("labels.jsonl", json.dumps(line).encode())
        read = True
    except UsageError:
        read = False
    assert read is fits
