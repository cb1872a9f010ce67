"""What a check found, in words: the headline of one scenario, and how it all came out."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from repeat_reminder.errors import RepeatReminderError
from repeat_reminder.render.check.outcomes import (
    Cause,
    Change,
    ChangeKind,
    Explanation,
    Outcome,
    Result,
    Subject,
    Summary,
    Written,
)
from repeat_reminder.render.look import Look, Style, plural
from repeat_reminder.render.safe import cells
from repeat_reminder.render.table import INDENT, pad

MOST_CHANGES: Final = 12
UNUSED: Final = "no scenario has this name"
UNMOVED: Final = "no reminder moved"
TYPED_ONLY: Final = (
    "these settings stand only on this command line: put them into pyproject.toml or "
    "NAME.config.yml, or the next check fails"
)
_KIND_CELLS: Final = 8
_SUBJECT_CELLS: Final = 40
_DETAIL_CELLS: Final = 120
_LEAST_ROOM: Final = 40
"""Cells that a line of a diff has on the narrowest output."""

CAUSES: Final = {
    Cause.GUARD: "only injected lines differ, under the same policy: the guard moved",
    Cause.POLICY: "the settings changed; the session is the same",
    Cause.SESSION: "lines of the session itself differ: the log changed, or is read differently",
    Cause.READER: "the session tells the same: its reader changed",
    Cause.SNAPSHOT: "the snapshot is not as it was written",
}
_DIFF_STYLES: Final = {"-": Style.ERROR, "+": Style.NOTE, "@": Style.FAINT}


class Row(NamedTuple):
    """A change in safe texts."""

    kind: str
    subject: str
    detail: str
    log: str
    """Where it is in the log."""

    @property
    def tail(self) -> str:
        """Return all that follows the subject."""
        return f"{self.detail}   {self.log}" if self.log else self.detail


def arrow(look: Look) -> str:
    """Return the sign between what was and what is."""
    return "->" if look.ascii_only else "→"


def row(change: Change, look: Look) -> Row:
    """Put a change into words."""
    before, after = (look.cut(text, _DETAIL_CELLS) for text in (change.before, change.after))
    both = f"{before} {arrow(look)} {after}" if before and after else before or after
    match change.kind:
        case ChangeKind.REMOVED:
            detail = f"was {before}"
        case ChangeKind.ADDED:
            detail = after
        case ChangeKind.MOVED | ChangeKind.TEXT:
            detail = both
        case ChangeKind.POLICY:
            detail = f"{before or 'none'} {arrow(look)} {after or 'none'}"
        case ChangeKind.SESSION:
            detail = f"({both})" if both else ""
        case ChangeKind.READER | ChangeKind.SNAPSHOT:
            detail = both
    subject = (
        _subject(change.subject, look) if change.subject else look.cut(change.what, _DETAIL_CELLS)
    )
    now = "now " if change.kind is ChangeKind.MOVED else ""
    log = f"({now}{look.safe(change.log)})" if change.log else ""
    return Row(change.kind.value, subject, detail, log)


def sentence(change: Change, look: Look) -> str:
    """Put a change into one line."""
    return " ".join(part for part in row(change, look) if part)


def _subject(subject: Subject, look: Look) -> str:
    count = "" if subject.count is None else f" {look.glyphs.times} {subject.count}"
    return f"{look.cut(subject.tool, _SUBJECT_CELLS)}{count} {look.safe(subject.label)}"


def change_lines(changes: Sequence[Change], look: Look) -> Iterator[str]:
    """Yield a line for each change, the subjects aligned; of very many only the first."""
    shown = changes[:MOST_CHANGES]
    rows = [(change, row(change, look)) for change in shown]
    width = max((cells(one.subject) for change, one in rows if change.subject), default=0)
    for change, one in rows:
        kind = look.paint(f"{one.kind:<{_KIND_CELLS}}", Style.TITLE)
        subject = f"{pad(one.subject, width)}  " if change.subject else one.subject
        yield f"{INDENT}{kind} {subject} {one.tail}".rstrip()
    if len(changes) > len(shown):
        more = plural(len(changes) - len(shown), "more change")
        yield f"{INDENT}{look.glyphs.ellipsis} and {more}"


def headline(explanation: Explanation, look: Look) -> Iterator[str]:
    """Yield what changed and what that comes from."""
    if _unmoved(explanation):
        yield f"{INDENT}{look.paint('placement:', Style.TITLE)} {UNMOVED}"
    yield from change_lines(explanation.changes, look)
    yield _labelled("cause", CAUSES[explanation.cause])
    if explanation.hint:
        yield _labelled("hint", look.safe(explanation.hint))


def _unmoved(explanation: Explanation) -> bool:
    """Tell whether nothing differs but settings."""
    return all(change.kind is ChangeKind.POLICY for change in explanation.changes)


def _labelled(label: str, text: str) -> str:
    return f"{INDENT}{label:<{_KIND_CELLS}} {text}"


def diff_lines(
    explanation: Explanation,
    snapshot: str,
    look: Look,
    *,
    more: str = "--max-diff-lines 0 shows all",
) -> Iterator[str]:
    """Yield the diff as far as there is one, no line wider than the output."""
    room = max(_LEAST_ROOM, look.width - 1 - len(INDENT))
    if explanation.diff:
        yield f"{INDENT}--- {look.safe(snapshot)}   +++ this run"
    for line in explanation.diff:
        yield f"{INDENT}{look.paint(look.cut(line, room), _DIFF_STYLES.get(line[:1]))}"
    if explanation.diff_omitted:
        omitted = plural(explanation.diff_omitted, "more line")
        yield f"{INDENT}{look.glyphs.ellipsis} {omitted} ({more})"


def result_lines(result: Result, look: Look, *, diff: bool = True) -> Iterator[str]:
    """Yield what is to be said of a scenario that is not as it should be."""
    if result.error is not None:
        yield from error_text(result.error, look)
    elif result.explanation is not None:
        yield from headline(result.explanation, look)
        if diff:
            yield from diff_lines(result.explanation, result.snapshot, look)
    elif result.outcome is Outcome.MISSING:
        yield _labelled("missing", f"there is no {look.safe(result.snapshot)}")
        if result.hint:
            yield _labelled("hint", look.safe(result.hint))


def error_text(error: RepeatReminderError, look: Look) -> Iterator[str]:
    """Yield why a scenario could not be judged."""
    yield f"{INDENT}{look.safe(str(error))}"
    if error.hint:
        yield _labelled("hint", look.safe(error.hint))


def brief(result: Result, look: Look) -> str:
    """Say in one line what is wrong with a scenario: what it comes from, then what it does."""
    if result.error is not None:
        return look.safe(result.error.message)
    if result.explanation is None:
        return f"there is no {look.safe(result.snapshot)}"
    changes = sorted(result.explanation.changes, key=lambda change: change.subject is not None)
    few = "; ".join(sentence(change, look) for change in changes[:3])
    few = f"{UNMOVED}; {few}" if _unmoved(result.explanation) else few
    return f"{few}; and {len(changes) - 3} more" if len(changes) > len(changes[:3]) else few


def totals(summary: Summary, look: Look) -> str:
    """Say how it all came out, in one line."""
    counts = {
        "ok": summary.count(Outcome.OK),
        "failed": summary.count(Outcome.CHANGED),
        "missing": summary.count(Outcome.MISSING),
        "in error": summary.count(Outcome.ERROR),
        "new": summary.wrote(Written.ADDED),
        "updated": summary.wrote(Written.MODIFIED),
    }
    told = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
    deleted, unused = summary.wrote(Written.DELETED), len(summary.left_unused)
    allowed = " (allowed)" if summary.unused_allowed else ""
    return look.join(
        f"{plural(len(summary.results), 'scenario')}: {told}",
        f"{plural(unused, 'snapshot')} unused{allowed}" if unused else "",
        f"{plural(deleted, 'snapshot')} deleted" if deleted else "",
        "unused snapshots not looked for" if summary.partial else "",
    )


def ways_out(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield what can be done about the findings: in words, and the command."""
    if summary.accept and summary.accept_settled:
        yield "then accept with", summary.accept_settled
        yield "if every check is run with them, accept with", summary.accept
    elif summary.accept:
        yield "accept with", summary.accept
    if summary.delete and summary.delete != summary.accept:
        what = "accept everything and delete what is unused" if summary.accept else "delete it"
        yield f"{what} with", summary.delete


def advice(summary: Summary) -> Iterator[str]:
    """Yield what to know before anything is accepted."""
    wrote = summary.wrote(Written.ADDED) + summary.wrote(Written.MODIFIED)
    if summary.accept_settled and (summary.accept or wrote):
        yield TYPED_ONLY
