"""Did a call fail? As the breaker sees it: an exit code in a shell's output counts too."""

from repeat_reminder.canonical import parse_arguments
from repeat_reminder.events import Status, ToolCall, ToolResult
from repeat_reminder.jsontext import TooDeep
from repeat_reminder.policies.breaker.failure import cause_of
from repeat_reminder.policies.breaker.fingerprints import command_of, is_shell


def failed(result: ToolResult) -> bool:
    """Tell whether a call failed; where no results are recorded, none did."""
    call = result.call
    if not call.result_recorded:
        return False
    shell = is_shell(call.name)
    if not shell and result.value is None and result.status is Status.OK:
        return result.is_error  # most calls: nothing else could say more
    return cause_of(result, _command(call) if shell else None) is not None


def _command(call: ToolCall) -> str:
    text = call.arguments_text
    try:
        return command_of(call.arguments if text is None else parse_arguments(text))
    except TooDeep:
        return ""
