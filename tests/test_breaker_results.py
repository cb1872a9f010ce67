"""What logs say of a call's end, as the breaker's failure track hears it."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from repeat_reminder.engine import replay
from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.events import Action, Event, Intervention, Json, SessionStart, ToolResult
from repeat_reminder.formats import FORMATS, canonical
from repeat_reminder.formats.model import Format, Record
from repeat_reminder.formats.reading import read_log
from repeat_reminder.policies.breaker import Breaker, BreakerConfig
from repeat_reminder.source import open_log
from tests import dsh_notation
from tests.readers import DATA, events_of, of_type

FIRST = BreakerConfig.from_mapping({"failWarnAt": 1})
"""The first failure is told."""


def told(events: Iterable[Event]) -> str | None:
    """Return how the first failure is put in words."""
    for item in replay(events, Breaker(FIRST)):
        if isinstance(item, Intervention) and item.action is Action.FAIL_WARN:
            return item.text.partition("The last time, ")[2].partition(".")[0]
    return None


@pytest.mark.parametrize(
    ("tool", "result", "words"),
    [
        ("read", {}, None),
        ("read", {"status": "error"}, "the tool raised an error"),
        ("read", {"status": "error", "error": {"code": "ENOENT"}}, "the tool raised an error"),
        ("read", {"status": "denied"}, "the tool raised an error"),
        ("read", {"status": "aborted"}, "the tool raised an error"),
        ("read", {"status": "timeout"}, "the call ran out of time"),
        ("read", {"status": "skipped"}, None),
        ("read", {"timed_out_ms": 30000}, "the call ran out of time after 30000ms"),
        ("read", {"exit_code": 2}, "the command ended with a non-zero exit code (2)"),
        ("read", {"exit_code": 0}, None),
        ("read", {"signal": "SIGKILL"}, "the command was killed by a signal (SIGKILL)"),
        ("read", {"http_status": 503}, "the server answered with an HTTP error (503)"),
        ("read", {"http_status": 204}, None),
        ("read", {"sandbox_denied": True}, "the sandbox refused access"),
        ("read", {"background": True, "exit_code": 1}, None),
        ("read", {"value": {"statusCode": 404}}, "the server answered with an HTTP error (404)"),
        ("read", {"exit_code": 1, "value": {"exitCode": 0}}, None),
        ("read", {"content": "[exit code: 1]"}, None),
        ("bash", {"content": "[exit code: 1]"}, "the command ended with a non-zero exit code (1)"),
        ("Bash", {"content": "[exit code: 1]"}, None),
        (
            "pwsh",
            {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "KeyError: b"}]},
            "the program ended with an exception (KeyError)",
        ),
        ("shell", {"content": "curl: (7) x"}, "curl gave up with error 7"),
        ("shell", {"content": "curl: (7) x", "http_status": 200}, None),
    ],
    ids=str,
)
def test_canonical_log(tool: str, result: Record, words: str | None) -> None:
    call: Record = {"type": "tool_call", "id": "c", "name": tool, "arguments": {}}
    log: list[Record] = [call, {"type": "tool_result", "call_id": "c", **result}]
    assert told(events_of(canonical.FORMAT, log)) == words


@pytest.mark.parametrize(
    ("tool", "text", "status_code", "words"),
    [
        ("bash", "fine", None, None),
        ("bash", "x\n[exit code: 3]", None, "the command ended with a non-zero exit code (3)"),
        ("bash", "[timed out after 50ms]", None, "the call ran out of time after 50ms"),
        ("read", "[exit code: 3]", None, None),
        ("fetch", "gone", 410, "the server answered with an HTTP error (410)"),
        ("bash", "HTTP Error 500", 200, None),
    ],
    ids=str,
)
def test_dsh_log(tool: str, text: str, status_code: int | None, words: str | None) -> None:
    log = dsh_notation.Log().turn("go").call(tool)
    meta: Json = {} if status_code is None else {"statusCode": status_code}
    assert told(dsh_notation.events(log.result(text=text, meta=meta).done())) == words


def test_an_error_in_a_dsh_log() -> None:
    log = dsh_notation.Log().turn("go").call("read").result(text="no such file", failed=True)
    assert told(dsh_notation.events(log.done())) == "the tool raised an error"


@pytest.mark.parametrize(
    "form", [form for form in FORMATS if (DATA / form.name).is_dir()], ids=lambda form: form.name
)
def test_every_reader_tells_how_calls_end_or_that_it_cannot(form: Format) -> None:
    paths = sorted(path for path in (DATA / form.name).iterdir() if path.name != "expected.jsonl")
    events = [event for path in paths for event in _read(path, form)]
    assert of_type(events, SessionStart)
    assert any(
        result.texts or result.value is not None or result.is_error
        for result in of_type(events, ToolResult)
    ) or not any(start.records_results for start in of_type(events, SessionStart))


def _read(path: Path, form: Format) -> list[Event]:
    try:
        with open_log(str(path)) as log:
            return list(read_log(log, form))
    except RepeatReminderError:  # broken on purpose, for the reader's own tests
        return []
