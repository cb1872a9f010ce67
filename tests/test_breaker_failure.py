"""When a call counts as failed: structured results, a shell's words, the write-out rule."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from repeat_reminder.events import Json
from repeat_reminder.policies.breaker.failure import classify
from repeat_reminder.policies.breaker.fingerprints import is_shell
from repeat_reminder.policies.breaker.hits import Cause
from repeat_reminder.policies.breaker.text import joined
from tests.breaker_driver import texts_of

CASES = json.loads((Path(__file__).parent / "data" / "breaker.json").read_text(encoding="utf-8"))
SHELL, OTHER = "make", None
"""A command line, or none: what tells a shell's result from another tool's."""
CURL = "curl -s -w '%{http_code}' https://e.org"


def spelled(cause: Cause | None) -> dict[str, str] | None:
    """Spell a cause as the cases do."""
    return cause and {"reason": cause.reason.value, "detail": cause.detail}


def blocks(result: dict[str, Any]) -> tuple[str, ...]:
    content = result.get("content")
    return texts_of(content) if isinstance(content, list) else ()


@pytest.mark.parametrize("case", CASES["failure_text"], ids=lambda case: ascii(case["text"]))
def test_text(case: dict[str, Any]) -> None:
    assert spelled(classify(None, [case["text"]], command=SHELL)) == case["shell"]
    assert spelled(classify(None, [case["text"]], command=OTHER)) == case["other"]


@pytest.mark.parametrize(
    "case", CASES["failure_value"], ids=lambda case: json.dumps(case["result"])
)
@pytest.mark.parametrize(("tool", "command"), [("shell", SHELL), ("other", OTHER)])
def test_value(case: dict[str, Any], tool: str, command: str | None) -> None:
    result = case["result"] or {}
    cause = classify(
        result.get("value"),
        blocks(result),
        command=command,
        is_error=result.get("isError") is True,
        error=result.get("error"),
    )
    assert spelled(cause) == case[tool]


@pytest.mark.parametrize(
    "case", CASES["render_result"], ids=lambda case: json.dumps(case["result"])
)
def test_quoted_result(case: dict[str, Any]) -> None:
    assert joined(blocks(case["result"] or {})) == case["text"]


@pytest.mark.parametrize(
    "case",
    CASES["write_out"],
    ids=lambda case: ascii(f"{case['command']} > {case['text']} {case.get('value', '')}"),
)
def test_write_out(case: dict[str, Any]) -> None:
    command = case["command"] if is_shell(case["tool"]) else OTHER
    assert spelled(classify(case.get("value"), [case["text"]], command=command)) == case["failure"]


@pytest.mark.parametrize(
    ("command", "asks"),
    [
        ("curl.exe -w %{http_code} x", True),
        ('curl -w "\\n%{http_code}\\n" x', True),
        ("curl -w $'%{http_code}' x", True),
        ("curl -w --write-out '%{http_code}' x", True),
        ("curl --write-out\t%{response_code} x", True),
        ("curl -w 'open %{http_code}", True),
        ("libcurl -w '%{http_code}' x", False),
        ("curling -w '%{http_code}' x", False),
        ("grep -w '%{http_code}' x; curl y", False),
        ("curl x-w '%{http_code}'", False),
        ("curl --write-outs '%{http_code}' x", False),
        ("curl -w a '%{http_code}' x", False),
        ("curl -1w '%{http_code}' x", False),
        ("curl -w '%{HTTP_CODE}' x", False),
    ],
)  # fmt: skip
def test_command_that_asks_for_the_status(command: str, *, asks: bool) -> None:
    cause = classify(None, ["404"], command=command)
    assert spelled(cause) == ({"reason": "http", "detail": "404"} if asks else None)


@pytest.mark.parametrize(
    ("output", "detail"),
    [("\u00a0\ufeff404", "404"), ("404-x", "404"), ("404é", "404"), ("404_", None),
     ("\x85404", None), ("٤٠٤", None), ("", None)],
)  # fmt: skip
def test_output_that_leads_with_a_status(output: str, detail: str | None) -> None:
    cause = classify(None, [output], command=CURL)
    assert (cause and cause.detail) == detail


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ({"exitCode": 1.5}, "1.5"),
        ({"exitCode": 2.0}, "2"),
        ({"exitCode": float("inf")}, "Infinity"),
        ({"exitCode": -0.0}, None),
        ({"exitCode": True}, None),
        ({"timedOut": True, "timeoutMs": 0}, ""),
        ({"timedOut": True, "timeoutMs": "5"}, "5ms"),
        ({"sandbox": {"denied": True, "mode": ["x"]}}, ""),
        ({"statusCode": 404.0}, "404"),
    ],
    ids=str,
)
def test_evidence_in_words(value: Json, detail: str | None) -> None:
    cause = classify(value, [], command=OTHER)
    assert (None if cause is None else cause.detail) == detail


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f"[exit code: {'0' * 9_999}]", None),
        (f"[exit code: -{'9' * 9_999}]", f"-{'9' * 9_999}"),
        ("[exit code: ٣]", None),
        ("[killed by signal: ] [killed by signal: X]", "X"),
        ("[killed by signal: A\nB]", "A\nB"),
        ("[killed by signal: A", None),
        ("\x85ValueError: x", None),
        ("\n\n \t\n  a.b.ValueError: x", "ValueError"),
        ("x\rValueError: y", "ValueError"),
        ("1Error: x", None),
        ("a.Error: x\nb.CError: y", "CError"),
        ("Traceback (most recent call last)\rx.y.AError: 1\u2029 BException: 2", "BException"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_text_corner(text: str, cause: str | None) -> None:
    found = classify(None, [text], command=SHELL)
    assert (None if found is None else found.detail) == cause


@pytest.mark.parametrize(
    "unit",
    ["\n", "\n ", "\na.Error: ", "a.", "[killed by signal: ", "[killed by signal: ]", "ErrorError",
     "[exit code: 1", "Traceback (most recent call last)\nA.bError: "],
    ids=ascii,
)  # fmt: skip
def test_hostile_output_takes_linear_time(unit: str) -> None:
    before = process_time()
    classify(None, [unit * 100_000 + "Error: "], command=CURL)
    assert process_time() - before < 10  # a quadratic search takes minutes
