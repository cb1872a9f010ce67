"""The sessions that change most, with the command that explains each."""

import shlex
from collections.abc import Mapping
from typing import Final

from repeat_reminder.events import Json
from repeat_reminder.render.html.markup import Markup, join, tag
from repeat_reminder.render.html.parts import code
from repeat_reminder.render.look import plural
from repeat_reminder.render.safe import escape
from repeat_reminder.render.tune.values import SessionChange, TuneReport

_OPTIONS: Final = {
    "include": "--include",
    "exclude": "--exclude",
    "ignoreArgs": "--ignore-args",
}
"""Options of ``explain`` for keys that hold lists, one value each."""
_ASCII_END, _BMP_END = 0x7F, 0xFFFF
_BYTE_START, _BYTE_END = 0xDC80, 0xDCFF
"""How Python spells a byte of a path that is no UTF-8."""


def changes_section(report: TuneReport) -> Markup:
    """Return the sessions whose number of messages changes most."""
    if report.best is None:
        content = tag("p", "Nothing is called best, so nothing changes.", class_="empty")
    elif not report.changes:
        content = tag("p", "Every session gets as many messages as now.", class_="empty")
    else:
        options = options_of(report.best_config or {})
        content = tag("ol", *(_item(at, one, options) for at, one in enumerate(report.changes)))
    return tag(
        "section",
        tag("h2", "Sessions that change most"),
        tag("p", "Messages now and under the best configuration, and the call that gets the first.")
        if report.changes
        else "",
        content,
        id="changes",
    )


def _item(at: int, one: SessionChange, options: list[str]) -> Markup:
    word = {"stuck": "chip stuck-chip", "ok": "chip"}.get(one.label, "chip")
    run = f"longest run of the session {plural(one.longest, 'call')}"
    command = " ".join([*map(quoted, ("repeat-reminder", "explain", one.place)), *options])
    return tag(
        "li",
        tag("b", f"{one.now:,} → {one.best:,}", class_="change"),
        tag(
            "div",
            tag("bdi", one.session, class_="session"),
            " ",
            tag("span", one.label, class_=word),
            tag("div", join([tag("bdi", one.tool)] if one.tool else []), " · " if one.tool else "",
                run, class_="quiet"),
            "" if one.preview is None else tag("code", one.preview, class_="arguments"),
        ),
        tag(
            "div",
            tag("bdi", one.place, class_="place"),
            code([command], f"explain-{at}", f"the command for session {one.session}"),
        ),
    )  # fmt: skip


def options_of(config: Mapping[str, Json]) -> list[str]:
    """Return the options that give ``explain`` a config, quoted for a shell."""
    words: list[str] = []
    for key, value in config.items():
        if not isinstance(value, list):
            continue
        if key == "thresholds":
            words += ["--thresholds", ",".join(map(str, value))]
        elif key in _OPTIONS:
            words += [word for entry in value for word in (_OPTIONS[key], quoted(str(entry)))]
    return words


def quoted(text: str) -> str:
    r"""Quote a text for a shell; what a page cannot show is spelled as in ``$'\u202e'``."""
    if escape(text) == text:
        return shlex.quote(text)
    return f"$'{''.join(map(_spelled, text))}'"


def _spelled(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if escape(char) == char:
        return char
    point = ord(char)
    if _BYTE_START <= point <= _BYTE_END:
        return f"\\x{point - _BYTE_START + 0x80:02x}"
    if point <= _ASCII_END:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= _BMP_END else f"\\U{point:08x}"
