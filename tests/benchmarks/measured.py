"""Runs one contestant in this process, and leaves behind what it took at most of memory.

``python measured.py REPORT plain CORPUS FILE``, ``… bare CORPUS FILE``, ``… loads FILE``, or ``…
replay WORDS…``. The peak is read here, at the end: what a parent is told of its child
(``ru_maxrss``) may be its own.
"""

import atexit
import sys
from importlib import import_module
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_kib() -> int | None:
    """Return the most memory this process has used so far, in KiB; None where nobody tells."""
    if not STATUS.exists():
        return None
    lines = (line.split() for line in STATUS.read_text().splitlines())
    return next((int(words[1]) for words in lines if words and words[0] == "VmHWM:"), None)


def loads(path: str) -> None:
    """Parse every line, and keep nothing."""
    import orjson  # noqa: PLC0415 - each contestant pays for what it imports itself

    with Path(path).open("rb", buffering=1 << 20) as file:
        for line in file:
            orjson.loads(line)


def main() -> None:
    """Run what the arguments name."""
    report, contestant, *words = sys.argv[1:]
    atexit.register(lambda: Path(report).write_text(str(peak_kib() or "")))
    if contestant == "loads":
        loads(*words)
    elif contestant in {"plain", "bare"}:
        sys.path.insert(0, str(Path(__file__).parents[2]))
        import_module(f"tests.benchmarks.{contestant}").main(*words)
    else:
        from repeat_reminder.__main__ import main as product  # noqa: PLC0415

        sys.argv = ["repeat-reminder", contestant, *words]
        product()


if __name__ == "__main__":
    main()
