"""The command line as a report records it: what made the figures, and nothing else."""

import re
import shlex
from typing import Final

_SHORT: Final = re.compile(r"(-[qv]*)j(.*)", re.DOTALL)
"""``-j``, alone or behind the flags that may stand in one word with it."""
_LONG: Final = "--jobs"
_FLAGS: Final = frozenset({"--no-cache", "--clear-cache", "--verify-cache"})


def without_jobs(command: str) -> str:
    """Return a command line without ``-j`` and its value, and without what is about the cache.

    Neither changes a figure, so neither may change a byte of a report.

    Args:
        command: quoted for a shell.
    """
    words = iter(shlex.split(command))
    kept: list[str] = []
    for word in words:
        if word == "--":
            kept += [word, *words]
        elif word == _LONG:
            next(words, None)
        elif found := _SHORT.fullmatch(word):
            flags, value = found.groups()
            kept += [flags] if flags != "-" else []
            if not value:
                next(words, None)
        elif word not in _FLAGS and not word.startswith(f"{_LONG}="):
            kept.append(word)
    return shlex.join(kept)
