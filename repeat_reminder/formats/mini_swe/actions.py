"""The commands that mini-swe-agent's models write into text."""

import re
from collections.abc import Iterator
from typing import Final

FENCE: Final = "```"
CLOSING: Final = "\n" + FENCE
OWN: Final = "mswea_bash_command"
FENCED: Final = (OWN, "bash")
"""What may stand behind the fence; in an answer that has the first, the others are only text."""

_BLANKS: Final = re.compile(r"\s*")


def actions_in(text: str) -> list[str]:
    """Return the trimmed commands in an answer: fenced blocks, or elements of the same name.

    It finds what the agent's patterns find, in one pass over the text, however it is made.
    """
    for word in FENCED:
        found = [*_fenced(text, word)]
        if found:
            return found
    return [*_elements(text)]


def _fenced(text: str, word: str) -> Iterator[str]:
    """Yield what stands between a fence with the word and the next line that begins with one."""
    at = 0
    while (at := text.find(FENCE + word, at)) >= 0:
        at += len(FENCE + word)
        blanks = _BLANKS.match(text, at)
        head = "" if blanks is None else blanks[0]
        if "\n" not in head:
            continue
        begin = at + head.rindex("\n") + 1
        end = text.find(CLOSING, begin)
        if end < 0 and head.count("\n") > 1 and text.startswith(FENCE, begin):
            end = begin - 1  # nothing but blank lines inside
        if end < 0:
            return
        yield text[begin:end].strip()
        at = end + len(CLOSING)


def _elements(text: str) -> Iterator[str]:
    opening, closing, at = f"<{OWN}>", f"</{OWN}>", 0
    while (at := text.find(opening, at)) >= 0:
        at += len(opening)
        end = text.find(closing, at)
        if end < 0:
            return
        yield text[at:end].strip()
        at = end + len(closing)
