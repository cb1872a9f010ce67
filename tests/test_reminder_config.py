"""The reminder's config block: the plugin's rules, in its order, with the place of the fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.errors import ConfigError
from repeat_reminder.events import Json
from repeat_reminder.policies.reminder_config import ReminderConfig

CASES = json.loads((Path(__file__).parent / "data" / "canonical.json").read_text(encoding="utf-8"))


def words(token: str, config: Json) -> list[str]:
    """What the message for a token must contain, beside the offending value."""
    [key] = config if isinstance(config, dict) else ["config"]
    return {
        "thresholds-empty": ["thresholds", "must not be empty"],
        "threshold-invalid": ["thresholds", "every threshold is an integer >= 2"],
        "thresholds-duplicate": ["thresholds", "duplicates are not allowed"],
        "preview-invalid": ["argumentsPreviewChars", "must be an integer >= 1"],
        "type": [key, "expected", "found"],
    }[token]


def ident(row: dict[str, Any]) -> str:
    return f"{json.dumps(row['config'])} {row.get('error', 'ok')}"


@pytest.mark.parametrize("row", [r for r in CASES["config"] if r["ok"]], ids=ident)
def test_recorded_configs_the_plugin_takes(row: dict[str, Any]) -> None:
    assert ReminderConfig.from_mapping(row["config"]).record() == row["effective"]


@pytest.mark.parametrize("row", [r for r in CASES["config"] if not r["ok"]], ids=ident)
def test_recorded_configs_the_plugin_refuses(row: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        ReminderConfig.from_mapping(row["config"])
    for word in words(row["error"], row["config"]):
        assert word in caught.value.message


@pytest.mark.parametrize(
    ("config", "message"),
    [
        pytest.param([], "config: expected a mapping of keys to values, found an empty list"),
        pytest.param("x", 'config: expected a mapping of keys to values, found "x"'),
        pytest.param({"thresholds": []}, "thresholds: must not be empty"),
        pytest.param(
            {"thresholds": [3, 2.5]},
            "thresholds[1]: invalid threshold 2.5: every threshold is an integer >= 2",
        ),
        pytest.param(
            {"thresholds": [None]},
            "thresholds[0]: invalid threshold null: every threshold is an integer >= 2",
        ),
        pytest.param(
            {"thresholds": [float("inf")]},
            "thresholds[0]: invalid threshold inf: every threshold is an integer >= 2",
        ),
        pytest.param(
            {"thresholds": [5, 3, 5]}, "thresholds[2]: duplicates are not allowed: 5 repeats"
        ),
        pytest.param(
            {"thresholds": [2**53, 2**53 + 1]},
            "thresholds[1]: duplicates are not allowed: 9007199254740992 repeats",
            id="integers beyond 2^53 are doubles, as in JavaScript",
        ),
        pytest.param(
            {"thresholds": [10**400]},
            f"thresholds[0]: invalid threshold 1{'0' * 59}…: every threshold is an integer >= 2",
            id="beyond the double range",
        ),
        pytest.param({"thresholds": [3, True]}, "thresholds[1]: expected an integer, found true"),
        pytest.param(
            {"thresholds": [[3]]}, "thresholds[0]: expected an integer, found a list of 1"
        ),
        pytest.param(
            {"thresholds": {}}, "thresholds: expected a list of integers, found a mapping"
        ),
        pytest.param({"include": [1]}, "include[0]: expected a string, found 1"),
        pytest.param({"exclude": ["a", None]}, "exclude[1]: expected a string, found null"),
        pytest.param(
            {"ignoreArgs": {"*": []}}, "ignoreArgs: expected a list of strings, found a mapping"
        ),
        pytest.param(
            {"argumentsPreviewChars": 0},
            "argumentsPreviewChars: 0 is not allowed: it must be an integer >= 1",
        ),
        pytest.param(
            {"argumentsPreviewChars": "5"}, 'argumentsPreviewChars: expected an integer, found "5"'
        ),
        pytest.param(
            {"exclude": "\x1b[2J"},
            r'exclude: expected a list of strings, found "\x1b[2J"',
            id="ANSI",
        ),
        pytest.param(
            {"exclude": "a" * 99},
            f'exclude: expected a list of strings, found "{"a" * 60}…"',
            id="a long value is cut",
        ),
    ],
)
def test_messages(config: Json, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ReminderConfig.from_mapping(config)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("config", "first"),
    [
        pytest.param(
            {"argumentsPreviewChars": True, "thresholds": [1]}, "argumentsPreviewChars", id="types"
        ),
        pytest.param({"thresholds": [], "exclude": 1}, "exclude", id="types before the empty list"),
        pytest.param({"thresholds": [3, 3, 1]}, "thresholds[2]", id="values before duplicates"),
        pytest.param(
            {"argumentsPreviewChars": 0, "thresholds": [3, 3]}, "thresholds[1]", id="preview last"
        ),
    ],
)
def test_order_of_the_checks(config: Json, first: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ReminderConfig.from_mapping(config)
    assert caught.value.message.startswith(f"{first}: ")


@pytest.mark.parametrize(
    ("config", "hint"),
    [
        ({"thresholds": 3}, "write thresholds: [3]"),
        ({"thresholds": "3,5"}, "write thresholds: [3,5]"),
        ({"thresholds": ["3"]}, "write it without quotes"),
        ({"thresholds": []}, "leave the key out for 3, 5, 8"),
        ({"thresholds": ["x"]}, None),
        ({"thresholds": {}}, None),
        ({"include": "x"}, 'write include: ["x"]'),
        ({"include": 5}, None),
        ({"include": [True]}, 'put it in quotes: "true"'),
        ({"include": [[]]}, None),
    ],
)
def test_hints(config: Json, hint: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        ReminderConfig.from_mapping(config)
    assert caught.value.hint == hint


def test_the_fault_has_its_line_and_an_item_falls_back_to_its_list() -> None:
    lines = {"thresholds": 3, "thresholds[1]": 5}
    blocks: list[tuple[Json, int | None]] = [
        ({"thresholds": [3, 1]}, 5),
        ({"thresholds": [1, 3]}, 3),
        ([], None),
    ]
    for config, line in blocks:
        with pytest.raises(ConfigError) as caught:
            ReminderConfig.from_mapping(config, path="x.yml", line_of=lines.get)
        assert (caught.value.path, caught.value.line) == ("x.yml", line)


def test_the_constructor_checks_too_and_sorts() -> None:
    assert ReminderConfig(thresholds=(8, 3)).thresholds == (3, 8)
    assert ReminderConfig(thresholds=(8, 3)) == ReminderConfig(thresholds=(3, 8))
    with pytest.raises(ConfigError, match="every threshold is an integer >= 2"):
        ReminderConfig(thresholds=(1,))
    with pytest.raises(ConfigError, match="must be an integer >= 1"):
        ReminderConfig(arguments_preview_chars=0)
