"""What to say of a file that no reader takes: what it looks like, and what to do."""

from typing import Final

from repeat_reminder.errors import FormatError
from repeat_reminder.events import Json
from repeat_reminder.formats.model import Sample
from repeat_reminder.source import Log

READERS_HINT: Final = "repeat-reminder formats lists the readers; --from NAME picks one"
SHOWN_KEYS: Final = 8

LOOKS: Final[tuple[tuple[tuple[bytes, ...], str, str], ...]] = (
    ((b"<!doctype", b"<html"), "an HTML page", "export the session's log itself"),
    ((b"<?xml",), "an XML file", "export the session as JSON Lines"),
    ((b"{'", b"[{'", b"['"), "a Python repr", "write it with json.dumps, one object a line"),
    ((b"---", b"- "), "YAML", "a policy config goes to --config; a log is JSON Lines"),
)
"""Beginnings (lower case), what they look like, what helps."""

KINDS: Final[dict[str, tuple[str, str]]] = {
    "sqlite": ("an SQLite database of no known schema", READERS_HINT),
    "zip": ("a zip archive of no known kind", "unpack it and name the log inside"),
    "folder": ("a folder that is no log itself", READERS_HINT),
    "utf-16": ("UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.jsonl"),
    "utf-32": ("UTF-32 text", "convert it: iconv -f UTF-32 -t UTF-8 FILE > FILE.jsonl"),
    "parquet": ("a Parquet table", "export it as JSON Lines, one session or message a line"),
    "pdf": ("a PDF", "export the session's log itself"),
    "tar": ("a tar archive", "unpack it and name the logs inside"),
}


def refusal(log: Log, sample: Sample | None) -> FormatError:
    """Make the error for a log that no format recognised."""
    what, hint = _look(log, sample)
    return FormatError(what, path=log.path, hint=hint)


def _look(log: Log, sample: Sample | None) -> tuple[str, str]:
    if log.kind != "text":
        what, hint = KINDS.get(log.kind, (f"{log.kind} data", READERS_HINT))
        return f"not a session log: it looks like {what}", hint
    if sample is not None and sample.document is not None:
        return _document(sample.document)
    if sample is not None and sample.records:
        keys = ", ".join(list(sample.records[0])[:SHOWN_KEYS])
        return (
            f"unknown log format; its first record has the keys: {keys or '(none)'}",
            READERS_HINT,
        )
    head = b"\n".join(log.peek(1)).lstrip().lower()
    if not head:
        return "the file is empty", "a log has one JSON object a line"
    for beginnings, what, hint in LOOKS:
        if head.startswith(beginnings):
            return f"not JSON Lines: it looks like {what}", hint
    return "not JSON Lines: no line of its beginning is a JSON object", READERS_HINT


def _document(document: Json) -> tuple[str, str]:
    """Say of one JSON value how to turn it into lines."""
    if isinstance(document, list):
        return (
            f"one JSON array of {len(document):,} values, of no format that has a reader",
            f"jq -c '.[]' makes lines of it. {READERS_HINT}",
        )
    members = document if isinstance(document, dict) else {}
    lists = [key for key, value in members.items() if isinstance(value, list)]
    hint = (
        f"jq -c '.{lists[0]}[]' makes lines of its list. {READERS_HINT}" if lists else READERS_HINT
    )
    keys = ", ".join(list(members)[:SHOWN_KEYS])
    return f"one JSON document of unknown format; its keys: {keys or '(none)'}", hint
