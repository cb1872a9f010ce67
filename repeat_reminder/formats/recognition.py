"""Which format a log is of: a look at its beginning, and who knows it."""

from importlib import import_module
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.errors import SourceError
from repeat_reminder.events import Json
from repeat_reminder.formats import Detection, detect
from repeat_reminder.formats.model import Sample
from repeat_reminder.formats.refusal import refusal
from repeat_reminder.source import Log, open_log

SAMPLE_RECORDS: Final = 50
"""How many records may go by before one must tell the format."""

ONE_LINE: Final = 1 << 28
"""How far to look for the end of a first line that is longer than usual."""

SPREAD: Final = frozenset({b"[", b"{", b"[{"})
"""First lines of a JSON value that is spread over many lines."""

FOLDERS: Final = ("openhands",)
"""Modules of the formats of which a folder may be a log: the others need not be asked."""


def recognise(log: Log) -> Detection:
    """Find the reader for a log by its content, whatever its name is.

    A pipe is recognised at its first telling record, so that nothing waits for later ones.

    Raises:
        FormatError: no reader knows it; the message says what it looks like.
    """
    sample = None
    for records in range(1, SAMPLE_RECORDS + 1) if log.growing else (SAMPLE_RECORDS,):
        sample = sample_of(log, records)
        found = detect(sample)
        if found is not None:
            return found
        if len(sample.lines) < records:
            break
    raise refusal(log, sample)


def sample_of(log: Log, records: int = SAMPLE_RECORDS) -> Sample:
    """Look at the beginning of a log without consuming it."""
    if log.kind != "text":
        return Sample(path=log.path, kind=log.kind, records=(), names=log.names())
    head = log.peek(records)
    if len(head) == 1:
        head = log.peek(records, ONE_LINE)  # it may have been cut
    found = [value for value in map(_parsed, head) if isinstance(value, dict)]
    # A first line that is nothing but a bracket: a value over many lines, of which some may be
    # objects themselves.
    spread = bool(head) and head[0].strip() in SPREAD
    document = _document(log, head) if spread or not found or len(head) == 1 else None
    if isinstance(document, dict):
        found = [document]
    return Sample(path=log.path, kind=log.kind, records=found, document=document, lines=head)


def is_log_folder(path: str) -> bool:
    """Tell a folder that is one log as a whole: `discover` takes it and does not enter it."""
    try:
        with open_log(path) as log:
            if log.kind != "folder":
                return False
            sample = sample_of(log)
            asked = (import_module(f"repeat_reminder.formats.{name}").FORMAT for name in FOLDERS)
            return any(form.recognise(sample) is not None for form in asked)
    except SourceError:
        return False


def _parsed(data: bytes) -> Json:
    try:
        return jsontext.loads(data)
    except jsontext.NotJson:
        return None


def _document(log: Log, head: list[bytes]) -> Json:
    """Read a file that is one JSON value over one or many lines; None if it is not."""
    first = head[0].lstrip()[:1] if head else b""
    if first not in (b"{", b"[") or log.growing:
        return None
    try:
        return _parsed(log.text())
    except SourceError:  # too large to be one document
        return None
