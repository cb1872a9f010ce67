"""The benchmark itself: reproducible logs, the same placements, no verdict about speed."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.benchmarks import contest as contests
from tests.benchmarks import giant as giants
from tests.benchmarks import run as benchmark
from tests.benchmarks.contest import PEERS, Contest, Placement, Run, contest, placements
from tests.benchmarks.corpora import CORPORA, name_of, small, write
from tests.benchmarks.growth import _beginning
from tests.benchmarks.measuring import Took, ratios

SCRIPT = Path(benchmark.__file__)


def told_by(*words: str) -> list[str]:
    """Run the benchmark as its users do."""
    done = subprocess.run(  # noqa: S603 - this very project
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


# ---------------------------------------------------------------- corpora


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_seed_always_gives_the_same_bytes(tmp_path: Path, corpus: str) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        write(corpus, tmp_path / name, 50_000, seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()
    assert (tmp_path / "a").stat().st_size >= 50_000


DENSITIES = {
    "claude": ("tool_use", 24_500, 71_000),
    "codex": ("call_output", 64_000, 259_000),
    "dsh": ("tool/result", 26_000, 1_517_000),
    "canonical": ("tool_call", 1_684_000, 1_716_000),
}
"""How a call is told, and how many calls and lines there are in 300 MB."""


@pytest.mark.parametrize(("corpus", "mark", "calls", "lines"), [
    pytest.param(corpus, *figures, id=corpus) for corpus, figures in DENSITIES.items()
])  # fmt: skip
def test_a_corpus_is_as_dense_as_the_readme_says(
    corpus: str, mark: str, calls: int, lines: int, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    write(corpus, path, 16_000_000, 7)
    found: Counter[str] = Counter()
    with path.open("rb") as file:
        for line in file:
            found["lines"] += 1
            found["calls"] += _kind(orjson.loads(line)).endswith(mark)
    scale = 300_000_000 / path.stat().st_size
    assert found["calls"] * scale == pytest.approx(calls, rel=0.25)
    assert found["lines"] * scale == pytest.approx(lines, rel=0.25)


def _kind(record: Any) -> str:  # noqa: ANN401 - one JSON object
    """Return the innermost type, which tells a call."""
    content = record.get("message", {}).get("content")
    if isinstance(content, list):
        return str(content[0].get("type"))
    return str(record.get("payload", record).get("type"))


def test_small_logs_are_of_several_formats(tmp_path: Path) -> None:
    small(tmp_path / "small", 4, 7)
    names = sorted(path.name for path in (tmp_path / "small").iterdir())
    assert names == ["00000-claude.jsonl", "00001-claude.jsonl", "00002-codex.jsonl",
                     "00003-dsh.jsonl"]  # fmt: skip


def test_a_corpus_is_written_anew_if_its_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = name_of("x", 7)
    for name in ("corpora.py", "drawing.py"):
        (tmp_path / name).write_text("other")
    monkeypatch.setattr("tests.benchmarks.corpora.HERE", tmp_path)
    assert name_of("x", 7) != before


# ---------------------------------------------------------------- measures


def test_everybody_finds_the_same_placements(tmp_path: Path) -> None:
    told = told_by("--mb", "0.4", "--rounds", "1", "--folder", str(tmp_path))
    assert told[0].startswith("machine: ")
    for corpus in CORPORA:
        mine = [line for line in told if line.startswith(f"{corpus} ")]
        assert any("replay/orjson.loads" in line and "n=1" in line for line in mine)
        assert any("placements=" in line and "placements=0" not in line for line in mine)


def test_every_other_measure_runs(tmp_path: Path) -> None:
    words = ["--growth", "--giant", "1", "--startup", "1", "--jobs", "--small", "4", "--cache"]
    size = ["--corpus", "dsh", "--mb", "0.4", "--rounds", "1", "--folder", str(tmp_path)]
    told = "\n".join(told_by(*words, *size))
    for expected in (
        "dsh growth: time of 8x/1x ",
        "dsh giant 1 MB: placements the same",
        "startup: replay of 5 lines takes x typer ",
        "jobs: output the same to the byte",
        "cache: output the same to the byte",
    ):
        assert expected in told
    assert "plain replay" not in told


def test_a_beginning_ends_behind_a_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"12345\n1234\n1\n")
    for size, expected in {12: b"12345\n1234\n", 11: b"12345\n1234\n", 10: b"12345\n"}.items():
        _beginning(tmp_path / "log", tmp_path / "part", size)
        assert (tmp_path / "part").read_bytes() == expected


def test_a_giant_that_is_not_proved_irrelevant_is_no_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(giants.HEADS, "dsh", b'{"data":{"text":"')
    with pytest.raises(SystemExit, match="not one that can be left out"):
        giants.giant("dsh", tmp_path, 0.1, 7, 1)


def test_what_the_product_prints_is_what_its_peers_print(tmp_path: Path) -> None:
    mine = 'a b.jsonl:3: gentle main "x" x3 after=4 {"a":"after=9"}\n'
    (tmp_path / "mine").write_text(mine)
    (tmp_path / "theirs").write_text('4\tmain\t"x"\t3\n')
    found = [
        placements("claude", tmp_path / name, Path("a b.jsonl")) for name in ("mine", "theirs")
    ]
    assert found == [[Placement(4, "main", '"x"', 3)]] * 2


def test_ratios_are_of_rounds() -> None:
    assert ratios([2, 9, 4], [1, 3, 1]) == "3.00 [2.00..4.00] n=3"


def test_a_placement_that_differs_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    digests = {"replay": "a", "loads": "", "bare": "", "plain": "b", "node": "a"}
    _pretend(monkeypatch, digests, cpu=1)
    assert not contest("dsh", Path("x"), 1)
    assert "DIFFERS: plain" in capsys.readouterr().out


def test_being_slow_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pretend(monkeypatch, dict.fromkeys(("replay", *PEERS), "a"), cpu=1_000)
    assert contest("dsh", Path("x"), 2)
    assert "0.00 [0.00..0.00] n=2" in capsys.readouterr().out


def _pretend(monkeypatch: pytest.MonkeyPatch, digests: dict[str, str], *, cpu: float) -> None:
    def made(_self: Contest, name: str, _command: object) -> Run:
        seconds = cpu if name == "replay" else 1
        return Run(took=Took(cpu=seconds, wall=seconds), placements=1, digest=digests[name])

    monkeypatch.setattr(contests.Contest, "run", made)
