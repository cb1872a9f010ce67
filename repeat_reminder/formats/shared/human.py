"""Which user-role messages a human wrote: harnesses put their own texts in that role too."""

from collections.abc import Sequence

from repeat_reminder.events import Source


def is_injected(text: str, beginnings: tuple[str, ...]) -> bool:
    """Tell whether a block's text begins as the harness's own texts do."""
    return text.lstrip().startswith(beginnings)


def is_human(texts: Sequence[str], beginnings: tuple[str, ...]) -> bool:
    """Tell whether at least one block of a message is not the harness's own text."""
    return any(not is_injected(text, beginnings) for text in texts)


def injected_source(kind: str, texts: Sequence[str], beginnings: tuple[str, ...]) -> Source:
    """Name the source of a message that the harness wrote: its format, and what began it."""
    for text in texts:
        start = text.lstrip()
        for beginning in beginnings:
            if start.startswith(beginning):
                return {"kind": kind, "type": _slug(beginning)}
    return {"kind": kind, "type": "injected"}


def _slug(beginning: str) -> str:
    """Spell ``<task-notification>`` as ``task-notification``, words in lower case with dashes."""
    words = "".join(letter if letter.isalnum() else " " for letter in beginning).split()
    return "-".join(words).lower()
