"""The samples in Inspect AI's files, one at a time; see `inspect_ai`."""

import re
from collections.abc import Iterator
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.lenient import members, objects
from repeat_reminder.formats.shared.one_value import document_of
from repeat_reminder.formats.shared.zip_members import MemberError, read_member
from repeat_reminder.source import Log

DIGITS: Final = 18
"""Longer numbers of samples are sorted as text."""

_MEMBER: Final = re.compile(r"samples/(.+)_epoch_(\d{1,9})\.json")


def samples(log: Log) -> Iterator[Record | Problem]:
    """Yield the samples, and a `Problem` for each that cannot be read.

    Raises:
        FormatError: the file is not one JSON value.
        SourceError: the archive is damaged as a whole.
    """
    if log.kind != "zip":
        yield from objects(members(document_of(log)).get("samples"))
        return
    with log.archive() as archive:
        names = frozenset(name for name in archive.namelist() if _MEMBER.fullmatch(name))
        for name in sorted(names, key=_order):
            try:
                sample = jsontext.loads(read_member(archive, name))
            except (MemberError, jsontext.NotJson, jsontext.TooDeep) as error:
                yield _unreadable(log.path, name, str(error))
                continue
            if isinstance(sample, dict):
                yield sample
            else:
                yield _unreadable(log.path, name, "it is not a JSON object")


def _order(name: str) -> tuple[bool, int, str, int]:
    """Sort by sample, numbers as numbers, then by epoch."""
    found = _MEMBER.fullmatch(name)
    sample, epoch = (found[1], int(found[2])) if found else (name, 0)
    short = sample.isascii() and sample.isdigit() and len(sample) <= DIGITS
    number = int(sample) if short else None
    return number is None, number or 0, sample, epoch


def _unreadable(path: str, name: str, why: str) -> Problem:
    return Problem(
        path=path,
        line=None,
        severity=Severity.WARNING,
        kind="unreadable-sample",
        message=f"{name} cannot be read: {why}; left out",
        skipped=True,
    )
