"""The real breaker beside us on generated sessions, read from logs by the command.

Call, action, fingerprints, counts, caps and outcome must be the same; for the messages, what they
are about: the failure, the refusal, the result that is quoted. The full run:
``REPEAT_REMINDER_CALLS=60000 pytest tests/test_breaker_differential.py -s``.

Commands that ask curl for its status code are not among them: the published plugin does not read
those yet (``test_breaker_failure``).
"""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from repeat_reminder.policies.breaker.hits import Cause, Reason
from repeat_reminder.policies.breaker.messages import Wording
from tests.breaker_sessions import Session, lines
from tests.command import run
from tests.oracle_process import ask

CALLS: Final = int(os.environ.get("REPEAT_REMINDER_CALLS", "8000"))
NOT_GRANTED: Final = "An exemption was asked for and not granted."

Effects: TypeAlias = dict[tuple[int, str], list[tuple[Any, ...]]]
"""By session and call, in order: what was done about it."""


def ours(session: Session, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Write a session as a log and read the command's records of it, by call."""
    log, config = folder / "s.jsonl", folder / "c.json"
    log.write_text(lines(session.records))
    config.write_text(json.dumps(session.settings))
    policies = [word for name in session.policies for word in ("--policy", name)]
    words = ["-f", "jsonl", "-q", "--config", str(config), "--answer", session.answer]
    done = run("replay", log, *words, *policies)
    assert done.code == 0, done.err
    found = defaultdict(list)
    for record in map(json.loads, done.out.splitlines()):
        if record["kind"] == "reminder":
            found[record["call"]["id"]].append(record)
    return found


def as_told(record: dict[str, Any]) -> tuple[Any, ...]:
    """Return what one of our records tells."""
    advises = record["action"] not in {"ask", "deny"}
    summary = record["source"]["summary"] if advises else None
    return record["action"], record.get("fingerprints"), record.get("outcome"), summary


def as_done(effect: dict[str, Any]) -> tuple[Any, ...]:
    """Return what the plugin has done."""
    said = effect["say"]
    return said["kind"], said.get("fingerprints"), effect.get("outcome"), effect.get("summary")


def check_words(record: dict[str, Any], said: dict[str, Any], wording: Wording) -> None:
    """Our text is about what the plugin's is about."""
    if said["kind"] == "fail_warn":
        failure = said["failure"]
        assert wording.words(Cause(Reason(failure["reason"]), failure["detail"])) in record["text"]
    elif said["kind"] == "deny":
        assert said["lastResult"] in record["text"]
        assert (NOT_GRANTED in record["text"]) == said["refused"]


def test_the_plugin_does_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: Effects = {}
    done: Effects = defaultdict(list)
    actions: Counter[str] = Counter()
    made = seed = 0
    while made < CALLS:
        session = Session(seed)
        records = ours(session, tmp_path)
        told |= {(seed, call): list(map(as_told, said)) for call, said in records.items()}
        wording = Wording(session.settings["breaker"].get("previewChars", 400))
        for effect in ask("breaker.mjs", [session.mount, *session.events]):
            assert "error" not in effect, effect
            effects = done[seed, effect["call"]]
            effects.append(as_done(effect))
            actions[effect["say"]["kind"]] += 1
            if len(records[effect["call"]]) >= len(effects):
                check_words(records[effect["call"]][len(effects) - 1], effect["say"], wording)
        made, seed = made + session.calls, seed + 1
    assert told == done
    assert {"ask", "deny", "warn", "summarize", "fail_warn", "remind"} == set(actions)
    with capsys.disabled():
        figures = ", ".join(f"{number:,} {action}" for action, number in actions.most_common())
        print(f"\n{made:,} calls in {seed:,} sessions: {figures}; 0 differences")  # noqa: T201 - the figures
