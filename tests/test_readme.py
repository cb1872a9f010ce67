"""What the README says holds: its table of formats, its code, its commands."""

import re
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder import Reminder, replay
from repeat_reminder.events import Intervention
from repeat_reminder.formats import FORMATS
from repeat_reminder.formats.model import Format, Origin
from tests.command import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind == language]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_the_table_of_formats_is_the_readers_own(form: Format) -> None:
    cells = [form.title, form.where, form.status.value, form.lossy or "\N{EN DASH}"]
    assert f"| `{form.name}` | {' | '.join(cells)} |" in README


def test_the_table_has_no_other_formats() -> None:
    assert README.count("\n| `") >= len(FORMATS)
    row = r"^\| `([a-z0-9-]+)` \| .* \| (?:proven|specified|unproven) \|"
    named = re.findall(row, README, re.MULTILINE)
    assert named == [form.name for form in FORMATS]


def test_the_example_of_a_format_reads_a_log() -> None:
    (code,) = [text for text in blocks("python") if "FORMAT = Format(" in text]
    scope: dict[str, Any] = {}
    exec(compile(code, "acme.py", "exec"), scope)  # noqa: S102 - the README's own code
    form: Format = scope["FORMAT"]
    reader = form.reader(Origin(path="a.jsonl", name="a"))
    calls: list[dict[str, Any]] = []
    for number in range(3):
        calls.append({"acme_event": "call", "id": f"{number}", "tool": "x", "args": "{}"})
        calls.append({"acme_event": "done", "id": f"{number}", "out": "ok"})
    events = [e for line, record in enumerate(calls, 1) for e in reader.record(line, record)]
    items = replay([*events, *reader.end(6)], Reminder())
    assert [item.count for item in items if isinstance(item, Intervention)] == [3]


def test_the_example_of_the_library_prints_placements(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = [text for text in blocks("python") if "replay(read(" in text]
    exec(compile(code, "readme.py", "exec"), {})  # noqa: S102 - the README's own code
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()[:1]] == [["8", "3"]]


def test_the_example_of_live_use_speaks_at_the_third_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = [text for text in blocks("python") if "guard.on_result" in text]
    exec(compile(code, "live.py", "exec"), {})  # noqa: S102 - the README's own code
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] == ["1 []", "2 []", "3 ['"]


def test_the_first_output_is_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = next(text for text in blocks("text") if text.startswith("fixtures/two-tiers.jsonl"))
    assert run("replay", "fixtures/two-tiers.jsonl").out == shown


def test_ci_installs_with_the_readmes_own_commands() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (test_command,) = [text for text in blocks("sh") if "pytest" in text and "&&" in text]
    for part in test_command.strip().split(" && "):
        assert part in script
