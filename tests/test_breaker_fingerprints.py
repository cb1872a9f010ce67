"""What a call is counted as: words, verb, stripped command, addresses, sink, fingerprints."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.policies.breaker import BreakerConfig
from repeat_reminder.policies.breaker.fingerprints import identity
from repeat_reminder.policies.breaker.gate import Gate
from repeat_reminder.policies.breaker.sink import sink
from repeat_reminder.policies.breaker.text import BLANKS
from repeat_reminder.policies.breaker.tokens import stripped, tokens, verb
from repeat_reminder.policies.breaker.urls import identify, is_local, urls_in
from tests.breaker_driver import breaker, tool_call

CASES = json.loads((Path(__file__).parent / "data" / "breaker.json").read_text(encoding="utf-8"))
DEFAULT = BreakerConfig()
ALIASES = DEFAULT.host_aliases


@pytest.mark.parametrize("case", CASES["commands"], ids=lambda case: ascii(case["command"]))
def test_command(case: dict[str, Any]) -> None:
    command = case["command"]
    words = tokens(command)
    assert words == case["tokens"]
    assert verb(words) == case["verb"]
    assert stripped(words) == case["stripped"]
    assert [raw for raw in urls_in(command) if identify(raw, ALIASES)] == case["urls"]
    assert sink(words) == case["sink"]
    expected = (tuple(case["fingerprints"]), case["local"])
    assert identity("bash", {"command": command}, DEFAULT) == expected


@pytest.mark.parametrize("case", CASES["urls"], ids=lambda case: ascii(case["url"]))
def test_address(case: dict[str, Any]) -> None:
    url = identify(case["url"], ALIASES)
    assert (url and {key: getattr(url, key) for key in case["norm"]}) == case["norm"]
    assert (url and url.local) == case["local"]
    fps, _ = identity("web_fetch", {"url": case["url"]}, DEFAULT)
    assert list(fps) == case["fingerprints"]


@pytest.mark.parametrize(
    "case", CASES["tools"], ids=lambda case: f"{case['name']} {case['arguments']}"
)
def test_tool(case: dict[str, Any]) -> None:
    fps, _ = identity(case["name"], case["arguments"], DEFAULT)
    assert list(fps) == case["fingerprints"]
    assert bool(breaker().standings(tool_call(0, case))) is case["tracked"]


@pytest.mark.parametrize(
    ("policy", "case"),
    [(policy, case) for policy in CASES["local_policy"] for case in policy["cases"]],
    ids=lambda row: (
        row.get("command") or f"localHosts {row['localHosts']}, includeLocal {row['includeLocal']}"
    ),
)
def test_local_policy(policy: dict[str, Any], case: dict[str, Any]) -> None:
    keys = {key: policy[key] for key in ("localHosts", "includeLocal")}
    found = identity("bash", {"command": case["command"]}, BreakerConfig.from_mapping(keys))
    assert found == (tuple(case["fingerprints"]), case["local"])


@pytest.mark.parametrize(
    "case", CASES["limit_for"], ids=lambda case: f"{case['fp']} {case['limits_override']}"
)
def test_limit_of_a_fingerprint(case: dict[str, Any]) -> None:
    gate = Gate(BreakerConfig.from_mapping({"limits": case["limits_override"]}))
    assert gate.cap(case["fp"]) == case["cap"]


@pytest.mark.parametrize(
    ("raw", "aliases", "href", "local"),
    [
        pytest.param("https://e.org/\ud800", {}, "e.org/%EF%BF%BD", False, id="half-a-pair"),
        pytest.param("https://e.org/?\ue000&\U00010000", {}, "e.org/?\U00010000=&\ue000=", False,
                     id="pairs-sort-by-utf-16"),
        pytest.param("https://e.org/?a=%ff", {}, "e.org/?a=\ufffd", False, id="bytes-no-utf-8"),
        pytest.param("https://a.org", {"a.org": "B.org"}, "b.org/", False, id="alias-lower-cased"),
        pytest.param("https://www.a.org", {"www.a.org": "b"}, "a.org/", False, id="alias-with-www"),
        pytest.param("https://a.org", {"a.org": None}, "a.org/", False, id="alias-null"),
        pytest.param("https://a.org", {"a.org": ""}, "a.org/", False, id="alias-empty"),
        pytest.param("https://a.org", {"a.org": 5}, "a.org/", False, id="alias-no-string"),
        pytest.param("https://a.org", {"a.org": "fd00::1"}, "fd00::1/", True, id="alias-bare-ipv6"),
    ],
)  # fmt: skip
def test_address_corner(raw: str, aliases: dict[str, Any], href: str, *, local: bool) -> None:
    url = identify(raw, aliases)
    assert url is not None
    assert (url.href, url.local) == (href, local)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("::1", True), ("fc00::1", True), ("fdff::", True), ("fe80::1", True), ("fe00::1", False),
        ("fcx0::1", False), ("10.1", True), ("0.0.0.01", False), ("xlocalhost", False),
        ("localhost.org", False), ("127.evil.org", True), ("172.160.0.1", False),
    ],
)  # fmt: skip
def test_local_by_spelling(host: str, *, local: bool) -> None:
    assert is_local(host) is local


@pytest.mark.parametrize(
    ("tool", "dropped"),
    [("x", {"a", "b"}), ("y", {"a", "c"}), ("*", {"a"})],
    ids=["its-own-list", "another-tool", "a-tool-called-star"],
)
def test_ignored_arguments_by_tool(tool: str, dropped: set[str]) -> None:
    lists: dict[str, Any] = {"*": ["a"], "x": ["b"], "y": ["c"]}
    fps, _ = identity(
        tool, {"a": 1, "b": 2, "c": 3}, BreakerConfig.from_mapping({"ignoreArgs": lists})
    )
    kept = ",".join(f'"{k}":{v}' for k, v in (("a", 1), ("b", 2), ("c", 3)) if k not in dropped)
    assert fps == (f"exact:{tool}:{{{kept}}}",)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("curl -o https://e.org/f x", "https://e.org/f"),
        ("curl -O HTTPS://e.org/f > g", "g"),
        ("curl -o -s -o f", "f"),
        ("x > '' > f", None),
        ("x >>>f", ">f"),
        ("x | tee -a ; tee f", "f"),
        ("x -o ' ./'f", "f"),
        ('x -o "\'"', None),
    ],
)
def test_sink_corner(command: str, path: str | None) -> None:
    assert sink(tokens(command)) == path


@pytest.mark.parametrize("arguments", [["https://e.org"], "https://e.org", None, 5], ids=str)
def test_address_tool_without_named_arguments_has_no_address(arguments: Any) -> None:  # noqa: ANN401
    fps, local = identity("web_fetch", arguments, DEFAULT)
    assert ([fp.partition(":")[0] for fp in fps], local) == (["exact"], False)


def by_hand(command: str) -> list[str]:
    """Split as section 2.1 says it, character by character."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    at = 0
    while at < len(command):
        char, last = command[at], at + 1 == len(command)
        if char == "\\" and quote != "'" and not last:
            at += 1
            word = (word or "") + command[at]
        elif quote:
            quote, word = ("", word) if char == quote else (quote, (word or "") + char)
        elif char in {"'", '"'}:
            quote, word = char, word or ""
        elif char in BLANKS:
            words += [] if word is None else [word]
            word = None
        else:
            word = (word or "") + char
        at += 1
    return words + ([] if word is None else [word])


@given(st.text(alphabet="ab '\"\\\n\u00a0-=\x85", max_size=30))
def test_words_are_those_of_a_reading_by_hand(command: str) -> None:
    assert tokens(command) == by_hand(command)


@pytest.mark.parametrize(
    "unit",
    ["a'b'", '"a\\"', "\\", "'a ", "tee -a | ", "> | ", "-o -", "sudo -u ", "https://a...", "A=1 "],
)
def test_hostile_commands_take_linear_time(unit: str) -> None:
    before = process_time()
    identity("bash", {"command": f"curl {unit * 100_000}"}, DEFAULT)
    assert process_time() - before < 10  # a quadratic reading takes minutes
