"""JSON Schemas of what goes in and comes out; adding one is one file here and its name below."""

from importlib import resources
from typing import Final

NAMES: Final = ("replay", "explain", "tune", "stats", "session", "config", "labels", "check")
"""Schemas that there are."""


def schema(name: str) -> bytes:
    """Return the text of a schema, LF-ended.

    Args:
        name: one of `NAMES`.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in NAMES:
        raise KeyError(name)
    return resources.files(__name__).joinpath(f"{name}.json").read_bytes()
