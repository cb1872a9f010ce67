"""Folders that are one log: only the formats that read some are asked."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from repeat_reminder.formats import MODULES
from repeat_reminder.formats.model import Format, Sample
from repeat_reminder.formats.recognition import FOLDERS, is_log_folder
from tests.readers import DATA

NAMES: Final = (
    *("event-00000-a.json", "api_conversation_history.json", "messages.json", "session.jsonl"),
    *("header.json", "summaries.json", "samples/1_epoch_1.json", "_journal/start.json", "a.traj"),
    *("sessions", "messages", "session", "message", "part", "events", "state", "spans"),
)
"""Files, members of archives and tables, as formats know theirs by."""


@pytest.mark.parametrize("name", [name for name in MODULES if name not in FOLDERS])
def test_no_other_format_knows_a_folder(name: str) -> None:
    form: Format = import_module(f"repeat_reminder.formats.{name}").FORMAT
    assert form.recognise(Sample(path="x", kind="folder", records=(), names=NAMES)) is None


def test_a_conversation_is_one_log() -> None:
    assert is_log_folder(str(DATA / "openhands" / "conversation"))
    assert not is_log_folder(str(DATA / "openhands"))


def test_asking_imports_no_other_reader(tmp_path: Path) -> None:
    code = (
        "import sys; from repeat_reminder.formats.recognition import is_log_folder; "
        "print(is_log_folder(sys.argv[1]), 'repeat_reminder.formats.goose' in sys.modules)"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603 - this Python
    assert done.stdout == "False False\n"
