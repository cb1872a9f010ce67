"""Where the events of an OpenHands conversation lie: one file each in a folder, or one list.

An event's place counts from 1 in the order of the numbers in the files' names. The folder may be
named itself (``…/<id>/events``) or by the conversation (``…/<id>``, beside ``base_state.json``).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Json, Problem, Severity
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.lenient import members
from repeat_reminder.source import Log
from repeat_reminder.source.containers import files

EVENTS: Final = "events"
STATE: Final = "base_state.json"

_EVENT_FILE: Final = re.compile(r"event-(\d{1,9})-[^/]{1,200}\.json\Z")


def is_event_folder(names: Sequence[str]) -> bool:
    """Tell a folder that is one conversation, by what it holds."""
    return any(map(_EVENT_FILE.match, names)) or {EVENTS, STATE} <= set(names)


def name_of(path: str) -> str | None:
    """Return the conversation's id where the folder's path tells it."""
    name, parent = PurePosixPath(path).name, PurePosixPath(path).parent.name
    return parent or None if name == EVENTS else None


def records(log: Log) -> Iterator[Record | Problem]:
    """Yield the events of a folder, or of a file that is one JSON value.

    Raises:
        SourceError: the folder cannot be listed, or the file cannot be read.
    """
    if log.file is None or log.kind != "folder":
        value = _read(log.text(), log.path, "the file")
        for event in value if isinstance(value, list) else [value]:
            yield _event(event, log.path, "an entry")
        return
    folder, names = log.file, log.names()
    if not any(map(_EVENT_FILE.match, names)):
        folder /= EVENTS
        names = files(str(folder))
    for name in sorted(filter(_EVENT_FILE.match, names), key=_number):
        yield _event(_contents(folder / name, log.path), log.path, name)


def _number(name: str) -> tuple[int, str]:
    found = _EVENT_FILE.match(name)
    return (int(found[1]) if found else 0), name


def _contents(file: Path, path: str) -> "Json | Problem":
    try:
        data = file.read_bytes()
    except OSError as error:
        return _left_out(path, f"{file.name}: {error.strerror or error}")
    return _read(data, path, file.name)


def _read(data: bytes, path: str, what: str) -> "Json | Problem":
    try:
        return jsontext.loads(data)
    except jsontext.NotJson as error:
        return _left_out(path, f"{what} is not valid JSON: {error.reason}")


def _event(value: "Json | Problem", path: str, what: str) -> Record | Problem:
    if isinstance(value, Problem):
        return value
    return members(value) or _left_out(path, f"{what} is no JSON object")


def _left_out(path: str, message: str) -> Problem:
    return Problem(
        path=path,
        line=None,
        severity=Severity.WARNING,
        kind="not-json",
        message=message,
        skipped=True,
    )
