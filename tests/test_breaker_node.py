"""The breaker's rules against the published plugin, fed directly: no log, no command.

``test_breaker_differential`` compares what a user sees. Here are the spellings that no log is
likely to have, and streams whose every call is brought before both guards by hand.
REPEAT_REMINDER_STREAMS makes them more.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, Final

import pytest

from repeat_reminder.canonical import refused
from repeat_reminder.policies.answers import ANSWERS
from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.policies.breaker.fingerprints import identity
from tests.breaker_driver import breaker, effects, texts_of, tool_call
from tests.breaker_generator import Event, config, stream
from tests.breaker_spellings import command_line, spelling
from tests.oracle_process import ask

STREAMS: Final = int(os.environ.get("REPEAT_REMINDER_STREAMS", "9"))
CALLS: Final = 500
SPELLINGS: Final = 2_500


def harness(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """Yield what the harness does for each event, with the event's position."""
    for index, event in enumerate(events):
        agent = event.get("agent", "main")
        match event["type"]:
            case "tool_call":
                call = tool_call(index, event)
                if refused(call.arguments_text, call.arguments):
                    continue  # the harness never brings it before its guards
                given = {"text": event["raw"]} if "raw" in event else _arguments(event)
                started = {"start": call.id, "name": event["name"], **given}
                yield index, {"agent": agent, **started}
                yield index, {"agent": agent, "settle": call.id, "result": _result(event)}
            case "resume":
                yield index, {"agent": agent, "resume": True}
            case kind:
                yield index, {"agent": agent, "user": kind == "user_message"}


def _arguments(event: Event) -> Event:
    return {"arguments": event["arguments"]} if "arguments" in event else {}


def _result(event: Event) -> Event:
    given = event.get("result") or {}
    blocks = [{"type": "text", "text": text} for text in texts_of(given.get("content", []))]
    return {**given, "content": blocks}


def as_ours(effect: dict[str, Any], index: int) -> dict[str, Any]:
    """Spell an effect of the plugin as the cases do."""
    said = {"kind": effect["say"]["kind"], "fingerprints": effect["say"]["fingerprints"]}
    outcome = {"outcome": effect["outcome"]} if "outcome" in effect else {}
    return {"index": index, **said, **outcome}


@pytest.mark.parametrize("seed", range(STREAMS))
def test_looping_agents_have_the_same_effects(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - repeatable, no secret
    events, settings = stream(rng, CALLS), config(rng)
    answer = ANSWERS[seed % len(ANSWERS)]
    positions, feed = zip(*harness(events), strict=True)
    plugin = ask("breaker.mjs", [{"mount": [["breaker", settings]], "answer": answer}, *feed])
    theirs = [as_ours(effect, positions[effect["at"] - 1]) for effect in plugin]
    assert effects(breaker(settings, answer), events) == theirs, settings


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
    calls = [{"fingerprints": {"name": tool, "arguments": {key: text}}} for text in texts]
    plugin = ask("breaker.mjs", [{"mount": [["breaker", settings]]}, *calls])
    checked = BreakerConfig.from_mapping(settings)
    for text, theirs in zip(texts, plugin, strict=True):
        found = tuple(theirs["fps"]), theirs["local"]
        assert identity(tool, {key: text}, checked) == found, ascii(text)
