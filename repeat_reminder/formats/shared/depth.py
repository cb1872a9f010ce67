"""Arguments that are nested too deep to be handled without looking."""

from typing import Final

_DEEP: Final = 500
"""Levels that nothing minds, by far."""


def may_be_deep(text: str | bytes) -> bool:
    """Tell whether a text has so many brackets that it could be nested deep."""
    if len(text) <= _DEEP:
        return False
    if isinstance(text, str):
        return text.count("{") + text.count("[") > _DEEP
    return text.count(b"{") + text.count(b"[") > _DEEP
