"""What formats share: message content as texts, and times."""

from datetime import datetime

from repeat_reminder.events import Json

PLACEHOLDERS = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "resource": "[resource]",
}
"""What stands for a block that is no text; anything else is ``[resource]``."""

MILLISECONDS_FROM = 1e11
"""Numbers above this are epoch milliseconds (1973 in milliseconds, 5138 in seconds)."""


def texts_of(content: Json) -> tuple[str, ...]:
    """Return the texts of message content: a string, or a list of blocks; other blocks by name."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        return ()
    return tuple(_block(block) for block in content if isinstance(block, str | dict))


def _block(block: Json) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return ""
    text = block.get("text")
    if isinstance(text, str):
        return text
    kind = block.get("type")
    return PLACEHOLDERS.get(kind, "[resource]") if isinstance(kind, str) else "[resource]"


def time_of(value: Json) -> float | None:
    """Return epoch seconds of an RFC 3339 text or of epoch seconds or milliseconds."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value / 1000 if value > MILLISECONDS_FROM else float(value)
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError):
            return None
    return None
