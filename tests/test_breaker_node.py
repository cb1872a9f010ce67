"""The breaker against the published plugin itself, run by node on random streams.

Set REPEAT_REMINDER_ORACLE to a folder with ``breaker.mjs`` and its ``node_modules``. Without it
the tests are skipped; in CI that is a failure. REPEAT_REMINDER_ORACLE_STREAMS makes them longer.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.policies.breaker.fingerprints import identity
from tests.breaker_driver import ANSWERS, breaker, effects
from tests.breaker_generator import config, stream
from tests.breaker_spellings import command_line, spelling

FOLDER = os.environ.get("REPEAT_REMINDER_ORACLE", "")
STREAMS = int(os.environ.get("REPEAT_REMINDER_ORACLE_STREAMS", "12"))
CALLS = 500
SPELLINGS = 2_500


@pytest.fixture(autouse=True)
def _oracle() -> None:
    if FOLDER:
        return
    if os.environ.get("CI"):
        pytest.fail("the differential tests need REPEAT_REMINDER_ORACLE")
    pytest.skip("needs REPEAT_REMINDER_ORACLE, a folder with breaker.mjs and its packages")


def ask(events: Iterable[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    """Give events to the plugin and return what it does about them."""
    run = subprocess.run(  # noqa: S603 - our own script
        ["node", "breaker.mjs", *options],  # noqa: S607 - whichever node there is
        cwd=FOLDER,
        input="\n".join(json.dumps(event) for event in events).encode(),
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in run.stdout.split(b"\n") if line]


def as_ours(line: dict[str, Any]) -> dict[str, Any]:
    """Take an effect of the plugin without its wording, with our name for its first track."""
    kept: dict[str, Any] = {key: line[key] for key in ("index", "kind", "outcome") if key in line}
    tracks = {"repeat": "occurrence", "failure": "failure"}
    kept["fingerprints"] = [{**hit, "track": tracks[hit["track"]]} for hit in line["fingerprints"]]
    return kept


@pytest.mark.parametrize("seed", range(STREAMS))
def test_looping_agents_have_the_same_effects(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - repeatable, no secret
    events, settings = stream(rng, CALLS), config(rng)
    answer = list(ANSWERS)[seed % len(ANSWERS)]
    plugin = ask(events, "--config", json.dumps(settings), "--answer", answer)
    ours = effects(breaker(settings, ANSWERS[answer]), events)
    assert ours == [as_ours(line) for line in plugin], settings


@pytest.mark.parametrize(
    ("tool", "key", "make"),
    [("web_fetch", "url", spelling), ("bash", "command", command_line)],
    ids=["addresses", "commands"],
)
@pytest.mark.parametrize("seed", range(STREAMS // 3))
def test_spellings_have_the_same_fingerprints(
    tool: str, key: str, make: Callable[[Random], str], seed: int
) -> None:
    rng = Random(seed)  # noqa: S311 - repeatable, no secret
    settings: dict[str, Any] = {
        "localHosts": rng.choice(["deny", "allow"]),
        "includeLocal": rng.random() < 0.5,
    }
    texts = [make(rng) for _ in range(SPELLINGS)]
    calls = [
        {"type": "tool_call", "agent": str(number), "name": tool, "arguments": {key: text}}
        for number, text in enumerate(texts)
    ]
    lines = ask(calls, "--fps", "--config", json.dumps(settings))
    plugin = [(tuple(line["fps"]), line["local"]) for line in lines if line["kind"] == "fps"]
    checked = BreakerConfig.from_mapping(settings)
    for text, theirs in zip(texts, plugin, strict=True):
        assert identity(tool, {key: text}, checked) == theirs, ascii(text)
