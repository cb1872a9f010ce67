"""The policies a config can speak to: names, keys, and how a block becomes a config."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from repeat_reminder.events import Json
from repeat_reminder.policies.checks import LineOf
from repeat_reminder.policies.reminder_config import ReminderConfig

if TYPE_CHECKING:
    from repeat_reminder.policies.breaker import BreakerConfig

PolicyConfig: TypeAlias = "ReminderConfig | BreakerConfig"


class Policy(Struct, frozen=True, kw_only=True):
    """One policy as a config file knows it."""

    name: str
    ids: tuple[str, ...]
    """Ids of its row in a cordis file."""
    packages: tuple[str, ...]
    """Packages whose rows are this policy's."""
    keys: tuple[str, ...]
    """Its config keys, as DSH spells them."""
    read: Callable[[Json, str | None, LineOf | None], PolicyConfig]
    """Checks a block; raises `ConfigError`. Arguments: the block, its file, where its keys are."""
    removed: tuple[str, ...] = ()
    """Keys of earlier versions: ``read`` says what has become of them."""
    idle: tuple[str, ...] = ()
    """Keys that are accepted and do nothing."""
    ignore_args: Callable[[Sequence[str]], Json] = list
    """Turns ``name`` and ``tool:name`` into the policy's value of ``ignoreArgs``."""


def _reminder(block: Json, path: str | None, line_of: LineOf | None) -> PolicyConfig:
    return ReminderConfig.from_mapping(block, path=path, line_of=line_of)


def _breaker(block: Json, path: str | None, line_of: LineOf | None) -> PolicyConfig:
    # Most runs mount no breaker, and it takes its URL parser along.
    from repeat_reminder.policies.breaker import BreakerConfig  # noqa: PLC0415

    return BreakerConfig.from_mapping(block, path=path, line_of=line_of)


def _names_by_tool(entries: Sequence[str]) -> Json:
    """Spell ``tool:name`` as the breaker does, whose ``*`` is every tool."""
    by_tool: dict[str, list[Json]] = {}
    for entry in entries:
        tool, _, name = entry.rpartition(":")
        by_tool.setdefault(tool or "*", []).append(name)
    return dict(by_tool)


REMINDER = Policy(
    name="reminder",
    ids=("repeat-tool-reminder", "repeat-tool-guard"),
    packages=(
        "@deepseek-ai/dsh-repeat-tool-reminder",
        "@deepseek-ai/dsh-repeat-tool-guard",
        "@qilin-agent/repeat-tool-reminder",
    ),
    keys=("thresholds", "include", "exclude", "argumentsPreviewChars", "ignoreArgs"),
    read=_reminder,
)
BREAKER = Policy(
    name="breaker",
    ids=("repeat-tool-breaker",),
    packages=("dsh-repeat-tool-breaker",),
    keys=(
        "window",
        "onLimit",
        "localHosts",
        "includeLocal",
        "warnAt",
        "summarizeAt",
        "failWarnAt",
        "failLimit",
        "previewChars",
        "resultPreviewChars",
        "exclude",
        "include",
        "ignoreArgs",
        "hostAliases",
        "limits",
    ),
    read=_breaker,
    removed=(
        "denyAfter",
        "warnAfter",
        "registerAdvisory",
        "maxSamePath",
        "readTools",
        "matchReadBySubstring",
    ),
    idle=("pathAliases",),
    ignore_args=_names_by_tool,
)

POLICIES = {policy.name: policy for policy in (REMINDER, BREAKER)}
NONE = "none"
"""The name that mounts nothing."""

SETTINGS = ("policy", "fixtures", "snapshots")
"""Keys of ``[tool.repeat-reminder]`` that are no policy's."""
CHOICES = ("policy", "answer")
"""Keys of a file of our own that are no policy's."""


def policy_of(label: str) -> Policy | None:
    """Find the policy that its name, a row's id, a package or a path to its files stands for."""
    words = set(label.replace("\\", "/").split("/"))
    for policy in POLICIES.values():
        ours = {*policy.ids, *(package.rpartition("/")[2] for package in policy.packages)}
        if label == policy.name or ours & words:
            return policy
    return None
