"""Shell commands as the plugin reads them: words, the verb, the command without its noise.

No shell is imitated: only blanks separate, there are no variables and no here-documents. All
rules mirror ``lib/normalize.js`` of dsh-repeat-tool-breaker 0.5.2.
"""

import re
from collections.abc import Sequence

from repeat_reminder.policies.breaker.text import BLANKS

_SINGLE = r"[^']*"
_DOUBLE = r'[^"\\]*(?:\\.[^"\\]*)*\\?'
_WORD = re.compile(rf"(?:[^{BLANKS}'\"\\]+|'{_SINGLE}'?|\"{_DOUBLE}\"?|\\.|\\)+", re.DOTALL)
_UNQUOTED = re.compile(f"[^{BLANKS}]+")
_QUOTED = re.compile(rf"'({_SINGLE})'?|\"({_DOUBLE})\"?|\\(.)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_DURATION = re.compile(r"[0-9]+(?:\.[0-9]+)?[smhd]?")
_WRAPPERS = frozenset(["sudo", "doas", "command", "env", "time", "nice", "nohup", "exec"])
_WRAPPER_PAIRS = frozenset(
    ["-u", "-g", "-p", "-C", "-h", "-r", "-t", "-U", "-R", "-T", "-S", "-n", "-D"]
)

_VALUED_LONG = (
    "max-time", "connect-timeout", "retry", "retry-delay", "retry-max-time",
    "speed-time", "speed-limit", "max-redirs", "user-agent",
)  # fmt: skip
_VALUED = frozenset(["-m", "-A", *(f"--{name}" for name in _VALUED_LONG)])
_NOISE = re.compile(
    r"-[sSfLk]+"
    r"|--(?:silent|show-error|fail|location|insecure|compressed|no-progress-meter)"
    rf"|--(?:{'|'.join(_VALUED_LONG)})=.*"
    r"|-[mA][0-9].*",
    re.DOTALL,
)


def tokens(command: str) -> list[str]:
    """Split a command at blanks; quotes group and vanish, a backslash keeps the next character.

    Inside single quotes a backslash is ordinary; a final lone one stays. An unclosed quote runs
    to the end, an empty quoted string is an empty word.
    """
    if not ("'" in command or '"' in command or "\\" in command):
        return _UNQUOTED.findall(command)
    return [
        _QUOTED.sub(_bare, word) if "'" in word or '"' in word or "\\" in word else word
        for word in _WORD.findall(command)
    ]


def _bare(quoted: re.Match[str]) -> str:
    single, double, escaped = quoted.groups()
    if double and "\\" in double:
        return _ESCAPED.sub(r"\1", double)
    return single or double or escaped or ""


def verb(words: Sequence[str]) -> str:
    """Return the program a command runs, without its folder and in lower case; empty if none.

    Assignments, ``timeout`` with its duration and wrappers such as ``sudo`` are skipped.
    """
    at = _past_timing(words, 0)
    while at < len(words) and words[at] in _WRAPPERS:
        at = _past_timing(words, _past_wrapper(words, at))
    if at >= len(words):
        return ""
    word = words[at]
    return word[max(word.rfind("/"), word.rfind("\\")) + 1 :].lower()


def stripped(words: Sequence[str]) -> str:
    """Return the command without what changes no outcome: timing, retries, verbosity.

    The same flags go for every verb, so ``make -k`` is ``make``: that is the plugin's rule.
    """
    kept: list[str] = []
    rest = iter(words[_past_timing(words, 0) :])
    for word in rest:
        if word[:1] != "-":
            kept.append(word)
        elif word in _VALUED:
            next(rest, None)
        elif _NOISE.fullmatch(word) is None:
            kept.append(word)
    return " ".join(kept).strip(BLANKS)


def _past_timing(words: Sequence[str], at: int) -> int:
    """Return the position behind any ``NAME=…`` and ``timeout [--…] [duration]`` at ``at``."""
    while at < len(words):
        if _ASSIGNMENT.match(words[at]) is not None:
            at += 1
        elif words[at] == "timeout":
            at += 1
            while at < len(words) and words[at].startswith("--"):
                at += 1
            if at < len(words) and _DURATION.fullmatch(words[at]) is not None:
                at += 1
        else:
            break
    return at


def _past_wrapper(words: Sequence[str], at: int) -> int:
    """Return the position behind the wrapper at ``at``, its option pairs, then its flags."""
    at += 1
    while at < len(words) and words[at] in _WRAPPER_PAIRS:
        at += 2
    while at < len(words) and words[at].startswith("-"):
        at += 1
    return at
