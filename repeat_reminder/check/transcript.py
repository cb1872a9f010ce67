"""A transcript read back: what the session tells, and what guards added to it, apart.

Numbers that only count lines or messages are left out, so that one reminder more changes one entry
and not all that follow it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.check.lines import PREFIX, Line, Object, content_text, object_of, text_of
from repeat_reminder.events import Json
from repeat_reminder.render.acp.notes import stamps
from repeat_reminder.render.check.outcomes import Subject

_GATES: Final = {"ask": "ask", "denied": "deny"}
"""Notes on a call's own lines, and what a guard did then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the session itself."""

    line: Line
    key: bytes
    """All that must be equal, without numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a guard did: a message it injected, or its gate before a call."""

    line: Line
    subject: Subject
    call: str
    """The call that triggered it."""
    after: str | None
    """The last call before it."""
    at: int
    """How many entries stand before it."""
    note: Object
    """All else that is noted of it."""
    text: str


@dataclass(slots=True)
class Transcript:
    """A transcript in two lists: the session's entries and what guards did."""

    schema: Json = None
    formats: list[str] = field(default_factory=list)
    """Of the logs, each once."""
    policies: list[tuple[str, Object]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)


def gated_calls(lines: Sequence[Line]) -> set[str]:
    """Return the calls that a guard asked about or denied."""
    return {line.call for line in lines if line.call and any(map(line.note, _GATES))}


def policies_of(lines: Sequence[Line]) -> list[tuple[str, Object]]:
    """Return name and config of the policies that the first line tells."""
    told = lines[0].note("policy")
    rows = map(object_of, told if isinstance(told, list) else [])
    return [(text_of(row.get("name")), object_of(row.get("config"))) for row in rows]


def transcript(
    lines: Sequence[Line], gated: Collection[str], policies: Sequence[tuple[str, Object]]
) -> Transcript:
    """Tell the session's lines from what guards did.

    Args:
        lines: see `lines_of`.
        gated: calls whose lines are not the session's own: their status and result are left out.
        policies: guards whose recorded messages are left out: a replay says them anew.
    """
    headers = [object_of(line.note("transcript")) for line in lines]
    formats = [text_of(header["format"]) for header in headers if "format" in header]
    result = Transcript(
        schema=headers[0].get("schema"),
        formats=list(dict.fromkeys(formats)),
        policies=policies_of(lines),
    )
    ours = stamps(policies)
    heard = _Heard()
    for line in lines:
        heard.listen(line)
        result.said += (heard.said(line, *note, len(result.entries)) for note in _guard_notes(line))
        if line.call:
            heard.last = line.call
        if _is_own(line, gated, ours):
            result.entries.append(Entry(line=line, key=key_of(line, gated)))
    return result


@dataclass(slots=True)
class _Heard:
    """What a transcript has told so far of its calls."""

    titles: dict[str, str] = field(default_factory=dict)
    last: str | None = None

    def listen(self, line: Line) -> None:
        if line.call and line.kind == "tool_call":
            self.titles[line.call] = text_of(line.update.get("title"))

    def said(self, line: Line, label: str, note: Object, at: int) -> Said:
        call = line.call or text_of(note.get("toolCallId"))
        count = note.get("count", _first_count(note))
        source = object_of(note.get("source"))
        rest = {k: v for k, v in note.items() if k not in {"toolCallId", "recorded_status"}}
        content = line.update.get("content") if line.kind != "tool_call" else None
        return Said(
            line=line,
            subject=Subject(
                tool=self.titles.get(call, call),
                count=count if isinstance(count, int) else None,
                label=label,
                plugin=text_of(source.get("plugin", note.get("plugin"))),
            ),
            call=call,
            after=self.last,
            at=at,
            note=rest,
            text=content_text(content),
        )


def _is_own(line: Line, gated: Collection[str], ours: Collection[str]) -> bool:
    if line.note("injected") is not None or _is_recorded(line, ours):
        return False
    return not (line.kind == "tool_call_update" and line.call in gated)


def _is_recorded(line: Line, ours: Collection[str]) -> bool:
    source = object_of(line.note("source"))
    return source.get("plugin") in ours or source.get("kind") in ours


def key_of(line: Line, gated: Collection[str] = ()) -> bytes:
    """Return what must be equal in two lines for them to tell the same, whatever their numbers."""
    update = {k: v for k, v in line.update.items() if k not in {"toolCallId", "messageId", "_meta"}}
    if line.call in gated:
        update.pop("status", None)
    meta = object_of(line.update.get("_meta"))
    hidden = {PREFIX + name for name in (*_GATES, "policy", "transcript")}
    kept = {key: _without_call(value) for key, value in meta.items() if key not in hidden}
    return jsontext.dumps([line.session, update, kept])


def _without_call(note: Json) -> Json:
    if isinstance(note, dict):
        return {key: value for key, value in note.items() if key != "toolCallId"}
    return note


def _guard_notes(line: Line) -> Iterator[tuple[str, Object]]:
    """Yield what guards did on a line: label and note."""
    note = line.note("injected")
    if note is not None:
        injected = object_of(note)
        yield text_of(injected.get("tier") or injected.get("action")), injected
    for name, label in _GATES.items():
        gate = line.note(name)
        if gate is not None:
            yield label, object_of(gate)


def _first_count(note: Object) -> Json:
    hits = note.get("fingerprints")
    return object_of(hits[0]).get("count") if isinstance(hits, list) and hits else None
