"""Why a transcript is not its snapshot: the headline comes from comparing two lists of events.

Only what guards added differs: the guard moved. Lines of the session itself differ: the log or its
reader changed, and the guard only follows.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from repeat_reminder.check.compare import changes
from repeat_reminder.check.diff import DiffStyle, diff_lines
from repeat_reminder.check.lines import DamagedError, lines_of
from repeat_reminder.render.check.outcomes import Cause, Change, ChangeKind, Explanation

Places = Callable[[], Mapping[int, str]]
"""Says where the call behind a line of this run's transcript stands: ``file:line``."""

CRLF_HINT = (
    "git rewrote its line ends: put `*.acp.jsonl -text` into .gitattributes, delete the snapshots "
    "and check them out again"
)


def explain(
    old: bytes,
    new: bytes,
    path: str,
    *,
    style: DiffStyle = DiffStyle(),  # noqa: B008 - frozen
    places: Places = dict,
) -> Explanation:
    """Explain why ``new``, the transcript of this run, is not ``old``, the snapshot.

    Args:
        old: the snapshot, whatever it holds.
        new: a transcript.
        path: of the snapshot, for messages.
        style: which kind of diff to add, and how much of it.
        places: where in the log the calls of this run are.

    Raises:
        NewerSchemaError: the snapshot is of a newer version.
    """
    lf = old.replace(b"\r\n", b"\n")
    hint = CRLF_HINT if lf != old else None
    try:
        before = lines_of(lf, path)
    except DamagedError as damage:
        return _damaged(damage, hint)
    if not new:
        return _nothing_told()
    after = lines_of(new, path)
    found = tuple(changes(before, after, places())) or (_spelling(old, new),)
    diff = diff_lines(lf, new, before, after, style)
    shown = diff[: style.most or None]
    return Explanation(
        cause=_cause(found),
        changes=found,
        line=_first_difference(lf, new),
        hint=hint,
        diff=tuple(shown),
        diff_omitted=len(diff) - len(shown),
    )


def _damaged(damage: DamagedError, hint: str | None) -> Explanation:
    line = damage.line or 1
    change = Change(kind=ChangeKind.SNAPSHOT, what=f"line {line}: {damage.message}", line=line)
    return Explanation(cause=Cause.SNAPSHOT, changes=(change,), line=line, hint=damage.hint or hint)


def _nothing_told() -> Explanation:
    change = Change(kind=ChangeKind.SESSION, what="the log tells of no session any more")
    return Explanation(cause=Cause.SESSION, changes=(change,), line=1)


def _spelling(old: bytes, new: bytes) -> Change:
    """Say how a snapshot differs that tells the same."""
    if old.replace(b"\r\n", b"\n") == new:
        return Change(kind=ChangeKind.SNAPSHOT, what="its lines end in CRLF; else it is the same")
    if old.rstrip(b"\n") == new.rstrip(b"\n"):
        return Change(
            kind=ChangeKind.SNAPSHOT, what="its end is cut or padded; else it is the same"
        )
    return Change(kind=ChangeKind.READER, what="the same events are written down differently")


_CAUSES = {
    ChangeKind.SNAPSHOT: Cause.SNAPSHOT,
    ChangeKind.READER: Cause.READER,
    ChangeKind.SESSION: Cause.SESSION,
    ChangeKind.POLICY: Cause.POLICY,
}
"""The first that is there is the cause: what else differs may follow from it."""


def _cause(found: Sequence[Change]) -> Cause:
    kinds = {change.kind for change in found}
    return next((cause for kind, cause in _CAUSES.items() if kind in kinds), Cause.GUARD)


def _first_difference(old: bytes, new: bytes) -> int:
    lines = zip_longest(old.split(b"\n"), new.split(b"\n"))
    return next((number for number, (a, b) in enumerate(lines, 1) if a != b), 1)
