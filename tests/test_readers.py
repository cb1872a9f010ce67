"""Every reader, on small inputs of our own: one file a trap, with a table of right answers."""

from typing import Final

import pytest

from repeat_reminder.events import Compaction, Problem, SessionEnd
from repeat_reminder.formats import (
    acp_wire,
    amp,
    anthropic,
    claude_code,
    cline,
    cline_sdk,
    codex,
    codex_exec,
    copilot_cli,
    cursor,
    droid,
    gemini_json,
    gemini_jsonl,
    goose,
    hermes,
    inspect_ai,
    mini_swe,
    openai_chat,
    openai_responses,
    opencode,
    opencode_db,
    openhands,
    otel,
    pi,
    qwen,
    swe_agent,
    tau_bench,
    windsurf,
)
from repeat_reminder.formats.model import Format
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.source import open_log
from tests.expectations import Case, cases, check
from tests.readers import DATA, file_events, of_type

READERS: Final[tuple[Format, ...]] = (
    claude_code.FORMAT,
    codex.FORMAT,
    codex_exec.FORMAT,
    acp_wire.FORMAT,
    copilot_cli.FORMAT,
    gemini_json.FORMAT,
    gemini_jsonl.FORMAT,
    opencode_db.FORMAT,
    opencode.FORMAT,
    openhands.FORMAT,
    pi.FORMAT,
    qwen.FORMAT,
    amp.FORMAT,
    cline.FORMAT,
    cline_sdk.FORMAT,
    cursor.FORMAT,
    droid.FORMAT,
    goose.FORMAT,
    hermes.FORMAT,
    inspect_ai.FORMAT,
    mini_swe.FORMAT,
    otel.FORMAT,
    swe_agent.FORMAT,
    tau_bench.FORMAT,
    windsurf.FORMAT,
    openai_responses.FORMAT,
    anthropic.FORMAT,
    openai_chat.FORMAT,
)
"""In the order they are asked. Each has a folder of its name in ``data``."""

ROWS: Final = [
    pytest.param(form, case, id=f"{form.name}/{case['file']}")
    for form in READERS
    for case in cases(DATA / form.name / "expected.jsonl")
]


@pytest.mark.parametrize(("form", "case"), ROWS)
def test_a_log_gives_the_numbers_of_its_table(form: Format, case: Case) -> None:
    check(case, DATA / form.name / case["file"], form)


@pytest.mark.parametrize(("form", "case"), ROWS)
def test_a_log_is_recognised_as_its_own_format(form: Format, case: Case) -> None:
    with open_log(str(DATA / form.name / case["file"])) as log:
        sample = sample_of(log)
    assert next(reader for reader in READERS if reader.recognise(sample)) is form


@pytest.mark.parametrize("form", READERS, ids=[form.name for form in READERS])
def test_every_log_of_a_reader_is_in_its_table(form: Format) -> None:
    folder = DATA / form.name
    listed = {case["file"] for case in cases(folder / "expected.jsonl")}
    assert {path.name for path in folder.iterdir()} == listed | {"expected.jsonl"}


def test_compactions_are_told() -> None:
    events = file_events(claude_code.FORMAT, "compaction.jsonl")
    assert [event.line for event in of_type(events, Compaction)] == [4, 7]
    events = file_events(codex.FORMAT, "compacted-unfinished.jsonl")
    assert [event.line for event in of_type(events, Compaction)] == [6]


COPIES: Final = [
    pytest.param(claude_code.FORMAT, "copies.jsonl", 5, id="claude-code"),
    pytest.param(codex.FORMAT, "resume-fork-join.jsonl", 1, id="codex"),
    pytest.param(copilot_cli.FORMAT, "twice-and-out-of-order.jsonl", 1, id="copilot-cli"),
    pytest.param(gemini_json.FORMAT, "states.json", 1, id="gemini-json"),
    pytest.param(qwen.FORMAT, "who-speaks.jsonl", 1, id="qwen"),
]


@pytest.mark.parametrize(("form", "name", "copies"), COPIES)
def test_copies_are_counted(form: Format, name: str, copies: int) -> None:
    events = file_events(form, name)
    assert sum(end.duplicates_dropped for end in of_type(events, SessionEnd)) == copies
    assert [p.kind for p in of_type(events, Problem)].count("copy") == copies


BROKEN: Final = [
    pytest.param(claude_code.FORMAT, "broken.jsonl", [7, 8, 10, 11, 12], id="claude-code"),
    pytest.param(codex.FORMAT, "headless-broken.jsonl", [8], id="codex"),
    pytest.param(acp_wire.FORMAT, "two-sessions-reload.jsonl", [26, 27, 28], id="acp-wire"),
    pytest.param(copilot_cli.FORMAT, "resume-user-tools-cut.jsonl", [11, 12, 13], id="copilot-cli"),
    pytest.param(gemini_json.FORMAT, "states.json", [None], id="gemini-json"),
    pytest.param(opencode.FORMAT, "steps-and-states.json", [None] * 3, id="opencode-export"),
    pytest.param(openhands.FORMAT, "events.jsonl", [22, 23], id="openhands"),
    pytest.param(pi.FORMAT, "branches-broken.jsonl", [5, 6, 7], id="pi"),
    pytest.param(qwen.FORMAT, "subagent-without-ids.jsonl", [6, 7], id="qwen"),
    pytest.param(openai_chat.FORMAT, "session-a-line.jsonl", [6, 6], id="openai-chat"),
    pytest.param(anthropic.FORMAT, "message-a-line.jsonl", [5, 6], id="anthropic"),
]


@pytest.mark.parametrize(("form", "name", "lines"), BROKEN)
def test_broken_shapes_are_left_out_with_a_warning(
    form: Format, name: str, lines: list[int | None]
) -> None:
    problems = of_type(file_events(form, name), Problem)
    malformed = [problem for problem in problems if problem.kind == "malformed"]
    assert [problem.line for problem in malformed] == lines
    assert all(problem.skipped for problem in malformed)
