"""Several processes print what one prints, byte for byte."""

import shutil
from pathlib import Path

import pytest

from tests.command import run

FIXTURES = Path(__file__).parents[1] / "fixtures"
CALL = '{"type":"tool_call","name":"x","arguments":{}}\n'


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out scenarios, a broken log and an empty one."""
    for path in FIXTURES.glob("*.jsonl"):
        shutil.copy(path, tmp_path / path.name)
    (tmp_path / "broken.jsonl").write_text(CALL + "{oops\n" + CALL * 2)
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "text.jsonl").write_text("no log\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize("policy", ["reminder", "breaker", "none"])
@pytest.mark.parametrize("form", ["full", "concise", "json", "jsonl", "acp"])
def test_any_number_of_processes_prints_the_same(form: str, policy: str) -> None:
    one, two = (
        run("replay", ".", "-f", form, "--policy", policy, "-j", jobs) for jobs in ("1", "2")
    )
    assert one.code == two.code == 0
    assert one.out == two.out
    assert one.err == two.err


@pytest.mark.usefixtures("corpus")
def test_the_essence_reports_what_the_whole_reports() -> None:
    """A selection that selects everything goes the long way, and comes to the same."""
    words = ["replay", ".", "-f", "json", "-q"]
    assert run(*words, "-j", "2").out == run(*words, "--session", "").out
