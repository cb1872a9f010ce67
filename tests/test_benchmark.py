"""The benchmark itself: reproducible logs, the same placements, no verdict about speed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import run as benchmark
from tests.benchmarks.corpora import CORPORA, write

SCRIPT = Path(benchmark.__file__)


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_seed_always_gives_the_same_bytes(tmp_path: Path, corpus: str) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        write(corpus, tmp_path / name, 50_000, seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()
    assert (tmp_path / "a").stat().st_size >= 50_000


def test_everybody_finds_the_same_placements(tmp_path: Path) -> None:
    words = ["--mb", "0.4", "--rounds", "1", "--folder", str(tmp_path)]
    done = subprocess.run(  # noqa: S603 - this very project
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for corpus in CORPORA:
        told = [line for line in done.stdout.splitlines() if line.startswith(corpus)]
        assert any("replay/orjson.loads" in line and "n=1" in line for line in told)
        assert any("placements=" in line and "placements=0" not in line for line in told)


def test_a_placement_that_differs_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    digests = {"replay": "a", "loads": "", "plain": "b", "node": "a"}
    _pretend(monkeypatch, digests, cpu=1)
    assert not benchmark.contest("dsh", Path("x"), 1)
    assert "DIFFERS: plain" in capsys.readouterr().out


def test_being_slow_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pretend(monkeypatch, dict.fromkeys(("replay", "loads", "plain", "node"), "a"), cpu=1_000)
    assert benchmark.contest("dsh", Path("x"), 2)
    assert "0.00 [0.00..0.00] n=2" in capsys.readouterr().out


def _pretend(monkeypatch: pytest.MonkeyPatch, digests: dict[str, str], *, cpu: float) -> None:
    def made(_self: benchmark.Contest, name: str, _command: object) -> benchmark.Run:
        seconds = cpu if name == "replay" else 1
        return benchmark.Run(cpu=seconds, peak_mib=None, placements=1, digest=digests[name])

    monkeypatch.setattr(benchmark.Contest, "run", made)
