"""What the figures of a replay say about its settings: parts that never did anything."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from repeat_reminder.events import Problem, Severity
from repeat_reminder.policies.patterns import matches
from repeat_reminder.render.look import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repeat_reminder.events import Json
    from repeat_reminder.render.header import Mounted
    from repeat_reminder.render.tally import Tally

SHOWN_TOOLS = 8
BREAKER = "breaker"
SHELLS = ("bash", "pwsh", "shell")
"""Tools whose commands the breaker reads."""


def policy_notes(
    tally: Tally, policies: Sequence[Mounted], reported: Tally | None = None
) -> list[Problem]:
    """Return what to say about the policies once everything has been replayed.

    All are notes about no file. Only settings that the user chose are judged: that a short
    session does not reach the default thresholds is no news. The figures must be those of
    everything replayed, not of a selection; ``reported`` are those of the selection, if there is
    one.
    """
    if not tally.calls:
        return []
    return [
        _note(kind, message, hint)
        for policy in policies
        for kind, message, hint in _of_policy(tally, policy)
    ] + list(_hypothetical(reported or tally))


def _of_policy(tally: Tally, policy: Mounted) -> Iterator[tuple[str, str, str | None]]:
    yield from _dead_thresholds(tally, policy)
    for key in ("include", "exclude"):
        if policy.is_set(key):
            for pattern in policy.texts(key):
                if not any(matches(pattern, tool) for tool in tally.tools):
                    yield _unused_pattern(key, pattern, sorted(tally.tools))
    if policy.is_set("ignoreArgs"):
        yield from _unused_ignored(policy.texts("ignoreArgs"), sorted(tally.tools))
    yield from _dead_stages(policy)
    if policy.name == BREAKER:
        yield from _unread_shells(tally)


def _dead_thresholds(tally: Tally, policy: Mounted) -> Iterator[tuple[str, str, str | None]]:
    dead = [n for n in policy.thresholds if not tally.reached[policy.name, n]]
    if dead and policy.is_set("thresholds"):
        numbers = ", ".join(map(str, dead))
        nouns = "threshold" if len(dead) == 1 else "thresholds"
        longest = plural(tally.longest_run, "call")
        yield (
            "dead-threshold",
            f"{nouns} {numbers} never reached: the longest run is {longest}",
            None,
        )


def _unused_pattern(key: str, pattern: str, tools: list[str]) -> tuple[str, str, str]:
    close = get_close_matches(pattern, tools, n=1)
    more = ", …" if len(tools) > SHOWN_TOOLS else ""
    hint = (
        f'did you mean "{close[0]}"?'
        if close
        else f"tools called: {', '.join(tools[:SHOWN_TOOLS])}{more}"
    )
    return "unused-pattern", f'{key} "{pattern}" matches no tool that was called', hint


def _unused_ignored(words: list[str], tools: list[str]) -> Iterator[tuple[str, str, str]]:
    """Find those of ``tool:name`` whose tool nobody called."""
    for word in words:
        tool, mark, _name = word.partition(":")
        if mark and tool not in tools:
            _kind, _message, hint = _unused_pattern("ignoreArgs", tool, tools)
            yield "unused-ignored", f'ignoreArgs "{word}" is about no tool that was called', hint


def _unread_shells(tally: Tally) -> Iterator[tuple[str, str, str | None]]:
    """Find tools that run commands under a name by which the breaker does not know them."""
    # Only a replay with the breaker asks, and the room of transcripts comes along.
    from repeat_reminder.render.acp.toolkinds import tool_kind  # noqa: PLC0415

    unread = sorted(
        tool for tool in tally.tools if tool_kind(tool) == "execute" and tool not in SHELLS
    )
    if unread:
        names = ", ".join(unread)
        message = f"the breaker does not read the commands of {names}: equal ones count, similar "
        hint = f"its shells are {', '.join(SHELLS)}, in small letters"
        yield "unread-shell", f"{message}ones do not", hint


def _dead_stages(policy: Mounted) -> Iterator[tuple[str, str, str | None]]:
    """Find stages of the breaker that its gate forestalls: it acts first, from the cap on."""
    limits = policy.config.get("limits")
    for stage in ("warnAt", "summarizeAt"):
        at = _number(policy.config.get(stage))
        capped = limits.items() if isinstance(limits, dict) else ()
        caps = [f"{name} {cap}" for name, cap in capped if at and (_number(cap) or at + 1) <= at]
        if caps:
            yield (
                "dead-stage",
                f"{stage} {at:g} is never reached where the gate comes first: {', '.join(caps)}",
                "a stage speaks only below its cap, unless the operator approved the call",
            )
    warn = _number(policy.config.get("failWarnAt"))
    limit = _number(policy.config.get("failLimit"))
    # The gate looks before a call, the advisory after it: at the same number both act.
    if warn and limit and warn > limit:
        yield (
            "dead-stage",
            f"failWarnAt {warn:g} is never reached: the gate stops calls at failLimit {limit:g}",
            None,
        )


def _hypothetical(tally: Tally) -> Iterator[Problem]:
    """Say what a replay cannot know, where this one gives reason to."""
    if tally.refused:
        message = (
            "refused calls ran in the recording: from a session's first refusal on, its replay is "
            "hypothetical"
        )
    elif tally.unheeded:
        message = (
            "the recorded agent never read these reminders: after a session's first one it might "
            "have gone on differently"
        )
    else:
        return
    yield _note("hypothetical", message, None)


def _number(value: Json) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _note(kind: str, message: str, hint: str | None) -> Problem:
    return Problem(
        path="", line=None, severity=Severity.NOTE, kind=kind, message=message, hint=hint
    )
