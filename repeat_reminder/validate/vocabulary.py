"""Keys and types of canonical records that nobody reads: most are misspelt."""

from collections.abc import Iterable, Iterator
from typing import Final

from repeat_reminder.config.keys import suggestion
from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats import canonical
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.content import time_of

OWN: Final = "a key of your own begins with x_, or stands inside meta"
TIMES: Final = "ts is an RFC 3339 time or epoch milliseconds"
NUMBERED: Final = ("turn", "step")


def unknown(path: str, line: int | None, record: Record) -> Iterator[Problem]:
    """Yield a warning for each key that a canonical record does not have.

    A record of an unknown type is the reader's to tell.

    Args:
        path: the log.
        line: where the record stands.
        record: any record.
    """
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in canonical.KEYS:
        return
    known = canonical.KEYS[kind] | canonical.COMMON
    for key in record:
        if key not in known and not key.startswith("x_"):
            hint = _meant(key, sorted(known)) or f"{OWN}; {kind} has {', '.join(sorted(known))}"
            yield _warning(path, line, "unknown-key", f"{kind}: unknown key {key!r}", hint)
    for message, advice in _values(kind, record):
        yield _warning(path, line, "odd-value", message, advice)


def type_hint(kind: str) -> str | None:
    """Return a hint for an unknown record type, if one is close."""
    return _meant(kind, canonical.KEYS)


def _values(kind: str, record: Record) -> Iterator[tuple[str, str | None]]:
    """Say which values are read as nothing."""
    if record.get("ts") is not None and time_of(record["ts"]) is None:
        yield f"{kind}: ts is no time", TIMES
    if record.get("meta") is not None and not isinstance(record["meta"], dict):
        yield f"{kind}: meta is not an object", None
    for key in NUMBERED:
        number = record.get(key)
        if isinstance(number, int) and not isinstance(number, bool) and number < 1:
            yield f"{kind}: {key} is {number}", "turns and steps count from 1"


def _meant(word: str, known: Iterable[str]) -> str | None:
    meant = suggestion(word, known)
    return f"did you mean {meant}?" if meant else None


def _warning(path: str, line: int | None, kind: str, message: str, hint: str | None) -> Problem:
    return Problem(
        path=path, line=line, severity=Severity.WARNING, kind=kind, message=message, hint=hint
    )
