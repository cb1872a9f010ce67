"""Recorded sessions with a known truth, made from a seed.

Run it to get the corpus of the README: ``python tests/corpus.py DIR``.
"""

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

POLLING = "poll_job"
"""Called again and again with the same arguments, and each time with another result."""
VOLATILE = ("fetch_page", "request_id")
"""A tool and its argument that changes by itself, and hides that the call is the same."""
TRAP = "todo_write"
"""Stands between equal calls that are no loop: whoever excludes it makes them one."""
LEGITIMATE = 4
"""Calls of the longest run of identical calls that a good session needs, apart from polling."""
LOOP = (6, 16)
"""Calls of a stuck session's loop, from and to."""

Record = dict[str, object]


@dataclass(frozen=True)
class Truth:
    """What a corpus was made with."""

    sessions: int = 120
    stuck: float = 0.15
    """Share of sessions that end in a loop."""
    polling: float = 0.5
    """Share of good sessions that wait for a job."""
    seed: int = 7


class Session:
    """Writes the records of one session."""

    def __init__(self, name: str, rng: random.Random) -> None:
        """Begin with a human message."""
        self.name = name
        self.rng = rng
        self.records: list[Record] = [{"type": "session", "id": name}]
        self.calls = 0
        self.clock = 1_700_000_000_000 + rng.randrange(10**9)
        self.user()

    def user(self) -> None:
        """Let a human speak."""
        self.records.append({"type": "user_message", "content": "go on"})

    def call(self, tool: str, result: str, status: str = "ok", **arguments: object) -> None:
        """Make a call, and answer it."""
        self.calls += 1
        self.clock += self.rng.randrange(800, 4_000)
        usage = {"input_tokens": 900 + 40 * self.calls, "output_tokens": 60}
        self.records += [
            {"type": "assistant_message", "content": "", "usage": usage, "ts": self.clock},
            {"type": "tool_call", "id": f"k{self.calls}", "name": tool, "arguments": arguments},
            {
                "type": "tool_result",
                "call_id": f"k{self.calls}",
                "content": result,
                "status": status,
                "ts": self.clock + 500,
            },
        ]

    def text(self) -> str:
        """Return the log."""
        return "".join(json.dumps(record) + "\n" for record in self.records)


def _work(session: Session) -> None:
    """Do something ordinary."""
    rng = session.rng
    path = f"src/{rng.choice('abcdefgh')}{rng.randrange(40)}.py"
    match rng.randrange(4):
        case 0:
            session.call("read", f"text of {path}", path=path)
        case 1:
            session.call("bash", "ok", command=f"grep -n x {path}")
        case 2:
            session.call("edit", "done", path=path, old=f"a{rng.random()}", new="b")
        case _:
            for _ in range(rng.choice([1, 1, 1, 2, 3, LEGITIMATE])):
                session.call("bash", rng.choice(["red", "green", "red again"]), command="make test")
            session.call("read", f"text of {path}", path=path)


def _poll(session: Session) -> None:
    stages = rng_words(session.rng)
    for stage in stages[: session.rng.randrange(6, 13)]:
        session.call(POLLING, f"state: {stage}", id="job-1")


def rng_words(rng: random.Random) -> list[str]:
    words = "queued starting pulling building linking testing packing signing sending checking"
    words += " waiting closing done"
    found = words.split()
    rng.shuffle(found)
    return found


def _trap(session: Session) -> None:
    """Work through a list: the same check after every item, with the item ticked off between."""
    for item in range(5):
        session.call("run_tests", f"{5 - item} left to fix", suite="all")
        session.call(TRAP, "noted", done=item)


def _volatile(session: Session) -> None:
    """Fetch one page again and again, each time under another number."""
    for _ in range(session.rng.randrange(6, 9)):
        number = f"{session.rng.getrandbits(48):012x}"
        session.call(VOLATILE[0], "503 try later", url="https://example.org/x", request_id=number)


def _loop(session: Session) -> None:
    for _ in range(session.rng.randint(*LOOP)):
        session.call("bash", "No such file: build.log", "error", command="cat build.log")


def sessions(truth: Truth) -> Iterator[tuple[str, str, str]]:
    """Yield name, label and text of every session."""
    rng = random.Random(truth.seed)  # noqa: S311 - not for secrets
    stuck = round(truth.sessions * truth.stuck)
    for number in range(truth.sessions):
        label = "stuck" if number < stuck else "ok"
        session = Session(f"{label[0]}{rng.getrandbits(32):08x}", rng)
        for _ in range(rng.randrange(4, 12)):
            _work(session)
        if rng.random() < 0.3:
            _trap(session)
        if rng.random() < 0.25:
            _volatile(session)
        if label == "stuck":
            _loop(session)
        elif rng.random() < truth.polling:
            _poll(session)
            _work(session)
        yield session.name, label, session.text()


def write(folder: Path, truth: Truth = Truth()) -> Path:
    """Write a corpus: ``runs/<label>/<session>.jsonl``, and ``labels.csv`` beside it."""
    lines = ["session,label"]
    for name, label, text in sessions(truth):
        path = folder / "runs" / label / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        lines.append(f"{name},{label}")
    (folder / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


if __name__ == "__main__":
    write(Path(sys.argv[1]))
