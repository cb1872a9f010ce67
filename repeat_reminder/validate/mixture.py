"""Records of another format in a log: its reader passes over them, and their calls are lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from repeat_reminder.events import Problem, Severity
from repeat_reminder.formats import detect
from repeat_reminder.formats.model import Format, Record, Sample

MOST_SHAPES: Final = 4096
"""Different sets of keys that are looked at; a log has a few dozen."""
HINT: Final = "put each format into a file of its own; --from NAME reads the file as another one"

GENERAL: Final = frozenset({"openai-responses", "anthropic", "openai-chat"})
"""Shapes in which most agents write some of their records: such a record tells nothing."""

_Shape = tuple[str | None, frozenset[str]]


@dataclass(slots=True)
class _Found:
    """Records of one other format."""

    line: int | None
    records: int = 0


class Mixture:
    """Looks at the records that gave nothing, at each shape of them once."""

    def __init__(self, form: Format, path: str) -> None:
        """Begin with a log that is read as one format."""
        self._form = form
        self._path = path
        self._shapes: dict[_Shape, str | None] = {}
        self._found: dict[str, _Found] = {}

    def look(self, line: int | None, record: Record) -> None:
        """Take note of a record that its reader passed over."""
        kind = record.get("type")
        shape = (kind if isinstance(kind, str) else None, frozenset(record))
        if shape not in self._shapes:
            if len(self._shapes) >= MOST_SHAPES:
                return
            self._shapes[shape] = self._other(record)
        other = self._shapes[shape]
        if other is not None:
            self._found.setdefault(other, _Found(line)).records += 1

    def problems(self) -> Iterator[Problem]:
        """Yield an error for each other format."""
        for name, found in self._found.items():
            many = f"{found.records:,} records look" if found.records > 1 else "a record looks"
            yield Problem(
                path=self._path,
                line=found.line,
                severity=Severity.ERROR,
                kind="mixed-formats",
                message=f"{many} like {name} in a log of {self._form.name}: not read",
                hint=HINT,
            )

    def _other(self, record: Record) -> str | None:
        """Return the format that takes a record if its own reader does not."""
        sample = Sample(path=self._path, kind="text", records=(record,))
        if self._form.recognise(sample) is not None:
            return None
        found = detect(sample)
        name = None if found is None else found.format.name
        return None if name == self._form.name or name in GENERAL else name
