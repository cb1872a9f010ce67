"""The breaker's settings and their defaults, as dsh-repeat-tool-breaker 0.5.2 ships them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from repeat_reminder.events import Json
from repeat_reminder.policies.breaker.checks import Block
from repeat_reminder.policies.checks import Fault, LineOf, no_lone_text


class OnLimit(StrEnum):
    """What happens to a call that reaches a limit."""

    ASK = "ask"
    DENY = "deny"


class LocalHosts(StrEnum):
    """What happens to calls that only reach this machine or its network."""

    DENY = "deny"
    """They are counted and stopped like any other."""
    ALLOW = "allow"
    """They have no measures of their target."""


def _ignore_args() -> dict[str, tuple[str, ...]]:
    shell = ("description", "timeoutMs", "run_in_background", "justification")
    every = (*shell, "reason", "title", "comment")
    return {"*": every, "bash": shell, "pwsh": shell, "shell": shell}


def _host_aliases() -> dict[str, Json]:
    others = ("open-data.canada.ca", "www.open.canada.ca", "www.open-data.canada.ca")
    return dict.fromkeys(others, "open.canada.ca")


def _limits() -> dict[str, float | None]:
    identities = dict.fromkeys(("exact", "cmd", "net", "sink"), 12)
    volumes = dict.fromkeys(("site", "family:http-fetch", "verb:curl", "verb:wget"))
    return {**identities, "host": 16, **volumes}


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerConfig:
    """One breaker's settings; `from_mapping` is the checked way to make them."""

    window: int = 16
    """Recorded calls of one agent that are counted."""
    on_limit: OnLimit = OnLimit.ASK
    local_hosts: LocalHosts = LocalHosts.DENY
    include_local: bool = False
    """Local hosts have a ``host`` measure too."""
    warn_at: int | None = 7
    summarize_at: int | None = 11
    fail_warn_at: int | None = 3
    fail_limit: float | None = 5
    preview_chars: int = 400
    """Cut of a quoted fingerprint, in UTF-16 units."""
    result_preview_chars: int = 800
    """Cut of a quoted result, in UTF-16 units."""
    exclude: tuple[str, ...] = ("todo_write",)
    include: tuple[str, ...] = ()
    ignore_args: Mapping[str, tuple[str, ...]] = field(default_factory=_ignore_args)
    """Argument names left out of the ``exact`` measure, by tool; ``*`` is every tool."""
    host_aliases: Mapping[str, Json] = field(default_factory=_host_aliases)
    """Other names of one host. Only non-empty strings have an effect."""
    limits: Mapping[str, float | None] = field(default_factory=_limits)
    """Caps by whole fingerprint or by kind; None is no cap."""

    def __post_init__(self) -> None:
        """Refuse a text where a sequence is meant; all else `from_mapping` checks.

        Raises:
            ConfigError: `include`, `exclude` or the names of a tool in `ignore_args` are a text.
        """
        fault = Fault()
        no_lone_text("include", self.include, fault)
        no_lone_text("exclude", self.exclude, fault)
        for tool, names in self.ignore_args.items():
            no_lone_text(f"ignore_args.{tool}", names, fault)

    @classmethod
    def from_mapping(
        cls, mapping: Json, *, path: str | None = None, line_of: LineOf | None = None
    ) -> Self:
        """Check a config as DSH spells it and lay it over the defaults.

        Lists and scalars replace the default; ``ignoreArgs``, ``hostAliases`` and ``limits`` are
        merged by key. Unknown keys have no effect, as in the plugin, whose ``mergeDefaults`` and
        ``validateCfg`` this mirrors: also the order of the checks, which is the order below.

        Args:
            mapping: the config block, an object.
            path: the file it is from, as the user named it.
            line_of: where its keys stand in that file.

        Raises:
            ConfigError: the first rule that is broken, with the key and what was found.
        """
        block = Block(mapping, path, line_of)
        base = cls()
        ignore_args = {**base.ignore_args, **block.name_lists("ignoreArgs")}
        host_aliases = {**base.host_aliases, **block.table("hostAliases")}
        block.table("limits")  # its type is checked here, its values are checked last
        return cls(
            ignore_args=ignore_args,
            host_aliases=host_aliases,
            exclude=block.names("exclude", base.exclude),
            include=block.names("include", base.include),
            window=block.integer("window", base.window, least=4),
            local_hosts=block.local_hosts(base.local_hosts),
            on_limit=block.choice("onLimit", base.on_limit),
            include_local=block.flag("includeLocal", default=base.include_local),
            warn_at=block.stage("warnAt", base.warn_at),
            summarize_at=block.stage("summarizeAt", base.summarize_at),
            fail_warn_at=block.stage("failWarnAt", base.fail_warn_at),
            fail_limit=block.limit("failLimit", base.fail_limit),
            preview_chars=block.integer("previewChars", base.preview_chars, least=1),
            result_preview_chars=block.integer(
                "resultPreviewChars", base.result_preview_chars, least=1
            ),
            limits=block.limits("limits", base.limits),
        )

    def record(self) -> dict[str, Json]:
        """Return every key with its effective value, as DSH spells it."""
        return {
            "window": self.window,
            "onLimit": self.on_limit.value,
            "localHosts": self.local_hosts.value,
            "includeLocal": self.include_local,
            "warnAt": self.warn_at,
            "summarizeAt": self.summarize_at,
            "failWarnAt": self.fail_warn_at,
            "failLimit": self.fail_limit,
            "previewChars": self.preview_chars,
            "resultPreviewChars": self.result_preview_chars,
            "exclude": list(self.exclude),
            "include": list(self.include),
            "ignoreArgs": {tool: list(names) for tool, names in self.ignore_args.items()},
            "hostAliases": dict(self.host_aliases),
            "limits": dict(self.limits),
        }


KEYS = tuple(BreakerConfig().record())
"""Every key of a config."""

IGNORED_KEYS = ("pathAliases",)
"""Keys that configs carry without effect: to be accepted, with a note."""
