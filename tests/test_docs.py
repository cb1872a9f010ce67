"""The README is right: its command reference is the help, its JSON is what the schemas allow."""

import json
import re
from typing import Any, Final

import pytest
from acp.schema import SessionNotification

from repeat_reminder.formats import canonical
from tests.closed_schemas import faults
from tests.help_blocks import (
    HEADING,
    README,
    commands,
    help_of,
    section,
    section_of,
    with_section,
)

FENCE: Final = re.compile(r"^```(json|jsonl)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUTS: Final = ("header", "session", "reminder", "call", "parity", "problem", "totals")
TEXT: Final = README.read_text(encoding="utf-8")


def values(text: str) -> list[Any]:
    """Read every value in the JSON blocks of a text."""
    found: list[Any] = []
    for kind, block in FENCE.findall(text):
        found += [json.loads(line) for line in block.splitlines()] if kind == "jsonl" else [
            json.loads(block)
        ]  # fmt: skip
    return found


def wrong_with(value: Any) -> list[str]:  # noqa: ANN401 - any JSON
    """Hold a value against the schema of what it is."""
    if not isinstance(value, dict):
        return faults("config", value)
    if "jsonrpc" in value:
        SessionNotification.model_validate(value["params"])
        return []
    if "schema" in value and "type" not in value:
        return faults(value["schema"].split("/")[1].split("@")[0], value)
    if value.get("kind") in OUTPUTS:
        return faults("replay", value)
    if value.get("type") in canonical.KEYS:
        return faults("session", value)
    return faults("config", value)


def test_the_command_reference_is_the_help() -> None:
    advice = f"{README.name} is out of date: python -m tests.help_blocks"
    assert section_of(TEXT) == section(), advice


def test_every_example_is_allowed_by_its_schema() -> None:
    assert [fault for value in values(TEXT) for fault in wrong_with(value)] == []


@pytest.mark.parametrize("name", [None, *commands()])
def test_help_fits_80_columns_on_any_terminal(name: str | None) -> None:
    words = () if name is None else (name,)
    lines = help_of(*words).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Usage: repeat-reminder")


# ---------------------------------------------------------------- the checks themselves


GOOD: list[Any] = [
    pytest.param('```json\n{"thresholds": [3]}\n```\n', id="a-config"),
    pytest.param('```jsonl\n{"type":"tool_call","name":"x","arguments":{}}\n```\n', id="a-log"),
    pytest.param("```text\nnot json\n```\n", id="other-blocks"),
]
BAD: list[Any] = [
    pytest.param('```json\n{"tresholds": [3]}\n```\n', id="a-misspelt-key"),
    pytest.param('```jsonl\n{"type":"tool_call","name":"x"}\n```\n', id="a-call-without-arguments"),
    pytest.param('```json\n{"kind":"call"}\n```\n', id="a-record-without-fields"),
]


@pytest.mark.parametrize("text", GOOD)
def test_good_examples_pass(text: str) -> None:
    assert [fault for value in values(text) for fault in wrong_with(value)] == []


@pytest.mark.parametrize("text", BAD)
def test_bad_examples_fail(text: str) -> None:
    assert [fault for value in values(text) for fault in wrong_with(value)]


def test_writing_the_reference_leaves_the_rest_alone() -> None:
    around = f"# Title\n\n{HEADING}\n\nold\n\n## After\n\nmore\n"
    written = with_section(around)
    assert written == f"# Title\n\n{section()}\n## After\n\nmore\n"
    assert with_section(written) == written
    assert with_section("# Title\n") == f"# Title\n\n{section()}"
