"""Config files: which settings are found, where each value is from, and what every fault says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.config import (
    POLICIES,
    Choice,
    ConfigText,
    Loaded,
    answered,
    choice_in,
    find_project,
    load,
    policies_in,
    read_project,
)
from repeat_reminder.errors import ConfigError, RepeatReminderError, UsageError
from repeat_reminder.events import Json, Severity
from repeat_reminder.policies.breaker import IGNORED_KEYS, KEYS, REMOVED_KEYS, BreakerConfig
from repeat_reminder.policies.reminder_config import ReminderConfig

CASES = json.loads((Path(__file__).parent / "data" / "canonical.json").read_text(encoding="utf-8"))
BOTH = ("reminder", "breaker")


def text(source: str | bytes, path: str = "x.yml") -> ConfigText:
    return ConfigText(path=path, data=source.encode() if isinstance(source, str) else source)


def config_of(loaded: Loaded, policy: str = "reminder") -> dict[str, Json]:
    [mounted] = [m for m in loaded.policies if m.policy == policy]
    return mounted.config.record()


def changed(source: str | bytes, path: str = "x.yml", policy: str = "reminder") -> dict[str, Json]:
    """The settings of a file that are not the default."""
    default = config_of(load([policy]), policy)
    found = config_of(load([policy], config=text(source, path)), policy)
    return {key: value for key, value in found.items() if value != default.get(key)}


def fault(source: str | bytes, path: str = "x.yml", policies: tuple[str, ...] = ()) -> list[str]:
    """The two lines of the error that a file brings."""
    with pytest.raises(ConfigError) as caught:
        load(policies, config=text(source, path))
    return [str(caught.value), caught.value.hint or ""]


# ---------------------------------------------------------------- what is found

CORDIS = """\
# a profile's own patch
- id: tool-bash
  name: '@deepseek-ai/dsh-tool-bash'
  disabled: !!js process.platform === 'win32'
  config: { enableRunInBackground: no, since: 2024-01-01 }
- id: tools
  name: cordis:group
  group: true
  config:
    - id: repeat-tool-reminder
      name: '@deepseek-ai/dsh-repeat-tool-reminder'
      config:
        thresholds: [2, 4]
        exclude:
          - todo_write
          - 'mcp_*'
- insert:
    - id: repeat-tool-breaker
      name: dsh-repeat-tool-breaker
      config: { window: 8, limits: { exact: 6 } }
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(CORDIS, {"thresholds": [2, 4], "exclude": ["todo_write", "mcp_*"]}, id="file"),
        pytest.param(
            "- id: repeat-tool-reminder\n  config: {thresholds: [2]}",
            {"thresholds": [2]},
            id="row by id",
        ),
        pytest.param(
            "- id: repeat-tool-guard\n  config: {thresholds: [2]}", {"thresholds": [2]}, id="old id"
        ),
        *(
            pytest.param(
                f"- name: '{package}'\n  config: {{thresholds: [2]}}",
                {"thresholds": [2]},
                id=package,
            )
            for package in POLICIES["reminder"].packages
        ),
        pytest.param(
            "- id: mine\n  name: ./packages/guard/repeat-tool-reminder/src/index.ts\n"
            "  config: {thresholds: [2]}",
            {"thresholds": [2]},
            id="path to the package",
        ),
        pytest.param(
            "- insert:\n    id: repeat-tool-reminder\n    config: {thresholds: [2]}",
            {"thresholds": [2]},
            id="insert of one row without a list",
        ),
        pytest.param(
            "insert:\n- id: repeat-tool-reminder\n  config: {thresholds: [2]}",
            {"thresholds": [2]},
            id="insert alone",
        ),
        pytest.param(
            "id: repeat-tool-reminder\nconfig: {thresholds: [2]}", {"thresholds": [2]}, id="one row"
        ),
        pytest.param("- just text\n- id: repeat-tool-reminder", {}, id="row without a config"),
        pytest.param("- id: repeat-tool-reminder\n  config:\n", {}, id="row with an empty config"),
        pytest.param("config:\n  thresholds: [2]\n", {"thresholds": [2]}, id="config block"),
        pytest.param("config: {}\n", {}, id="empty config block"),
        pytest.param("config:\n", {}, id="config block of null"),
        pytest.param("null\n", {}, id="null"),
        pytest.param("thresholds: [2]\n", {"thresholds": [2]}, id="bare mapping"),
        pytest.param("---\nthresholds: [2]\n", {"thresholds": [2]}, id="document mark"),
        pytest.param("\ufeffthresholds: [2]\r\n", {"thresholds": [2]}, id="BOM and CRLF"),
        pytest.param(
            "reminder:\n  thresholds: [2]\nbreaker:\n  window: 4\n",
            {"thresholds": [2]},
            id="blocks under their policies' names",
        ),
        pytest.param(
            "repeat-tool-reminder: {thresholds: [2]}", {"thresholds": [2]}, id="block under its id"
        ),
        pytest.param(
            "thresholds: [2]\nbreaker: {window: 4}", {"thresholds": [2]}, id="bare beside a block"
        ),
        pytest.param(
            "name: reminder\nconfig: {thresholds: [2]}\norigin: {}",
            {"thresholds": [2]},
            id="a record of our own output",
        ),
        pytest.param("thresholds: null\nexclude: ~\ninclude:\n", {}, id="null takes the default"),
        pytest.param(
            "ignoreArgs: [why, 'bash:why']", {"ignoreArgs": ["why", "bash:why"]}, id="our key"
        ),
        pytest.param(
            "thresholds: [0x10, 1e2, +7, 4.0]", {"thresholds": [4, 7, 16, 100]}, id="numbers"
        ),
        pytest.param("exclude: [!!str 3, '4', =]", {"exclude": ["3", "4", "="]}, id="texts"),
        pytest.param(
            "- id: a\n  config: &a [x, y]\n- id: repeat-tool-reminder\n  config: {exclude: *a}",
            {"exclude": ["x", "y"]},
            id="an alias",
        ),
        pytest.param(
            "- id: a\n  config: &a {exclude: [x], thresholds: [9]}\n"
            "- id: repeat-tool-reminder\n  config: {<<: *a, thresholds: [2]}",
            {"exclude": ["x"], "thresholds": [2]},
            id="a merge key",
        ),
        pytest.param(
            "- id: a\n  config: &a {exclude: [x], thresholds: [9]}\n"
            "- id: b\n  config: &b {exclude: [y], include: [z]}\n"
            "- id: repeat-tool-reminder\n  config: {<<: [*a, *b]}",
            {"exclude": ["x"], "include": ["z"], "thresholds": [9]},
            id="several merged: the first wins",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  disabled: true\n"
            "- id: mine\n  name: '@qilin-agent/repeat-tool-reminder'\n  config: {thresholds: [2]}",
            {"thresholds": [2]},
            id="of two rows the enabled one",
        ),
    ],
)
def test_yaml(source: str, expected: dict[str, Json]) -> None:
    assert changed(source) == expected
    assert changed(source, "-") == expected  # standard input has no suffix


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param('{"thresholds": [2]}', {"thresholds": [2]}, id="bare"),
        pytest.param('{"config": {"thresholds": [2]}}', {"thresholds": [2]}, id="config"),
        pytest.param(
            '[{"insert": [{"id": "repeat-tool-reminder", "config": {"thresholds": [2.0]}}]}]',
            {"thresholds": [2]},
            id="rows",
        ),
        pytest.param('{"breaker": {"window": 4}, "reminder": null}', {}, id="blocks"),
        pytest.param("null", {}, id="null"),
    ],
)
def test_json(source: str, expected: dict[str, Json]) -> None:
    assert changed(source, "x.json") == expected
    assert changed(source, "-") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("thresholds = [2]", {"thresholds": [2]}, id="bare"),
        pytest.param("# why\n[config]\nthresholds = [2]", {"thresholds": [2]}, id="config"),
        pytest.param(
            "[reminder]\nthresholds = [2]\n[breaker]\nwindow = 4", {"thresholds": [2]}, id="blocks"
        ),
        pytest.param(
            '[tool.repeat-reminder]\npolicy = "breaker"\nthresholds = [2]',
            {"thresholds": [2]},
            id="pyproject",
        ),
    ],
)
def test_toml(source: str, expected: dict[str, Json]) -> None:
    assert changed(source, "x.toml") == expected
    assert changed(source, "-") == expected


def test_a_flow_mapping_on_standard_input_is_yaml() -> None:
    assert changed("{thresholds: [2]}", "-") == {"thresholds": [2]}


def test_the_breaker_plugs_in() -> None:
    loaded = load(["breaker"], config=text(CORDIS))
    assert changed(CORDIS, policy="breaker")["window"] == 8
    assert config_of(loaded, "breaker")["limits"] == {
        **BreakerConfig().limits,
        "exact": 6,
    }
    assert changed("window: 4", policy="breaker") == {"window": 4}


def test_several_policies_each_find_their_own() -> None:
    loaded = load(BOTH, config=text(CORDIS))
    assert [m.policy for m in loaded.policies] == ["reminder", "breaker"]
    assert config_of(loaded)["thresholds"] == [2, 4]
    assert config_of(loaded, "breaker")["window"] == 8


@pytest.mark.parametrize(
    ("source", "policies"),
    [
        pytest.param(CORDIS, BOTH, id="rows by package"),
        pytest.param("- id: repeat-tool-breaker\n  config: {}", ("breaker",), id="row by id"),
        pytest.param(
            "- id: x\n  disabled: true\n  name: dsh-repeat-tool-breaker", (), id="disabled"
        ),
        pytest.param("breaker: {window: 4}", ("breaker",), id="block by name"),
        pytest.param("breaker:\n  window: 4\nthresholds: [2]", BOTH[::-1], id="block beside keys"),
        pytest.param("breaker: {}\nexclude: [x]", BOTH[::-1], id="block beside common keys"),
        pytest.param("limits: {exact: 4}", ("breaker",), id="keys of the breaker"),
        pytest.param("config: {window: 4}", ("breaker",), id="keys of the breaker in a config"),
        pytest.param("thresholds: [2]", (), id="keys of the reminder"),
        pytest.param("exclude: [x]", (), id="keys of both"),
        pytest.param("thresholds: [2]\nwindow: 4", (), id="keys of each"),
        pytest.param("policy: breaker\nreminder: {}", ("breaker",), id="chosen"),
        pytest.param("policy: [breaker, reminder]", BOTH[::-1], id="chosen in order"),
        pytest.param("policy: none", ("none",), id="chosen to be none"),
        pytest.param("answer: approve", (), id="an answer chooses none"),
    ],
)
def test_which_policies_a_file_is_for(source: str, policies: tuple[str, ...]) -> None:
    assert policies_in(text(source)) == policies


@pytest.mark.parametrize(
    ("source", "policies", "answer"),
    [
        pytest.param("policy: breaker", ("breaker",), "unattended", id="one policy"),
        pytest.param("policy: [reminder, breaker]", BOTH, "unattended", id="two, without settings"),
        pytest.param("policy: none\nanswer: reject", (), "reject", id="none"),
        pytest.param(
            "policy: breaker\nanswer: approve\nwindow: 4", ("breaker",), "approve", id="bare keys"
        ),
        pytest.param(
            "policy: breaker\nanswer: reject\nconfig: {window: 4}",
            ("breaker",),
            "reject",
            id="beside a config",
        ),
        pytest.param("answer: approve", ("reminder",), "approve", id="an answer alone"),
    ],
)
def test_what_a_file_of_our_own_chooses(
    source: str, policies: tuple[str, ...], answer: str
) -> None:
    loaded = load(config=text(source))
    assert (tuple(m.policy for m in loaded.policies), loaded.answer) == (policies, answer)


def test_the_last_file_chooses_and_a_caller_before_all() -> None:
    files = [text("policy: breaker\nanswer: approve"), text("answer: reject\nwindow: 4")]
    assert load(config=files).answer == "reject"
    assert [m.policy for m in load(config=files).policies] == ["breaker"]
    assert [m.policy for m in load(["reminder"], config=files[:1]).policies] == ["reminder"]
    assert choice_in(files[0]) == Choice(policies=("breaker",), answer="approve")


def test_an_answer_needs_a_policy_that_asks() -> None:
    asks, tells = load(["breaker"]), load(["reminder"])
    assert answered(asks, "approve").answer == "approve"
    assert answered(asks, None) is asks
    assert answered(tells, None) is tells
    with pytest.raises(UsageError, match="--answer has no effect") as caught:
        answered(tells, "approve")
    assert caught.value.hint == "mount it with --policy breaker"


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        pytest.param(
            "a: 1\nanswer: aprove",
            "x.yml:2: answer: expected unattended, approve, reject, found",
            "did you mean approve?",
            id="misspelt answer",
        ),
        pytest.param(
            "answer: true", "x.yml:1: answer: expected unattended, approve", "", id="type"
        ),
        pytest.param("answer:", "x.yml:1: answer: expected unattended, approve", "", id="null"),
        pytest.param(
            "policy: braker",
            "x.yml:1: policy: there is no policy braker",
            "did you mean breaker?",
            id="misspelt policy",
        ),
        pytest.param(
            "policy: breaker\nanwser: approve",
            "x.yml:2: anwser: unknown key",
            "did you mean answer?",
            id="misspelt key",
        ),
        pytest.param(
            "policy: breaker\nbreaker:\n  answer: approve",
            "x.yml:3: answer: this is no setting of the breaker",
            "it stands at the top of a scenario's config, or say --answer",
            id="among the settings",
        ),
        pytest.param(
            "- name: dsh-repeat-tool-breaker\n  config:\n    answer: approve",
            "x.yml: there is no row for the reminder",
            "it has one for the breaker: mount it with --policy breaker",
            id="a row chooses nothing",
        ),
    ],
)
def test_faults_of_a_choice(source: str, message: str, hint: str) -> None:
    found, told = fault(source)
    assert found.startswith(message)
    assert told == hint


@pytest.mark.parametrize(
    ("source", "policy"),
    [
        pytest.param("thresholds: [2]\nexclude: [x]", "reminder", id="by a key only one has"),
        pytest.param("window: 4\nexclude: [x]", "breaker", id="by a key only the other has"),
        pytest.param("reminder: {}\nexclude: [x]", "breaker", id="the other has one by name"),
    ],
)
def test_whose_a_bare_block_is(source: str, policy: str) -> None:
    loaded = load(BOTH, config=text(source))
    assert config_of(loaded, policy)["exclude"] == ["x"]
    [other] = {*BOTH} - {policy}
    assert config_of(loaded, other)["exclude"] != ["x"]


def test_no_policy_needs_no_settings() -> None:
    assert load(["none"], config=text("thresholds: [2]")) == Loaded(policies=())
    assert load(["none"], config=text("- id: repeat-tool-reminder")) == Loaded(policies=())


@pytest.mark.parametrize("row", CASES["config"], ids=lambda row: json.dumps(row["config"]))
@pytest.mark.parametrize("path", ["x.json", "x.yml"])
def test_recorded_configs_of_the_plugin(row: dict[str, Any], path: str) -> None:
    source = json.dumps({"id": "repeat-tool-reminder", "config": row["config"]})
    if row["ok"] and "unknown_keys" not in row:
        assert config_of(load(config=text(source, path))) == row["effective"]
    else:
        with pytest.raises(ConfigError) as caught:
            load(config=text(source, path))
        assert (caught.value.path, caught.value.line) == (path, 1)


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        pytest.param(
            "thresholds: [3]\ntresholds: [5]",
            "x.yml:2: tresholds: unknown key",
            "did you mean thresholds?",
            id="misspelt key",
        ),
        pytest.param(
            "arguments-preview-chars: 5",
            "x.yml:1: arguments-preview-chars: unknown key",
            "did you mean argumentsPreviewChars?",
            id="key in the spelling of options",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  config:\n    extra: 1",
            "x.yml:3: extra: unknown key",
            "the keys are thresholds, include, exclude, argumentsPreviewChars, ignoreArgs",
            id="unknown key",
        ),
        pytest.param(
            "window: 16",
            "x.yml:1: window: a key of the breaker, not of the reminder",
            "put it in a block for the breaker, mounted with --policy breaker",
            id="key of the breaker",
        ),
        pytest.param(
            "denyAfter: 16",
            "x.yml:1: denyAfter: a key of the breaker, not of the reminder",
            "put it in a block for the breaker, mounted with --policy breaker",
            id="key the breaker once had",
        ),
        pytest.param(
            "exclude: [*]",
            "x.yml:1: * is not valid YAML: a leading * makes it an alias",
            "put the pattern in quotes: '*'",
            id="a lone star",
        ),
        pytest.param(
            "thresholds: [3]\nexclude:\n  - *_search\n",
            "x.yml:3: *_search is not valid YAML: a leading * makes it an alias",
            "put the pattern in quotes: '*_search'",
            id="a leading star",
        ),
        pytest.param(
            "exclude: *",
            "x.yml:1: * is not valid YAML: a leading * makes it an alias",
            "put the pattern in quotes: '*'",
            id="a star at the end of the file",
        ),
        pytest.param(
            "thresholds: [3]\n\nthresholds: [5]",
            "x.yml:3: thresholds: the key is there twice, first in line 1",
            "keep one of them",
            id="duplicate key",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n- insert:\n  - name: '@qilin-agent/repeat-tool-reminder'",
            "x.yml:3: there are 2 blocks for the reminder, in lines 1 and 3",
            "keep one of them, or give only that row as the config",
            id="two rows",
        ),
        pytest.param(
            "thresholds: [3]\nreminder: {}",
            "x.yml:2: there are 2 blocks for the reminder, in lines 1 and 2",
            "keep one of them, or give only that row as the config",
            id="two blocks",
        ),
        pytest.param(
            "exclude: [bash, no, on]",
            "x.yml:1: exclude[1]: no is a boolean in YAML 1.1 and may be none in YAML 1.2",
            "for the text, put it in quotes: 'no'; else write true or false",
            id="no is no text",
        ),
        pytest.param(
            "exclude:\n- a\n- true",
            "x.yml:3: exclude[1]: expected a string, found true",
            'put it in quotes: "true"',
            id="true is no text",
        ),
        pytest.param(
            "thresholds: [3, 010]",
            "x.yml:1: thresholds[1]: 010 is a number in YAML 1.1 and may be none in YAML 1.2",
            "for the text, put it in quotes: '010'; else write a plain decimal number",
            id="octal or decimal",
        ),
        pytest.param(
            "thresholds: [1_0.5]",
            "x.yml:1: thresholds[0]: 1_0.5 is a number in YAML 1.1 and may be none in YAML 1.2",
            "for the text, put it in quotes: '1_0.5'; else write a plain decimal number",
            id="underscores",
        ),
        pytest.param(
            "exclude: [2024-01-01]",
            "x.yml:1: exclude[0]: 2024-01-01 is a date in YAML 1.1 and may be none in YAML 1.2",
            "for the text, put it in quotes: '2024-01-01'; else write no date",
            id="a date",
        ),
        pytest.param(
            "thresholds: !!js [3]",
            "x.yml:1: thresholds: the tag !!js has no meaning here",
            "write the value itself",
            id="an expression in a list's place",
        ),
        pytest.param(
            "exclude: [!secret x]",
            "x.yml:1: exclude[0]: the tag !secret has no meaning here",
            "write the value itself",
            id="a tag",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  config: !!js process.env.X",
            "x.yml:2: config: the tag !!js has no meaning here",
            "write the value itself",
            id="an expression as the config",
        ),
        pytest.param(
            "thresholds: [3,\ninclude: [a]",
            "x.yml:2: not valid YAML: expected ',' or ']', but got '<stream end>'",
            "what is open there began in line 1",
            id="invalid YAML",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  config:\n\tthresholds: [3]",
            "x.yml:3: not valid YAML: found character '\\t' that cannot start any token",
            "indent with spaces",
            id="a tab",
        ),
        pytest.param(
            "- name: @deepseek-ai/dsh-repeat-tool-reminder",
            "x.yml:1: not valid YAML: found character '@' that cannot start any token",
            "put the text in quotes",
            id="an unquoted package",
        ),
        pytest.param(
            "thresholds: [3]\n---\nthresholds: [5]",
            "x.yml:2: not valid YAML: found another document",
            "give one document only",
            id="two documents",
        ),
        pytest.param(
            "a: b\nc: \x07",
            "x.yml:2: not valid YAML: special characters are not allowed: U+0007",
            "",
            id="control",
        ),
        pytest.param("? [a]\n: b", "x.yml:1: a key must be a text", "", id="a list as a key"),
        pytest.param(
            "<<: 5", "x.yml:1: << takes a mapping, or a list of mappings", "", id="a merged number"
        ),
        pytest.param(
            "exclude: &a [*a]",
            "x.yml:1: an alias stands for something it is part of",
            "",
            id="loop",
        ),
        pytest.param(
            "thresholds: [3, 2.5]",
            "x.yml:1: thresholds[1]: invalid threshold 2.5: every threshold is an integer >= 2",
            "",
            id="a value the plugin refuses",
        ),
        pytest.param(
            "thresholds:\n- 3\n- .inf",
            "x.yml:3: thresholds[1]: invalid threshold inf: every threshold is an integer >= 2",
            "",
            id="infinity",
        ),
        pytest.param(
            f"thresholds:\n- 3\n- {'9' * 5000}",
            "x.yml:3: thresholds[1]: invalid threshold inf: every threshold is an integer >= 2",
            "",
            id="thousands of digits",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  config: [3]",
            "x.yml:2: config: expected a mapping of keys to values, found a list of 1",
            "",
            id="config is a list",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  thresholds: [3]",
            "x.yml:2: thresholds: it stands beside `config`, where it has no effect",
            "move it under `config:`",
            id="settings beside config",
        ),
        pytest.param(
            "config: {}\nthresholds: [3]",
            "x.yml:2: thresholds: it stands beside `config`, where it has no effect",
            "move it under `config:`",
            id="settings beside a bare config",
        ),
        pytest.param(
            "- id: repeat-tool-reminder\n  confg: {}",
            "x.yml:2: confg: unknown key of a row",
            "did you mean config?",
            id="misspelt config",
        ),
        pytest.param(
            "- id: other\n  config: {}",
            "x.yml: there is no row for the reminder",
            "a row is recognised by its id or package: repeat-tool-reminder, "
            "@deepseek-ai/dsh-repeat-tool-reminder",
            id="no row",
        ),
        pytest.param(
            "- id: repeat-tool-breaker",
            "x.yml: there is no row for the reminder",
            "it has one for the breaker: mount it with --policy breaker",
            id="a row for another policy",
        ),
        pytest.param(
            "hello",
            "x.yml: this is no config, but a single value",
            "a config is a mapping such as `thresholds: [3, 5, 8]`, or a list of rows",
            id="a text",
        ),
        pytest.param(
            "tool: {}", "x.yml: there is no table [tool.repeat-reminder]", "", id="no table"
        ),
        pytest.param(
            "\n# nothing\n",
            "x.yml: the file is empty",
            "`config: {}` is a config that leaves everything at its default",
            id="only comments",
        ),
        pytest.param(
            b"a: 1\nb: \xff", "x.yml:2: not UTF-8: byte 0xff", "save it as UTF-8", id="not UTF-8"
        ),
        pytest.param("a: 1".encode("utf-16"), "x.yml:1: UTF-16", "save it as UTF-8", id="UTF-16"),
        pytest.param(
            "{}\n" * 400_000,
            "x.yml: too large for a config: 1,200,000 bytes",
            "is this a log?",
            id="a log",
        ),
        pytest.param("[" * 5_000, "x.yml: nested too deep for a config", "", id="too deep"),
        pytest.param(
            f"a: &a [{'x,' * 99}]\nb: &b [{'*a,' * 99}]\nexclude: [{'*b,' * 99}]",
            "x.yml:1: a: unknown key",
            "the keys are thresholds, include, exclude, argumentsPreviewChars, ignoreArgs",
            id="many aliases are no work",
        ),
        pytest.param(
            f"- &a [{'x,' * 99}]\n- &b [{'*a,' * 99}]\n"
            f"- id: repeat-tool-reminder\n  config: {{exclude: [{'*b,' * 99}]}}",
            "x.yml:4: the block is too large for a policy's config",
            "",
            id="and no memory",
        ),
    ],
)
def test_faults_in_yaml(source: str | bytes, message: str, hint: str) -> None:
    assert fault(source) == [message, hint]


@pytest.mark.parametrize(
    ("path", "source", "message"),
    [
        pytest.param(
            "x.json",
            '{"thresholds": [3],\n "exclude" []}',
            "x.json:2: not valid JSON: expecting ':' delimiter at column 12",
            id="invalid JSON",
        ),
        pytest.param(
            "x.json",
            '{\n"thresholds": [1]}',
            "x.json:2: thresholds[0]: invalid threshold 1: every threshold is an integer >= 2",
            id="the line of a key",
        ),
        pytest.param(
            "x.json",
            '[\n{"id": "repeat-tool-reminder", "config": {\n"thresholds": [1]}},\n'
            '{"id":"x","config":{"thresholds": 1, "why": "\\"thresholds\\": 2"}}]',
            "x.json: thresholds[0]: invalid threshold 1: every threshold is an integer >= 2",
            id="no line if the key is in several places",
        ),
        pytest.param(
            "x.json",
            '{"exclude": [], "exclude": []}',
            "x.json: exclude: the key is there twice",
            id="duplicate key",
        ),
        pytest.param(
            "x.json", '{"thresholds": [NaN]}', "x.json: not valid JSON: NaN is no JSON", id="NaN"
        ),
        pytest.param("x.json", "[" * 9_999, "x.json: nested too deep for a config", id="deep"),
        pytest.param(
            "x.json",
            '{"exclude":' * 800 + "1" + "}" * 800,
            "x.json: nested too deep for a config",
            id="deep objects",
        ),
        pytest.param(
            "x.toml",
            "thresholds = [3]\nexclude = [",
            "x.toml:2: not valid TOML: invalid value at the end of the file",
            id="TOML that ends too early",
        ),
        pytest.param(
            "x.toml",
            "thresholds = [3]\nexclude [",
            "x.toml:2: not valid TOML: expected '=' after a key in a key/value pair at column 9",
            id="invalid TOML",
        ),
        pytest.param(
            "x.toml",
            "\n[reminder]\nexclude = ['x']\nthresholds = [\n1]",
            "x.toml:4: thresholds[0]: invalid threshold 1: every threshold is an integer >= 2",
            id="the line of a TOML key",
        ),
        pytest.param(
            "x.toml",
            "[reminder]\nexclude = '''\nthresholds = [\n'''\nthresholds = [1]",
            r'x.toml:2: exclude: expected a list of strings, found "thresholds = [\n"',
            id="a text that looks like a key",
        ),
        pytest.param(
            "x.toml",
            "exclude = [2024-01-01]",
            "x.toml: exclude[0]: a date has no meaning here",
            id="a date",
        ),
        pytest.param(
            "x.toml",
            "[[x]]\n[x.y]\nthresholds = 1",
            "x.toml: x: unknown key",
            id="tables in a list",
        ),
        pytest.param(
            "x.toml",
            "[tool.x]\na = 1",
            "x.toml: there is no table [tool.repeat-reminder]",
            id="somebody else's pyproject",
        ),
    ],
)
def test_faults_in_json_and_toml(path: str, source: str, message: str) -> None:
    assert fault(source, path)[0] == message


@pytest.mark.parametrize("path", ["x.json", "x.toml"])
def test_thousands_of_digits(path: str) -> None:
    source = f'{{"thresholds": [{"9" * 5000}]}}' if path == "x.json" else f"a = {'9' * 5000}"
    assert fault(source, path)[0].startswith(f"{path}: not valid {path[2:].upper()}: ")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            "- id: repeat-tool-breaker\n  config:\n    limits:\n      host: 5\n      exact: 1",
            "x.yml:5: limits.exact: ",
            id="a key inside a map",
        ),
        pytest.param("denyAfter: 2", "x.yml:1: denyAfter: this key is gone", id="a removed key"),
        pytest.param("breaker:\n", "x.yml:1: config: expected an object", id="null"),
        pytest.param(
            "window: 5\nthresholds: [3]",
            "x.yml:2: thresholds: a key of the reminder, not of the breaker",
            id="a key of the reminder",
        ),
        pytest.param("windw: 5", "x.yml:1: windw: unknown key", id="a misspelt key"),
        pytest.param("includeLocal: off", "x.yml:1: includeLocal: off is a boolean", id="off"),
    ],
)
def test_faults_of_the_breaker(source: str, message: str) -> None:
    assert fault(source, policies=("breaker",))[0].startswith(message)


@pytest.mark.parametrize("source", ["exclude: [x]", "thresholds: [3]\nwindow: 5", "{}"])
def test_nobody_can_tell_whose_a_block_is(source: str) -> None:
    message, hint = fault(source, policies=BOTH)
    assert message.removeprefix("x.yml:").removeprefix("1:") == (
        " the block does not say which policy it is for, and reminder and breaker are mounted"
    )
    assert hint == "put the settings of each under its name, `reminder:`"


def test_a_file_for_none_of_several_policies() -> None:
    assert (
        fault("- id: x", policies=BOTH)[0]
        == "x.yml: there is no row for the reminder or the breaker"
    )


# ---------------------------------------------------------------- files


def test_a_file_is_read_as_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "guard.yml"
    path.write_text("thresholds: [2]")
    assert ConfigText.of(path) == ConfigText(path=str(path), data=b"thresholds: [2]")


def test_a_missing_file_asks_for_the_one_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "cordis.patch.yml").touch()
    for name, hint in [
        ("cordis.patch.yaml", f"did you mean {tmp_path / 'cordis.patch.yml'}?"),
        ("zzz", None),
        ("nowhere/at/all.yml", None),
    ]:
        with pytest.raises(ConfigError) as caught:
            ConfigText.of(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: no such file"
        assert caught.value.hint == hint


def test_a_folder_is_no_config(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        ConfigText.of(tmp_path)


# ---------------------------------------------------------------- precedence and origins

PROJECT = """\
[project]
name = "x"
dependencies = ["repeat-reminder"]

[tool.ruff]
exclude = ["build"]

[tool.repeat-reminder]
thresholds = [10]
include = ["a"]
exclude = ["b"]
argumentsPreviewChars = 10
snapshots = "expected"
fixtures = ["logs", "more"]

[tool.repeat-reminder.breaker]
window = 20
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return tmp_path


def test_later_sources_win_key_by_key(folder: Path) -> None:
    project = find_project(folder)
    loaded = load(
        project=project,
        config=text("thresholds: [20]\ninclude: [c]\nexclude: null\n"),
        environment={"REPEAT_REMINDER_THRESHOLDS": "30, 40", "REPEAT_REMINDER_INCLUDE": ""},
        command_line={"thresholds": "50,60"},
    )
    assert config_of(loaded) == {
        "thresholds": [50, 60],
        "include": ["c"],
        "exclude": [],
        "argumentsPreviewChars": 10,
    }
    assert loaded.policies[0].origins == {
        "thresholds": "command line",
        "include": "x.yml:2",
        "exclude": "x.yml:3",
        "argumentsPreviewChars": f"{folder / 'pyproject.toml'}:12",
    }


@pytest.mark.parametrize(
    ("sources", "value", "origin"),
    [
        (["default"], [3, 5, 8], "default"),
        (["default", "project"], [10], "pyproject.toml:9"),
        (["default", "project", "config"], [20], "x.yml:1"),
        (["default", "config", "variable"], [30], "REPEAT_REMINDER_THRESHOLDS"),
        (["default", "project", "config", "variable", "option"], [40], "command line"),
    ],
    ids=lambda value: " < ".join(value) if isinstance(value, list) and "default" in value else None,
)
def test_each_source_beats_the_ones_before(
    sources: list[str], value: list[int], origin: str, folder: Path
) -> None:
    loaded = load(
        project=find_project(folder) if "project" in sources else None,
        config=text("thresholds: [20]") if "config" in sources else None,
        environment={"REPEAT_REMINDER_THRESHOLDS": "30"} if "variable" in sources else {},
        command_line={"thresholds": [40]} if "option" in sources else {},
    )
    assert config_of(loaded)["thresholds"] == value
    assert loaded.policies[0].origins["thresholds"].endswith(origin)


def test_without_any_source_all_is_default() -> None:
    loaded = load()
    assert [m.policy for m in loaded.policies] == ["reminder"]
    assert loaded.policies[0].config == ReminderConfig()
    assert set(loaded.policies[0].origins.values()) == {"default"}
    assert loaded.notes == ()


@pytest.mark.parametrize(
    ("name", "value", "key", "expected"),
    [
        ("THRESHOLDS", "3,5", "thresholds", [3, 5]),
        ("THRESHOLDS", " [ 5 , 3 ] ", "thresholds", [3, 5]),
        ("THRESHOLDS", "1e1", "thresholds", [10]),
        ("INCLUDE", "bash, mcp_*", "include", ["bash", "mcp_*"]),
        ("EXCLUDE", "todo_write,", "exclude", ["todo_write"]),
        ("ARGUMENTS_PREVIEW_CHARS", "100", "argumentsPreviewChars", 100),
        ("IGNORE_ARGS", "description,bash:why", "ignoreArgs", ["description", "bash:why"]),
    ],
)
def test_variables(name: str, value: str, key: str, expected: Json) -> None:
    loaded = load(environment={f"REPEAT_REMINDER_{name}": value})
    assert config_of(loaded)[key] == expected
    assert loaded.policies[0].origins[key] == f"REPEAT_REMINDER_{name}"


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        pytest.param(
            {"environment": {"REPEAT_REMINDER_THRESHOLDS": "3,x"}},
            'REPEAT_REMINDER_THRESHOLDS: thresholds[1]: expected an integer, found "x"',
            id="variable",
        ),
        pytest.param(
            {"environment": {"REPEAT_REMINDER_THRESHOLDS": "3,,5"}},
            'REPEAT_REMINDER_THRESHOLDS: thresholds[1]: expected an integer, found ""',
            id="a stray comma",
        ),
        pytest.param(
            {"command_line": {"thresholds": "3,1"}},
            "--thresholds: thresholds[1]: invalid threshold 1: every threshold is an integer >= 2",
            id="option",
        ),
        pytest.param(
            {"command_line": {"argumentsPreviewChars": 0}},
            "--arguments-preview-chars: argumentsPreviewChars: 0 is not allowed: "
            "it must be an integer >= 1",
            id="option with a number",
        ),
        pytest.param(
            {"command_line": {"thresholds": "3"}, "config": text("thresholds: [1]")},
            "x.yml:1: thresholds[0]: invalid threshold 1: every threshold is an integer >= 2",
            id="a value that is overridden is checked too",
        ),
    ],
)
def test_faults_of_overrides(sources: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(**sources)
    assert str(caught.value) == message


def test_overrides_reach_every_policy_that_has_the_key() -> None:
    loaded = load(
        BOTH,
        command_line={
            "exclude": ["a"],
            "ignoreArgs": ["why", "bash:x", "why2"],
            "argumentsPreviewChars": "9",
        },
        environment={"REPEAT_REMINDER_THRESHOLDS": "4"},
    )
    reminder, breaker = config_of(loaded), config_of(loaded, "breaker")
    assert (reminder["exclude"], breaker["exclude"]) == (["a"], ["a"])
    assert reminder["ignoreArgs"] == ["why", "bash:x", "why2"]
    assert isinstance(breaker["ignoreArgs"], dict)
    assert breaker["ignoreArgs"]["*"] == ["why", "why2"]
    assert breaker["ignoreArgs"]["bash"] == ["x"]
    assert breaker["ignoreArgs"]["pwsh"] == list(BreakerConfig().ignore_args["pwsh"])
    assert (reminder["thresholds"], reminder["argumentsPreviewChars"]) == ([4], 9)


@pytest.mark.parametrize(
    ("policies", "command_line", "message", "hint"),
    [
        pytest.param(
            ["breaker"],
            {"thresholds": "3"},
            "--thresholds has no effect on the mounted policies",
            "mount it with --policy reminder",
            id="option of another policy",
        ),
        pytest.param(
            ["none"],
            {"exclude": ["a"]},
            "--exclude has no effect on the mounted policies",
            "mount it with --policy reminder or breaker",
            id="option without any policy",
        ),
        pytest.param(
            [], {"wrong": 1}, "--wrong has no effect on the mounted policies", None, id="no option"
        ),
        pytest.param(
            ["remindr"], {}, "there is no policy remindr", "did you mean reminder?", id="misspelt"
        ),
        pytest.param(
            ["xyz"],
            {},
            "there is no policy xyz",
            "the policies are reminder, breaker, none",
            id="unknown",
        ),
        pytest.param(
            ["reminder", "reminder"],
            {},
            "these policies do not go together: reminder, reminder",
            None,
            id="twice",
        ),
        pytest.param(
            ["none", "reminder"],
            {},
            "these policies do not go together: none, reminder",
            None,
            id="none and some",
        ),
    ],
)
def test_faults_of_usage(
    policies: list[str], command_line: dict[str, Json], message: str, hint: str | None
) -> None:
    with pytest.raises(UsageError) as caught:
        load(policies, command_line=command_line)
    assert (caught.value.message, caught.value.hint) == (message, hint)


# ---------------------------------------------------------------- notes


@pytest.mark.parametrize(
    ("sources", "place", "message", "hint"),
    [
        pytest.param(
            {"config": text("- id: repeat-tool-reminder\n  disabled: true")},
            ("x.yml", 1),
            "the row of the reminder is disabled in this profile; its config is used",
            None,
            id="disabled row",
        ),
        pytest.param(
            {"policies": ["breaker"], "config": text("window: 5\npathAliases: [x]")},
            ("x.yml", 2),
            "pathAliases: this key has no effect in the breaker",
            None,
            id="key without effect",
        ),
        pytest.param(
            {"config": text("answer: approve\nthresholds: [2]")},
            ("x.yml", None),
            "answer: it has no effect, for no policy that asks is mounted",
            None,
            id="answer without a question",
        ),
        pytest.param(
            {"environment": {"REPEAT_REMINDER_TRESHOLDS": "3"}},
            ("REPEAT_REMINDER_TRESHOLDS", None),
            "this variable is not read",
            "did you mean REPEAT_REMINDER_THRESHOLDS?",
            id="misspelt variable",
        ),
    ],
)
def test_notes(
    sources: dict[str, Any], place: tuple[str, int | None], message: str, hint: str | None
) -> None:
    [note] = load(**sources).notes
    assert note.severity is Severity.NOTE
    assert ((note.path, note.line), note.message, note.hint) == (place, message, hint)


def test_variables_of_others_are_nobodys_business() -> None:
    others = {"PATH": "x", "REPEAT_REMINDER_OUTPUT_FORMAT": "json", "THRESHOLDS": "1"}
    assert load(environment=others) == load()


# ---------------------------------------------------------------- the project


def test_the_nearest_project_that_speaks_to_us_is_read(folder: Path) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (folder / "a" / "pyproject.toml").write_text("[tool.ruff]\n")
    (inner / "pyproject.toml").write_text("dependencies = ['repeat-reminder']\n")
    project = find_project(inner)
    assert project is not None
    assert project.path == str(folder / "pyproject.toml")
    assert project.folder == folder
    assert (project.settings.fixtures, project.settings.snapshots) == (("logs", "more"), "expected")
    assert project.settings.policy == ()


def test_no_project_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    assert find_project(tmp_path) is None
    with pytest.raises(ConfigError, match="no such file"):
        read_project(tmp_path / "x" / "pyproject.toml")


def test_a_broken_file_that_is_not_ours_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.x\n")
    assert read_project(tmp_path / "pyproject.toml") is None


def test_a_broken_file_that_only_depends_on_us_is_not_read(tmp_path: Path) -> None:
    text = "dependencies = ['repeat-reminder']\n[tool.x\n"
    (tmp_path / "pyproject.toml").write_text(text)
    assert read_project(tmp_path / "pyproject.toml") is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[tool.repeat-reminder]\nthresholds = [2]", id="header"),
        pytest.param('[ tool . "repeat-reminder" ]\nthresholds = [2]', id="quoted header"),
        pytest.param("['tool'.'repeat-reminder']\nthresholds = [2]", id="all quoted"),
        pytest.param("[tool]\nrepeat-reminder.thresholds = [2]", id="key of tool"),
        pytest.param('["tool" ]\nrepeat-reminder = {thresholds = [2]}', id="value in tool"),
        pytest.param("tool.repeat-reminder.thresholds = [2]", id="dotted key"),
        pytest.param("tool = {repeat-reminder = {thresholds = [2]}}", id="value of tool"),
        pytest.param("'tool' = {repeat-reminder = {thresholds = [2]}}", id="value of quoted tool"),
        pytest.param("[tool.repeat-reminder.reminder]\nthresholds = [2]", id="table of a policy"),
    ],
)
def test_our_table_is_found_however_it_is_written(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    project = read_project(tmp_path / "pyproject.toml")
    assert project is not None
    assert load(project=project).policies[0].config == ReminderConfig(thresholds=(2,))


def test_a_file_without_a_table_for_us(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("tool = 5 # repeat-reminder")
    assert read_project(tmp_path / "pyproject.toml") is None


def test_what_should_be_our_table_and_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\nrepeat-reminder = 5")
    with pytest.raises(ConfigError, match=r"toml:2: tool\.repeat-reminder: expected a table"):
        read_project(tmp_path / "pyproject.toml")


def test_the_project_right_here_must_be_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above it may be somebody else's."""
    (tmp_path / "a").mkdir()
    (tmp_path / "pyproject.toml").write_text("")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        find_project(tmp_path)
    assert find_project(tmp_path / "a") is None


def test_a_project_chooses_policies_and_holds_settings_of_each(folder: Path) -> None:
    path = folder / "pyproject.toml"
    path.write_text(PROJECT.replace("snapshots =", 'policy = "breaker"\nsnapshots ='))
    project = read_project(path)
    loaded = load(project=project)
    assert config_of(loaded, "breaker")["window"] == 20
    assert loaded.policies[0].origins["window"] == f"{path}:18"
    both = load(BOTH, project=project)
    assert config_of(both)["thresholds"] == [10]
    assert config_of(both, "breaker")["window"] == 20


@pytest.mark.parametrize(
    ("lines", "message", "hint"),
    [
        pytest.param(
            "treshold = [3]", ":2: treshold: unknown key", "did you mean thresholds?", id="misspelt"
        ),
        pytest.param(
            "snapshot = 'x'", ":2: snapshot: unknown key", "did you mean snapshots?", id="setting"
        ),
        pytest.param(
            "[tool.repeat-reminder.braker]\nwindow = 3",
            ": braker: unknown key",
            "did you mean breaker?",
            id="misspelt policy",
        ),
        pytest.param(
            "[tool.repeat-reminder.breaker]\nwindow = 3",
            ":3: window: expected an integer >= 4, found 3",
            None,
            id="value of a policy that is not mounted",
        ),
        pytest.param(
            "window = 4",
            ":2: window: a key of the breaker, not of the reminder",
            "put it in a block for the breaker, mounted with --policy breaker",
            id="key of the breaker",
        ),
        pytest.param(
            "[tool.repeat-reminder.breaker]\nthresholds = [3]",
            ":3: thresholds: a key of the reminder, not of the breaker",
            "put it in a block for the reminder, mounted with --policy reminder",
            id="key of the reminder",
        ),
        pytest.param(
            "policy = 'braker'",
            ":2: policy: there is no policy braker",
            "did you mean breaker?",
            id="policy",
        ),
        pytest.param(
            "breaker = 5",
            ":2: config: expected an object of settings, found 5",
            None,
            id="a number in a block's place",
        ),
        pytest.param(
            "policy = 5", ":2: policy: expected a list of strings, found 5", None, id="policy type"
        ),
        pytest.param(
            "snapshots = ['a']",
            ":2: snapshots: expected a folder, found a list of 1",
            None,
            id="snapshots type",
        ),
        pytest.param(
            "fixtures = [1]",
            ":2: fixtures[0]: expected a string, found 1",
            'put it in quotes: "1"',
            id="fixtures type",
        ),
        pytest.param(
            "thresholds = [1]",
            ":2: thresholds[0]: invalid threshold 1: every threshold is an integer >= 2",
            None,
            id="value",
        ),
        pytest.param(
            "thresholds = [3]\n[tool.repeat-reminder.reminder]\nthresholds = [3]",
            ":2: there are 2 blocks for the reminder",
            "keep one of them, or give only that row as the config",
            id="two blocks",
        ),
    ],
)
def test_faults_of_a_project(lines: str, message: str, hint: str | None, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.repeat-reminder]\n{lines}\n")
    with pytest.raises(RepeatReminderError) as caught:
        load(project=find_project(tmp_path))
    assert str(caught.value) == f"{path}{message}"
    assert caught.value.hint == hint


# ---------------------------------------------------------------- the table of policies


def test_the_table_knows_every_key() -> None:
    reminder, breaker = POLICIES["reminder"], POLICIES["breaker"]
    assert reminder.keys == tuple(ReminderConfig(ignore_args=("x",)).record())
    assert breaker.keys == KEYS
    assert set(breaker.removed) == set(REMOVED_KEYS)
    assert breaker.idle == IGNORED_KEYS


def test_a_record_is_a_config_that_says_the_same() -> None:
    for policy in POLICIES.values():
        record = load([policy.name]).policies[0].config.record()
        again = load([policy.name], config=text(json.dumps({"config": record}), "x.json"))
        assert again.policies[0].config.record() == record


def test_without_a_yaml_file_yaml_is_not_imported() -> None:
    code = "import sys, repeat_reminder.config as c; c.load(); sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - our own code
