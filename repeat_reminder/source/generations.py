"""Several generations of one DeepSeek Harness session: only one of them is the session.

A format upgrade leaves ``session.jsonl`` and writes ``session.v3.jsonl`` beside it.
"""

# ruff: noqa: PTH119, PTH120 - pathlib rewrites paths, here they stay as typed

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from repeat_reminder.events import Problem, Severity
from repeat_reminder.source.lines import Report
from repeat_reminder.source.names import COMPRESSION_SUFFIXES

_FIRST = "session"
_NAME = rf"{_FIRST}(?:\.v(\d{{1,9}}))?\.jsonl(\.\w+)?"


class _Generation(NamedTuple):
    """Orders the files of one session: the highest version, then the compressed one."""

    version: int
    compressed: bool
    path: str


def newest_generations(paths: Sequence[str], report: Report | None) -> list[str]:
    """Leave out files that an other path replaces; what is left keeps its order.

    The highest version of a folder wins (no ``.vN`` is 0). Of one version in two files the plain
    one is read only where it stands alone: dsh-log, section 1.
    """
    best: dict[str, _Generation] = {}
    for path in paths:
        generation = _generation(path)
        if generation is not None:
            folder = os.path.dirname(path)
            best[folder] = max(best.get(folder, generation), generation)
    return [path for path in paths if _stays(path, best, report)]


def _stays(path: str, best: dict[str, _Generation], report: Report | None) -> bool:
    generation = _generation(path)
    newest = best.get(os.path.dirname(path))
    if generation is None or newest is None or newest.path == path:
        return True
    if report is not None:
        older = "an older generation of" if generation.version < newest.version else "the same as"
        message = f"not read: it is {older} {os.path.basename(newest.path)}"
        report(
            Problem(
                path=path, line=None, severity=Severity.NOTE, kind="generation", message=message
            )
        )
    return False


def _generation(path: str) -> _Generation | None:
    basename = os.path.basename(path)
    if not basename.startswith(_FIRST):  # as most do not: no pattern is compiled for them
        return None
    name = re.fullmatch(_NAME, basename)
    if name is None or (name[2] and name[2] not in COMPRESSION_SUFFIXES):
        return None
    return _Generation(int(name[1] or 0), name[2] is not None, path)
