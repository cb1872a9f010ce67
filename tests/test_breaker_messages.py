"""What each message of the breaker has to say, and what it must not."""

from itertools import product

import pytest

from repeat_reminder.policies.breaker.hits import Cause, Hit, Reason
from repeat_reminder.policies.breaker.messages import Wording

WORDING = Wording(cut=40)
HOST = Hit("host:e.org", "host:e.org", 12, 12)
EXACT = Hit("exact:bash:{}", "exact:bash:{}", 13, 2.5)
BUILD = Hit("cmd:make:make", "cmd:make:make", 5, 5, Cause(Reason.EXIT, "2"))
GONE = Hit("net:e.org/", "net:e.org/", 6, 5, Cause(Reason.HTTP))
LONG = Hit("x:" + "😀" * 30, "digest", 7, 12)
LONG_SHOWN = "x:" + "😀" * 19 + "… (+22 more chars)"


def deny(*hits: Hit, tool: str = "bash", refused: bool = False, last: str = "") -> str:
    return WORDING.deny(tool, hits, refused=refused, last_result=last)


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        pytest.param(
            WORDING.warn(HOST),
            ["host:e.org", "12 times", "Another route", "faster"],
            ["\n", "Stop", "Write", "must", "Do not"],
            id="warn-asks-for-nothing",
        ),
        pytest.param(
            WORDING.summarize(HOST),
            ["host:e.org", "12 times", "write down", "facts you have established",
             "assumptions you have not verified", "what failed, and why",
             "at least two approaches you have not yet tried", "larger batches"],
            ["12/12"],
            id="summarize-demands-a-stocktaking",
        ),
        pytest.param(
            WORDING.fail_warn(BUILD, Cause(Reason.EXIT, "2")),
            ["cmd:make:make", "5 times in a row", "ended with a non-zero exit code (2)",
             "read the error", "check that the target it names exists", "fix the cause"],
            ["REPEAT_TOOL_BLOCKED"],
            id="fail-warn",
        ),
        pytest.param(
            WORDING.ask("bash", [BUILD, HOST]),
            ["bash", "keeps failing:\n- cmd:make:make: 5 failures in a row",
             "(count/limit):\n- host:e.org 12/12", "Approve:", "not counted for the rest of the",
             "later identical calls pass", "Decline:", "blocked until the next human message"],
            ["REPEAT_TOOL_BLOCKED"],
            id="ask-names-failures-apart-from-repeats",
        ),
        pytest.param(
            WORDING.ask("", [EXACT]),
            ["this tool call", "- exact:bash:{} 13/2.5"],
            ["failing"],
            id="ask-without-failures-or-name",
        ),
        pytest.param(
            deny(BUILD, HOST, EXACT),
            ["bash tool call", "did not run", "5 failures in a row; the command ended",
             "Rephrasing the call does not help", "different call is not blocked",
             "- host:e.org 12/12\n- exact:bash:{} 13/2.5", "Cosmetic changes make no new action",
             "description", "timeoutMs", "--max-time", "spelling of the host",
             "previous result is already in the conversation history", "Instead,"],
            ["exemption"],
            id="deny-both-tracks",
        ),
        pytest.param(
            deny(GONE),
            ["net:e.org/: 6 failures in a row; the server answered with an HTTP error"],
            ["Cosmetic", "(count/limit)"],
            id="deny-failures-only",
        ),
        pytest.param(
            deny(HOST),
            ["host:e.org 12/12"],
            ["failing", "Rephrasing", "in a row"],
            id="deny-repeats-only",
        ),
        pytest.param(
            deny(HOST, refused=True),
            ["An exemption was asked for and not granted",
             "stay blocked until the next human message"],
            [],
            id="deny-after-a-refusal",
        ),
        pytest.param(
            deny(HOST, last="line 1\nline 2 \ud83d"),
            ["previous result was:\nline 1\nline 2 \ud83d\n"],
            ["history"],
            id="deny-quotes-the-previous-result",
        ),
        pytest.param(
            deny(HOST, tool=""), ["REPEAT_TOOL_BLOCKED: this tool call was"], [], id="deny-no-name"
        ),
    ],
)  # fmt: skip
def test_message(text: str, said: list[str], unsaid: list[str]) -> None:
    for words in said:
        assert words in text
    for words in unsaid:
        assert words not in text
    assert not set(text) & set("<>")


def test_denial_starts_with_the_mark_and_names_failures_first() -> None:
    text = deny(BUILD, HOST)
    assert text.startswith("REPEAT_TOOL_BLOCKED")
    assert text.index(BUILD.fp) < text.index(HOST.fp)


@pytest.mark.parametrize(
    "text",
    [WORDING.warn(LONG), WORDING.summarize(LONG), WORDING.ask("x", [LONG]), deny(LONG),
     WORDING.fail_warn(LONG, Cause(Reason.CURL, "6"))],
    ids=["warn", "summarize", "ask", "deny", "fail-warn"],
)  # fmt: skip
def test_fingerprints_are_cut_at_utf16_units(text: str) -> None:
    assert LONG_SHOWN in text


def test_fingerprint_at_the_cut_is_whole() -> None:
    fp = "x" * 40
    assert f"{fp} has" in WORDING.warn(Hit(fp, fp, 7, 12))


@pytest.mark.parametrize(
    ("hit", "summary"),
    [(LONG, LONG.fp + " \N{MULTIPLICATION SIGN} 7"), (BUILD, "cmd:make:make failed x5")],
    ids=["repeat-uncut", "failure"],
)
def test_summary(hit: Hit, summary: str) -> None:
    assert hit.summary == summary


WORDS = {
    Reason.ERROR: ("the tool raised an error", "the tool raised an error (ENOENT)"),
    Reason.EXIT: (
        "the command ended with a non-zero exit code",
        "the command ended with a non-zero exit code (ENOENT)",
    ),
    Reason.TIMEOUT: ("the call ran out of time", "the call ran out of time after ENOENT"),
    Reason.SIGNAL: (
        "the command was killed by a signal",
        "the command was killed by a signal (ENOENT)",
    ),
    Reason.HTTP: (
        "the server answered with an HTTP error",
        "the server answered with an HTTP error (ENOENT)",
    ),
    Reason.SANDBOX: ("the sandbox refused access", "the sandbox refused access (mode ENOENT)"),
    Reason.EXCEPTION: (
        "the program ended with an exception",
        "the program ended with an exception (ENOENT)",
    ),
    Reason.CURL: ("curl gave up", "curl gave up with error ENOENT"),
}


@pytest.mark.parametrize("reason", Reason)
def test_failure_in_words_with_and_without_evidence(reason: Reason) -> None:
    bare, detailed = WORDS[reason]
    assert WORDING.words(Cause(reason)) == bare
    assert WORDING.words(Cause(reason, "ENOENT")) == detailed


@pytest.mark.parametrize(("reason", "detail"), [*product(Reason, ["", "{}", "x" * 99])])
def test_failure_in_words_reads_cleanly(reason: Reason, detail: str) -> None:
    words = WORDING.words(Cause(reason, detail))
    shown = "x" * 40 + "… (+59 more chars)" if len(detail) > 40 else detail
    assert shown in words
    assert "  " not in words
    assert words == words.strip(" .")
