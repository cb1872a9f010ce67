"""The shipped schemas as tests use them: closed, so that a field nobody described is a fault."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from repeat_reminder.schemas import schema

Validator = Draft202012Validator


@cache
def closed(name: str) -> Draft202012Validator:
    """Return a schema that allows no field it does not name."""
    text = json.loads(schema(name))
    Draft202012Validator.check_schema(text)
    _close(text)
    return Draft202012Validator(text)


def faults(name: str, value: object) -> list[str]:
    """List what is wrong with a value, the deepest fault first."""
    found = sorted(closed(name).iter_errors(value), key=lambda error: -len(error.absolute_path))
    return [f"{error.json_path}: {_message(error)}" for error in found]


def _message(error: Any) -> str:  # noqa: ANN401 - jsonschema's own type is as vague
    # Of alternatives the one with the fewest faults is the one that was meant.
    inner = min(_alternatives(error), key=len, default=[])
    return "; ".join(f"{one.json_path}: {one.message[:120]}" for one in inner) or error.message


def _alternatives(error: Any) -> list[list[Any]]:  # noqa: ANN401
    by_branch: dict[object, list[Any]] = {}
    for one in error.context or ():
        by_branch.setdefault(one.schema_path[0], []).append(one)
    return list(by_branch.values())


def _close(node: object) -> None:
    if isinstance(node, list):
        for item in node:
            _close(item)
    elif isinstance(node, dict):
        if "properties" in node and "type" in node:
            node.setdefault("additionalProperties", False)
        for key, item in node.items():
            if key not in ("if", "const", "enum"):
                _close(item)
