"""OpenTelemetry spans as exporters write them: OTLP's JSON, and the consoles' one span a record."""

from collections.abc import Iterator
from math import isfinite
from typing import Final

from msgspec import Struct

from repeat_reminder.events import Failure, Json
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.content import time_of
from repeat_reminder.formats.shared.lenient import members, objects, text

RESOURCES: Final = ("resourceSpans", "resource_spans", "batches")
SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
SCALARS: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue")
FAILED: Final = frozenset({2, "2", "STATUS_CODE_ERROR", "ERROR"})
NANOSECONDS: Final = 1_000_000_000
DIGITS: Final = 20
"""As many as a number of 64 bits can have."""
DEEPEST: Final = 100
"""Attribute values inside one another; more is left out."""


class Span(Struct, frozen=True, kw_only=True):
    """What a guard can learn from a span. Times are nanoseconds since 1970."""

    trace: str
    id: str | None
    parent: str | None
    start: int
    end: int | None
    attributes: Record
    failure: Failure | None

    def attribute(self, name: str) -> str | None:
        """Return an attribute that is a text."""
        return text(self.attributes.get(name))


def spans_of(record: Record) -> Iterator[Span]:
    """Yield the spans in a record, in its order."""
    for resource in _listed(record, RESOURCES):
        for scope in _listed(resource, SCOPES):
            for span in objects(scope.get("spans")):
                yield _span(span)
    if "attributes" in record and ({"spanId", "span_id", "context"} & record.keys()):
        yield _span(record)


def _listed(record: Record, keys: tuple[str, ...]) -> list[Record]:
    return [entry for key in keys for entry in objects(record.get(key))]


def _span(span: Record) -> Span:
    context, status = members(span.get("context")), members(span.get("status"))
    attributes = _attributes(span.get("attributes"))
    return Span(
        trace=_first(span, "traceId", "trace_id") or text(context.get("trace_id")) or "",
        id=_first(span, "spanId", "span_id") or text(context.get("span_id")),
        parent=_first(span, "parentSpanId", "parent_span_id", "parent_id"),
        start=_nanoseconds(span, "startTimeUnixNano", "start_time_unix_nano", "start_time") or 0,
        end=_nanoseconds(span, "endTimeUnixNano", "end_time_unix_nano", "end_time"),
        attributes=attributes,
        failure=_failure(status, attributes),
    )


def _first(record: Record, *keys: str) -> str | None:
    return next((value for key in keys if (value := text(record.get(key)))), None)


def _nanoseconds(span: Record, *keys: str) -> int | None:
    """Read a time: nanoseconds, as a number or as text, or RFC 3339."""
    for key in keys:
        value = span.get(key)
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int):
            return value
        if isinstance(value, float) and isfinite(value):
            return int(value)
        if isinstance(value, str):
            if value.isdecimal() and len(value) <= DIGITS:
                return int(value)
            seconds = time_of(value)
            if seconds is not None:
                return int(seconds * NANOSECONDS)
    return None


def _failure(status: Record, attributes: Record) -> Failure | None:
    code, kind = status.get("code", status.get("status_code")), attributes.get("error.type")
    failed = isinstance(code, int | str) and code in FAILED
    if not failed and not isinstance(kind, str):
        return None
    message = text(status.get("message")) or text(status.get("description"))
    return Failure(name=text(kind), message=message)


def _attributes(listed: Json) -> Record:
    """Read attributes: OTLP's list of keys and typed values, or a plain object."""
    if isinstance(listed, dict):
        return listed
    return {
        key: _value(entry.get("value"))
        for entry in objects(listed)
        if isinstance(key := entry.get("key"), str)
    }


def _value(typed: Json, depth: int = 0) -> Json:
    if not isinstance(typed, dict) or depth > DEEPEST:
        return None
    for scalar in SCALARS:
        if scalar in typed:
            return typed[scalar]
    if "intValue" in typed:
        return _whole(typed["intValue"])
    values = members(typed.get("arrayValue", typed.get("kvlistValue"))).get("values")
    if "arrayValue" in typed:
        return [_value(entry, depth + 1) for entry in objects(values)]
    if "kvlistValue" in typed:
        return {
            key: _value(entry.get("value"), depth + 1)
            for entry in objects(values)
            if isinstance(key := entry.get("key"), str)
        }
    return None


def _whole(value: Json) -> Json:
    """Read a 64-bit number, which OTLP's JSON writes as text."""
    if not isinstance(value, str):
        return value
    digits = value.removeprefix("-")
    return int(value) if digits.isdecimal() and len(digits) <= DIGITS else value
