"""The failures that a shell's output shows: its harness's marks, Python's and curl's words.

Each rule looks at its first match only; one that does not decide leaves it to the next rule. All
of them are linear in the text, which is hostile: it may be one long almost-match.
"""

import re
from collections.abc import Callable

from repeat_reminder.policies.breaker.hits import Cause, Reason
from repeat_reminder.policies.breaker.text import LINE_ENDS, SPACES

_EXIT = re.compile(r"\[exit code: (-?[0-9]+)\]")
_HTTP_MARK = re.compile(r"\(HTTP ([0-9]{3})\)")
_TIMEOUT = re.compile(r"\[timed out after ([0-9]+)ms\]")
_SIGNAL = "[killed by signal: "
_HTTP_ERROR = re.compile(r"HTTP Error ([0-9]{3})")
_CURL = re.compile(r"curl: \(([0-9]+)\)")
# Blanks in front may span lines, but then the last of those lines begins the match as well: only
# blanks of that line are walked, or a text of blank lines would be walked once per line.
_EXCEPTION = re.compile(
    rf"[{LINE_ENDS}][{SPACES}]*"
    r"((?:[A-Za-z_][A-Za-z0-9_.]*\.)?([A-Za-z_][A-Za-z0-9_]*(?:Error|Exception))): "
)


def marked_cause(text: str) -> Cause | None:
    """Return what the first rule that decides makes of a shell's whole output."""
    for needle, rule in _RULES:
        if needle in text and (cause := rule(text)) is not None:
            return cause
    return None


def _exit(text: str) -> Cause | None:
    match = _EXIT.search(text)
    # strip, not int(): the digits may be any number, and Python limits how many it converts
    if match is None or not match[1].strip("-0"):
        return None
    return Cause(Reason.EXIT, match[1])


def _http_mark(text: str) -> Cause | None:
    match = _HTTP_MARK.search(text)
    return Cause(Reason.HTTP, match[1]) if match is not None and match[1] >= "400" else None


def _timeout(text: str) -> Cause | None:
    match = _TIMEOUT.search(text)
    return None if match is None else Cause(Reason.TIMEOUT, f"{match[1]}ms")


def _signal(text: str) -> Cause | None:
    at = text.find(_SIGNAL)
    while at >= 0:
        start = at + len(_SIGNAL)
        end = text.find("]", start)
        if end > start:
            return Cause(Reason.SIGNAL, text[start:end])
        at = text.find(_SIGNAL, start) if end == start else -1
    return None


def _sandbox(_text: str) -> Cause:
    return Cause(Reason.SANDBOX)


def _traceback(text: str) -> Cause:
    """Name the last exception, with its module: the others led to it."""
    last = ""
    for match in _EXCEPTION.finditer(f"\n{text}"):
        last = match[1]
    return Cause(Reason.EXCEPTION, last)


def _exception(text: str) -> Cause | None:
    match = _EXCEPTION.search(f"\n{text}")
    return None if match is None else Cause(Reason.EXCEPTION, match[2])


def _http_error(text: str) -> Cause | None:
    match = _HTTP_ERROR.search(text)
    return None if match is None else Cause(Reason.HTTP, match[1])


def _curl(text: str) -> Cause | None:
    match = _CURL.search(text)
    return None if match is None else Cause(Reason.CURL, match[1])


_RULES: tuple[tuple[str, Callable[[str], Cause | None]], ...] = (
    ("[exit code: ", _exit),
    ("(HTTP ", _http_mark),
    ("[timed out after ", _timeout),
    (_SIGNAL, _signal),
    ("[sandbox: file access denied", _sandbox),
    ("Traceback (most recent call last)", _traceback),
    ("Error: ", _exception),
    ("Exception: ", _exception),
    ("HTTP Error ", _http_error),
    ("curl: (", _curl),
)
"""In the order they are asked; the needle is a text the rule cannot do without."""
