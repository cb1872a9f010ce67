"""Everything the commands print, and every log and config of the project, against the schemas."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from repeat_reminder.config.table import BREAKER, REMINDER
from repeat_reminder.formats import canonical
from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.policies.reminder import ReminderConfig
from repeat_reminder.schemas import NAMES, schema
from tests.closed_schemas import closed, faults
from tests.command import run

ROOT = Path(__file__).parents[1]
FIXTURES = sorted((ROOT / "fixtures").glob("*.jsonl"))
RECORDED = sorted((ROOT / "tests" / "data" / "dsh").glob("*.jsonl*"))
LOGS = [*FIXTURES, *(log for log in RECORDED if log.name != "expected.jsonl")]
BOTH = ["--policy", "reminder", "--policy", "breaker"]
every_log = pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    assert closed(name)
    assert json.loads(schema(name))["$id"] == f"repeat-reminder/{name}@1"


@every_log
@pytest.mark.parametrize("words", [[], ["--parity"], ["--all-calls", *BOTH]], ids=" ".join)
def test_replays(log: Path, words: list[str]) -> None:
    lines = run("replay", log, "-f", "jsonl", *words).out.splitlines()
    assert lines
    for line in lines:
        assert faults("replay", json.loads(line)) == []
    document = json.loads(run("replay", log, "-f", "json", *words).out)
    assert faults("replay", document) == []


def test_a_replay_with_problems(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text('{"type":"tool_call","name":"x","arguments":{}}\n{oops\n')
    words = ["replay", str(log), "--include", "nothing"]
    records = [json.loads(line) for line in run(*words, "-f", "jsonl").out.splitlines()]
    assert "problem" in [record["kind"] for record in records]
    assert [fault for record in records for fault in faults("replay", record)] == []


@every_log
def test_explanations(log: Path) -> None:
    for record in run("replay", log, "-f", "jsonl", "--all-calls").out.splitlines():
        call = json.loads(record)
        if call["kind"] == "call":
            words = [f"{log}:{call['call']['line']}", "-f", "json", "--nearest", "2", *BOTH]
            document = json.loads(run("explain", *words).out)
            assert faults("explain", document) == []
            assert document["calls"]


@pytest.mark.parametrize("log", FIXTURES, ids=lambda path: path.name)
def test_canonical_logs(log: Path) -> None:
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    if records[0].get("version") != 0:
        assert [fault for record in records for fault in faults("session", record)] == []


@pytest.mark.parametrize(
    "config", sorted((ROOT / "fixtures").glob("*.config.yml")), ids=lambda path: path.name
)
def test_configs(config: Path) -> None:
    assert faults("config", yaml.safe_load(config.read_text("utf-8"))) == []


CONFIGS: list[Any] = [
    pytest.param({"thresholds": [3, 5]}, True, id="a-block"),
    pytest.param({"thresholds": None, "exclude": None}, True, id="null-takes-the-default"),
    pytest.param({"config": {"thresholds": [3]}}, True, id="a-wrapped-block"),
    pytest.param({"reminder": {"exclude": ["a"]}, "breaker": {"window": 8}}, True, id="by-name"),
    pytest.param({"policy": ["breaker"], "answer": "reject", "window": 8}, True, id="choices"),
    pytest.param({"policy": "breakr"}, False, id="a-policy-that-there-is-not"),
    pytest.param([{"name": "x"}, {"id": "y", "config": {"thresholds": [3]}}], True, id="rows"),
    pytest.param(ReminderConfig().record(), True, id="the-reminder's-defaults"),
    pytest.param(BreakerConfig().record(), True, id="the-breaker's-defaults"),
    pytest.param({"thresholds": []}, False, id="no-threshold"),
    pytest.param({"thresholds": [1]}, False, id="a-threshold-below-2"),
    pytest.param({"thresholds": [3, 3]}, False, id="a-threshold-twice"),
    pytest.param({"thresholds": "3"}, False, id="a-text-for-a-list"),
    pytest.param({"tresholds": [3]}, False, id="a-misspelt-key"),
    pytest.param({"exclude": "bash"}, False, id="a-text-for-patterns"),
    pytest.param({"window": 3}, False, id="a-window-below-4"),
    pytest.param({"limits": {"exact": 1}}, False, id="a-limit-below-2"),
]


@pytest.mark.parametrize(("config", "good"), CONFIGS)
def test_what_a_config_may_say(config: object, good: bool) -> None:  # noqa: FBT001
    assert (faults("config", config) == []) is good


RECORDS: list[Any] = [
    pytest.param({"type": "tool_call", "name": "x", "arguments": {}}, True, id="the-smallest"),
    pytest.param({"type": "tool_call", "name": "x", "arguments_text": ""}, True, id="a-text"),
    pytest.param({"type": "something_new", "a": 1}, True, id="an-unknown-type"),
    pytest.param({"type": "compaction", "x_mine": 1, "ts": 1}, True, id="extensions"),
    pytest.param({"type": "tool_call", "name": "x"}, False, id="a-call-without-arguments"),
    pytest.param({"type": "tool_result"}, False, id="a-result-without-an-id"),
    pytest.param({"type": "tool_result", "call_id": "a", "status": "fine"}, False, id="a-status"),
    pytest.param({"type": "session", "schema": "repeat-reminder/session@2"}, False, id="version-2"),
    pytest.param({"name": "x"}, False, id="no-type"),
]


@pytest.mark.parametrize(("record", "good"), RECORDS)
def test_what_a_log_may_say(record: object, good: bool) -> None:  # noqa: FBT001
    assert (faults("session", record) == []) is good


def test_the_schema_knows_the_records_that_the_reader_knows() -> None:
    definitions = json.loads(schema("session"))["$defs"]
    for kind, keys in canonical.KEYS.items():
        described = definitions[kind]["properties"].keys() - {"type"}
        assert described | {"type"} == keys | canonical.COMMON
    assert definitions.keys() - {"ts"} == canonical.KEYS.keys()


def test_the_schema_knows_the_keys_of_the_policies() -> None:
    definitions = json.loads(schema("config"))["$defs"]
    assert set(definitions["reminder"]["properties"]) == set(REMINDER.keys)
    assert set(definitions["breaker"]["properties"]) == {*BREAKER.keys, *BREAKER.idle}
