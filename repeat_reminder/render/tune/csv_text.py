"""Records as CSV, for spreadsheets and data frames."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.jsontext import dumps

Record = dict[str, Json]


def csv_of(rows: Sequence[Record]) -> bytes:
    """Return records as CSV with a header, nested ones as columns of their own."""
    flat = [_flat(row) for row in rows]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(flat[0]) if flat else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue().encode("utf-8", "backslashreplace")


def _flat(row: Mapping[str, Json], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in row.items():
        if isinstance(value, dict) and key not in _WHOLE:
            found |= _flat(value, f"{prefix}{key}_")
        else:
            found[prefix + key] = _cell(value)
    return found


_WHOLE: Final = frozenset({"config", "changes"})
"""Members that are a cell of JSON: their keys differ from row to row."""


def _cell(value: Json) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            return " ".join(map(_cell, value))
        case dict():
            return dumps(value).decode()
        case str():
            # A cell that begins so would be a formula to a spreadsheet.
            return f"'{value}" if value[:1] in _FORMULAS else value
        case _:
            return dumps(value).decode()


_FORMULAS: Final = tuple("=+-@\t\r")
