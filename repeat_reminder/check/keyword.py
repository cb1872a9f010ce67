"""The expression of ``-k``, as pytest users know it: parts of names, and, or, not, brackets."""

import re
from collections.abc import Callable, Sequence

from repeat_reminder.errors import UsageError
from repeat_reminder.render.safe import escape

Matches = Callable[[str], bool]
"""Says of a scenario's name whether it is meant."""

_SHOWN = 200
"""Characters of an expression that a message shows."""
_DEEPEST = 40
"""Brackets and negations within one another; nobody writes as many by hand."""
_WORDS = {"and", "or", "not"}
_TOKEN = re.compile(r"[()]|[^\s()]+")
_PLAIN = re.compile(r"[^\s()]+")


def keyword(expression: str) -> Matches:
    """Read an expression. A word is meant by every name that holds it, whatever its letter case.

    Raises:
        UsageError: it does not follow the rules.
    """
    parser = _Parser(expression, _TOKEN.findall(expression))
    matches = parser.any_of()
    if parser.ahead is not None:
        raise parser.fault(f"unexpected {parser.ahead}")
    return matches


def can_name(name: str) -> bool:
    """Tell whether an expression can hold a name as one word, and be shown and typed."""
    plain = _PLAIN.fullmatch(name) is not None and escape(name) == name
    return plain and name.lower() not in _WORDS


class _Parser:
    def __init__(self, expression: str, tokens: Sequence[str]) -> None:
        self._expression = expression
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def ahead(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def any_of(self) -> Matches:
        parts = [self._all_of()]
        while self._took("or"):
            parts.append(self._all_of())
        return lambda name: any(part(name) for part in parts)

    def _all_of(self) -> Matches:
        parts = [self._one()]
        while self._took("and"):
            parts.append(self._one())
        return lambda name: all(part(name) for part in parts)

    def _one(self) -> Matches:
        if self._took("not"):
            inner = self._within(self._one)
            return lambda name: not inner(name)
        if self._took("("):
            inner = self._within(self.any_of)
            if not self._took(")"):
                raise self.fault("a bracket is not closed")
            return inner
        word = self.ahead
        if word is None or word == ")" or word.lower() in _WORDS:
            raise self.fault(
                f"a part of a name is missing {f'before {word}' if word else 'at the end'}"
            )
        self._at += 1
        return lambda name: word.casefold() in name.casefold()

    def _within(self, read: Callable[[], Matches]) -> Matches:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.fault(f"nested deeper than {_DEEPEST}")
        inner = read()
        self._depth -= 1
        return inner

    def _took(self, token: str) -> bool:
        took = self.ahead is not None and self.ahead.lower() == token
        self._at += took
        return took

    def fault(self, message: str) -> UsageError:
        hint = 'such as: -k "curl and not 404"'
        said = self._expression
        short = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
        return UsageError(f"{message}: {short}", path="-k", hint=hint)
