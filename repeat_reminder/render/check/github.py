"""A check for GitHub Actions: annotations on the files, and a summary of the step.

A log holds what tools, web pages and models say. To the runner a line of output may be a command,
and a summary is Markdown: no text of a log may ever be taken for either.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from repeat_reminder.render.check.outcomes import Result, Summary
from repeat_reminder.render.check.words import (
    TYPED_ONLY,
    UNUSED,
    advice,
    brief,
    result_lines,
    totals,
    ways_out,
)
from repeat_reminder.render.look import Look

MOST_ANNOTATIONS: Final = 9
"""GitHub shows ten errors of a step; the tenth counts the rest."""
SUMMARY_BYTES: Final = 1024 * 1024
"""A longer summary of a step is refused as a whole."""
_MESSAGE, _TITLE, _CELL = 4_000, 200, 2_000
"""Characters at most."""
_PLAIN: Final = Look()

Anchor = Callable[[str], str]
"""Spells a path relative to the root of the repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    path: str
    line: int
    title: str
    message: str


def inert(line: str) -> str:
    r"""Make sure that a line of output is no command of the runner.

    It takes ``::name::`` at the start of a line, blanks aside, and ``##[name]`` anywhere in it.
    """
    line = line.replace("##[", r"#\x23[")
    start = len(line) - len(line.lstrip())
    return f"{line[:start]}\\x3a{line[start + 1 :]}" if line.startswith("::", start) else line


def annotations(summary: Summary, anchor: Anchor = str) -> Iterator[str]:
    """Yield the commands that put a check's findings beside the files they are about.

    Args:
        summary: the check.
        anchor: spells paths relative to the root of the repository.
    """
    found = list(_findings(summary))
    for one in found[:MOST_ANNOTATIONS]:
        place = f"file={_property(_PLAIN.safe(anchor(one.path)))},line={one.line}"
        title = _property(one.title[:_TITLE])
        yield f"::error {place},title={title}::{_data(one.message[:_MESSAGE])}"
    if len(found) > MOST_ANNOTATIONS:
        rest = len(found) - MOST_ANNOTATIONS
        yield f"::error title=repeat-reminder check::and {rest:,} more: see the log of this step"


def _findings(summary: Summary) -> Iterator[_Finding]:
    errors = Counter(map(_error_key, summary.results))
    for result in summary.results:
        # An error that scenarios share, such as a missing package, is one finding.
        number = errors.pop(_error_key(result), 0) if result.error else 1
        if number and (result.failed or result.error):
            yield _of_result(result, summary, number - 1)
    if not summary.unused_allowed:
        for unused in summary.left_unused:
            name = unused.path.rpartition("/")[2]
            title = f"snapshot unused: {_PLAIN.safe(name)}"
            yield _Finding(path=unused.path, line=1, title=title, message=UNUSED)


def _error_key(result: Result) -> tuple[str, str | None]:
    return (str(result.error), result.error.hint) if result.error else ("", None)


def _of_result(result: Result, summary: Summary, others: int) -> _Finding:
    """Make a finding; where there is no snapshot it stands at the scenario.

    Args:
        result: the scenario.
        summary: the check.
        others: scenarios with the same error.
    """
    lines = [line.strip() for line in result_lines(result, _PLAIN, diff=False)]
    path, line = result.path, 1
    if result.error is not None:
        path, line = result.error.path or path, result.error.line or 1
    elif result.explanation is not None:
        path, line = result.snapshot, result.explanation.line
    if result.failed and summary.accept:
        if summary.accept_settled:
            lines += [TYPED_ONLY, f"then accept with: {_PLAIN.safe(summary.accept_settled)}"]
        else:
            lines.append(f"accept with: {_PLAIN.safe(summary.accept)}")
    title = f"scenario {result.outcome.value}: {_PLAIN.safe(result.name)}"
    if others:
        title = f"{title[: _TITLE - 40]} and {others:,} more"
    return _Finding(path=path, line=line, title=title, message="\n".join(lines))


def _data(text: str) -> str:
    """Escape the message of a command (``@actions/core``, escapeData)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a command (``@actions/core``, escapeProperty)."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# ---------------------------------------------------------------- the step's summary


def step_summary(summary: Summary, room: int = SUMMARY_BYTES) -> str:
    """Return a check as Markdown for the page of a run: totals, and a table of the findings.

    Args:
        summary: the check.
        room: bytes it may take at most; of what is left out the number is told.
    """
    head = f"### repeat-reminder check\n\n{_text(totals(summary, _PLAIN))}\n\n"
    tail = "".join(f"\n{_text(line)}\n" for line in advice(summary))
    tail += "".join(f"\n{_text(what)}: {_code(command)}\n" for what, command in ways_out(summary))
    left = room - len(f"{head}{_TABLE}{tail}".encode()) - _REST
    rows = list(_rows(summary))
    kept: list[str] = []
    for one in rows:
        left -= len(one.encode())
        if left < 0:
            break
        kept.append(one)
    omitted = len(rows) - len(kept)
    more = f"\nand {omitted:,} more\n" if omitted else ""
    whole = f"{head}{_TABLE if kept else ''}{''.join(kept)}{more}{tail}"
    return whole if len(whole.encode()) <= room else ""


_TABLE: Final = "| | scenario | what changed |\n|---|---|---|\n"
_REST: Final = 64
"""Bytes for the line that counts what is left out."""


def _rows(summary: Summary) -> Iterator[str]:
    for result in summary.results:
        if result.failed or result.error:
            yield _row(result.outcome.value, result.name, brief(result, _PLAIN))
    for unused in summary.left_unused:
        yield _row("unused", unused.path, UNUSED)


def _row(status: str, name: str, what: str) -> str:
    return f"| {status} | {_code(_PLAIN.safe(name))} | {_text(what[:_CELL])} |\n"


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


_MARKUP = re.compile("[^A-Za-z0-9 ,;()\N{MULTIPLICATION SIGN}→·…]")


def _text(text: str) -> str:
    """Spell every character that may be markup, a link or a mention as a character reference."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", text)
