"""The lines above a session's table: which session, under which policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repeat_reminder.jsontext import dumps
from repeat_reminder.render.look import Style
from repeat_reminder.render.safe import cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repeat_reminder.events import Json, SessionStart
    from repeat_reminder.render.header import Header, Mounted
    from repeat_reminder.render.look import Look

_PLAIN = {"argumentsPreviewChars": "preview", "ignoreArgs": "ignore args"}
"""Words for keys whose own spelling says less."""
_EMPTY = {"include": "all"}
BREAKER = "breaker"
_COLUMN = 40
"""Characters up to which settings are aligned."""


def session_line(start: SessionStart, look: Look) -> str:
    """Say which session it is: ``session.jsonl  7f3a91 · canonical``."""
    about = look.join(
        look.safe(start.session), look.safe(start.format), look.safe(start.compression or "")
    )
    return f"{look.paint(look.safe(start.path), Style.TITLE)}  {about}"


def policy_lines(header: Header, look: Look, *, origins: bool = False) -> Iterator[str]:
    """Yield each policy with its settings on a line, or below it all of them with their origins."""
    if not header.policies:
        yield "policy none"
    for policy in header.policies:
        name = f"policy {look.safe(policy.name)}"
        if origins:
            yield f"{name}  {_answer(policy)}".rstrip()
            yield from _settings_with_origins(policy, look)
        else:
            yield from _short(policy, f"{name}  ", look)


def _short(policy: Mounted, head: str, look: Look) -> Iterator[str]:
    """Yield the short form: of a policy with many settings those that are not the defaults."""
    if policy.name == BREAKER:
        settings = [_setting(key, value) for key, value in _changed(policy)] or ["defaults"]
        yield from _wrapped(head, [*map(look.safe, settings), _answer(policy)], look)
        return
    settings = [_setting(key, value) for key, value in policy.config.items()]
    yield f"{head}{look.join(*map(look.safe, settings), _answer(policy))}".rstrip()


def _changed(policy: Mounted) -> Iterator[tuple[str, Json]]:
    """Yield the breaker's settings that are not its defaults; of a mapping, such entries."""
    from repeat_reminder.policies.breaker import BreakerConfig  # noqa: PLC0415 - seldom mounted

    defaults = BreakerConfig().record()
    for key, value in policy.config.items():
        default = defaults.get(key)
        if isinstance(value, dict) and isinstance(default, dict):
            changed = {name: v for name, v in value.items() if default.get(name, ...) != v}
            if changed:
                yield key, changed
        elif value != default:
            yield key, value


def _wrapped(head: str, settings: Sequence[str], look: Look) -> Iterator[str]:
    """Yield settings on as many lines as the width asks for, none of them broken."""
    line: list[str] = []
    lead = head
    for setting in filter(None, settings):
        if line and cells(lead + look.join(*line, setting)) > look.width:
            yield f"{lead}{look.join(*line)} {look.glyphs.between}"
            lead, line = " " * cells(head), []
        line.append(setting)
    yield f"{lead}{look.join(*line)}".rstrip()


def _answer(policy: Mounted) -> str:
    return f"answer {policy.answer}" if policy.answer else ""


def _settings_with_origins(policy: Mounted, look: Look) -> Iterator[str]:
    settings = {key: look.safe(_setting(key, value)) for key, value in policy.config.items()}
    width = max((n for n in map(len, settings.values()) if n <= _COLUMN), default=0)
    for key, setting in settings.items():
        yield f"  {setting:<{width}}  {look.safe(policy.origin.get(key, ''))}".rstrip()


def _setting(key: str, value: Json) -> str:
    return f"{_PLAIN.get(key, key)} {_value(key, value)}"


def _value(key: str, value: Json) -> str:
    """Write a setting as people would: lists without brackets, null as ``off``."""
    match value:
        case []:
            return _EMPTY.get(key, "none")
        case list():
            return ", ".join(map(_scalar, value))
        case dict() if all(isinstance(item, int | float | None) for item in value.values()):
            return ", ".join(f"{name} {_scalar(item)}" for name, item in value.items())
        case _:
            return _scalar(value)


def _scalar(value: Json) -> str:
    if value is None:
        return "off"
    return value if isinstance(value, str) else dumps(value).decode()
