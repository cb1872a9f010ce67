"""Arguments that are nested too deep to be handled without looking."""

from typing import Final

_DEEP: Final = 500
"""Levels that nothing minds, by far."""

SHALLOW: Final = 2 * _DEEP
"""Bytes that hold no more levels: each takes two."""


def may_be_deep(text: str | bytes) -> bool:
    """Tell whether a text has so many brackets that it could be nested deep.

    Bytes are JSON; a text may be anything.
    """
    if isinstance(text, bytes):
        return len(text) > SHALLOW and text.count(b"{") + text.count(b"[") > _DEEP
    return len(text) > _DEEP and text.count("{") + text.count("[") > _DEEP
