"""Did a call that ran fail? The structured result decides first, then a shell's own words.

That a call ended without an error says little: a command that exits with 1 and a page that is not
there are results like any other. Mirrors ``lib/failure.js`` of dsh-repeat-tool-breaker 0.5.2; the
write-out rule, asked last, is an addition.
"""

from collections.abc import Mapping, Sequence

from repeat_reminder.events import Json, Status, ToolResult
from repeat_reminder.policies.breaker.hits import Cause, Reason
from repeat_reminder.policies.breaker.markers import marked_cause
from repeat_reminder.policies.breaker.messages import BLOCKED
from repeat_reminder.policies.breaker.text import number_of, number_text
from repeat_reminder.policies.breaker.write_out import reported_cause

HTTP_ERRORS = 400
"""The first status that is one."""


_FAILED = frozenset([Status.ERROR, Status.DENIED, Status.ABORTED])
"""Statuses of a call that failed as a whole."""


def cause_of(result: ToolResult, command: str | None) -> Cause | None:
    """Return what a call failed with, its result read as the harness has it.

    The harness keeps the error of a call one level deeper than the plugin looks, so no evidence
    goes with it. Where a log has an exit code or the like, that says more than the bare status.
    """
    value = result.value
    if value is None and result.status is Status.TIMEOUT:
        value = {"timedOut": True}
    is_error = result.is_error or (value is None and result.status in _FAILED)
    return classify(value, result.texts, command=command, is_error=is_error)


def is_denial(result: ToolResult) -> bool:
    """Tell a denial that the plugin itself left in the log: how the call would end is unknown."""
    return result.is_error and "".join(result.texts[:1]).startswith(f"Error: {BLOCKED}")


def classify(
    value: Json,
    texts: Sequence[str],
    *,
    command: str | None,
    is_error: bool = False,
    error: Json = None,
) -> Cause | None:
    """Return what a call failed with; None if nothing says that it failed.

    Args:
        value: the structured result, as the harness has it.
        texts: the result's text blocks; a block without text is an empty one.
        command: the command line of a shell call; None for every other tool, whose text is never
            read, or a fetched page that mentions an error would be one.
        is_error: the call itself failed: thrown, denied, aborted.
        error: the error beside ``is_error``; ``code`` or else ``name`` is the evidence.
    """
    if is_error:
        return Cause(Reason.ERROR, _error_name(error))
    if isinstance(value, dict):
        cause = _structured(value)
        if cause is not None or _is_final(value):
            return cause
    if command is None:
        return None
    text = "\n".join(texts)
    return marked_cause(text) or reported_cause(command, text)


def _error_name(error: Json) -> str:
    if not isinstance(error, dict):
        return ""
    code = error.get("code")
    name = error.get("name") if code is None else code
    return name if isinstance(name, str) else ""


def _structured(fields: Mapping[str, Json]) -> Cause | None:
    """Apply the rules that hold for every tool, in their order."""
    if fields.get("kind") == "background":
        return None
    return _of_process(fields) or _of_target(fields)


def _of_process(fields: Mapping[str, Json]) -> Cause | None:
    if exit_code := number_of(fields.get("exitCode")):
        return Cause(Reason.EXIT, number_text(exit_code))
    if fields.get("timedOut") is True:
        limit = _plain(fields.get("timeoutMs") or None)
        return Cause(Reason.TIMEOUT, f"{limit}ms" if limit else "")
    signal = fields.get("signal")
    return Cause(Reason.SIGNAL, signal) if isinstance(signal, str) and signal else None


def _of_target(fields: Mapping[str, Json]) -> Cause | None:
    status = number_of(fields.get("statusCode"))
    if status is not None:
        return Cause(Reason.HTTP, number_text(status)) if status >= HTTP_ERRORS else None
    sandbox = fields.get("sandbox")
    if isinstance(sandbox, dict) and sandbox.get("denied") is True:
        return Cause(Reason.SANDBOX, _plain(sandbox.get("mode")))
    return None


def _is_final(fields: Mapping[str, Json]) -> bool:
    """Say whether a result without a structured cause is a success whatever its text says."""
    return fields.get("kind") == "background" or number_of(fields.get("statusCode")) is not None


def _plain(value: Json) -> str:
    """Print a string or a number; anything else is no evidence to quote."""
    if isinstance(value, str):
        return value
    number = number_of(value)
    return "" if number is None else number_text(number)
