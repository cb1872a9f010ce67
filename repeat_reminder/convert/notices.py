"""What is kept of a guard's own messages: they are the product's, and parity needs them.

Of the reminder's second text the arguments are replaced by those of the redacted call, cut where
the recorded ones were cut.
"""

import re
from collections.abc import Container
from typing import Final, NamedTuple

from repeat_reminder.canonical import canonical_of, preview, utf16_length
from repeat_reminder.convert.arguments import redacted_json
from repeat_reminder.convert.placeholders import Placeholders
from repeat_reminder.events import Json, Source, ToolCall
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.policies.reminder import GENTLE, detailed

TOOL, ARGUMENTS = "\x01", "\x02"
BLOCKED: Final = "Error: REPEAT_TOOL_BLOCKED"
"""Begins the result of a call that the breaker stopped."""
ERROR: Final = "Error: "
"""Begins what the harness says of a call that failed."""
KINDS: Final = ("kind", "plugin", "form", "type")
"""Members of a source that name who speaks, not what is said."""

_TEMPLATE: Final = detailed(TOOL, 0, ARGUMENTS)
_TAIL: Final = _TEMPLATE.partition(ARGUMENTS)[2]
_NAME: Final = re.compile(r"[A-Za-z_:-]{1,48}[0-9]{0,2}")
"""A word, not an id."""
_SUMMARY: Final = re.compile(r"(.*) \u00d7 [0-9]{1,9}", re.DOTALL)
_DETAILED: Final = re.compile(
    re.escape(_TEMPLATE)
    .replace(TOOL, "(?P<tool>.*?)")
    .replace("calls:\\ 0", "calls:\\ (?P<count>[0-9]{1,9})")
    .replace(ARGUMENTS, "(?P<arguments>.*)"),
    re.DOTALL,
)
_CUT: Final = re.compile(r".*\u2026 \(\+([0-9]{1,12}) more chars\)", re.DOTALL)
_MARKS: Final = re.compile(
    r"\[exit code: -?[0-9]{1,9}\]|\(HTTP [0-9]{3}\)|\[timed out after [0-9]{1,12}ms\]"
    r"|\[killed by signal: [A-Z0-9]{1,10}\]|\[sandbox: file access denied"
)
"""What the harness says of a command beside its output: guards read it."""


class Redacted(NamedTuple):
    """A call, and what became of it."""

    before: ToolCall
    after: ToolCall


def message_text(text: str, latest: dict[str, Redacted], placeholders: Placeholders) -> str:
    """Redact a message's text, unless it is a reminder.

    Args:
        text: as recorded.
        latest: the agent's latest call of each tool.
        placeholders: of the log.
    """
    if text == GENTLE:
        return text
    # Without its last words a text made for it could be tried at each of many places.
    found = _DETAILED.fullmatch(text) if text.endswith(_TAIL) else None
    if found is None:
        return placeholders.text(text)
    tool, call = found["tool"], latest.get(found["tool"])
    if call is None:
        tool, arguments = placeholders.text(tool), placeholders.text(found["arguments"])
    else:
        arguments = _arguments(found["arguments"], call) or placeholders.text(found["arguments"])
    return detailed(tool, int(found["count"]), arguments)


def _arguments(shown: str, call: Redacted) -> str | None:
    """Return what a reminder shows of the redacted call; None if it was about another one."""
    cut = _CUT.fullmatch(shown)
    try:
        was = canonical_of(call.before.arguments_text, call.before.arguments)
        now = canonical_of(call.after.arguments_text, call.after.arguments)
    except TooDeep:
        return None
    cap = utf16_length(was) - int(cut[1]) if cut and shown != was else utf16_length(was)
    if cap < 1 or preview(was, cap)[0] != shown:
        return None
    return now if shown == was else preview(now, cap)[0]


def result_text(text: str, placeholders: Placeholders) -> str:
    """Redact a result's text, but for what the harness and the breaker say in it."""
    for beginning in (BLOCKED, ERROR):
        if text.startswith(beginning):
            rest = text.removeprefix(beginning)
            return f"{beginning}{' ' if beginning == BLOCKED else ''}{placeholders.text(rest)}"
    marks = _MARKS.findall(text)
    return "\n".join([placeholders.text(text), *dict.fromkeys(marks)])


def redacted_source(source: Source, tools: Container[str], placeholders: Placeholders) -> Source:
    """Keep who speaks; replace what else a source says."""
    return {
        key if key in KINDS else placeholders.key(key): _member(key, value, tools, placeholders)
        for key, value in source.items()
    }


def _member(key: str, value: Json, tools: Container[str], placeholders: Placeholders) -> Json:
    if isinstance(value, str):
        summary = _SUMMARY.fullmatch(value)
        if key in KINDS and _NAME.fullmatch(value):
            return value
        if key == "summary" and summary and summary[1] in tools:
            return value
    return redacted_json(value, placeholders)
