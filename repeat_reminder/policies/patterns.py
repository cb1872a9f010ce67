"""Which tools a policy watches: wildcard patterns, matched as the plugins' regex matches them."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

# What a dot of a JavaScript regex does not match. It does match U+0085.
_RUN = "[^\n\r\u2028\u2029]*"
_MEMO_LIMIT = 4_096


class Decision(NamedTuple):
    """Whether a tool is tracked, and what decided it."""

    tracked: bool
    by: Literal["include", "exclude"] | None
    """The list that decided; None where nothing restricts the tool."""
    pattern: str | None
    """The pattern of that list that matched; None where no include pattern did."""


class Scope:
    """The tools a policy tracks; calls of all others are transparent to it.

    A tool is tracked if ``include`` is empty or one of its patterns matches, and no ``exclude``
    pattern does. Patterns meet the names of calls that happened, never a list of known tools, so
    one that matches nothing is no error.
    """

    __slots__ = ("_memo", "exclude", "include")

    def __init__(self, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> None:
        """Take the patterns; they do not change any more, for what they decide is remembered."""
        self.include = include
        self.exclude = exclude
        self._memo: dict[str, Decision] = {}

    def __eq__(self, other: object) -> bool:
        """Compare the patterns."""
        if not isinstance(other, Scope):
            return NotImplemented
        return (self.include, self.exclude) == (other.include, other.exclude)

    def __hash__(self) -> int:
        """Return the hash of the patterns."""
        return hash((self.include, self.exclude))

    @property
    def tracks_everything(self) -> bool:
        """Whether nothing restricts the tools."""
        return not self.include and not self.exclude

    def tracks(self, name: str) -> bool:
        """Tell whether calls of the tool count."""
        return self.decide(name).tracked

    def decide(self, name: str) -> Decision:
        """Tell whether calls of the tool count, and which pattern decides it."""
        decision = self._memo.get(name)
        if decision is None:
            if len(self._memo) >= _MEMO_LIMIT:  # names come from logs: they may be without number
                self._memo.clear()
            decision = self._memo[name] = self._decide(name)
        return decision

    def _decide(self, name: str) -> Decision:
        excluded = first_match(self.exclude, name)
        if excluded is not None:
            return Decision(tracked=False, by="exclude", pattern=excluded)
        if not self.include:
            return Decision(tracked=True, by=None, pattern=None)
        included = first_match(self.include, name)
        return Decision(tracked=included is not None, by="include", pattern=included)


def first_match(patterns: tuple[str, ...], name: str) -> str | None:
    """Return the first pattern that matches a name."""
    return next((pattern for pattern in patterns if matches(pattern, name)), None)


def matches(pattern: str, name: str) -> bool:
    """Tell whether a pattern matches a whole name.

    ``*`` stands for any run of characters without a line end (LF, CR, U+2028, U+2029), also for
    none; everything else stands for itself. Case counts. Mirrors ``wildcardToRegExp`` of
    dsh-repeat-tool-reminder, whose regex sees UTF-16 units.
    """
    return _compiled(pattern).fullmatch(_units(name)) is not None


@lru_cache(maxsize=_MEMO_LIMIT)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Translate a pattern into a regex that never backtracks from one star into the one before.

    Every inner literal may settle for its leftmost place: a later place would have to be free of
    line ends before it, and would then leave less to what follows, never more.
    """
    first, *others = (re.escape(_units(literal)) for literal in pattern.split("*"))
    if not others:
        return re.compile(first)
    inner = "".join(f"(?>{_RUN}?{literal})" for literal in others[:-1])
    return re.compile(f"{first}{inner}{_RUN}{others[-1]}")


def _units(text: str) -> str:
    """Spell a text in UTF-16 units, one character each, so that half a pair can match half."""
    if text.isascii():
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(low | high << 8) for low, high in zip(units[::2], units[1::2], strict=True))
