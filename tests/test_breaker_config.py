"""The breaker's configuration: what is accepted, what an error says, in which order."""

import json
from pathlib import Path
from typing import Any

import pytest

from repeat_reminder.config.table import BREAKER
from repeat_reminder.errors import ConfigError
from repeat_reminder.policies.breaker import IGNORED_KEYS, KEYS, REMOVED_KEYS, BreakerConfig

CASES = json.loads((Path(__file__).parent / "data" / "breaker.json").read_text(encoding="utf-8"))
ACCEPTED = {
    "window": "integer >= 4",
    "localHosts": "deny or allow",
    "onLimit": "ask or deny",
    "includeLocal": "true or false",
    "failLimit": "number >= 2, or null",
    "previewChars": "integer >= 1",
    "resultPreviewChars": "integer >= 1",
    **dict.fromkeys(
        ("warnAt", "summarizeAt", "failWarnAt"), "positive integer, or null, 0 or a negative number"
    ),
}
SHAPES = {
    "config": "object",
    "limits": "object",
    "ignoreArgs": "object",
    "hostAliases": "object",
    "exclude": "string",
    "include": "list of strings",
}
REPLACEMENTS = {
    "denyAfter": ("limits.exact",),
    "warnAfter": ("warnAt", "limits"),
    "registerAdvisory": ("warnAt", "limits"),
    "maxSamePath": ("nothing replaces it", "exact", "positions"),
    "readTools": ("nothing replaces it", "tool name"),
    "matchReadBySubstring": ("nothing replaces it", "tool name"),
}


def demands(token: str, config: Any) -> tuple[str, ...]:  # noqa: ANN401 - any JSON
    """Return what the message for an error token of the cases has to say."""
    kind, _, key = token.partition(":")
    match kind:
        case "type":
            return (key, SHAPES[key], "found")
        case "value":
            return (key, ACCEPTED[key], f"found {json.dumps(config[key])}")
        case "limit":
            return (
                f"limits.{key}",
                "number >= 2, or null",
                f"found {json.dumps(config['limits'][key])}",
            )
        case "migrate":
            return ("localHosts", "onLimit: ask", "deny or allow")
        case "removed":
            return (key, "gone since 0.2.0", *REPLACEMENTS[key])
        case _:
            raise AssertionError(token)


@pytest.mark.parametrize("case", CASES["config"], ids=lambda case: json.dumps(case["config"]))
def test_config(case: dict[str, Any]) -> None:
    if case["ok"]:
        record = BreakerConfig.from_mapping(case["config"]).record()
        for key, value in case.get("effective", {}).items():
            assert record[key] == value, key
        return
    with pytest.raises(ConfigError) as caught:
        BreakerConfig.from_mapping(case["config"], path="breaker.yml")
    for demand in demands(case["error"], case["config"]):
        assert demand in caught.value.message
    assert caught.value.path == "breaker.yml"


@pytest.mark.parametrize("key", REMOVED_KEYS)
def test_removed_key_says_what_replaces_it(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        BreakerConfig.from_mapping({key: None})
    for demand in demands(f"removed:{key}", {}):
        assert demand in caught.value.message


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("denyAfter", 1),
        ("ignoreArgs", []),
        ("hostAliases", []),
        ("limits", []),
        ("exclude", 5),
        ("include", 5),
        ("window", 0),
        ("localHosts", "ask"),
        ("onLimit", 5),
        ("includeLocal", 5),
        ("warnAt", "x"),
        ("summarizeAt", "x"),
        ("failWarnAt", "x"),
        ("failLimit", 1),
        ("previewChars", 0),
        ("resultPreviewChars", 0),
    ],
)
def test_checks_run_in_the_order_of_the_plugin(key: str, wrong: Any) -> None:  # noqa: ANN401
    order = ["denyAfter", "ignoreArgs", "hostAliases", "limits", "exclude", "include", "window",
             "localHosts", "onLimit", "includeLocal", "warnAt", "summarizeAt", "failWarnAt",
             "failLimit", "previewChars", "resultPreviewChars"]  # fmt: skip
    later = order[order.index(key) + 1 :]
    bad: dict[str, Any] = {name: {"not": "this"} for name in later} | {"limits": {"exact": "x"}}
    with pytest.raises(ConfigError) as caught:
        BreakerConfig.from_mapping({**bad, key: wrong})
    assert caught.value.message.startswith(f"{key}: ")


def test_limits_are_checked_last_and_named() -> None:
    limits: dict[str, Any] = {"host:e.org": 1}
    with pytest.raises(ConfigError, match=r"^limits\.host:e\.org: .* found 1$"):
        BreakerConfig.from_mapping({"limits": limits})


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ({"window": 1}, 7),
        ({"limits": {"exact": 1}}, 9),
        ({"ignoreArgs": {"x": [1]}}, 11),
        ({"exclude": [1]}, None),
    ],
    ids=["a-key", "in-a-table", "in-a-list-of-a-table", "a-key-without-a-place"],
)
def test_error_has_the_line_of_its_key(config: dict[str, Any], line: int | None) -> None:
    lines = {"window": 7, "limits": 9, "ignoreArgs": 11}
    with pytest.raises(ConfigError) as caught:
        BreakerConfig.from_mapping(config, path="b.yml", line_of=lines.get)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"ignoreArgs": {"bash": "x"}}, r"^ignoreArgs\.bash: expected a list of strings"),
        ({"ignoreArgs": {"bash": [1]}}, r"^ignoreArgs\.bash\[0\]: expected a string"),
        ({"window": True}, r"^window: .* found true$"),
        ({"window": float("inf")}, r"^window: "),
        ({"failLimit": float("nan")}, r"^failLimit: "),
        ({"warnAt": float("-inf")}, r"^warnAt: "),
        ({"limits": {"exact": True}}, r"^limits\.exact: .* found true$"),
    ],
    ids=lambda value: value if isinstance(value, str) else ascii(value),
)
def test_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        BreakerConfig.from_mapping(config)


def test_tables_are_merged_by_key_and_lists_replace() -> None:
    config = BreakerConfig.from_mapping(
        {
            "ignoreArgs": {"*": [], "x": ["y"], "pwsh": None},
            "hostAliases": {"a.org": "b.org", "open-data.canada.ca": None},
            "limits": {"exact": 3, "verb": 4},
            "exclude": ["x*"],
        }
    )
    default = BreakerConfig()
    assert config.ignore_args == {**default.ignore_args, "*": (), "x": ("y",), "pwsh": ()}
    aliases = {"a.org": "b.org", "open-data.canada.ca": None}
    assert config.host_aliases == {**default.host_aliases, **aliases}
    assert config.limits == {**default.limits, "exact": 3, "verb": 4}
    assert config.exclude == ("x*",)


def test_whole_doubles_are_integers_as_json_cannot_tell_them_apart() -> None:
    config = BreakerConfig.from_mapping({"window": 4.0, "warnAt": 2.0, "limits": {"exact": 3.0}})
    values = (config.window, config.warn_at, config.limits["exact"])
    assert [json.dumps(value) for value in values] == ["4", "2", "3"]


def test_record_states_every_key_and_reads_back() -> None:
    config = BreakerConfig.from_mapping(
        {"window": 9, "onLimit": "deny", "warnAt": 0, "failLimit": None, "limits": {"verb": 2.5}}
    )
    record = config.record()
    assert tuple(record) == KEYS
    assert BreakerConfig.from_mapping(record) == config
    assert json.loads(json.dumps(record)) == record


def test_defaults_are_those_of_an_empty_config() -> None:
    assert BreakerConfig.from_mapping({}) == BreakerConfig()


def test_configs_share_no_table() -> None:
    one, other = BreakerConfig(), BreakerConfig()
    assert one.limits is not other.limits


def test_config_files_know_the_same_keys() -> None:
    assert set(BREAKER.keys) == set(KEYS)
    assert set(BREAKER.removed) == set(REMOVED_KEYS)
    assert set(BREAKER.idle) == set(IGNORED_KEYS)
