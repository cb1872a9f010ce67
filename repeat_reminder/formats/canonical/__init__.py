"""The canonical log, ``repeat-reminder/session@1``: how it is recognised."""

from typing import Final

from repeat_reminder.formats import model
from repeat_reminder.formats.canonical.reader import (
    COMMON,
    KEYS,
    MAJOR,
    NAME,
    SCHEMA,
    CanonicalReader,
)
from repeat_reminder.formats.model import Format, Record, Sample, Shape

__all__ = ["COMMON", "FORMAT", "KEYS", "MAJOR", "NAME", "SCHEMA", "recognise"]


def recognise(sample: Sample) -> str | None:
    """See `Format.recognise`: the schema line, a telling call, or nothing but known types."""
    records = sample.records
    if not records:
        return None
    schema = records[0].get("schema")
    if isinstance(schema, str) and schema.startswith(SCHEMA + "@"):
        return f"the first record says schema {schema}"
    for record in records:
        if _is_call(record):
            return "a record of type tool_call with name and arguments"
    if all(_is_ours(record) for record in records):
        return "every record's type is one of the canonical log"
    return None


def _is_call(record: Record) -> bool:
    return (
        record.get("type") == "tool_call"
        and isinstance(record.get("name"), str)
        and ("arguments" in record or isinstance(record.get("arguments_text"), str))
    )


def _is_ours(record: Record) -> bool:
    """Tell a record of a known type; other formats begin with a ``session`` record too."""
    kind = record.get("type")
    if kind == "session":
        return all(key in KEYS["session"] | COMMON or key.startswith("x_") for key in record)
    return isinstance(kind, str) and kind in KEYS


FORMAT: Final = Format(
    name=NAME,
    title="repeat-reminder's own session log",
    where="written by hand, by `convert --to canonical`, or by a harness without a reader",
    shape=Shape.LINES,
    status=model.Status.PROVEN,
    recognise=recognise,
    reader=CanonicalReader,
)
