"""Which sessions are known to be stuck, and which to be good: from a file, a path, or the log."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from repeat_reminder.errors import UsageError
from repeat_reminder.jsontext import NotJson, loads
from repeat_reminder.tune.globs import has_magic, path_pattern
from repeat_reminder.tune.table import SessionTable


class Label(StrEnum):
    """What is known about the outcome of a session."""

    STUCK = "stuck"
    OK = "ok"
    UNKNOWN = "unknown"


ALIASES: Final = {
    **{label.value: label for label in Label},
    "good": Label.OK,
    "pass": Label.OK,
    "bad": Label.STUCK,
    "timeout": Label.STUCK,
    "fail": Label.STUCK,
}
"""Words for labels, in any case."""
WORDS: Final = "stuck (bad, timeout, fail), ok (good, pass), unknown"
_PLACEHOLDER: Final = "{label}"
_SHOWN: Final = 3


class Entry(NamedTuple):
    """A line of a label file."""

    session: str
    """Id, beginning of an id, path or path glob."""
    label: Label
    line: int


def read_labels(path: str, data: bytes) -> list[Entry]:
    """Read a label file: CSV ``session,label[,note]`` or the same as JSON Lines.

    Raises:
        UsageError: a line has no session or an unknown label.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError("not UTF-8", path=path, line=line, hint="save it as UTF-8") from None
    is_json = text.lstrip().startswith("{")
    rows = _json_rows(path, text) if is_json else _csv_rows(path, text)
    entries = [Entry(session, _label(path, line, word), line) for line, session, word in rows]
    if not entries:
        hint = "a line is session,label[,note]"
        raise UsageError("no labels in this file", path=path, hint=hint)
    return entries


def _csv_rows(path: str, text: str) -> Iterator[tuple[int, str, str]]:
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#") or cells[:2] == ["session", "label"]:
                continue
            if len(cells) < len(("session", "label")) or not cells[0]:
                message, hint = "no label in this line", "a line is session,label[,note]"
                raise UsageError(message, path=path, line=reader.line_num, hint=hint)
            yield reader.line_num, cells[0], cells[1]
    except csv.Error as error:
        raise UsageError(f"not CSV: {error}", path=path, line=reader.line_num) from None


def _json_rows(path: str, text: str) -> Iterator[tuple[int, str, str]]:
    hint = '{"session": "7f3a91", "label": "stuck"}'
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(line.strip())
        except NotJson as error:
            message = f"not valid JSON: {error.reason} at column {error.column}"
            raise UsageError(message, path=path, line=number, hint=hint) from None
        fields = value if isinstance(value, dict) else {}
        session, label = fields.get("session"), fields.get("label")
        if not isinstance(session, str) or not isinstance(label, str) or not session:
            message = "session and label must be texts"
            raise UsageError(message, path=path, line=number, hint=hint)
        yield number, session, label


def _label(path: str, line: int | None, word: str) -> Label:
    label = ALIASES.get(word.strip().casefold())
    if label is None:
        message = f"unknown label {word!r}"
        raise UsageError(message, path=path, line=line, hint=f"the labels are {WORDS}")
    return label


# ---------------------------------------------------------------- whose they are


def assigned(
    tables: Sequence[SessionTable], entries: Sequence[Entry], path: str
) -> dict[int, Label]:
    """Return the label of every session that an entry names, by position.

    Raises:
        UsageError: an entry names no session, or nobody can tell which; or two entries contradict
            each other.
    """
    by_id: dict[str, list[int]] = {}
    by_path: dict[str, list[int]] = {}
    for at, table in enumerate(tables):
        by_id.setdefault(table.session, []).append(at)
        by_path.setdefault(table.path, []).append(at)
    found: dict[int, Entry] = {}
    for entry in entries:
        for at in _named(entry, tables, by_id, by_path, path):
            other = found.setdefault(at, entry)
            if other.label is not entry.label:
                message = (
                    f"session {tables[at].session} is {entry.label} here and "
                    f"{other.label} in line {other.line}"
                )
                raise UsageError(message, path=path, line=entry.line)
    return {at: entry.label for at, entry in found.items()}


def _named(
    entry: Entry,
    tables: Sequence[SessionTable],
    by_id: Mapping[str, list[int]],
    by_path: Mapping[str, list[int]],
    path: str,
) -> list[int]:
    name = entry.session
    if name in by_path:
        return by_path[name]
    if name in by_id:
        return _one(by_id[name], tables, entry, path)
    if has_magic(name):
        pattern = path_pattern(name)
        matching = [at for at, table in enumerate(tables) if pattern.fullmatch(table.path)]
        if matching:
            return matching
    ids = [known for known in by_id if known.startswith(name)]
    if len(ids) == 1:
        return _one(by_id[ids[0]], tables, entry, path)
    if ids:
        few = ", ".join(sorted(ids)[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")
        message = f"{len(ids):,} sessions begin with {name!r}: {few}"
        raise UsageError(message, path=path, line=entry.line, hint="write more of the id")
    what = "no path matches" if has_magic(name) else "no session is called"
    raise UsageError(f"{what} {name!r}", path=path, line=entry.line, hint=_close(name, by_id))


def _one(
    positions: list[int], tables: Sequence[SessionTable], entry: Entry, path: str
) -> list[int]:
    """Take several sessions of one id for one only where the id is sure to be one's own."""
    if len(positions) == 1 or all(tables[at].unique_id for at in positions):
        return positions
    few = ", ".join(tables[at].path for at in positions[:_SHOWN])
    message = f"{len(positions):,} sessions are called {entry.session!r}: {few}"
    raise UsageError(message, path=path, line=entry.line, hint="name it by its path")


def _close(name: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only an error has a use for it

    close = get_close_matches(name, known, n=1)
    few = ", ".join(sorted(known)[:_SHOWN]) + (", …" if len(known) > _SHOWN else "")
    return f"did you mean {close[0]}?" if close else f"sessions: {few}"


def from_template(tables: Sequence[SessionTable], template: str) -> dict[int, Label]:
    """Return the labels that paths spell, as in ``runs/{label}/**``.

    Raises:
        UsageError: the template has no ``{label}``, no path matches it, or one spells no label.
    """
    before, placeholder, after = template.partition(_PLACEHOLDER)
    if not placeholder or _PLACEHOLDER in after:
        message = f"{template!r} must hold {_PLACEHOLDER} once"
        raise UsageError(message, path="--label-from", hint="such as 'runs/{label}/**'")
    marker = "\N{OBJECT REPLACEMENT CHARACTER}"
    pattern = path_pattern(before + marker + after).pattern
    regex = re.compile(pattern.replace(re.escape(marker), "([^/]*?)"), re.DOTALL)
    found = {
        at: _label(table.path, None, match[1])
        for at, table in enumerate(tables)
        if (match := regex.fullmatch(table.path))
    }
    if not found:
        example = tables[0].path if tables else ""
        hint = f"paths look like {example}" if example else None
        raise UsageError(f"no path matches {template!r}", path="--label-from", hint=hint)
    return found


def of_logs(tables: Sequence[SessionTable]) -> dict[int, Label]:
    """Return the labels that the logs themselves carry; words that are no label are unknown."""
    return {
        at: ALIASES.get(table.label.casefold(), Label.UNKNOWN)
        for at, table in enumerate(tables)
        if table.label is not None
    }
