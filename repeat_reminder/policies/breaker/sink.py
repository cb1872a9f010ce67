"""Where a command writes what it fetched: one path, or none.

Mirrors ``extractSink`` of dsh-repeat-tool-breaker 0.5.2, which takes the first word that names one.
"""

import re
from collections.abc import Sequence

from repeat_reminder.policies.breaker.text import BLANKS

_OUTPUT = frozenset(["-o", "--output", "--output-document"])
_OUTPUT_INLINE = "--output="
_FIRST = frozenset("->t")
"""How a word begins that may name one: most words are passed by a glance."""
_REMOTE = re.compile(r"https?://", re.IGNORECASE)
_OPERATORS = frozenset(["|", "||", ";", "&&", "&", ">", ">>", "<"])
_HERE = re.compile(r"\A(?:\./)+")
_GENERIC = frozenset(
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/tty", "-"]
)  # four pages fetched into /dev/null have nothing in common


def sink(words: Sequence[str]) -> str | None:
    """Return the cleaned path of the first word that names a destination.

    A destination that cleans to nothing ends the search: there is none then.
    """
    for at, word in enumerate(words):
        if word[:1] in _FIRST and (raw := _named_by(word, words, at)) is not None:
            return _clean(raw)
    return None


def is_generic(path: str) -> bool:
    """Say whether a destination tells nothing about the action."""
    return path in _GENERIC


def _named_by(word: str, words: Sequence[str], at: int) -> str | None:
    """Return what this word names as the destination, raw; None to go on with the next word."""
    following = words[at + 1] if at + 1 < len(words) else None
    if word in _OUTPUT or word == "-O":
        if following is None or following.startswith("-"):
            return None
        # curl's -O takes no value: an address behind it is the thing fetched
        return None if word == "-O" and _REMOTE.match(following) else following
    if word.startswith(_OUTPUT_INLINE):
        return word.removeprefix(_OUTPUT_INLINE)
    if word.startswith(">"):
        inline = word[1:].removeprefix(">")
        return inline or (None if following in _OPERATORS else following)
    return _last_argument(words, at + 1) if word == "tee" else None


def _last_argument(words: Sequence[str], start: int) -> str | None:
    """Return the last word before the next operator that is no option."""
    last = None
    for at in range(start, len(words)):  # no slice: every tee of a long command would copy it
        if words[at] in _OPERATORS:
            break
        if not words[at].startswith("-"):
            last = words[at]
    return last


def _clean(raw: str) -> str | None:
    """Trim, take one quote off each end and every leading ``./``."""
    path = raw.strip(BLANKS)
    if path.startswith(("'", '"')):
        path = path[1:]
    if path.endswith(("'", '"')):
        path = path[:-1]
    return _HERE.sub("", path) or None
