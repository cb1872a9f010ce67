"""Names of scenarios that every system can hold: a snapshot is checked out on all of them."""

import re
import unicodedata
from typing import Final

SNAPSHOT_SUFFIX: Final = ".acp.jsonl"
LONGEST: Final = 255
"""Bytes of a file name: the least that the common file systems take."""

_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|\Z)",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]')


def unportable(name: str) -> str | None:
    """Say why a scenario's snapshot cannot have its name everywhere; None if it can.

    The rules are those of Windows ("Naming Files, Paths, and Namespaces") and of file systems
    whose names are Unicode text, as on macOS.
    """
    if _RESERVED.match(name):
        return "Windows keeps this name for a device"
    forbidden = _FORBIDDEN.search(name)
    if forbidden:
        return f"Windows allows no {forbidden[0]!r} in a file's name"
    try:
        size = len(f"{name}{SNAPSHOT_SUFFIX}".encode())
    except UnicodeEncodeError:
        return "the name is not valid Unicode"
    if size > LONGEST:
        return f"its snapshot's name has {size} bytes, and {LONGEST} is the most"
    return None


def folded(name: str) -> str:
    """Return what two names have in common that are one file where letter case does not matter.

    macOS also takes different spellings of an accented letter for the same.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
