"""Which lines of a DSH log need no parsing: most are chunks of a stream."""

from typing import Final

from repeat_reminder.formats.dsh.story import TOLD
from repeat_reminder.formats.dsh.vocabulary import KNOWN

TYPE: Final = b'{"type":"'
SILENT: Final = frozenset(TYPE + kind.encode() for kind in KNOWN - TOLD)
"""How a line of a type begins that is known and makes no event, up to the end of the type."""


def irrelevant(line: bytes) -> bool:
    """See `Format.irrelevant`: the line begins with a type that makes no event.

    The writer puts the type first. What stands between the first quote behind ``"type":`` and the
    next is the whole type if it is one of ours, for none has an escape in it. A line that spells
    its type or its blanks otherwise is not proved.
    """
    return line[: line.find(b'"', len(TYPE))] in SILENT
