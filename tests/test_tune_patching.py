"""A config file changed in place: the values that differ, and nothing else."""

import subprocess
from pathlib import Path

import pytest

from repeat_reminder.config import ConfigText, load
from repeat_reminder.errors import ConfigError
from repeat_reminder.events import Json
from repeat_reminder.policies.reminder_config import ReminderConfig
from repeat_reminder.render.tune.config_text import cordis_row, toml_table, yaml_flow
from repeat_reminder.tune.patching import NEW_FILE, patch, patched

WANTED = ReminderConfig(thresholds=(5, 12, 16), exclude=("poll_job", "*_status"))

PROFILE = """\
# The profile of our team. Ask before you change it.
- id: agent-loop            # the loop
  name: '@deepseek-ai/dsh-agent-loop'
  config: { model: x }

- id: repeat-tool-reminder  # advice for loops
  name: '@deepseek-ai/dsh-repeat-tool-reminder'
  config:
    # run lengths; three was too early
    thresholds: [3, 5, 8]   # since March
    include: []
    exclude:
      - todo_write          # transparent on purpose
      - old_tool            # gone since May
    argumentsPreviewChars: 500

# the rest
- id: other
  config: {}
"""
INSERT = """\
- insert:
    - name: "@qilin-agent/repeat-tool-reminder"   # ours
      config:
        thresholds:
          - 3   # gentle
          - 5
"""
EMPTY = "- id: repeat-tool-reminder\n  config: {}\n# end\n"
NOTHING = "- id: repeat-tool-reminder\n  config:   # to be done\n# end\n"
NO_CONFIG = "- id: repeat-tool-reminder   # defaults\n- id: other\n"
FLOW = "[{id: repeat-tool-reminder, config: {thresholds: [3], exclude: []}}]  # short\n"
BARE = "# ours\nthresholds: [3, 5, 8]   # now\nexclude: []\n"
BLOCK = "config:\n  exclude: [todo_write]  # why\n"
DOS = PROFILE.replace("\n", "\r\n")
NO_END = "- id: repeat-tool-reminder\n  config:\n    thresholds: [3]  # last"
SHARED = """\
- id: x
  config: {thresholds: &n [3]}
- id: repeat-tool-reminder
  config: {thresholds: *n}
"""
FILES = {
    "profile": PROFILE,
    "inserted": INSERT,
    "empty": EMPTY,
    "null": NOTHING,
    "no config": NO_CONFIG,
    "flow": FLOW,
    "bare": BARE,
    "block": BLOCK,
    "crlf": DOS,
    "no final line end": NO_END,
}


def comments(text: str) -> list[str]:
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


def config_of(text: str) -> ReminderConfig:
    data = text.encode()
    config = load(["reminder"], config=ConfigText(path="c.yml", data=data)).policies[0].config
    assert isinstance(config, ReminderConfig)
    return config


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_the_file_says_the_config_and_keeps_its_comments(text: str) -> None:
    after = patched("reminder", WANTED.record(), "c.yml", text)
    assert config_of(after) == WANTED
    assert comments(after) == comments(text)


def test_what_is_not_ours_stays_as_it_is() -> None:
    after = patched("reminder", WANTED.record(), "c.yml", PROFILE)
    before, _, _ = PROFILE.partition("    # run lengths")
    assert after.startswith(before)
    assert after.endswith(
        "    argumentsPreviewChars: 500\n\n# the rest\n- id: other\n  config: {}\n"
    )
    assert "thresholds: [5, 12, 16]   # since March\n" in after


def test_a_list_of_lines_stays_one() -> None:
    after = patched("reminder", ReminderConfig(exclude=("a", "b", "c")).record(), "c.yml", PROFILE)
    expected = """\
    exclude:
      - a          # transparent on purpose
      - b            # gone since May
      - c
"""
    assert expected in after
    after = patched("reminder", ReminderConfig(exclude=("todo_write",)).record(), "c.yml", PROFILE)
    assert "- todo_write          # transparent on purpose\n      # gone since May\n" in after


def test_nothing_to_change_gives_no_diff() -> None:
    config = config_of(PROFILE)
    assert patch("reminder", config.record(), "c.yml", PROFILE) == ""


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_the_diff_can_be_applied(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.yml"
    path.write_bytes(text.encode())
    diff = patch("reminder", WANTED.record(), "c.yml", text)
    done = subprocess.run(
        ["git", "apply", "-p0", "-"],  # noqa: S607 - wherever git is
        input=diff.encode(),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert path.read_bytes().decode() == patched("reminder", WANTED.record(), "c.yml", text)


def test_without_a_file_the_diff_makes_one(tmp_path: Path) -> None:
    diff = patch("reminder", WANTED.record(), None, None)
    subprocess.run(
        ["git", "apply", "-p0", "-"],  # noqa: S607 - wherever git is
        input=diff.encode(),
        cwd=tmp_path,
        check=True,
    )
    assert config_of((tmp_path / NEW_FILE).read_text()) == WANTED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- id: other\n", "no place"),
        ("[tool.repeat-reminder]\nthresholds = [3]\n", "no place"),
        ("just text\n", "no place"),
        (SHARED, "cannot be edited"),
    ],
)
def test_what_cannot_be_patched_is_told(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        patch("reminder", WANTED.record(), "c.yml", text)


# ---------------------------------------------------------------- text to paste

ODD = ReminderConfig(
    thresholds=(2, 9),
    include=("*", "mcp_*", "on", "a b", 'say "x"', "5", "é", "-", "null", "x: y", "#"),
    exclude=("\x07", "\u2028", "~", "a\\b"),
    arguments_preview_chars=1,
)


def test_a_row_can_be_pasted_back() -> None:
    assert config_of("\n".join(cordis_row("reminder", ODD.record()))) == ODD


def test_a_table_can_be_pasted_back() -> None:
    text = "\n".join(toml_table("reminder", ODD.record()))
    loaded = load(["reminder"], config=ConfigText(path="x.toml", data=text.encode()))
    assert loaded.policies[0].config == ODD


@pytest.mark.parametrize("name", ["cordis", "toml"])
def test_a_breakers_config_can_be_pasted_back(name: str) -> None:
    from repeat_reminder.policies.breaker import BreakerConfig  # noqa: PLC0415 - only here

    config = BreakerConfig.from_mapping({"failLimit": 2.5, "limits": {"net": 7}})
    make = cordis_row if name == "cordis" else toml_table
    text = "\n".join(make("breaker", config.record()))
    file = ConfigText(path=f"x.{'yml' if name == 'cordis' else 'toml'}", data=text.encode())
    assert load(["breaker"], config=file).policies[0].config == config


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([5, 8], "[5, 8]"),
        (["todo_write"], "[todo_write]"),
        (["*"], '["*"]'),
        (["yes"], '["yes"]'),
        (None, "null"),
        ({"a": [1], "b*": True}, '{a: [1], "b*": true}'),
    ],
)
def test_values_are_written_plainly_where_that_is_safe(value: Json, text: str) -> None:
    assert yaml_flow(value) == text
