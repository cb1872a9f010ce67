"""Cline's and Roo's own texts in messages: calls written as XML, results, what a human says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from repeat_reminder.events import Json, Status
from repeat_reminder.formats.model import Record
from repeat_reminder.formats.shared.content import texts_of

TOOLS: Final = frozenset(
    {
        *("access_mcp_resource", "act_mode_respond", "apply_diff", "apply_patch"),
        *("ask_followup_question", "attempt_completion", "browser_action", "codebase_search"),
        *("condense", "edit_file", "execute_command", "fetch_instructions", "focus_chain"),
        *("generate_explanation", "generate_image", "insert_content", "inspect_site"),
        *("list_code_definition_names", "list_files", "load_mcp_documentation", "new_rule"),
        *("new_task", "plan_mode_respond", "plan_mode_response", "read_command_output"),
        *("read_file", "replace_in_file", "report_bug", "run_slash_command"),
        *("search_and_replace", "search_files", "search_replace", "skill", "summarize_task"),
        *("switch_mode", "update_todo_list", "use_mcp_tool", "use_skill", "use_subagents"),
        *("web_fetch", "web_search", "write_to_file"),
    }
)
"""Tools that can be called by an XML element in what the model says."""

GREEDY: Final = frozenset({"write_to_file", "new_rule"})
"""Tools whose ``content`` goes to its last closing tag, for it may be XML itself."""

INJECTED: Final = (
    *("<environment_details>", "[TASK RESUMPTION]", "Task resumption:", "# task_progress"),
    *("# TODO LIST", "# Todo List", "[ERROR]", "<explicit_instructions", "<file_content"),
    *("<system-reminder>", "<automatic_reminder", "[NOTE]", "<hook_context", "<user_instructions"),
)
"""How the harness's own blocks begin."""

RESUMPTIONS: Final = ("[TASK RESUMPTION]", "Task resumption:")

_TAG: Final = re.compile(r"<(/?)([a-z_]{1,40})>")
_HUMAN: Final = re.compile(
    r"\s*(?:(?:The user|New instructions|New message)[^\n]*\n\s*)?<(?:task|feedback|user_message)>"
)
_RESUMED: Final = re.compile(r"\nNew (?:instructions|message)[^\n]*\n\s*<user_message>")
_RESULT: Final = re.compile(r"\[([A-Za-z_][\w.-]{0,80})(?: for |\])")
_SAID: Final = re.compile(r'\{\s*"status"\s*:\s*"(denied|error)"')

RESULT_MARK: Final = "] Result:"
DENIED: Final = "The user denied this operation"
FAILED: Final = "The tool execution failed with the following error"


class XmlCall(NamedTuple):
    """A call that the model wrote as an XML element."""

    tool: str
    arguments: dict[str, Json]


@dataclass(slots=True)
class TextResult:
    """A result that is text: of which tool, and what it says."""

    tool: str
    texts: list[str] = field(default_factory=list)


def xml_call(text: str) -> XmlCall | None:
    """Return the first call written in what the model says; the harness runs no later one.

    It mirrors Cline's parser: an element named after a tool, its children the parameters, their
    text without blanks around it. A call whose element is never closed is run too.
    """
    opening = next((tag for tag in _TAG.finditer(text) if not tag[1] and tag[2] in TOOLS), None)
    if opening is None:
        return None
    tool = opening[2]
    return XmlCall(tool, dict(_parameters(text, tool, opening.end())))


def _parameters(text: str, tool: str, at: int) -> Iterator[tuple[str, Json]]:
    while (tag := _TAG.search(text, at)) is not None:
        closing, name = tag[1] == "/", tag[2]
        if closing and name == tool:
            return
        at = tag.end()
        if closing:
            continue
        greedy = tool in GREEDY and name == "content"
        end = (text.rfind if greedy else text.find)(f"</{name}>", at)
        yield name, (text[at:] if end < 0 else text[at:end]).strip()
        if end < 0:
            return
        at = end + len(name) + 3


def result_of(text: str) -> TextResult | None:
    """Read ``[tool for 'x'] Result:`` and what follows it in the same block."""
    start = _RESULT.match(text)
    if start is None:
        return None
    mark = text.find(RESULT_MARK, start.end(1))
    if mark < 0:
        return None
    body = text[mark + len(RESULT_MARK) :].removeprefix("\n")
    return TextResult(start[1], [body] if body.strip() else [])


def is_human(text: str) -> bool:
    """Tell whether a block brings what the user says: a task, a message or feedback."""
    if text.lstrip().startswith(RESUMPTIONS):
        return _RESUMED.search(text) is not None
    return _HUMAN.match(text) is not None


def is_injected(text: str) -> bool:
    """Tell whether a block is the harness's own text."""
    return text.lstrip().startswith(INJECTED)


def status_of(body: str) -> Status:
    """Read how a call ended from the beginning of its result."""
    said = _SAID.match(body)
    if body.startswith(DENIED) or (said is not None and said[1] == "denied"):
        return Status.DENIED
    return Status.ERROR if body.startswith(FAILED) or said is not None else Status.OK


def parts(content: Json) -> Iterator[Record | TextResult | str]:
    """Yield the results and the other texts of a user-role message.

    What follows a header that stands alone belongs to its result, up to the harness's next text.
    """
    result: TextResult | None = None
    takes_more = False
    listed = content if isinstance(content, list) else ()
    for part in [content] if isinstance(content, str) else listed:
        if isinstance(part, dict) and part.get("type") == "tool_result":
            if result is not None:
                yield result
            result = None
            yield part
            continue
        for words in texts_of([part]):
            header = result_of(words)
            if header is None and result is not None and takes_more and not is_injected(words):
                result.texts.append(words)
                continue
            if result is not None:
                yield result
            result = header
            takes_more = header is not None and not header.texts
            if header is None:
                yield words
    if result is not None:
        yield result
