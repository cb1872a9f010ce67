"""Runs processes one after the other and says what they took, as ratios with their spread."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
MEASURED: Final = (sys.executable, str(HERE / "measured.py"))
PRODUCT: Final = (sys.executable, "-m", "repeat_reminder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What a process took, from its start to its end."""

    cpu: float
    """Seconds, in the program, in the kernel for it, and in processes that it waited for."""
    wall: float
    """Seconds."""
    peak_mib: float | None = None
    """The most memory it used; None if it leaves no report."""


def took(
    command: Sequence[str],
    output: Path,
    *,
    report: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Took:
    """Run a process alone; its output goes to a file, its peak comes from the report it leaves."""
    if report is not None:
        report.unlink(missing_ok=True)
    with output.open("wb") as stream, output.with_suffix(".errors").open("wb") as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - ours
            command,
            stdout=stream,
            stderr=errors,
            cwd=output.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        told = output.with_suffix(".errors").read_text(errors="replace")
        raise SystemExit(f"{' '.join(command)}\nfailed, exit {process.returncode}\n{told[-2_000:]}")
    peak = report.read_text() if report is not None and report.exists() else ""
    return Took(
        cpu=usage.ru_utime + usage.ru_stime, wall=wall, peak_mib=int(peak) / 1024 if peak else None
    )


def ratios(over: Sequence[float], under: Sequence[float]) -> str:
    """Write the median of ratios, the smallest, the largest, and how many there are."""
    found = sorted(one / other for one, other in zip(over, under, strict=True))
    return f"{median(found):.2f} [{found[0]:.2f}..{found[-1]:.2f}] n={len(found)}"


def mib(runs: Sequence[Took]) -> str:
    """Write the highest of some peaks."""
    peaks = [run.peak_mib for run in runs if run.peak_mib is not None]
    return f"{max(peaks):.0f}" if peaks else "?"


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def workroom() -> Iterator[Path]:
    """Give a folder for outputs and reports."""
    with tempfile.TemporaryDirectory(prefix="repeat-reminder-benchmark-") as folder:
        yield Path(folder)


def machine() -> Iterator[str]:
    """Say on what this runs, and what a figure is."""
    info = Path("/proc/cpuinfo")
    models = info.read_text().splitlines() if info.exists() else []
    named = next((line.partition(": ")[2] for line in models if "model name" in line), "")
    yield f"machine: {named or platform.processor() or '?'}, {os.cpu_count()} CPUs"
    versions = f"Python {platform.python_version()}, orjson {version('orjson')}"
    yield f"versions: {versions}, node {_node() or 'not installed'}"
    yield "replay/x: how many times faster the replay is than x; median [least..most] of n rounds"
    yield "whole processes in turn, start-up included; by CPU time, where no line says wall"


def _node() -> str | None:
    node = shutil.which("node")
    if node is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)  # noqa: S603 - as found
    return told.stdout.strip()
