"""Which lines of a Claude Code transcript need no parsing: progress and bookkeeping."""

import re
from typing import Final

HEAD: Final = 700
"""How far into a line its type is looked for."""

UNREAD: Final = (
    *("agent-color", "agent-name", "agent-setting", "ai-title", "attribution-snapshot"),
    *("custom-title", "file-history-snapshot", "last-prompt", "mode", "permission-mode"),
    *("pr-link", "progress", "queue-operation", "saved_hook_context", "summary", "tag"),
)
"""Types that are not read."""
_FIRST: Final = tuple(b'{"type":"%s",' % kind.encode() for kind in UNREAD)
_PROGRESS: Final = b',"type":"progress",'
_SCALARS: Final = re.compile(rb"\{[^\\{\[]*+")
_OWNER_TOLD: Final = (b',"isSidechain":false,', b',"agentId":"')


def irrelevant(line: bytes) -> bool:
    """See `Format.irrelevant`: its type is not read, and it begins no inline sidechain.

    Looked at are the members before the first that is an object, an array, or has a backslash.
    There a quote opens or closes a string and nothing else, so that a name and the colon behind it
    are a member of the line itself. The ids of an inline sidechain's lines tell which chain later
    lines belong to, so the line must say that it is of none, or of a subagent.
    """
    first = line.startswith(_FIRST)
    if not first and line.find(_PROGRESS, 0, HEAD) < 0:
        return False
    scalars = _SCALARS.match(line, 0, HEAD)
    head = scalars[0] if scalars else b""
    if not any(told in head for told in _OWNER_TOLD):
        return False
    return first or _PROGRESS in head
