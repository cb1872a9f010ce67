"""Every recorded session gives the numbers of its table, through reader, engine and policy.

The recorded sessions are not part of this project. Where they lie beside it they are read; the
project's own inputs for the same traps are in ``data/`` (`test_readers`).
"""

from pathlib import Path
from typing import Final

import pytest

from repeat_reminder.formats import (
    acp_wire,
    amp,
    anthropic,
    claude_code,
    cline,
    cline_sdk,
    codex,
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
from repeat_reminder.formats.not_sessions import not_a_session
from repeat_reminder.formats.recognition import sample_of
from repeat_reminder.source import open_log
from tests.expectations import Case, cases, check

SESSIONS: Final = Path(__file__).parents[2] / "shared" / "sessions"

READY: Final[dict[str, Format]] = {
    "claude-code": claude_code.FORMAT,
    "codex": codex.FORMAT,
    "acp": acp_wire.FORMAT,
    "copilot-cli": copilot_cli.FORMAT,
    "gemini-json": gemini_json.FORMAT,
    "gemini-jsonl": gemini_jsonl.FORMAT,
    "opencode-db": opencode_db.FORMAT,
    "opencode-export": opencode.FORMAT,
    "openhands": openhands.FORMAT,
    "pi": pi.FORMAT,
    "qwen": qwen.FORMAT,
    "amp": amp.FORMAT,
    "cline": cline.FORMAT,
    "cline-sdk": cline_sdk.FORMAT,
    "cursor": cursor.FORMAT,
    "droid": droid.FORMAT,
    "goose": goose.FORMAT,
    "hermes": hermes.FORMAT,
    "inspect": inspect_ai.FORMAT,
    "mini-swe": mini_swe.FORMAT,
    "otel": otel.FORMAT,
    "swe-agent": swe_agent.FORMAT,
    "tau-bench": tau_bench.FORMAT,
    "windsurf": windsurf.FORMAT,
    "openai-responses": openai_responses.FORMAT,
    "anthropic-msgs": anthropic.FORMAT,
    "openai-msgs": openai_chat.FORMAT,
    "litellm": openai_chat.FORMAT,
}
"""The readers there are, by the table's names of formats, in the order they are asked."""

TABLE: Final = cases(SESSIONS / "expected.jsonl")
ALL: Final = [pytest.param(case, id=case["file"]) for case in TABLE]
READABLE: Final = [pytest.param(case, id=case["file"]) for case in TABLE if case["format"] in READY]

pytestmark = pytest.mark.skipif(not TABLE, reason="the recorded sessions are not here")


@pytest.mark.parametrize("case", READABLE)
def test_a_recorded_session_gives_the_numbers_of_its_table(case: Case) -> None:
    check(case, SESSIONS / case["file"], READY[case["format"]])


@pytest.mark.parametrize("case", ALL)
def test_a_log_is_recognised_as_its_own_format_only(case: Case) -> None:
    with open_log(str(SESSIONS / case["file"])) as log:
        sample = sample_of(log)
    taken = next((form for form in READY.values() if form.recognise(sample)), None)
    assert taken is READY.get(case["format"])


@pytest.mark.parametrize("case", ALL)
def test_only_files_that_are_no_sessions_are_refused_as_such(case: Case) -> None:
    with open_log(str(SESSIONS / case["file"])) as log:
        refusal = not_a_session(sample_of(log))
    assert (refusal is not None) == case.get("not_a_session", False)
