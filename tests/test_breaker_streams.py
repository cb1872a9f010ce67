"""The breaker on whole call sequences: `breaker.json` streams."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.breaker_driver import ANSWERS, breaker, effects

CASES = json.loads((Path(__file__).parent / "data" / "breaker.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES["streams"], ids=lambda case: case["id"])
def test_stream(case: dict[str, Any]) -> None:
    guard = breaker(case["config"], ANSWERS[case["answer"]])
    assert effects(guard, case["events"]) == case["effects"], case["about"]
