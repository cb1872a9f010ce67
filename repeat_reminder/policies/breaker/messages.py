"""What the breaker says, in words of its own: to the model, and to the operator.

A message names what the call itself carries, its tool and its fingerprints, and nothing else: no
other source, no answer, no value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from repeat_reminder.canonical import preview
from repeat_reminder.policies.breaker.hits import Cause, Hit, Reason

BLOCKED: Final = "REPEAT_TOOL_BLOCKED"
"""How every denial begins, the plugin's too; a harness puts ``Error: `` before it."""

_WORDS: dict[Reason, tuple[str, str]] = {
    Reason.ERROR: ("the tool raised an error", " ({})"),
    Reason.EXIT: ("the command ended with a non-zero exit code", " ({})"),
    Reason.TIMEOUT: ("the call ran out of time", " after {}"),
    Reason.SIGNAL: ("the command was killed by a signal", " ({})"),
    Reason.HTTP: ("the server answered with an HTTP error", " ({})"),
    Reason.SANDBOX: ("the sandbox refused access", " (mode {})"),
    Reason.EXCEPTION: ("the program ended with an exception", " ({})"),
    Reason.CURL: ("curl gave up", " with error {}"),
}
"""A failure as a clause, and what its evidence adds."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The messages. Fingerprints and evidence are cut to ``cut`` UTF-16 units."""

    cut: int

    def warn(self, hit: Hit) -> str:
        """Say that something repeats, and ask for nothing."""
        repeats = f"{self._short(hit.fp)} has come up {hit.times} times in your latest calls."
        return f"Repetition: {repeats} Another route may get you there faster than this one."

    def summarize(self, hit: Hit) -> str:
        """Demand a stocktaking before the next step."""
        return f"""\
Repetition: {self._short(hit.fp)} has come up {hit.times} times in your latest calls, and the work \
is still not done. Before the next call, write down:
- the facts you have established, and what shows them
- the assumptions you have not verified
- what failed, and why
- at least two approaches you have not yet tried, and which one you take next
Then take that one; what is on the list of failures is settled. If you work through many items in \
small portions, use larger batches."""

    def fail_warn(self, hit: Hit, cause: Cause) -> str:
        """Say that something keeps failing, and how."""
        return f"""\
Failure: {self._short(hit.fp)} has failed {hit.times} times in a row. The last time, \
{self.words(cause)}. The same attempt will hardly end better. First:
- read the error and say what it reports
- check that the target it names exists
- fix the cause, instead of changing the call around it"""

    def ask(self, tool: str, hits: Sequence[Hit]) -> str:
        """Ask the operator whether a call at its limit may run."""
        parts = [f"repeat-tool-breaker is about to stop this {_call(tool)}."]
        if failures := self._failures(hits):
            parts += ["It keeps failing:", *failures]
        if repeats := self._repeats(hits):
            parts += ["It repeats (count/limit):", *repeats]
        return "\n".join([*parts, _CHOICE])

    def deny(self, tool: str, hits: Sequence[Hit], *, refused: bool, last_result: str) -> str:
        """Tell the model that its call did not run, why, and what to do instead.

        Args:
            tool: the call's own.
            hits: what stopped it.
            refused: the operator has declined an exemption for all of them.
            last_result: the latest result text, already cut; empty if there was none.
        """
        parts = [f"{BLOCKED}: this {_call(tool)} was stopped and did not run."]
        if failures := self._failures(hits):
            parts += ["It keeps failing:", *failures, _NO_REPHRASING]
        if repeats := self._repeats(hits):
            parts += ["It repeats (count/limit):", *repeats, _NO_COSMETICS]
        if refused:
            parts.append(_REFUSED)
        parts += ["The previous result was:", last_result] if last_result else [_IN_HISTORY]
        return "\n".join([*parts, _INSTEAD])

    def words(self, cause: Cause) -> str:
        """Put a failure in words, as a clause."""
        words, evidence = _WORDS[cause.reason]
        return words + (evidence.format(self._short(cause.detail)) if cause.detail else "")

    def _short(self, text: str) -> str:
        return preview(text, self.cut)[0]

    def _failures(self, hits: Iterable[Hit]) -> list[str]:
        return [
            f"- {self._short(hit.fp)}: {hit.times} failures in a row; {self.words(hit.cause)}"
            for hit in hits
            if hit.cause is not None
        ]

    def _repeats(self, hits: Iterable[Hit]) -> list[str]:
        return [
            f"- {self._short(hit.fp)} {hit.times}/{hit.cap}" for hit in hits if hit.cause is None
        ]


_CHOICE = """\
Approve: these measures are not counted for the rest of the turn, so later identical calls pass too.
Decline: they stay blocked until the next human message."""
_NO_REPHRASING = """\
Rephrasing the call does not help: the failure tells what is wrong with the target. A different \
call is not blocked, such as reading a log, looking at the code or trying another target."""
_NO_COSMETICS = """\
Cosmetic changes make no new action: description, timeoutMs, --max-time, another spelling of the \
host."""
_REFUSED = """\
An exemption was asked for and not granted. These measures stay blocked until the next human \
message."""
_IN_HISTORY = "The previous result is already in the conversation history."
_INSTEAD = """\
Instead, work with the results you have, take a step of a really different kind, or answer with \
what you know."""


def _call(tool: str) -> str:
    return f"{tool} tool call" if tool else "tool call"
