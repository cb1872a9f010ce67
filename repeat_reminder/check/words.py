"""Entries of a transcript in few words. What comes from a log is not made safe here."""

from collections.abc import Callable, Iterator, Sequence

from repeat_reminder import jsontext
from repeat_reminder.check.lines import Line, Object, content_text, object_of, text_of
from repeat_reminder.events import Json
from repeat_reminder.render.check.outcomes import Change, ChangeKind
from repeat_reminder.render.safe import first_line

_NOTES = ("transcript", "policy", "event", "source", "ask", "denied")
_SETTING = 100
"""Characters of a setting that are shown, around where it differs."""


def shown_line(line: Line) -> str:
    """Say in few words what a line tells: ``call_4 bash {"command":"ls"}``."""
    return _told(line, first_line)


def whole_line(line: Line) -> str:
    """Say what a line tells, its text in full."""
    return _told(line, str)


def _told(line: Line, shortened: Callable[[str], str]) -> str:
    update = line.update
    content = content_text(update.get("content"))
    match line.kind:
        case "tool_call":
            words = [line.call or "", text_of(update.get("title")), _json(update.get("rawInput"))]
        case "tool_call_update":
            words = [line.call or "", text_of(update.get("status")), content]
        case "agent_message_chunk":
            words = ["agent:", shortened(content)]
        case "user_message_chunk":
            words = [*_speaker(line), shortened(content)]
        case _:
            words = []
    notes = (f"{name} {_json(note)}" for name in _NOTES if (note := line.note(name)) is not None)
    return " ".join(word for word in (*words, *notes) if word) or line.kind


def _speaker(line: Line) -> tuple[str, ...]:
    """Say who speaks where a user should: who was injected, and for which call."""
    note = object_of(line.note("injected"))
    if not note:
        return ("user:",)
    summary = text_of(object_of(note.get("source")).get("summary"))
    label = text_of(note.get("tier") or note.get("action"))
    pending = "" if note.get("delivered", True) else " (never delivered)"
    return (">>", summary, label, f"for {text_of(note.get('toolCallId'))}{pending}:")


def policy_changes(
    old: Sequence[tuple[str, Object]], new: Sequence[tuple[str, Object]]
) -> Iterator[Change]:
    """Yield the settings that differ, and the policies that came or went."""
    before, after = dict(old), dict(new)
    several = len(before | after) > 1
    for name in before | after:
        if name not in before or name not in after:
            yield _policy(
                name, "mounted" if name in before else "", "mounted" if name in after else ""
            )
            continue
        for key, then, now in _differing(before[name], after[name]):
            what = f"{name} {key}" if several else key
            yield _policy(what, *parted(setting(key, then), setting(key, now), _SETTING))
    orders = [
        [name for name in names if name in before and name in after] for names in (before, after)
    ]
    if orders[0] != orders[1]:
        yield _policy("order", *(",".join(order) for order in orders))


def _differing(old: Object, new: Object) -> Iterator[tuple[str, Json, Json]]:
    """Yield the keys whose values differ; of a table, the keys in it."""
    for key in old | new:
        then, now = old.get(key), new.get(key)
        if isinstance(then, dict) and isinstance(now, dict):
            yield from ((f"{key}.{inner}", a, b) for inner, a, b in _differing(then, now))
        elif then != now:
            yield key, then, now


def _policy(what: str, before: str, after: str) -> Change:
    return Change(kind=ChangeKind.POLICY, what=what, before=before, after=after, line=1)


def setting(key: str, value: Json) -> str:
    """Write a setting as on the command line: ``3,5,8``."""
    match value:
        case [] | None:
            return "all" if key == "include" else "none"
        case list():
            return ",".join(item if isinstance(item, str) else _json(item) for item in value)
        case str():
            return value
        case _:
            return _json(value)


def _json(value: Json) -> str:
    return jsontext.dumps(value).decode()


def parted(one: str, other: str, length: int) -> tuple[str, str]:
    """Return two texts from shortly before where they part, each cut to a length."""
    start = max(0, parting(one, other) - length // 3)
    return _excerpt(one, start, length), _excerpt(other, start, length)


def parting(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _excerpt(text: str, start: int, length: int) -> str:
    if start == 0 and len(text) <= length:
        return text
    head, tail = "…" * (start > 0), "…" * (start + length < len(text))
    return f"{head}{text[start : start + length]}{tail}"
