"""Text as the plugin and its JavaScript engine handle it: blanks, result texts, numbers."""

import math
from collections.abc import Iterable

from repeat_reminder.canonical import canonical
from repeat_reminder.events import Json

LINE_ENDS = "\n\r\u2028\u2029"
SPACES = (
    "\t\v\f \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000\ufeff"
)
BLANKS = SPACES + LINE_ENDS
r"""What JavaScript's ``\s`` and ``trim`` know. Python's sets differ (U+0085, U+001C to U+001F)."""


def joined(texts: Iterable[str]) -> str:
    """Put the texts of a result together, for quoting: one line after the other, no empty ones."""
    return "\n".join(filter(None, texts))


def number_of(value: Json) -> float | None:
    """Return a JSON number; None for anything else, also for true and false."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def number_text(number: float) -> str:
    """Print a number as a JavaScript template does: ``2.0`` is ``2``, ``1e400`` is ``Infinity``."""
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return canonical(number)
