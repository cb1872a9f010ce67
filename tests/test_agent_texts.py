"""Calls and results that are texts: Cline's elements and headers, mini-swe-agent's blocks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.events import Status
from repeat_reminder.formats.cline.texts import (
    XmlCall,
    is_human,
    parts,
    result_of,
    status_of,
    xml_call,
)
from repeat_reminder.formats.mini_swe.actions import actions_in

FENCE = "```"


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("no call", None),
        ("<b>bold</b> and <path>x</path>", None),
        ("<read_file><path>a</path></read_file>", XmlCall("read_file", {"path": "a"})),
        (
            "x<read_file>\n<path>\n a b \n</path>\n</read_file>",
            XmlCall("read_file", {"path": "a b"}),
        ),
        ("<list_files></list_files>", XmlCall("list_files", {})),
        ("</read_file><list_files></list_files>", XmlCall("list_files", {})),
        (
            "<read_file><path>a</path></read_file><list_files><path>b</path></list_files>",
            XmlCall("read_file", {"path": "a"}),
        ),
        (
            "<execute_command><command>cat <a></command><timeout>5</timeout></execute_command>",
            XmlCall("execute_command", {"command": "cat <a>", "timeout": "5"}),
        ),
        (
            "<write_to_file><path>a</path><content></content></content></write_to_file>",
            XmlCall("write_to_file", {"path": "a", "content": "</content>"}),
        ),
        ("<read_file><path>a", XmlCall("read_file", {"path": "a"})),
        ("<read_file>", XmlCall("read_file", {})),
    ],
    ids=[
        *("no-element", "elements-of-no-tool", "one-call", "blanks-around-go", "no-parameters"),
        *("a-closing-tag-opens-nothing", "only-the-first-runs", "markup-in-a-value"),
        *("content-to-its-last-end", "an-open-parameter", "an-open-element"),
    ],
)
def test_a_call_is_the_first_element_named_after_a_tool(text: str, call: XmlCall | None) -> None:
    assert xml_call(text) == call


@pytest.mark.parametrize(
    ("text", "tool", "body"),
    [
        ("[read_file for 'a'] Result:\nx\ny", "read_file", ["x\ny"]),
        ("[attempt_completion] Result:", "attempt_completion", []),
        ("[execute_command for 'ls [a]'] Result:\n", "execute_command", []),
        ("[execute_command for 'a\nb'] Result:\nx", "execute_command", ["x"]),
        ("[note] this is no result", None, []),
        ("see [read_file for 'a'] Result:\nx", None, []),
        ("[read file] Result:\nx", None, []),
    ],
    ids=[
        *("with-body", "header-alone", "brackets-and-blank-body", "line-break-in-it"),
        *("another-text", "not-at-the-start", "no-name-of-a-tool"),
    ],
)
def test_a_result_begins_with_its_tool(text: str, tool: str | None, body: list[str]) -> None:
    found = result_of(text)
    assert (found and found.tool) == tool
    assert (found.texts if found else []) == body


@pytest.mark.parametrize(
    ("text", "human"),
    [
        ("<task>\nx\n</task>", True),
        ("\n <user_message>\nx", True),
        ("<feedback>x", True),
        ("The user denied this operation and said:\n<feedback>\nx", True),
        ("New message to respond to:\n<user_message>\nx", True),
        ("[TASK RESUMPTION] x\n\nNew instructions for task continuation:\n<user_message>\ny", True),
        ("[TASK RESUMPTION] x\n<user_message>y", False),
        ("<environment_details>\n<task>", False),
        ("a file says <feedback>", False),
        ("The file says\n<feedback>", False),
        ("", False),
    ],
    ids=[
        *("task", "message-behind-blanks", "feedback", "denial-with-words", "new-message"),
        *("resumption-with-words", "resumption-that-quotes", "details-that-quote"),
        *("words-of-a-file", "lines-of-a-file", "nothing"),
    ],
)
def test_a_block_is_human_if_it_brings_what_the_user_says(text: str, human: bool) -> None:  # noqa: FBT001 - a row's column
    assert is_human(text) is human


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("The user denied this operation.", Status.DENIED),
        ('{"status":"denied","feedback":"no"}', Status.DENIED),
        ("The tool execution failed with the following error:\nx", Status.ERROR),
        ('{ "status" : "error"}', Status.ERROR),
        ('{"status":"fine"}', Status.OK),
        ("error", Status.OK),
    ],
    ids=["denied", "denied-as-json", "failed", "failed-as-json", "other-json", "other-text"],
)
def test_a_results_first_words_tell_how_its_call_ended(body: str, status: Status) -> None:
    assert status_of(body) is status


def test_what_follows_a_header_alone_is_its_result_up_to_the_harness() -> None:
    blocks = ["[a] Result:", "x", "y", "<environment_details>", "z", "[b] Result:\nu", "v"]
    found = [part if isinstance(part, str) else vars_of(part) for part in parts([*blocks])]
    assert found == [("a", ["x", "y"]), "<environment_details>", "z", ("b", ["u"]), "v"]


def vars_of(part: object) -> object:
    return (getattr(part, "tool", None), getattr(part, "texts", None))


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        (f"{FENCE}bash\nls\n{FENCE}", ["ls"]),
        (f"{FENCE}mswea_bash_command\n  ls -l \n{FENCE}", ["ls -l"]),
        (f"{FENCE}bash\na\n{FENCE}\n{FENCE}bash\nb\n{FENCE}", ["a", "b"]),
        (f"{FENCE}bash\na\n{FENCE}\n{FENCE}mswea_bash_command\nb\n{FENCE}", ["b"]),
        (f"{FENCE}bash ls\n{FENCE}", []),
        (f"{FENCE}bash\nls", []),
        (f"{FENCE}python\nls\n{FENCE}", []),
        (f"{FENCE}bash\n\n{FENCE}", [""]),
        ("<mswea_bash_command>\nls\n</mswea_bash_command>", ["ls"]),
        ("<mswea_bash_command>ls", []),
        ("", []),
    ],
    ids=[
        *("one", "the-own-word", "two", "the-own-word-wins", "no-line-break", "never-closed"),
        *("another-language", "nothing-inside", "an-element", "an-open-element", "nothing"),
    ],
)
def test_actions_are_the_fenced_blocks_of_an_answer(text: str, actions: list[str]) -> None:
    assert actions_in(text) == actions


PIECES = ["```bash", "```", "\n", " ", "a", "bash", "\t", "`", "x\n", "```bash\n", "\n```"]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_actions_are_those_of_the_agents_own_pattern(text: str) -> None:
    by_pattern = re.findall(r"```bash\s*\n(.*?)\n```", text, re.DOTALL)
    assert actions_in(text) == [action.strip() for action in by_pattern]


def test_many_open_fences_take_no_time() -> None:
    assert actions_in(f"{FENCE}bash\nx" * 100_000) == []
    assert actions_in(f"{FENCE}bash " * 100_000) == []
    assert xml_call("<read_file>" * 100_000) == XmlCall(
        "read_file", {"read_file": "<read_file>" * 99_998}
    )
