"""The public API: every name can be imported, and is found by whoever looks for it."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import repeat_reminder
from repeat_reminder import BreakerConfig, ConfigError, ReminderConfig, events


@pytest.mark.parametrize("name", repeat_reminder.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(repeat_reminder, name) is not None
    assert name in dir(repeat_reminder)


def test_the_whole_vocabulary_of_a_session_is_public() -> None:
    tree = ast.parse(Path(str(events.__file__)).read_text())
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert classes | {"SessionId", "CallId", "Event", "Item", "Json"} <= set(
        repeat_reminder.__all__
    ) | {"Source"}


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = repeat_reminder.nonsense


LONE_TEXTS: list[Any] = [
    pytest.param(ReminderConfig, {"thresholds": "35"}, id="reminder-thresholds"),
    pytest.param(ReminderConfig, {"include": "bash"}, id="reminder-include"),
    pytest.param(ReminderConfig, {"exclude": "bash"}, id="reminder-exclude"),
    pytest.param(ReminderConfig, {"ignore_args": "a"}, id="reminder-ignore-args"),
    pytest.param(BreakerConfig, {"include": "bash"}, id="breaker-include"),
    pytest.param(BreakerConfig, {"exclude": "bash"}, id="breaker-exclude"),
    pytest.param(BreakerConfig, {"ignore_args": {"*": "a"}}, id="breaker-ignore-args"),
]


@pytest.mark.parametrize(("config", "given"), LONE_TEXTS)
def test_a_text_is_no_sequence(config: Callable[..., object], given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="expected a sequence, found") as raised:
        config(**given)
    assert raised.value.hint is not None
