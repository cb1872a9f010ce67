"""The tokens of a JSON text: strings, numbers, words and marks, and what to say if one is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repeat_reminder.jsontext.limits import NotJson

if TYPE_CHECKING:
    from repeat_reminder.events import Json

# Possessive throughout: a long text costs no backtracking.
_SOLID = re.compile(r"[^ \t\n\r]")
_STRING = re.compile(
    r'"([^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+)'
)
"""A string up to, not including, the closing quote."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?[0-9]++)?+")
_WORD = re.compile(r"[A-Za-z]{1,16}|.", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u(....)|(.))")
_SURROGATE = re.compile("[\ud800-\udfff]")

_NAMED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}
_INT_DIGITS = 20
"""Enough for every 64-bit integer; `int` itself refuses more than 4,300 digits."""


class Scanner:
    """A place in a text, and what can be read there."""

    __slots__ = ("pos", "text")

    def __init__(self, text: str) -> None:
        """Start at the first character."""
        self.text = text
        self.pos = 0

    def peek(self) -> str:
        """Skip blanks and show the next character; empty at the end of the text."""
        solid = _SOLID.search(self.text, self.pos)
        self.pos = solid.start() if solid else len(self.text)
        return self.text[self.pos : self.pos + 1]

    def take(self, mark: str) -> bool:
        """Step over a mark, if it is next."""
        if self.peek() != mark:
            return False
        self.pos += 1
        return True

    def more(self, closing: str) -> bool:
        """Step over a comma, or over the bracket that closes the container."""
        if self.take(","):
            return True
        if self.take(closing):
            return False
        raise self.fault(f"expected ',' or '{closing}'")

    def end(self) -> None:
        """Insist that only blanks follow."""
        if self.peek():
            raise self.fault("expected the end of the text")

    def key(self) -> str:
        """Read a key and its colon."""
        self.peek()
        if not (string := _STRING.match(self.text, self.pos)):
            raise self.fault("expected a key in double quotes")
        key = self._string(string)
        if not self.take(":"):
            raise self.fault("expected ':' after the key")
        return key

    def scalar(self) -> Json:
        """Read the string, the number or the word that stands here."""
        if string := _STRING.match(self.text, self.pos):
            return self._string(string)
        if number := _NUMBER.match(self.text, self.pos):
            self.pos = number.end()
            return _number(number)
        word = _WORD.match(self.text, self.pos)
        if not word or word[0] not in _WORDS:
            raise self.fault("expected a value")
        self.pos = word.end()
        return _WORDS[word[0]]

    def _string(self, match: re.Match[str]) -> str:
        body, self.pos = match[1], match.end()
        if not self.text.startswith('"', self.pos):
            raise self._string_fault()
        self.pos += 1
        if "\\" in body:
            body = _ESCAPE.sub(_character, body)
        return body if body.isascii() else join_pairs(body)

    def fault(self, expected: str) -> NotJson:
        """Say what should stand here, and what does."""
        word = _WORD.match(self.text, self.pos)
        if not word:
            found = "the end of the text"
        elif word[0] == "\ufeff":
            found = "a byte order mark"
        else:
            found = ascii(word[0])
        return NotJson(f"{expected}, found {found}", self.pos + 1)

    def _string_fault(self) -> NotJson:
        char = self.text[self.pos : self.pos + 1]
        if not char:
            reason = "a string is not closed before the text ends"
        elif char == "\\":
            reason = "unknown escape in a string"
        else:
            reason = f"control character U+{ord(char):04X} in a string must be escaped"
        return NotJson(reason, self.pos + 1)


def _character(escape: re.Match[str]) -> str:
    """Return the UTF-16 unit that an escape stands for."""
    code, name = escape.groups()
    return chr(int(code, 16)) if code else _NAMED.get(name, name)


def join_pairs(text: str) -> str:
    """Make one character of the two halves of a pair that stand side by side."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _number(match: re.Match[str]) -> int | float:
    digits = match[0]
    if match.lastindex or digits == "-0" or len(digits) > _INT_DIGITS:
        return float(digits)
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)
